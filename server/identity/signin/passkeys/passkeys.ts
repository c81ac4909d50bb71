// Passkeys (WebAuthn Level 3): one proves possession and the user's PIN or biometry, so it counts as two factors.

import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { urlOf } from "../../../platform/address.ts";
import type { Sql } from "../../../platform/db/sql.ts";
import { parseJson } from "../../../platform/http/json.ts";
import { originOf, recordAudit } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import type { Forms } from "../forms.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import type { WarnOwner } from "../links/mailed.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import type { Session, Visitor } from "../session.ts";
import {
  admit,
  countSuccess,
  noteFailure,
  noteThrottled,
  type SignInTry,
  type Trouble,
  throttled,
} from "../throttle.ts";
import { listIdentities, lockUser } from "../upstream/store.ts";
import { keepsWayIn } from "../ways-in.ts";
import {
  deletePasskey,
  findCredential,
  findPasskeyRule,
  handleOf,
  insertPasskey,
  listCredentials,
  listPasskeys,
  markUsed,
  type Passkey,
  postponeOffer,
  type StoredPasskey,
  useChallenge,
} from "./store.ts";

/** Of a user. */
const MAX_PASSKEYS = 20;
/** Seconds for which a page's challenge can be answered; browsers offer passkeys while the page is open. */
const CHALLENGE_LIFETIME = 3_600;
/** The maximum number of characters of a credential in JSON; real ones have less than half. */
const CREDENTIAL_LIMIT = 16_384;
/** Bytes (WebAuthn Level 3, 4 "Credential ID"). */
const MAX_CREDENTIAL_ID = 1_023;
const TRANSPORTS: readonly unknown[] = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];
/** EdDSA, ES256, RS256 (IANA COSE algorithms). */
const ALGORITHMS = [-8, -7, -257];

/** The hidden fields of a form that a passkey answers, and the options for the browser's script. */
export interface PasskeyQuestion<Options = PublicKeyCredentialRequestOptionsJSON> {
  challenge: string;
  sealed: string;
  options: Options;
}

/** The questions that a passkey can answer; an answer to one is not accepted for another. */
export const PURPOSES = {
  /** @param request the authorization request that continues */
  signIn: (request: string) => ["sign-in", request] as const,
  secondFactor: ({ id }: Session) => ["second factor", id] as const,
  newPasskey: ({ id, userId }: Session) => ["new", id, userId] as const,
};
type Purpose = readonly [kind: string, ...values: unknown[]];

/** An accepted passkey, and the methods that it proves. */
export interface ProvedPasskey {
  outcome: "accepted";
  passkey: StoredPasskey;
  /** RFC 8176: hwk or swk, by whether the key has copies, and mfa. */
  amr: string[];
}
export type PasskeyOutcome = ProvedPasskey | { outcome: "refused"; trouble: Trouble };

export interface SentPasskey {
  request: Request;
  visitor: Visitor;
  form: Map<string, string>;
}

export interface Passkeys {
  list(session: Owner): Promise<Passkey[]>;
  /** @param csrf of the same form @param owner whose passkeys are asked for; undefined: any passkey of this host */
  ask(csrf: string, purpose: Purpose, owner?: Owner): Promise<PasskeyQuestion | undefined>;
  /** @returns the passkey that answers the question; the caller must check its user and tenant */
  check(sent: SentPasskey, purpose: Purpose): Promise<PasskeyOutcome>;
  /** @returns undefined if the browser can make none for this host */
  propose(csrf: string, session: Session): Promise<PasskeyQuestion<PublicKeyCredentialCreationOptionsJSON> | undefined>;
  /** `stale`: the form was not shown to this session, or too long ago */
  add(sent: SentPasskey & { session: Session; name: string }): Promise<AddedPasskey>;
  /** The user declines an offer. */
  postpone(owner: Owner): Promise<void>;
  remove(request: Request, owner: Owner, id: string): Promise<"removed" | "last-way-in" | "not-there">;
}

