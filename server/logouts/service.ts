// An Application's back-channel logouts, for administrators to read and resend.

import type { Permitted, Shown, ShownPage, Tagged } from "../access/index.ts";
import { recordAudit } from "../audit/index.ts";
import type { Sql } from "../db/sql.ts";
import { Conflict, NotFound } from "../errors.ts";
import type { Paging } from "../http/query.ts";
import type { LogoutId } from "../ids.ts";
import type { ClientCredentials } from "../oauth/index.ts";
import { beginRun, findLogout, type LoggedLogout, listLogouts, placeOf } from "./log.store.ts";
import { logoutWorkflowId } from "./starter.ts";

const RESOURCE = "Credentials";
export const MAX_LOGOUT_REDELIVERIES = 100;

export type LogoutRecord = ReturnType<typeof toRecord>;
type Record = Shown<LogoutRecord>;

export interface Logouts {
  /** Newest first. @throws NotFound, Permission, BadInput, ServiceBusy */
  list(caller: Permitted<"Settings:Read">, applicationId: number, paging: Paging): Promise<ShownPage<LogoutRecord>>;
  /** @throws NotFound, Permission */
  read(caller: Permitted<"Settings:Read">, applicationId: number, id: LogoutId): Promise<Record>;
  /** Resends to the Application's present address, with all attempts. @throws NotFound, Permission, Conflict */
  redeliver(
    caller: Permitted<"Settings:Update">,
    applicationId: number,
    id: LogoutId,
  ): Promise<Tagged<LogoutRecord>["record"]>;
}

type NameSession = (sessionId: string) => string;

export interface LogoutDependencies {
  sql: Sql;
  credentials: Pick<ClientCredentials, "resourceOf">;
  /** The `sid` by which a client knows a session. */
  namesOfSessions(clientId: number): Promise<NameSession>;
  workflowUrl(workflowId: string): string;
}

export function createLogouts({ sql, credentials, namesOfSessions, workflowUrl }: LogoutDependencies): Logouts {
  async function shower(applicationId: number) {
    const nameOf = await namesOfSessions(applicationId);
    return (logout: LoggedLogout) => toRecord(logout, nameOf, workflowUrl);
  }

  return {
    async list({ tenantId, permissions, gate }, applicationId, paging) {
      const resource = await credentials.resourceOf(tenantId, applicationId);
      permissions.require("Settings:Read", RESOURCE, resource);
      const shown = await shower(applicationId);
      return gate.list({
        type: RESOURCE,
        name: `Application/${applicationId}/Logouts`,
        paging,
        read: (limit, after) => listLogouts(sql, tenantId, applicationId, limit, after),
        id: placeOf,
        resource: () => resource,
        item: shown,
      });
    },

    async read({ tenantId, gate }, applicationId, id) {
      const resource = await credentials.resourceOf(tenantId, applicationId);
      gate.requireSome(RESOURCE);
      const logout = await findLogout(sql, tenantId, applicationId, id);
      if (!logout) throw noLogout();
      const shown = await shower(applicationId);
      return (await gate.show(RESOURCE, shown(logout), { resource })).record;
    },

    async redeliver(caller, applicationId, id) {
      const { tenantId, permissions, gate } = caller;
      const resource = await credentials.resourceOf(tenantId, applicationId);
      permissions.require("Settings:Update", RESOURCE, resource);
      if (!resource.BackchannelLogoutUri) throw new Conflict("The Application has no BackchannelLogoutUri.");
      const logout = await sql.beginFor(tenantId, async (tx) => {
        if (!(await findLogout(tx, tenantId, applicationId, id))) throw noLogout();
        if (!(await beginRun(tx, tenantId, id, MAX_LOGOUT_REDELIVERIES + 1))) {
          throw new Conflict(`The logout is in progress, or was already sent again ${MAX_LOGOUT_REDELIVERIES} times.`);
        }
        const subject = { type: "Application", id: applicationId };
        await recordAudit(tx, tenantId, caller, { kind: "Logout.Redelivered", subject, details: { LogoutId: id } });
        return findLogout(tx, tenantId, applicationId, id);
      });
      const shown = await shower(applicationId);
      return (await gate.written(RESOURCE, shown(logout as LoggedLogout), {}, { resource })).record;
    },
  };
}

const noLogout = () => new NotFound("The Application has no logout with this Id.");

function toRecord(logout: LoggedLogout, nameOf: NameSession, workflowUrl: LogoutDependencies["workflowUrl"]) {
  const workflowId = logoutWorkflowId(logout);
  return {
    Id: logout.id,
    UserId: logout.userId,
    SessionId: nameOf(logout.sid),
    State: logout.state,
    Reason: logout.reason,
    Run: logout.run,
    CreatedOn: logout.createdOn.toISOString(),
    EndedOn: logout.endedOn?.toISOString() ?? null,
    WorkflowId: workflowId,
    WorkflowUrl: workflowUrl(workflowId),
    Attempts: logout.attempts.map((attempt) => ({
      Number: attempt.number,
      StartedOn: new Date(attempt.startedOn).toISOString(),
      DurationMs: attempt.durationMs,
      StatusCode: attempt.statusCode,
      Failure: attempt.failure,
      Response: attempt.durationMs === null ? null : responseOf(attempt),
    })),
  };
}

const responseOf = ({ responseHeaders, responseBody }: LoggedLogout["attempts"][number]) => ({
  Headers: responseHeaders ?? "",
  Body: responseBody ?? "",
});
