export type { Found, RecordKind, WrittenRow } from "./kind.ts";
export { recordTable } from "./table.store.ts";
export { heldByAnother, keepsChanging, MAX_RACES, removeRecord, writeRecord } from "./write.ts";
