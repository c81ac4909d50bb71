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
export { checkInput, type EntityInput, parseInput } from "./input.ts";
export type { Found, RecordKind, WrittenRow } from "./kind.ts";
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
  findByField,
  listRows,
  lockAll,
  lockByIdentifiers,
  type Row,
  rowsOf,
  waitForTurn,
} from "./rows.store.ts";
export { recordTable, storedFields } from "./table.store.ts";
export {
  findMatchable,
  isEqual,
  matchableNames,
  matchables,
  parseValue,
  pathText,
  searchables,
  unvouched,
} from "./values.ts";
export { heldByAnother, keepsChanging, MAX_RACES, removeRecord, writeRecord } from "./write.ts";
