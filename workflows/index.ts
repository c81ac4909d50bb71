export { deliverWebhook } from "./deliver-webhook.ts";
export { maintenance } from "./maintenance.ts";
export { redeliver } from "./redeliver.ts";
