export { removeExpired } from "./expired.ts";
export { startMaintenance } from "./schedule.ts";
