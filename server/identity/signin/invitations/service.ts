// Invitations as administrators make, send again and revoke them.

import type { Transaction } from "../../../platform/db/sql.ts";
import { Conflict, NotFound, TooManyRequests } from "../../../platform/errors.ts";
import { textFilter, uuidParameter, wordFilter } from "../../../platform/http/query.ts";
import type { TenantId } from "../../../platform/ids.ts";
import {
  auditedAs,
  createRecordService,
  type Permitted,
  type RecordService,
  recordAudit,
  recordEvent,
  route,
  type ServedKind,
  type SettingsDependencies,
  type Shown,
  settingsResource,
  tableKind,
} from "../../../records/index.ts";
import type { Mailer } from "../../mail/index.ts";
import { mayHaveMail } from "../links/mailed.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import { INVITATION, type Invitation, type InvitationInput, type InvitationRecord, STATES } from "./contract.ts";
import { requireGrantable } from "./grantable.ts";
import { countInvitations, INVITATIONS, isAddressOfUser, listInvitations, lockOpen, renewLink } from "./store.ts";

export const INVITATION_PATH = "/account/invitation";
const { name: TYPE } = INVITATION;
export const INVITATION_LIFETIME_MS = 7 * 24 * 3_600_000;

const TABLE = tableKind<(typeof INVITATION)["field"], Invitation>(INVITATION, INVITATIONS, "for update");
const FILTERS = {
  ...TABLE.filters,
  Email: textFilter("The invitations of this address, ignoring case.", INVITATION.field.Email.shown),
  State: wordFilter(STATES, "Invitations in this state."),
};

export interface Invitations
  extends RecordService<InvitationRecord, InvitationInput, typeof INVITATION.scopes, typeof FILTERS> {
  /** The former link becomes void. @throws NotFound, Permission, Conflict, TooManyRequests */
  resend(caller: Permitted<"Settings:Update">, id: string): Promise<Shown<InvitationRecord>>;
}

export interface InvitationDependencies extends Pick<SettingsDependencies, "sql" | "access" | "recordChange"> {
  mailer: Mailer;
  publicUrl: string;
}

/** Mails a new link, which makes the former one void. */
export async function mailInvitation(
  tx: Transaction,
  { mailer, publicUrl }: Pick<InvitationDependencies, "mailer" | "publicUrl">,
  tenantId: TenantId,
  { id, email, name, expiresOn }: Pick<Invitation, "id" | "email" | "name" | "expiresOn">,
): Promise<void> {
  const token = newOpaqueValue();
  const invitedBy = await renewLink(tx, tenantId, id, digestOf(token));
  const values = { name, link: `${publicUrl}${INVITATION_PATH}?token=${token}`, expiresOn, invitedBy };
  await mailer.recordMail(tx, { tenantId, kind: "Invitation", to: email, userId: null, values });
}

/** Also of invitations that were made and revoked. @throws TooManyRequests */
async function requireFewMails(tx: Transaction, tenantId: TenantId, email: string): Promise<void> {
  if (await mayHaveMail(tx, tenantId, email, ["Invitation"])) return;
  throw new TooManyRequests("This address has had many mails in the last hour. Try again later.", 3_600);
}

