export {
  date,
  type FieldType,
  flag,
  INT32_MAX,
  id,
  limitsOf,
  type RecordField,
  reference,
  serverDate,
  TEXT_LIMIT,
  type TextShape,
  text,
  textId,
  UNIQUE_TEXT_LIMIT,
  UNSET_DATE,
  whole,
} from "./fields.ts";
export type { Found, RecordKind, WrittenRow } from "./kind.ts";
export {
  AUDITED_AS,
  type Declaration,
  ENTITY,
  type NamedField,
  type NamedReference,
  type RecordDeclaration,
  type RecordScopes,
  record,
  SETTING,
  WEBHOOK,
} from "./record.ts";
export type { ReferenceInput, ReferenceKey } from "./reference.ts";
export { recordTable } from "./table.store.ts";
export { heldByAnother, keepsChanging, MAX_RACES, removeRecord, writeRecord } from "./write.ts";
