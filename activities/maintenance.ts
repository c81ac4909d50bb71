import { maintain } from "../server/appliance/index.ts";
import type { MaintenanceResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";

export function createRotateSigningKeys({ keyRotation, log }: ActivityDependencies) {
  return async (): Promise<MaintenanceResult["keys"]> => {
    const rotation = await keyRotation.run();
    if (rotation.announced.length + rotation.removed.length > 0) log.info(rotation, "signing keys rotated");
    return rotation;
  };
}

export function createRemoveExpired({ patientSql, retention, temporalBytes, log, metrics }: ActivityDependencies) {
  return async (): Promise<MaintenanceResult["removed"]> => {
    const result = await maintain(patientSql, { retention, temporalBytes: await temporalBytes(), log });
    const { partitions_made, partitions_busy, partitions_measured, ...removed } = result;
    metrics.removed(removed);
    return result;
  };
}
