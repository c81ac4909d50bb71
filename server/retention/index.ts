export { createReadKept, type Kept, type KeptTable, type ReadKept } from "./kept.ts";
export { GROWTH_DAYS } from "./measure.store.ts";
export { measureKept } from "./measure.ts";
export { removeExpiredLogs } from "./retention.ts";
