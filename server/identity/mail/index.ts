// Mails: written with their cause in one transaction, sent by a workflow.

export { type CREDENTIALS, MAIL_KINDS, type MailKind, type MailValues, type NewMail } from "./kinds.ts";
export { createMailer, type Mailer } from "./mailer.ts";
