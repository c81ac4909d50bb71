import type { AuditEvent } from "./store.ts";

/** A row of the audit log in its response shape. */
export type AuditRecord = ReturnType<typeof toRecord>;

export function toRecord(event: AuditEvent) {
  return {
    Id: event.id,
    OccurredOn: event.occurredOn.toISOString(),
    Kind: event.kind,
    Outcome: event.outcome,
    Actor: reference(event.actorType, event.actorId),
    ClientId: event.clientId === null ? null : String(event.clientId),
    Address: event.address,
    UserAgent: event.userAgent,
    Subject: reference(event.subjectType, event.subjectId),
    Details: event.details,
    RequestKey: event.requestKey,
  };
}

/** Ids are text here: a Policy's is no number. */
function reference(type: string | null, id: string | number | null) {
  return type === null ? null : { Type: type, Id: String(id) };
}
