export { createLimits, type Limits } from "./limits.ts";
export { measureCounts, type Used, usedOfLimits } from "./store.ts";
