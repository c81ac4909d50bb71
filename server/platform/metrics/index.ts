export { type ApiMetrics, createApiMetrics, type DeviceStep } from "./api-metrics.ts";
export { measureWindows } from "./concurrency.ts";
export { measureDatabase } from "./database.ts";
export { metricsController, serveMetrics } from "./serve.ts";
export { createWorkerMetrics, type WorkerMetrics } from "./worker-metrics.ts";
