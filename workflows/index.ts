export { deliverWebhook } from "./deliver-webhook.ts";
