// The native half of Temporal's SDK, of which a process has one, says errors alone.

import { DefaultLogger, Runtime } from "@temporalio/worker";

export const logger = new DefaultLogger("ERROR");

Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter: "ERROR" } } });
