// What a list of the audit log can be narrowed to.

import { Type } from "@sinclair/typebox";
import { BadInput } from "../errors.ts";
import { type Filter, isUuid, momentFilter, readWord, toRecordId, type Values, wordFilter } from "../http/query.ts";
import { EXPORT_FORMATS, type ExportFormat } from "./export.ts";
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

export const FILTERS = {
  Kind: wordFilter(AUDIT_KINDS, "What was done."),
  ActorType: wordFilter(ACTOR_TYPES, "What did it."),
  ActorId: idFilter("ActorType", "Who did it; needs ActorType.", "^[1-9][0-9]{0,15}$", isRecordId),
  SubjectType: wordFilter(SUBJECT_TYPES, "What it was done to."),
  SubjectId: idFilter("SubjectType", "Whom or which it was done to; needs SubjectType.", undefined, (text) => {
    return isRecordId(text) || isUuid(text);
  }),
  From: momentFilter("At this time or later."),
  To: momentFilter("Before this time."),
};

/** Of the file: it has no pages. */
export const EXPORT_FILTERS = {
  Format: {
    ...wordFilter(EXPORT_FORMATS, "CSV unless given."),
    read(query, name): ExportFormat {
      if (query.has("Limit") || query.has("Cursor")) throw new BadInput("An export has no pages: no Limit, no Cursor.");
      return readWord(query, name, EXPORT_FORMATS) ?? "CSV";
    },
  } satisfies Filter<ExportFormat>,
  ...FILTERS,
};

export function toFilter({
  Kind,
  ActorType,
  ActorId,
  SubjectType,
  SubjectId,
  From,
  To,
}: Values<typeof FILTERS>): AuditFilter {
  return {
    kind: Kind,
    actor: typed(ActorType, ActorId === undefined ? undefined : Number(ActorId)),
    subject: typed(SubjectType, SubjectId),
    from: From,
    to: To,
  };
}

/** Without its type an Id says nothing: a User and an Application may have the same. */
function idFilter(
  typeName: string,
  description: string,
  pattern: string | undefined,
  isId: (text: string) => boolean,
): Filter<string | undefined> {
  return {
    description,
    schema: Type.String(pattern ? { pattern } : {}),
    read(query, name) {
      const given = query.get(name);
      if (!given) return undefined;
      if (!isId(given)) throw new BadInput(`${name} must be a record's Id.`);
      if (!query.get(typeName)) throw new BadInput(`${name} needs ${typeName} beside it.`);
      return given.toLowerCase();
    },
  };
}

function isRecordId(text: string): boolean {
  return toRecordId(text) !== undefined;
}

function typed<Type, Id>(type: Type | undefined, id: Id | undefined) {
  return type === undefined ? undefined : { type, id };
}
