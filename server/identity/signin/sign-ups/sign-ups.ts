// Sign-up by the tenant's rules: nothing of a person counts until the link in a mail to the address is used.

import { domainToASCII } from "node:url";
import type { Transaction } from "../../../platform/db/sql.ts";
import { Conflict } from "../../../platform/errors.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { isMailAddress } from "../../../platform/mail-address.ts";
import { originOf, ownRecords, recordAudit } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import { mailInvitation } from "../invitations/service.ts";
import { lockOpen } from "../invitations/store.ts";
import { answerAlike } from "../links/alike.ts";
import type { ForgottenDependencies, ForgottenRequest } from "../links/forgotten.ts";
import { LIFETIME, mayHaveMail } from "../links/mailed.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import type { Passwords } from "../password.ts";
import { savePassword, usernameKey } from "../store.ts";
import {
  endSignUp,
  findHolder,
  findSignUp,
  findSignUpRules,
  type OpenSignUp,
  type SignUpRules,
  saveSignUp,
  takeWaiting,
} from "./store.ts";

export const SIGN_UP_LINK_PATH = "/account/sign-up";
/** After this many invitations in an hour there are no more by request, so that inviters can send the rest. */
const ASKED_INVITATIONS = 3;

export interface SignUps {
  canSend: boolean;
  /** Mails a link if the rules permit. @param isBot nothing is mailed @returns seconds to wait, after too many requests */
  request(request: Request, given: ForgottenRequest, isBot: boolean): Promise<number | undefined>;
  find(token: string): Promise<OpenSignUp | undefined>;
  /** @returns undefined if the link is void or expired @throws Conflict if there is an account, TenantBusy */
  accept(
    request: Request,
    open: OpenSignUp,
    token: string,
    given: { name: string; password: string },
  ): Promise<"ready" | "waiting" | undefined>;
}

interface SignUpDependencies extends ForgottenDependencies {
  passwords: Passwords;
}

export function createSignUps({ sql, mailer, issuer, passwords, onFailure }: SignUpDependencies): SignUps {
  async function send(request: Request, { tenantId, clientId }: ForgottenRequest, email: string): Promise<void> {
    const key = await usernameKey(sql, email);
    const language = texts.speak(request).code;
    await sql.beginFor(tenantId, async (tx) => {
      const reason = await mailOrRefuse(tx, tenantId, email, key, language);
      if (!reason) return;
      const details = { Reason: reason };
      await recordAudit(tx, tenantId, originOf(request, { clientId }), { kind: "SignUp.Refused", details });
    });
  }

  /** @returns why there is no link for a new account, for the audit log only */
  async function mailOrRefuse(
    tx: Transaction,
    tenantId: TenantId,
    email: string,
    key: string,
    language: texts.LanguageCode,
  ) {
    const rules = await findSignUpRules(tx, tenantId);
    if (!rules || rules.mode === "Off") return "Off";
    if (!(await mayHaveMail(tx, tenantId, email, ["SignUp", "AccountExists", "Invitation"]))) return "ManyMails";
    const holder = await findHolder(tx, tenantId, key, email);
    if (holder) {
      const values = { name: holder.name, link: `${issuer}/account?organisation=${tenantId}` };
      await mailer.recordMail(tx, { tenantId, kind: "AccountExists", to: email, userId: holder.id, values, language });
      return "AccountExists";
    }
    const invitation = await lockOpen(tx, tenantId, email);
    if (invitation && invitation.expiresOn > new Date()) {
      if (!(await mayHaveMail(tx, tenantId, email, ["Invitation"], ASKED_INVITATIONS))) return "ManyMails";
      await mailInvitation(tx, { mailer, publicUrl: issuer }, tenantId, invitation, true);
      return undefined;
    }
    if (!isOpenTo(rules, email)) return rules.mode === "Invited" ? "NotInvited" : "OtherDomain";
    const token = newOpaqueValue();
    const expiresOn = await saveSignUp(tx, tenantId, email, digestOf(token), LIFETIME.signUp);
    const values = { name: "", link: `${issuer}${SIGN_UP_LINK_PATH}?token=${token}`, expiresOn };
    await mailer.recordMail(tx, { tenantId, kind: "SignUp", to: email, userId: null, values, language });
    return undefined;
  }

  return {
    canSend: mailer.canSend,
    request(request, given, isBot) {
      const { tenantId, visitor, isNamed } = given;
      const email = isMailAddress(given.typed) ? given.typed : "";
      const account = email.toLowerCase();
      const asked = { tenantId, account, factor: "sign-up", address: visitor.address, isNamed } as const;
      const ask = async () => {
        if (email && !isBot) await send(request, given, email);
      };
      return answerAlike(sql, asked, ask, (error) => onFailure(error, request));
    },
    async find(token) {
      const open = await findSignUp(sql, digestOf(token));
      // The rules may have changed since the mail.
      return open && isOpenTo(open, open.email) ? open : undefined;
    },
    async accept(request, { tenantId, email, text }, token, { name, password }) {
      const hash = await passwords.hash(tenantId, password);
      return sql.beginFor(tenantId, async (tx) => {
        await ownRecords.lockUsers(tx, tenantId);
        const digest = digestOf(token);
        // The rules may have changed while the password was hashed.
        const rules = await findSignUp(tx, digest);
        if (!rules || !isOpenTo(rules, email)) return undefined;
        const waits = rules.mode === "Approval";
        const fields = { Name: name, Username: email, Email: email };
        const holder = await findHolder(tx, tenantId, await usernameKey(tx, email), email);
        const userId = holder
          ? undefined
          : await ownRecords.makeOwnUser(tx, tenantId, fields, { Email: email }, !waits);
        if (userId === undefined) throw new Conflict(texts.ERRORS.signUpExists);
        if (!(await endSignUp(tx, tenantId, digest, waits ? userId : undefined))) return undefined;
        await savePassword(tx, tenantId, userId, hash);
        const subject = { type: "User", id: userId } as const;
        const details = { Approval: waits, Consent: text !== "" };
        await recordAudit(tx, tenantId, originOf(request, { actor: subject }), {
          kind: "SignUp.Accepted",
          subject,
          details,
        });
        return waits ? "waiting" : "ready";
      });
    },
  };
}

function isOpenTo({ mode, domains }: SignUpRules, email: string): boolean {
  if (mode !== "Domains") return mode === "Approval";
  return domains.includes(domainToASCII(email.slice(email.lastIndexOf("@") + 1)));
}

/** Tells a person that an administrator has activated the account. */
export type TellApproved = (
  tx: Transaction,
  tenantId: TenantId,
  user: { id: number } & Record<string, unknown>,
) => Promise<void>;

export function createTellApproved({ mailer, issuer }: Pick<ForgottenDependencies, "mailer" | "issuer">): TellApproved {
  return async (tx, tenantId, { id, email, name }) => {
    if (!(await takeWaiting(tx, tenantId, id)) || !email) return;
    const values = { name: String(name ?? ""), link: `${issuer}/account?organisation=${tenantId}` };
    await mailer.recordMail(tx, { tenantId, kind: "AccountReady", to: String(email), userId: id, values });
  };
}
