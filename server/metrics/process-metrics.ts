import { collectDefaultMetrics, Registry } from "prom-client";

/** Those of prom-client that Bun answers with a constant. */
const UNMEASURED = /^nodejs_(active_|heap_space_|version_info)/;

/** A registry with what every process tells of itself: CPU, memory, open files, the lag of the event loop. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (UNMEASURED.test(name)) registry.removeSingleMetric(name);
  return registry;
}
