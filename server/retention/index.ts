export { removeExpiredLogs } from "./retention.ts";
