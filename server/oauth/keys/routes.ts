import { Elysia } from "elysia";
import { type Authenticate, answer } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { requireMethod } from "../../http/method.ts";
import { API_PATH } from "../../http/paths.ts";
import { readSigningKeys } from "./service.ts";

/** GET …/SigningKey. */
export function signingKeysController(sql: Sql, authenticate: Authenticate) {
  return new Elysia().all(
    `${API_PATH}/SigningKey`,
    async ({ request }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET");
      return answer(await readSigningKeys(sql, caller));
    },
    { parse: "none" },
  );
}
