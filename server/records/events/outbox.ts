// The parts of events for other rooms.

export { FILTER_LIMIT, type FilterReads } from "../access/decisions/filters.ts";
export { createPause } from "../access/decisions/policy-engine.ts";
export type { DeliveryForm } from "./event-parts.ts";
export { createJudge } from "./judge.ts";
export * from "./store.ts";
export { payloadOf } from "./write-event.ts";
