export type { Change, Found, Kind, Shape } from "./kind.ts";
export { heldByAnother, keepsChanging, MAX_RACES, removeRecord, writeRecord } from "./write.ts";
