// An Application's back-channel logouts, for administrators to read and resend.

import type { Sql } from "../../platform/db/sql.ts";
import { Conflict, NotFound } from "../../platform/errors.ts";
import type { Paging } from "../../platform/http/query.ts";
import type { LogoutId } from "../../platform/ids.ts";
import { type Permitted, recordAudit, type Shown, type ShownPage, type Tagged } from "../../records/index.ts";
import type { ClientCredentials } from "../oauth/clients/service.ts";
import { LOGOUT, type LoggedLogout, type LogoutRecord } from "./contract.ts";
import { beginRun, findLogout, listLogouts, placeOf } from "./log.store.ts";
import { logoutWorkflowId } from "./starter.ts";

const RESOURCE = "Credentials";
export const MAX_LOGOUT_REDELIVERIES = 100;

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
  const WorkflowId = logoutWorkflowId(logout);
  return LOGOUT.toRecord(logout, { SessionId: nameOf(logout.sid), WorkflowId, WorkflowUrl: workflowUrl(WorkflowId) });
}
