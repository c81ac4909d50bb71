// Shared by every engine that posts to receivers: windows, and the results and outcomes of attempts.

export { endingOf, outcomeOf } from "./deliveries/outcome.ts";
export { type AttemptResult, resultOf, type Unsent } from "./deliveries/send-signed.ts";
export type { Attempt } from "./deliveries/store.ts";
export { createWindows } from "./deliveries/windows.ts";