/** `amr`: the methods that the new passkey proves. */
export type AddedPasskey =
  | { outcome: "added"; id: string; amr: string[] }
  | { outcome: "stale" }
  | { outcome: "refused"; problem: string };

type Owner = Pick<Session, "tenantId" | "userId">;

export interface PasskeyDependencies {
  sql: Sql;
  forms: Forms;
  browsers: KnownBrowsers;
  /** PUBLIC_URL */
  issuer: string;
  warnOwner: WarnOwner;
}

/** Loaded when it is first needed, because it takes a moment. */
const webauthn = () => import("@simplewebauthn/server");

/** Browsers make no passkeys for an IP address. @param issuer PUBLIC_URL */
export const canHavePasskeys = (issuer: string) => isIP(urlOf(issuer).hostname.replace(/^\[|\]$/g, "")) === 0;

export function createPasskeys({ sql, forms, browsers, issuer, warnOwner }: PasskeyDependencies): Passkeys {
  const { origin, hostname } = urlOf(issuer);
  const isPossible = canHavePasskeys(issuer);

  function newQuestion(csrf: string, purpose: Purpose) {
    const expires = Math.floor(Date.now() / 1000) + CHALLENGE_LIFETIME;
    const value = newOpaqueValue();
    const challenge = `${value}.${expires}`;
    return { value, challenge, sealed: forms.sealShown(csrf, ["passkey", ...purpose, challenge]) };
  }

  /** @returns undefined if the question is not this form's, or too old */
  function challengeOf(form: Map<string, string>, purpose: Purpose): string | undefined {
    const challenge = form.get("challenge") ?? "";
    const [value = "", expires = ""] = challenge.split(".");
    const isOurs = forms.hasShown(form.get("csrf"), form.get("sealed"), ["passkey", ...purpose, challenge]);
    return isOurs && Number(expires) > Date.now() / 1000 ? value : undefined;
  }

  const takeOnce = (challenge: string) => useChallenge(sql, digestOf(challenge), CHALLENGE_LIFETIME);

  return {
    list: ({ tenantId, userId }) => listPasskeys(sql, tenantId, userId),

    async ask(csrf, purpose, owner) {
      if (!isPossible) return undefined;
      const known = owner ? await listCredentials(sql, owner.tenantId, owner.userId) : [];
      if (owner && known.length === 0) return undefined;
      const { value, ...question } = newQuestion(csrf, purpose);
      const { generateAuthenticationOptions } = await webauthn();
      const options = await generateAuthenticationOptions({
        rpID: hostname,
        challenge: Buffer.from(value, "base64url"),
        allowCredentials: known.map(described),
        userVerification: "required",
        timeout: CHALLENGE_LIFETIME * 1000,
      });
      return { ...question, options };
    },

    async check({ request, visitor, form }, purpose) {
      const language = texts.speak(request);
      const { t } = language;
      const challenge = challengeOf(form, purpose);
      if (challenge === undefined) return refused(t.passkeyRepeated);
      const response = credentialIn<AuthenticationResponseJSON>(form);
      const passkey = response && (await findCredential(sql, Buffer.from(response.id, "base64url")));
      if (!response || !passkey) return refused(t.passkeyUnknown);
      const { tenantId, userId } = passkey;
      const known = await browsers.recognize(request, passkey, visitor.address);
      const place = { account: `${userId}`, factor: "passkey", address: visitor.address, ...known } as const;
      const attempt: SignInTry = { tenantId, ...place };
      const subject = { type: "User", id: userId } as const;
      const retryAfter = await admit(sql, attempt);
      if (retryAfter !== undefined) {
        await noteThrottled(sql, attempt, originOf(request, {}), subject);
        return { outcome: "refused", trouble: throttled(retryAfter, language) };
      }
      const used = await verify(response, challenge, passkey);
      const reason = !used ? "WrongPasskey" : passkey.isActive ? undefined : "InactiveUser";
      if (!used || reason) {
        const entry = { kind: "SignIn.Failed", subject, details: { Reason: reason! } } as const;
        await noteFailure(sql, attempt, originOf(request, {}), entry);
        return refused(t.passkeyRefused);
      }
      if (!(await takeOnce(challenge))) return refused(t.passkeyRepeated);
      await countSuccess(sql, attempt);
      await sql.beginFor(tenantId, async (tx) => {
        await markUsed(tx, tenantId, passkey.id, used.signCount, used.isSynced);
        // A copy of the key may be in use. Copies of synced keys are meant to be, and report zero.
        if (!isBehind(used.signCount, passkey.signCount)) return;
        const details = { PasskeyId: passkey.id };
        await recordAudit(tx, tenantId, originOf(request, {}), { kind: "Passkey.CounterWentBack", subject, details });
      });
      return { outcome: "accepted", passkey, amr: methodsOf(used) };
    },

    async propose(csrf, session) {
      if (!isPossible) return undefined;
      const { tenantId, userId, username, name, tenantName } = session;
      const { value, ...question } = newQuestion(csrf, PURPOSES.newPasskey(session));
      const handle = await handleOf(sql, tenantId, userId, randomBytes(32));
      const { models } = await findPasskeyRule(sql, tenantId, userId);
      const { generateRegistrationOptions } = await webauthn();
      const options = await generateRegistrationOptions({
        rpName: "Gatehouse",
        rpID: hostname,
        // The organisation tells apart a person's accounts, because all organisations share this host.
        userName: `${username || name} (${tenantName})`,
        userDisplayName: name || username,
        userID: new Uint8Array(handle),
        challenge: Buffer.from(value, "base64url"),
        // Some browsers hide the model unless an attestation is requested; the model is checked, not the attestation.
        attestationType: models.length > 0 ? "direct" : "none",
        excludeCredentials: (await listCredentials(sql, tenantId, userId)).map(described),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        supportedAlgorithmIDs: ALGORITHMS,
        timeout: CHALLENGE_LIFETIME * 1000,
      });
      return { ...question, options };
    },

    async add({ request, form, session, name }) {
      const { t } = texts.speak(request);
      const { tenantId, userId } = session;
      const expectedChallenge = challengeOf(form, PURPOSES.newPasskey(session));
      if (expectedChallenge === undefined) return { outcome: "stale" };
      const response = credentialIn<RegistrationResponseJSON>(form);
      if (!response) return { outcome: "refused", problem: t.passkeyRefused };
      const expected = { expectedChallenge, expectedOrigin: origin, expectedRPID: hostname };
      const { verifyRegistrationResponse } = await webauthn();
      // The library throws for every answer that it refuses.
      const made = await verifyRegistrationResponse({
        ...{ response, ...expected },
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(() => undefined);
      if (!made?.verified || !(await takeOnce(expectedChallenge)))
        return { outcome: "refused", problem: t.passkeyRefused };
      const { credential, aaguid, credentialBackedUp } = made.registrationInfo;
      const credentialId = Buffer.from(credential.id, "base64url");
      if (credentialId.length > MAX_CREDENTIAL_ID) return { outcome: "refused", problem: t.passkeyRefused };
      const id = Bun.randomUUIDv7();
      const problem = (await sql.beginFor(tenantId, async (tx) => {
        await lockUser(tx, tenantId, userId);
        const { isRequired, models } = await findPasskeyRule(tx, tenantId, userId);
        if (isRequired && models.length > 0 && !models.includes(aaguid)) return t.passkeyOtherModel;
        const passkey = {
          id,
          credentialId,
          publicKey: credential.publicKey,
          signCount: credential.counter,
          transports: knownTransports(credential.transports),
          aaguid,
          isSynced: credentialBackedUp,
          name,
          rpId: hostname,
        };
        if (!(await insertPasskey(tx, tenantId, userId, passkey, MAX_PASSKEYS)))
          return texts.fill(t.passkeysFull, { count: MAX_PASSKEYS });
        const user = { type: "User", id: userId } as const;
        const details = { PasskeyId: id, ...(isRequired && { Required: true }) };
        await recordAudit(tx, tenantId, originOf(request, { actor: user }), {
          kind: "Passkey.Added",
          subject: user,
          details,
        });
        await warnOwner(tx, tenantId, userId, "added passkey");
        return "";
      })) as string;
      if (problem) return { outcome: "refused", problem };
      return { outcome: "added", id, amr: methodsOf({ isSynced: credentialBackedUp }) };
    },

    postpone: ({ tenantId, userId }) => postponeOffer(sql, tenantId, userId, randomBytes(32)),

    remove(request, { tenantId, userId }, id) {
      return sql.beginFor(tenantId, async (tx) => {
        await lockUser(tx, tenantId, userId);
        const all = await listPasskeys(tx, tenantId, userId);
        const others = all.filter((passkey) => passkey.id !== id).length;
        if (others === all.length) return "not-there";
        const kept = { hasPasskey: others > 0, identities: await listIdentities(tx, tenantId, userId) };
        if (!(await keepsWayIn(tx, tenantId, userId, kept))) return "last-way-in";
        await deletePasskey(tx, tenantId, userId, id);
        const user = { type: "User", id: userId } as const;
        const entry = { kind: "Passkey.Removed", subject: user, details: { PasskeyId: id } } as const;
        await recordAudit(tx, tenantId, originOf(request, { actor: user }), entry);
        await warnOwner(tx, tenantId, userId, "removed passkey");
        return "removed";
      }) as Promise<"removed" | "last-way-in" | "not-there">;
    },
  };

  /** @returns undefined if it is not accepted */
  async function verify(response: AuthenticationResponseJSON, expectedChallenge: string, passkey: StoredPasskey) {
    const { credentialId, publicKey, rpId, handle } = passkey;
    const userHandle: unknown = response.response?.userHandle;
    // An authenticator that was asked for a given key may leave the handle out.
    if (userHandle && userHandle !== Buffer.from(handle).toString("base64url")) return undefined;
    const { verifyAuthenticationResponse } = await webauthn();
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        // The counter is compared later: the library would refuse one that went back.
        credential: { id: Buffer.from(credentialId).toString("base64url"), publicKey, counter: 0 },
      });
      const { newCounter, credentialBackedUp } = authenticationInfo;
      return verified ? { signCount: newCounter, isSynced: credentialBackedUp } : undefined;
    } catch {
      return undefined;
    }
  }
}

/** WebAuthn does not tell a PIN from biometry. */
const methodsOf = ({ isSynced }: { isSynced: boolean }) => [isSynced ? "swk" : "hwk", "mfa"];

const refused = (problem: string): PasskeyOutcome => ({ outcome: "refused", trouble: { problem, status: 422 } });

/** WebAuthn Level 3, 6.1.1: zero means that the authenticator does not count. */
const isBehind = (now: number, before: number) => (now > 0 || before > 0) && now <= before;

function described({ credentialId, transports }: StoredPasskey) {
  return { id: Buffer.from(credentialId).toString("base64url"), transports: transports as "internal"[] };
}

/** @param sent by the browser, unchecked */
const knownTransports = (sent: unknown): string[] =>
  Array.isArray(sent) ? TRANSPORTS.filter((one): one is string => sent.includes(one)) : [];

/** @returns undefined if it is no credential; its members are checked when it is verified */
function credentialIn<Response extends { id: string }>(form: Map<string, string>): Response | undefined {
  const text = form.get("credential") ?? "";
  const given = text.length > CREDENTIAL_LIMIT ? undefined : (parseJson(text) as Response | null | undefined);
  return typeof given?.id === "string" ? given : undefined;
}
