// The kinds of mails and the values of their templates.

import type { TenantId } from "../../platform/ids.ts";
import type { texts } from "../../ui/index.ts";

interface WithLink {
  /** How the person is addressed: their name, or the user name. */
  name: string;
  /** A secret. It is built from PUBLIC_URL. */
  link: string;
  /** When the link expires. The mail is not sent afterwards. */
  expiresOn: Date;
}

export const CREDENTIALS = ["password", "second factor", "added passkey", "removed passkey", "mail address"] as const;

export interface MailValues {
  VerifyAddress: WithLink;
  ForgottenPassword: WithLink;
  Invitation: WithLink & { invitedBy: string };
  SignUp: WithLink;
  /** An account was asked for, and there is one. The link is the sign-in page's. */
  AccountExists: { name: string; link: string };
  AccountReady: { name: string; link: string };
  /** The link is for "this was not me". */
  NewDevice: WithLink & { device: string; address: string; at: Date };
  CredentialChanged: WithLink & { credential: (typeof CREDENTIALS)[number]; at: Date };
  Alert: { lines: string[]; count: number; link: string; at: Date };
  Test: { name: string };
}
export type MailKind = keyof MailValues;

export const MAIL_KINDS = [
  "VerifyAddress",
  "ForgottenPassword",
  "Invitation",
  "SignUp",
  "AccountExists",
  "AccountReady",
  "NewDevice",
  "CredentialChanged",
  "Alert",
  "Test",
] as const satisfies readonly MailKind[];

type MailOf<Kind extends MailKind> = Kind extends MailKind
  ? {
      tenantId: TenantId;
      kind: Kind;
      /** One address. */
      to: string;
      /** null: no User, such as for an invitation. */
      userId: number | null;
      values: MailValues[Kind];
      /** Of the page that caused it, for users whose language is not known. */
      language?: texts.LanguageCode;
    }
  : never;
export type NewMail = MailOf<MailKind>;
