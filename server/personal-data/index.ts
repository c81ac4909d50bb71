export { ERASE_DATA } from "./contract.ts";
export { continueErasure, type SearchProgress } from "./erase.ts";
export { createErasures, ERASURE_RESOURCE_TYPE, type ErasureRecord, type Erasures } from "./erasures.ts";
export { personalDataRoutes } from "./routes.ts";
export { createPersonalData, type PersonalData } from "./service.ts";
export { startErasures } from "./starter.ts";
