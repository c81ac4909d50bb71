export { createReadKept, type KeptTable, type ReadKept } from "./kept.ts";
export { removeExpiredLogs } from "./retention.ts";
