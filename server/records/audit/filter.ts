import { formatFilter } from "../../platform/http/export.ts";
import {
  lastFilter,
  momentFilter,
  recordIdFilter,
  textFilter,
  type Values,
  wordFilter,
} from "../../platform/http/query.ts";
import { AUDIT_KINDS, OUTCOMES } from "./entry-kinds.ts";

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
export type AuditFilter = Partial<Values<Filters>>;

export const exportFiltersOf = (filters: Filters) => ({ Format: formatFilter, ...filters });
