export {
  date,
  flag,
  id,
  type RecordField,
  reference,
  serverDate,
  type TextShape,
  text,
  textId,
  UNIQUE_TEXT_LIMIT,
  UNSET_DATE,
  whole,
} from "./fields.ts";
export { filterName, filtersOf, wantedBy } from "./filters.ts";
export type { Found, RecordKind, RowChange, WrittenRow } from "./kind.ts";
export {
  AUDITED_AS,
  type Declaration,
  ENTITY,
  type RecordDeclaration,
  type RecordScopes,
  record,
  SETTING,
  WEBHOOK,
} from "./record.ts";
export { refuseCycles, resolveReferences } from "./references.ts";
export { ACTOR_FIELDS, createRegistry, type Entity, inAnswerOrder, type PointedAt } from "./registry.ts";
export {
  type Changes,
  claimRow,
  countReferencing,
  listRows,
  lockAll,
  lockByIdentifiers,
  type Narrowed,
  type Row,
  rowsOf,
  waitForTurn,
} from "./rows.store.ts";
export { type RowFilter, recordTable, storedFields } from "./table.store.ts";
export {
  type EntityInput,
  findMatchable,
  givenReferences,
  givenValues,
  isEqual,
  matchableNames,
  matchables,
  parseValue,
  pathText,
  searchables,
  typeName,
  unvouched,
  vouching,
} from "./values.ts";
export { FOREIGN_KEY_VIOLATION, heldByAnother, removeRecord, writeRecord } from "./write.ts";
