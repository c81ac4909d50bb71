export { deliverLogout } from "./deliver-logout.ts";
export { deliverWebhook } from "./deliver-webhook.ts";
export { erasePerson } from "./erase-person.ts";
export { inviteMany } from "./invite-many.ts";
export { maintenance } from "./maintenance.ts";
export { probeConnection } from "./probe-connection.ts";
export { redeliver } from "./redeliver.ts";
export { sendMail } from "./send-mail.ts";
