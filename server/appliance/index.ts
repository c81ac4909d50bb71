// The appliance: what `bun run start` brings up (embedded/, with an index.ts of its own), the commands, `apply`, and the
// hourly clean-up. It is the last room and may import all others; only the entries import it.
// Begin with embedded/installation.ts.

export { temporalBytes } from "./embedded/processes.ts";
export { maintain, startMaintenance } from "./maintenance.ts";
