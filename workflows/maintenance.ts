// Periodic maintenance, run by the Schedule of the same name.

import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { MaintenanceResult } from "./contract.ts";

const { rotateSigningKeys, removeExpired } = proxyActivities<Activities>({
  startToCloseTimeout: "5m",
  // The next scheduled run replaces one that is stuck.
  scheduleToCloseTimeout: "50m",
});

export async function maintenance(): Promise<MaintenanceResult> {
  const [keys, removed] = await Promise.all([rotateSigningKeys(), removeExpired()]);
  return { keys, removed };
}
