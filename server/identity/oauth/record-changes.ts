// Consequences of a record's change for sign-in, in the transaction of the change.

import type { Transaction } from "../../platform/db/sql.ts";
import { changesOf } from "../../platform/http/contract.ts";
import { type AuditEntry, type Caller, type OnChange, recordAudit } from "../../records/index.ts";
import { type EndGrants, endSessions } from "../signin/account/own-credentials.ts";
import { deleteAlarms } from "../signin/links/store.ts";
import type { TellApproved } from "../signin/sign-ups/sign-ups.ts";
import { noteAdministrator } from "./clients/ceilings.store.ts";
import { hasCredentials } from "./clients/store.ts";

type Change = Parameters<OnChange>[3];

/** Deactivating a user permanently ends sessions and tokens. Also audits changed providers and deleted credentials. */
export function createOnRecordChange(endGrants: EndGrants, tellApproved: TellApproved): OnChange {
  return async (tx, caller, entityName, change) => {
    if (entityName === "User" && change.before?.isActive && !change.after?.isActive) {
      await endSessions(tx, endGrants, caller.tenantId, change.before.id);
    }
    const { before, after } = change;
    if (entityName === "User" && after?.isActive && before?.isActive === false) {
      await tellApproved(tx, caller.tenantId, after);
    }
    if (entityName === "User" && before && after && before.email !== after.email) {
      await deleteAlarms(tx, caller.tenantId, after.id);
    }
    if (entityName === "Application" && before && after) {
      const set = Object.keys(SHOWN_TO_PEOPLE).filter(
        (name) => before[SHOWN_TO_PEOPLE[name]!] !== after[SHOWN_TO_PEOPLE[name]!],
      );
      if (set.length > 0) await noteAdministrator(tx, caller.tenantId, after.id, set);
    }
    for (const entry of entriesOf(entityName, change)) await recordAudit(tx, caller.tenantId, caller, entry);
    if (change.after === undefined) await recordDeletion(tx, caller, entityName, change.before!.id);
  };
}

const SHOWN_TO_PEOPLE: Record<string, string> = { Name: "name", WebSiteURL: "webSiteUrl" };

function entriesOf(entityName: string, { before, after }: Change): AuditEntry[] {
  if (after === undefined) return [];
  const subject = { type: entityName, id: after.id };
  const entries: Omit<AuditEntry, "subject">[] = [];
  if (entityName === "User" && before) {
    // A user name is personal data, so the audit entry omits it.
    const isRenamed = before.username !== after.username;
    if (isRenamed) entries.push({ kind: "Credentials.Changed", details: { Changed: ["Username"] } });
    if (before.isActive && !after.isActive) {
      entries.push({ kind: "Session.Revoked", details: { Sessions: "All", Reason: "Deactivated" } });
    }
  }
  if (entityName === "Application") {
    const shown = (row: Change["before"]) => ({
      AuthenticationId: row?.authenticationId ? String(row.authenticationId) : null,
    });
    const details = changesOf(shown(before), shown(after), ["AuthenticationId"], ["AuthenticationId"]);
    if (details) entries.push({ kind: "Credentials.Changed", details });
  }
  return entries.map((entry) => ({ ...entry, subject }));
}

async function recordDeletion(tx: Transaction, caller: Caller, entityName: string, id: number): Promise<void> {
  if (entityName !== "User" && entityName !== "Application") return;
  if (!(await hasCredentials(tx, caller.tenantId, entityName, id))) return;
  await recordAudit(tx, caller.tenantId, caller, { kind: "Credentials.Deleted", subject: { type: entityName, id } });
}
