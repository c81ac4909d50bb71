// Forgotten passwords: a link to set a new one, in a mail to the verified address.

import type { Transaction } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { isText, TEXT_LIMIT } from "../../../platform/text.ts";
import { type Origin, originOf, recordAudit } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import { RESET_PATH, saveReset } from "../password-reset.store.ts";
import type { Visitor } from "../session.ts";
import { usernameKey } from "../store.ts";
import { answerAlike } from "./alike.ts";
import { LIFETIME, type MailedLinksDependencies, mayHaveMail } from "./mailed.ts";
import { type ForgetfulUser, findForgetful } from "./store.ts";

export interface ForgottenRequest {
  tenantId: TenantId;
  clientId: string;
  /** A user name or an address, as typed. */
  typed: string;
  visitor: Visitor;
  /** The tenant comes from unauthenticated input and may not exist. */
  isNamed: boolean;
}

export interface ForgottenPasswords {
  /** False: no mail can be sent, so people must ask an administrator. */
  canSend: boolean;
  /** Sends a link if there is such an account. @returns seconds to wait, after too many requests */
  request(request: Request, given: ForgottenRequest): Promise<number | undefined>;
  /** In the transaction of another reason to set a new password. */
  send(
    tx: Transaction,
    origin: Origin,
    tenantId: TenantId,
    user: Pick<ForgetfulUser, "id" | "name" | "address">,
    language: texts.LanguageCode,
  ): Promise<void>;
}

export interface ForgottenDependencies extends MailedLinksDependencies {
  onFailure(error: unknown, request: Request): void;
}

export function createForgottenPasswords(deps: ForgottenDependencies): ForgottenPasswords {
  const { sql, mailer, issuer, onFailure } = deps;

  const send: ForgottenPasswords["send"] = async (tx, origin, tenantId, { id, address, name }, language) => {
    const token = newOpaqueValue();
    const expiresOn = await saveReset(tx, tenantId, id, digestOf(token), LIFETIME.reset, address);
    const values = { name, link: `${issuer}${RESET_PATH}?token=${token}`, expiresOn };
    await mailer.recordMail(tx, { tenantId, kind: "ForgottenPassword", to: address, userId: id, values, language });
    const subject = { type: "User", id };
    await recordAudit(tx, tenantId, origin, { kind: "PasswordReset.Created", subject, details: { By: "Mail" } });
  };

  async function find(request: Request, { tenantId, clientId, typed }: ForgottenRequest, key: string): Promise<void> {
    const origin = originOf(request, { clientId });
    const language = texts.speak(request).code;
    await sql.beginFor(tenantId, async (tx) => {
      const users = await findForgetful(tx, tenantId, key, typed);
      const reason = await refusalOf(tx, tenantId, users);
      const [user] = users;
      if (reason === undefined) return send(tx, origin, tenantId, user!, language);
      const subject = user && { type: "User", id: user.id };
      await recordAudit(tx, tenantId, origin, { kind: "PasswordReset.Refused", subject, details: { Reason: reason } });
    });
  }

  return {
    canSend: mailer.canSend,
    send,
    async request(request, given) {
      const { tenantId, visitor, isNamed } = given;
      const typed = isText(given.typed, TEXT_LIMIT) ? given.typed.trim() : "";
      const key = await usernameKey(sql, typed);
      const asked = {
        tenantId,
        account: key || typed.toLowerCase(),
        factor: "forgotten",
        address: visitor.address,
        isNamed,
      } as const;
      const ask = () => find(request, { ...given, typed }, key);
      return answerAlike(sql, asked, ask, (error) => onFailure(error, request));
    },
  };
}

/** Why no mail is sent, for the audit log only. */
async function refusalOf(tx: Transaction, tenantId: TenantId, users: ForgetfulUser[]): Promise<string | undefined> {
  const [user, second] = users;
  if (!user) return "UnknownUser";
  if (second) return "AmbiguousUser";
  if (!user.isActive) return "InactiveUser";
  if (!user.hasPassword || user.username === "") return "NoPassword";
  if (!user.isVerified) return "NoVerifiedAddress";
  return (await mayHaveMail(tx, tenantId, user.address, ["ForgottenPassword"])) ? undefined : "ManyMails";
}
