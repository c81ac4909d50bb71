// `start` brings up PostgreSQL, Temporal, the API, the worker and the demo tenant. Only main.ts enters here: the image
// has no PostgreSQL, so its worker must not load these files.

export { demoFile } from "./demo.ts";
export { Installation, type Running } from "./installation.ts";
export { watchLaunchers } from "./processes.ts";
export { createStatus } from "./terminal-status.ts";
