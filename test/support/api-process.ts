// `bun run server` as in production: one of several processes on a database of its own.

import { formOf } from "../world/grants.ts";
import type { KeyDatabase } from "./key-database.ts";
import { type SecondApi, startSecondApi } from "./second-api.ts";

export interface ApiProcess extends SecondApi {
  publicUrl: string;
  /** An access token with all scopes of the client. */
  token(client: { clientId: string; clientSecret: string }): Promise<string>;
  /** Whether the entity API accepts an access token. */
  accepts(token: string): Promise<boolean>;
}

const PUBLIC_URL = "https://id.example.com";

/** @param env replaces settings for the database @param options of Bun itself */
export async function startApiProcess(
  { url: DATABASE_URL, masterKeyText: MASTER_KEY }: KeyDatabase,
  env: Record<string, string> = {},
  options: string[] = [],
): Promise<ApiProcess> {
  const api = await startSecondApi({ DATABASE_URL, MASTER_KEY, PUBLIC_URL, ...env }, options);
  return {
    ...api,
    publicUrl: PUBLIC_URL,
    async token(client) {
      const body = formOf(client, { scope: "*" });
      const answer = await fetch(`${api.url}/oAuth/rest/v2/Token`, { method: "POST", body });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    accepts: async (token) => (await api.get("/Entities", token)).status < 300,
  };
}
