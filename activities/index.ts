import { createCloseDelivery } from "./close-delivery.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { createLanes } from "./lanes.ts";
import { createRemoveExpired, createRotateSigningKeys } from "./maintenance.ts";
import { createAttempt } from "./post-webhook.ts";
import { createSendProbe } from "./probe.ts";
import { createCancelRedelivery, createSendRedelivery } from "./redeliver.ts";

export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createLanes(dependencies, createAttempt(dependencies)),
    closeDelivery: createCloseDelivery(dependencies),
    sendRedelivery: createSendRedelivery(dependencies),
    cancelRedelivery: createCancelRedelivery(dependencies),
    sendProbe: createSendProbe(dependencies),
    rotateSigningKeys: createRotateSigningKeys(dependencies),
    removeExpired: createRemoveExpired(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
