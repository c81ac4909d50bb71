// Filters of the audit log.

import { formatFilter } from "../http/export.ts";
import {
  lastFilter,
  laterOf,
  momentFilter,
  recordIdFilter,
  textFilter,
  type Values,
  wordFilter,
} from "../http/query.ts";
import { AUDIT_KINDS, OUTCOMES } from "./kinds.ts";
import type { AuditFilter } from "./store.ts";

export const ACTOR_TYPES = ["User", "Application"] as const;

/** @param subjects types of audited records */
export const filtersOf = (subjects: readonly string[]) => ({
  Kind: wordFilter(AUDIT_KINDS, "What was done."),
  ActorType: wordFilter(ACTOR_TYPES, "What did it."),
  // An Id is ambiguous without its type: a User and an Application may share it.
  ActorId: recordIdFilter("Who did it; needs ActorType.", { needs: "ActorType", ofEntity: true }),
  SubjectType: wordFilter(subjects, "What it was done to."),
  SubjectId: recordIdFilter("Whom or which it was done to; needs SubjectType.", { needs: "SubjectType" }),
  RequestKey: textFilter("What the request with this RequestKey did."),
  Outcome: wordFilter(OUTCOMES, "What somebody wanted, or what was refused."),
  Last: lastFilter("Of the time until now."),
  From: momentFilter("At this time or later."),
  To: momentFilter("Before this time."),
});

type Filters = ReturnType<typeof filtersOf>;

export const exportFiltersOf = (filters: Filters) => ({ Format: formatFilter, ...filters });

export function toFilter({
  Kind,
  ActorType,
  ActorId,
  SubjectType,
  SubjectId,
  RequestKey,
  Outcome,
  Last,
  From,
  To,
}: Partial<Values<Filters>>): AuditFilter {
  return {
    kind: Kind,
    actor: typed(ActorType, ActorId === undefined ? undefined : Number(ActorId)),
    subject: typed(SubjectType, SubjectId),
    requestKey: RequestKey || undefined,
    outcome: Outcome,
    from: laterOf(From, Last),
    to: To,
  };
}

function typed<Type, Id>(type: Type | undefined, id: Id | undefined) {
  return type === undefined ? undefined : { type, id };
}
