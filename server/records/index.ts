export type { Found, RecordKind, WrittenRow } from "./kind.ts";
export { heldByAnother, keepsChanging, MAX_RACES, removeRecord, writeRecord } from "./write.ts";
