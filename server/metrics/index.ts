export { type ApiMetrics, createApiMetrics, type DeviceStep } from "./api-metrics.ts";
export { reportMissedPartitions } from "./partitions.ts";
export { metricsController, serveMetrics } from "./serve.ts";
export { createWorkerMetrics, type WorkerMetrics } from "./worker-metrics.ts";
