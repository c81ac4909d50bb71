import { createRunCheck } from "./check.ts";
import { createCloseDelivery } from "./close-delivery.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { createContinueErasure } from "./erase.ts";
import { createInviteNext } from "./invite.ts";
import { createRemoveExpired, createRotateSigningKeys } from "./maintenance.ts";
import { createCloseLogout, createPostLogout } from "./post-logout.ts";
import { createCloseMail, createPostMail } from "./post-mail.ts";
import { createPostOnce } from "./post-once.ts";
import { createPosts } from "./post-webhook.ts";
import { createSendProbe } from "./probe.ts";
import { createCancelRedelivery, createFollowRedelivery } from "./redeliver.ts";

export function createActivities(dependencies: ActivityDependencies) {
  const posts = createPosts(dependencies, createPostOnce(dependencies));
  return {
    postWebhook: posts.postWebhook,
    closeDelivery: createCloseDelivery(dependencies, posts),
    postLogout: createPostLogout(dependencies),
    closeLogout: createCloseLogout(dependencies),
    postMail: createPostMail(dependencies),
    closeMail: createCloseMail(dependencies),
    followRedelivery: createFollowRedelivery(dependencies),
    cancelRedelivery: createCancelRedelivery(dependencies),
    sendProbe: createSendProbe(dependencies),
    runCheck: createRunCheck(dependencies),
    inviteNext: createInviteNext(dependencies),
    continueErasure: createContinueErasure(dependencies),
    rotateSigningKeys: createRotateSigningKeys(dependencies),
    removeExpired: createRemoveExpired(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
