// Makes the invitations of an import, beside the worker.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import { type ImportProgress, type InviteInput, TASK_QUEUE } from "../../../../../workflows/contract.ts";
import { startDue } from "../../../../platform/db/leases.store.ts";
import type { Sql, Transaction } from "../../../../platform/db/sql.ts";
import type { Passes } from "../../../../platform/db/watch.ts";
import type { TenantId } from "../../../../platform/ids.ts";
import { TENANT_ID } from "../../../../platform/temporal/search-attributes.ts";
import type { Mailer } from "../../../mail/index.ts";
import { mayHaveMail } from "../../links/mailed.ts";
import type { Invitation } from "../contract.ts";
import { announceInvitation, INVITATION_LIFETIME_MS, mailInvitation } from "../service.ts";
import { INVITATIONS, isAddressOfUser, lockOpen } from "../store.ts";
import { importWorkflowId } from "./service.ts";
import {
  IMPORT_CHANNEL,
  type Invitee,
  leaseImports,
  lockRunning,
  nextInvitees,
  type RunningImport,
  recordInvitees,
  setImportState,
} from "./store.ts";

/** Invitations of one transaction, for which a pause waits, and transactions of one activity. */
const BATCH = 10;
const BATCHES = 50;

export interface InvitationEngine {
  /** Invites the next people. @param beat called after each transaction */
  next(tenantId: TenantId, id: string, beat: () => void): Promise<ImportProgress>;
  /** @param checkMs interval for checking that each workflow exists */
  run(outbox: Sql, client: Client, checkMs: number, log: Logger): Passes;
}

export function createInvitationEngine(deps: { sql: Sql; mailer: Mailer; publicUrl: string }): InvitationEngine {
  return {
    async next(tenantId, id, beat) {
      let progress: ImportProgress | undefined;
      for (let batch = 0; batch < BATCHES; batch++) {
        progress = await deps.sql.beginFor(tenantId, (tx) => inviteBatch(tx, deps, tenantId, id));
        beat();
        if (progress.state !== "Running") break;
      }
      return progress!;
    },
    run: (outbox, client, checkMs, log) =>
      startDue(outbox, log, {
        lease: { table: "invitation_imports" },
        channel: IMPORT_CHANNEL,
        nouns: ["an import of invitations", "imports of invitations"],
        idName: "importId",
        batch: 20,
        leaseDue: (queries, limit) => leaseImports(queries, checkMs, limit),
        async start({ id, tenantId }) {
          const input: InviteInput = { tenantId, importId: id };
          await client.workflow.start("inviteMany", {
            taskQueue: TASK_QUEUE,
            workflowId: importWorkflowId(id),
            workflowIdReusePolicy: "ALLOW_DUPLICATE",
            workflowIdConflictPolicy: "USE_EXISTING",
            args: [input],
            typedSearchAttributes: [{ key: TENANT_ID, value: tenantId }],
            staticSummary: "Invites the people of a file",
          });
        },
      }),
  };
}

/** A crash repeats no invitation: they are made in the transaction that counts them. */
async function inviteBatch(
  tx: Transaction,
  deps: { mailer: Mailer; publicUrl: string },
  tenantId: TenantId,
  id: string,
): Promise<ImportProgress> {
  const running = await lockRunning(tx, tenantId, id);
  if (!running) return { state: "Cancelled", total: 0, done: 0, invited: 0 };
  const { state, total, done, invited, isCreatorActive } = running;
  if (state !== "Running") return { state, total, done, invited };
  if (!isCreatorActive) {
    // None of the invitations could be accepted.
    await setImportState(tx, tenantId, id, "Cancelled");
    return { state: "Cancelled", total, done, invited };
  }
  const people = await nextInvitees(tx, tenantId, id, BATCH);
  if (people.length === 0) {
    await setImportState(tx, tenantId, id, "Completed");
    return { state: "Completed", total, done, invited };
  }
  const skipped = new Map<number, string>();
  for (const person of people) {
    const reason = await invite(tx, deps, tenantId, running, person);
    if (reason) skipped.set(person.number, reason);
  }
  await recordInvitees(tx, tenantId, id, people, skipped);
  return { state, total, done: done + people.length, invited: invited + people.length - skipped.size };
}

/** @returns why the person was not invited */
async function invite(
  tx: Transaction,
  deps: { mailer: Mailer; publicUrl: string },
  tenantId: TenantId,
  { clientId, actor }: RunningImport,
  { number: _, ...person }: Invitee,
): Promise<string | undefined> {
  if (await isAddressOfUser(tx, tenantId, person.email)) return "a User has this verified address already";
  if (await lockOpen(tx, tenantId, person.email)) return "has an open invitation";
  const expiresOn = new Date(Date.now() + INVITATION_LIFETIME_MS);
  const row = { ...person, id: "", clientId, expiresOn, storedState: "Sent", sequence: 1 } as unknown as Invitation;
  if (!(await mayHaveMail(tx, tenantId, person.email, ["Invitation"]))) return "has had many mails in the last hour";
  const made = await INVITATIONS.insert(tx, tenantId, row, actor);
  if (!made) return "has an open invitation";
  await mailInvitation(tx, deps, tenantId, made);
  await announceInvitation(tx, tenantId, "Created", made, undefined);
  return undefined;
}
