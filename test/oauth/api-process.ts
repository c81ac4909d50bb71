// `bun run server` as in production: one of several processes on one database.

import { join } from "node:path";
import { PROJECT_ROOT } from "../../server/config.ts";
import { nextFreePort } from "../../server/embedded/ports.ts";
import { until } from "../support/api.ts";
import { withoutSettings } from "../support/stack.ts";
import { formOf } from "../token/client.ts";
import type { KeyDatabase } from "./key-database.ts";

export interface ApiProcess extends AsyncDisposable {
  url: string;
  publicUrl: string;
  /** An access token with all scopes of the client. */
  token(client: { clientId: string; clientSecret: string }): Promise<string>;
  /** Whether the entity API accepts an access token. */
  accepts(token: string): Promise<boolean>;
}

const PUBLIC_URL = "https://id.example.com";
const reserved = new Set<number>();

/** @param env replaces settings for the database @param options of Bun itself */
export async function startApiProcess(
  database: KeyDatabase,
  env: Record<string, string> = {},
  options: string[] = [],
): Promise<ApiProcess> {
  const port = await nextFreePort(0, "127.0.0.1", reserved);
  const url = `http://127.0.0.1:${port}`;
  const child = Bun.spawn([process.execPath, ...options, join(PROJECT_ROOT, "server", "serve.ts")], {
    env: {
      ...withoutSettings(process.env),
      ...{ PORT: String(port), HOST: "127.0.0.1", PUBLIC_URL, LOG_LEVEL: "silent" },
      ...{ DATABASE_URL: database.url, MASTER_KEY: database.masterKeyText },
      ...env,
    },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  await until("the API process to answer", async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok);
  return {
    url,
    publicUrl: PUBLIC_URL,
    async token(client) {
      const answer = await fetch(`${url}/oAuth/rest/v2/Token`, {
        method: "POST",
        body: formOf(client, { scope: "*" }),
      });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    async accepts(token) {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${url}/Endpoint/rest/api/v1/Entities`, { headers })).ok;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}
