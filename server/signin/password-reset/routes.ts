// POST …/User/{Id}/PasswordReset: a link by which a user sets a password, also the first one of a new User.

import { Elysia } from "elysia";
import { type Authenticate, requireScopes } from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql } from "../../db/connection.ts";
import { Conflict } from "../../errors.ts";
import { requireMethod } from "../../http/method.ts";
import { NO_STORE } from "../../http/no-store.ts";
import { API_PATH } from "../../http/paths.ts";
import { type FindUser, requireUser } from "../find-user.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import { saveReset } from "./store.ts";

/** Seconds that a link is good. */
const LIFETIME = 3_600;
export const RESET_PATH = "/account/reset";

export interface ResetRoutes {
  sql: Sql;
  /** PUBLIC_URL. */
  issuer: string;
  authenticate: Authenticate;
  findUser: FindUser;
}

export function passwordResetController({ sql, issuer, authenticate, findUser }: ResetRoutes) {
  return new Elysia().all(
    `${API_PATH}/User/:id/PasswordReset`,
    async ({ request, params }) => {
      const caller = await authenticate(request);
      requireMethod(request, "POST");
      requireScopes(caller, "Settings:Update");
      const token = newOpaqueValue();
      const expiresOn = await sql.begin(async (tx) => {
        const { id, record } = await requireUser(findUser, tx, caller.tenantId, params.id);
        caller.permissions.require("Settings:Update", "User", record);
        if (record.Username === "") throw new Conflict("The User has no Username to sign in with. Give it one first.");
        const subject = { type: "User", id };
        await recordAudit(tx, caller.tenantId, caller, { kind: "PasswordReset.Created", subject });
        return saveReset(tx, caller.tenantId, id, digestOf(token), LIFETIME);
      });
      const body = { Url: `${issuer}${RESET_PATH}?token=${token}`, ExpiresOn: expiresOn.toISOString() };
      return Response.json(body, { headers: NO_STORE });
    },
    { parse: "none" },
  );
}
