// The API in this process, on the shared PostgreSQL, with the test's own settings and log.

import pino from "pino";
import { createApp } from "../../server/app.ts";
import { type Config, readConfig } from "../../server/config.ts";
import { connect, type Patience } from "../../server/db/sql.ts";
import { createEgress } from "../../server/egress/index.ts";
import type { EntityDefinition } from "../../server/entities/index.ts";
import { createVault } from "../../server/vault.ts";
import { type Installed, setting, shared } from "../support/tenant.ts";

export interface PrivateApp extends Installed, AsyncDisposable {
  /** The lines of its log. */
  lines: Record<string, unknown>[];
  /** As written in the code. */
  routes: { method: string; path: string }[];
}

/**
 * @param _ the database; default: the shared one
 * @example await using app = startPrivateApp({ rateLimit: { perSecond: 1, burst: 2 } });
 */
export function startPrivateApp(
  settings: Partial<Config> = {},
  level = "info",
  { databaseUrl, patience }: Pick<Installed, "databaseUrl"> & { patience?: Patience } = shared(),
  entities?: readonly EntityDefinition[],
): PrivateApp {
  const lines: Record<string, unknown>[] = [];
  const config = { ...readConfig({}), ...settings };
  const sql = connect(databaseUrl, "gatehouse test", 4, patience);
  const app = createApp({
    config,
    sql,
    vault: createVault(setting("GATEHOUSE_TEST_MASTER_KEY")),
    egress: createEgress(config.egress),
    log: pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    entities,
  });
  app.listen({ hostname: "127.0.0.1", port: 0 });
  return {
    url: `http://127.0.0.1:${app.server!.port}`,
    databaseUrl,
    lines,
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    async [Symbol.asyncDispose]() {
      await app.server!.stop(true);
      await sql.end({ timeout: 1 });
    },
  };
}
