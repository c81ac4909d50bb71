// Mails: written with their cause in one transaction, sent by a workflow.

export { createMailAlerts } from "./alerts.ts";
export { MAIL, type MailRecord, TEST_MAIL } from "./contract.ts";
export { createMailEngine, type MailEngine } from "./engine.ts";
export { MAIL_KINDS, type MailKind } from "./kinds.ts";
export { createMailer, type Mailer } from "./mailer.ts";
export type { Sender } from "./message.tsx";
export { mailRoutes } from "./routes.ts";
export { removeOldMails } from "./sending.store.ts";
export { createMails, type DrawnMail, type Mails } from "./service.ts";
