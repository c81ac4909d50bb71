// …/User/{Id}/SecondFactor: whether a User has one, and its removal for a User who has lost it.

import { Elysia } from "elysia";
import { type Authenticate, requireScopes } from "../../access/index.ts";
import { recordAudit } from "../../audit/index.ts";
import type { Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { API_PATH } from "../../http/paths.ts";
import { type FindUser, requireUser } from "../find-user.ts";
import { deleteFactor, type EnrolledFactor, findFactor } from "./store.ts";

export interface SecondFactorRoutes {
  sql: Sql;
  authenticate: Authenticate;
  findUser: FindUser;
}

export function secondFactorController({ sql, authenticate, findUser }: SecondFactorRoutes) {
  return new Elysia().all(
    `${API_PATH}/User/:id/SecondFactor`,
    async ({ request, params }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET", "DELETE");
      const action = isRead(request) ? "Settings:Read" : "Settings:Update";
      requireScopes(caller, action);
      const { id, record } = await requireUser(findUser, sql, caller.tenantId, params.id);
      caller.permissions.require(action, "User", record);
      const factor = await findFactor(sql, caller.tenantId, id);
      if (!factor) throw new NotFound("The User has no second factor.");
      if (request.method === "DELETE") {
        await sql.begin(async (tx) => {
          if (!(await deleteFactor(tx, caller.tenantId, id))) return;
          const subject = { type: "User", id };
          await recordAudit(tx, caller.tenantId, caller, { kind: "SecondFactor.Removed", subject });
        });
      }
      return Response.json(toRecord(factor));
    },
    { parse: "none" },
  );
}

function toRecord({ since, recoveryCodes }: EnrolledFactor) {
  return { Type: "TOTP", EnrolledOn: since.toISOString(), RecoveryCodes: recoveryCodes };
}