function createInvitations({ sql, access, recordChange, mailer, publicUrl }: InvitationDependencies): Invitations {
  const recordOf = (row: Invitation) => INVITATION.toRecord(row);
  const open = ({ state }: Invitation) => state === "Sent" || state === "Expired";

  const kind: ServedKind<Invitation, InvitationRecord, InvitationInput, typeof FILTERS> = {
    ...TABLE,
    recordOf,
    judged: INVITATION.judged,
    filters: FILTERS,
    list: listInvitations,
    count: countInvitations,
    checkInput: async () => mailer.requireMail(),
    async lock(tx, { tenantId }, { Id, Email }) {
      const row = Id ? await INVITATIONS.find(tx, tenantId, { id: Id }, "for update") : undefined;
      if (Id && !row) throw new NotFound(`There is no ${TYPE} with the Id ${Id}.`);
      const found = row ?? (Email ? await lockOpen(tx, tenantId, Email) : undefined);
      return { rows: found ? [found] : [] };
    },
    prepare(_, { clientId }, input, before) {
      if (!before) INVITATION.whole(input, "Email");
      const lasts = before?.state === "Sent" ? before.expiresOn : new Date(Date.now() + INVITATION_LIFETIME_MS);
      const given = { ...(before ?? INVITATION.blank()), ...INVITATION.toColumns(input) };
      return {
        ...given,
        id: before?.id ?? "",
        clientId: Number(clientId),
        expiresOn: lasts,
        state: "Sent",
      } as Invitation;
    },
    async check(tx, caller, { before, after }) {
      if (before && !open(before)) throw new Conflict(`The invitation is ${before.state}. Make a new one.`);
      if (before && before.email.toLowerCase() !== after.email.toLowerCase()) {
        throw new Conflict(
          "Email: the link was sent to this address. Revoke the invitation, and make one for the other.",
        );
      }
      if (!before && (await isAddressOfUser(tx, caller.tenantId, after.email))) {
        throw new Conflict("Email: a User has this verified address already.");
      }
      await requireGrantable(access, tx, caller, after);
    },
    isSame: (before, after) => before.state === "Sent" && Bun.deepEquals(judgedPart(before), judgedPart(after)),
    insert: (tx, { tenantId, actor }, row) =>
      INVITATIONS.insert(tx, tenantId, { ...row, storedState: "Sent", sequence: 1 }, actor),
    update: (tx, { tenantId, actor }, row, before) =>
      INVITATIONS.update(tx, tenantId, { ...row, sequence: before.sequence + 1 }, actor),
    async afterWrite(tx, caller, { before, after }) {
      if (before?.state === "Sent") return;
      await requireFewMails(tx, caller.tenantId, after.email);
      await mailInvitation(tx, { mailer, publicUrl }, caller.tenantId, after);
    },
    async remove(tx, { tenantId, actor }, row) {
      if (!open(row)) return INVITATIONS.remove(tx, tenantId, row.id);
      const revoked = { id: row.id, digest: null, storedState: "Revoked" as const, sequence: row.sequence + 1 };
      // The answer shows the new state.
      Object.assign(row, await INVITATIONS.update(tx, tenantId, revoked, actor));
    },
    async audit(tx, caller, change) {
      const { before, after } = change;
      if (after || before!.state !== "Revoked" || before!.digest !== null) {
        return auditedAs<Invitation>(recordChange, { ...INVITATION, events: false }, recordOf)(tx, caller, change);
      }
      await recordState(tx, caller.tenantId, caller, before!, "Sent");
    },
    async announce(tx, { tenantId, traceParent }, { before, after }) {
      const gone = before?.storedState === "Revoked" ? "Updated" : "Deleted";
      const eventType = !after ? gone : before ? "Updated" : "Created";
      await announceInvitation(tx, tenantId, eventType, after ?? before!, traceParent);
    },
  };

  const service = createRecordService(sql, kind);
  return {
    ...service,
    async resend(caller, id) {
      mailer.requireMail();
      const { tenantId, actor } = caller;
      const row = await sql.beginFor(tenantId, async (tx) => {
        const before = await kind.find(tx, tenantId, id, true);
        if (!before) throw new NotFound(`There is no ${TYPE} with this Id.`);
        caller.permissions.require("Settings:Update", TYPE, recordOf(before), recordOf(before));
        if (!open(before)) throw new Conflict(`The invitation is ${before.state}. Make a new one.`);
        await requireFewMails(tx, tenantId, before.email);
        await requireGrantable(access, tx, caller, before);
        const renewed = {
          id,
          clientId: Number(caller.clientId),
          expiresOn: new Date(Date.now() + INVITATION_LIFETIME_MS),
          sequence: before.sequence + 1,
        };
        const after = await INVITATIONS.update(tx, tenantId, renewed, actor);
        await mailInvitation(tx, { mailer, publicUrl }, tenantId, after);
        const details = { Changed: ["ExpiresOn"] };
        await recordAudit(tx, tenantId, caller, { kind: "Record.Changed", subject: { type: TYPE, id }, details });
        await announceInvitation(tx, tenantId, "Updated", after, caller.traceParent);
        return after;
      });
      const resource = recordOf(row as Invitation);
      return (await caller.gate.written(TYPE, resource, {}, { resource })).record;
    },
  };
}

const judgedPart = ({ email, name, roles, departmentId }: Invitation) => [email, name, roles, departmentId];

/** Audits a change of state. @param before the former state */
export async function recordState(
  tx: Transaction,
  tenantId: TenantId,
  origin: Parameters<typeof recordAudit>[2],
  { id, state }: Invitation,
  before: string,
): Promise<void> {
  const details = { Changed: ["State"], State: { From: before, To: state } };
  await recordAudit(tx, tenantId, origin, { kind: "Record.Changed", subject: { type: TYPE, id }, details });
}

export async function announceInvitation(
  tx: Transaction,
  tenantId: TenantId,
  eventType: "Created" | "Updated" | "Deleted",
  row: Invitation,
  traceParent: string | undefined,
): Promise<void> {
  const change = { eventType, eventRecord: TYPE, recordIds: [row.id], sequences: [row.sequence] };
  await recordEvent(tx, tenantId, { ...change, data: INVITATION.toRecord(row) }, traceParent);
}

export const INVITATION_KIND = {
  type: INVITATION,
  // Each is a mail, so a second run of a file would send it again.
  isInFiles: false,
  create(deps: InvitationDependencies) {
    const invitations = createInvitations(deps);
    return settingsResource(INVITATION, invitations, [
      route({
        method: "POST",
        path: `/${TYPE}/{Id}/Resend`,
        tag: { name: TYPE, description: INVITATION.texts.group },
        params: { Id: uuidParameter("The Id of the invitation.", TYPE) },
        id: "resendInvitation",
        summary: "Send an invitation again",
        description:
          "With a new link, which makes the former one void and works for seven days. 429 after five mails an hour.",
        scopes: ["Settings:Update"],
        answer: { description: "The invitation.", schema: INVITATION.record, example: INVITATION.example },
        errors: ["NotFound", "Conflict"],
        handle: (caller, { params: { Id } }) => invitations.resend(caller, Id),
      }),
    ]);
  },
};
