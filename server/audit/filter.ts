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

export const filtersOf = (subjects: readonly string[]) => ({
  Kind: wordFilter(AUDIT_KINDS, "The kind of action."),
  ActorType: wordFilter(ACTOR_TYPES, "The actor's type."),
  // An Id is ambiguous without its type: a User and an Application may share it.
  ActorId: recordIdFilter("The actor; needs ActorType.", { needs: "ActorType", ofEntity: true }),
  SubjectType: wordFilter(subjects, "The subject's type."),
  SubjectId: recordIdFilter("The subject; needs SubjectType.", { needs: "SubjectType" }),
  RequestKey: textFilter("Entries of the request with this RequestKey."),
  Outcome: wordFilter(OUTCOMES, "Success, or Failure of an attempt."),
  Last: lastFilter("In this period up to now."),
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
