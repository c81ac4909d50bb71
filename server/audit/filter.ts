// What a list of the audit log can be narrowed to.

import { BadInput } from "../errors.ts";
import { isUuid } from "../http/paging.ts";
import { type Query, readMoment, readWord } from "../http/query.ts";
import { toRecordId } from "../http/record-id.ts";
import { AUDIT_KINDS } from "./kinds.ts";
import type { AuditFilter } from "./store.ts";

export const ACTOR_TYPES = ["User", "Application"] as const;
export const SUBJECT_TYPES = [
  "User",
  "Application",
  "Department",
  "Policy",
  "Role",
  "IdentityProvider",
  "WebhookConnection",
  "WebhookEvent",
  "Redelivery",
] as const;

export const FILTERS = ["Kind", "ActorType", "ActorId", "SubjectType", "SubjectId", "From", "To"];

/** @throws BadInput */
export function readFilter(query: Query): AuditFilter {
  const actorId = readId(query, "ActorId", "ActorType", (text) => toRecordId(text) !== undefined);
  return {
    kind: readWord(query, "Kind", AUDIT_KINDS),
    actor: typed(readWord(query, "ActorType", ACTOR_TYPES), actorId === undefined ? undefined : Number(actorId)),
    subject: typed(
      readWord(query, "SubjectType", SUBJECT_TYPES),
      readId(query, "SubjectId", "SubjectType", (text) => toRecordId(text) !== undefined || isUuid(text)),
    ),
    from: readMoment(query, "From"),
    to: readMoment(query, "To"),
  };
}

/** Without its type an Id says nothing: a User and an Application may have the same. */
function readId(query: Query, name: string, typeName: string, isId: (text: string) => boolean): string | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  if (!isId(given)) throw new BadInput(`${name} must be a record's Id.`);
  if (!query.get(typeName)) throw new BadInput(`${name} needs ${typeName} beside it.`);
  return given.toLowerCase();
}

function typed<Type, Id>(type: Type | undefined, id: Id | undefined) {
  return type === undefined ? undefined : { type, id };
}
