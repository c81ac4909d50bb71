// The native part of Temporal's SDK, one per process, logs only errors.

import { DefaultLogger, Runtime } from "@temporalio/worker";

export const logger = new DefaultLogger("ERROR");

Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter: "ERROR" } } });
