// The API in this process, on the shared PostgreSQL, with the test's own settings and log.

import pino from "pino";
import { type AppDependencies, createApp } from "../../server/app.ts";
import { type Config, readConfig } from "../../server/platform/config/config.ts";
import { connect, type Patience } from "../../server/platform/db/sql.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import { createVault } from "../../server/platform/vault.ts";
import { type Installed, setting, shared } from "../world/tenant.ts";
import { newMigratedDatabase } from "./empty-database.ts";

export interface PrivateApp extends Installed, AsyncDisposable {
  /** The lines of its log. */
  lines: Record<string, unknown>[];
  /** As written in the code. */
  routes: { method: string; path: string }[];
}

type Declared = Pick<AppDependencies, "entities" | "settings">;

/**
 * @param _ the database; default: the shared one
 * @example await using app = startPrivateApp({ rateLimit: { perSecond: 1, burst: 2 } });
 */
export function startPrivateApp(
  settings: Partial<Config> = {},
  level = "info",
  { databaseUrl, patience }: Pick<Installed, "databaseUrl"> & { patience?: Patience } = shared(),
  declared: Declared = {},
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
    ...declared,
  });
  app.listen({ hostname: "127.0.0.1", port: settings.port ?? 0 });
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

/** With more declarations, on a database of its own that has their table, and at its PUBLIC_URL. */
export async function startAppWith(table: string, declared: Declared): Promise<PrivateApp> {
  const database = await newMigratedDatabase();
  await database.sql.unsafe(table);
  const free = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const port = free.port!;
  await free.stop(true);
  const settings = { port, publicUrl: `http://127.0.0.1:${port}` };
  const app = startPrivateApp(settings, "silent", { databaseUrl: database.url }, declared);
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
