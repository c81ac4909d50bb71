// Data: how long it is kept (retention/), a person's export and erasure (personal-data/), the backlog as metrics.
// It reads tables of all rooms, so it imports all below it: platform/, records/, webhooks/ and identity/.
// Begin with retention/partitions.store.ts and personal-data/service.ts.

export { measureBacklog } from "./backlog.ts";
export { ERASE_DATA, ERASURE } from "./personal-data/contract.ts";
export { continueErasure } from "./personal-data/erase.ts";
export { createErasures } from "./personal-data/erasures.ts";
export { personalDataRoutes } from "./personal-data/routes.ts";
export { createPersonalData } from "./personal-data/service.ts";
export { startErasures } from "./personal-data/starter.ts";
export { createKept } from "./retention/kept.ts";
export { GROWTH_DAYS } from "./retention/measure.store.ts";
export { measureKept } from "./retention/measure.ts";
export { removeExpiredLogs } from "./retention/retention.ts";
export type { DataServices } from "./services.ts";
