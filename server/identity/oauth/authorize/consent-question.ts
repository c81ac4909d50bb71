// The consent question. The page shows it, the form carries it sealed, and nothing else is granted.

import type { Logger } from "pino";
import { urlOf } from "../../../platform/address.ts";
import type { Transaction } from "../../../platform/db/sql.ts";
import { BadInput } from "../../../platform/errors.ts";
import { printable } from "../../../platform/http/body.ts";
import { originOf, recordAudit } from "../../../records/index.ts";
import type { texts } from "../../../ui/index.ts";
import { nameOf } from "../../signin/account/visit.ts";
import type { Forms } from "../../signin/forms.ts";
import type { Session } from "../../signin/session.ts";
import { claimNamesOf, claimsGiven, isKnownClaim } from "../claims.ts";
import { type Consent, type Destinations, rememberConsent, type SessionAllowance } from "../clients/consents.store.ts";
import { placeOf, withoutLoopbackPort } from "../clients/credential-rules.ts";
import { logoOf } from "../clients/logos.ts";
import type { Client } from "../clients/store.ts";
import { AuthorizationError } from "../errors.ts";
import { askableScopes, common } from "../scopes.ts";
import { type AuthorizationRequest, type Checked, RefusedRequest } from "./authorization-request.ts";
import { inWords } from "./words.ts";

export interface AskedAccess {
  scopes: string[];
  resources: string[];
  claims: { idToken: string[]; userinfo: string[] };
  /** When the user last withdrew consent from the client; null: never. */
  withdrawnOn: Date | null;
}

/** The part of the request that both the client and the user have. */
export function askedOf(
  { scopes, resources, claims, client }: AuthorizationRequest,
  { ofRoles, withdrawnOn }: Pick<SessionAllowance, "ofRoles" | "withdrawnOn">,
): AskedAccess {
  const askable = askableScopes(client, ofRoles);
  const given = common(scopes, askable);
  // Without openid there is neither an id_token nor userinfo.
  const named = (names: string[]) => (given.includes("openid") ? claimsGiven(names, askable) : []);
  const userinfo = beside(given, named(claims.userinfo));
  // The Id of the session says nothing about the user, so it needs neither a scope nor consent.
  const idToken = [...named(claims.idToken), ...claims.idToken.filter((name) => name === "sid")];
  return { scopes: given, resources, claims: { idToken, userinfo }, withdrawnOn };
}

/** @throws RefusedRequest, or BadInput for a device, if the user's roles leave no scope */
export function requireAny({ scopes }: AskedAccess, { scopes: wanted, reply, device }: AuthorizationRequest): void {
  if (scopes.length > 0) return;
  const reason = `No role of the user grants the scope ${printable(wanted.join(" "))}.`;
  if (device) throw new BadInput(reason);
  throw new RefusedRequest(new AuthorizationError("invalid_scope", reason), reply, "unanswerable");
}

/** Logs scopes that the user's roles do not include, to explain tokens with fewer scopes than requested. */
export function noteMissing(
  log: Logger,
  { scopes, client }: AuthorizationRequest,
  userId: number,
  asked: AskedAccess,
): void {
  const missing = scopes.filter((scope) => !asked.scopes.includes(scope));
  if (missing.length === 0) return;
  const known = { tenantId: client.tenantId, clientId: client.id, userId, scopes: missing };
  log.info(known, "scopes are omitted because no role of the user grants them");
}

/** The consent that covers the question. Claims included in a requested scope need no separate consent. */
export function consentTo({ scopes, resources, claims }: AskedAccess): Consent {
  const named = new Set([...claims.idToken, ...claims.userinfo].filter(isKnownClaim));
  return { scopes, resources, claims: beside(scopes, [...named]) };
}

function beside(scopes: string[], claims: string[]): string[] {
  const given = claimNamesOf(scopes);
  return claims.filter((name) => !given.includes(name));
}

export interface ConsentQuestion {
  application: string;
  /** Set for an unvouched client, with its host or scheme. */
  stranger: { address: string | undefined } | undefined;
  /** The logo's address; "" for none. */
  logo: string;
  links: { text: string; href: string }[];
  wants: string[];
  user: string;
  /** The destination of the response, such as a host; undefined: a device fetches it. */
  destination: string | undefined;
  userCode: string | undefined;
}

export function questionOf(
  checked: AuthorizationRequest,
  session: Session,
  asked: AskedAccess,
  language: texts.Language,
): ConsentQuestion {
  const { t } = language;
  const { client, reply, apis, device } = checked;
  return {
    application: nameOfClient(checked, t),
    stranger: client.isOpen ? { address: strangersAddress(checked) } : undefined,
    logo: logoOf(client),
    links: linksOf(client, t),
    wants: inWords(consentTo(asked), apis, language),
    user: nameOf(session, t),
    destination: device ? undefined : placeOf(reply.redirectUri),
    userCode: device?.userCode,
  };
}

/** Addresses that are not http(s) were rejected when saved. */
function linksOf({ webSite, policyUri, tosUri }: Client, t: texts.Texts): ConsentQuestion["links"] {
  const named = { [t.itsSite]: webSite, [t.privacyPolicy]: policyUri, [t.termsOfService]: tosUri };
  return Object.entries(named).flatMap(([text, href]) => (href === "" ? [] : { text, href }));
}

export function sealQuestion(
  forms: Forms,
  csrf: string,
  checked: Checked,
  session: Session,
  asked: AskedAccess,
  language: texts.Language,
): string {
  return forms.sealShown(csrf, shown(checked, session, asked, language));
}

export function hasAsked(
  forms: Forms,
  form: Map<string, string>,
  checked: Checked,
  session: Session,
  asked: AskedAccess,
  language: texts.Language,
) {
  return forms.hasShown(form.get("csrf"), form.get("shown"), shown(checked, session, asked, language));
}

function shown(checked: Checked, session: Session, asked: AskedAccess, language: texts.Language) {
  const { client, reply, target } = checked;
  const request = [target.path, target.parameters.text, reply.pushed?.digest.toString("base64") ?? null];
  const answer = [reply.redirectUri, reply.mode];
  const question = questionOf(checked, session, asked, language);
  return ["consent", client.id, session.userId, request, answer, asked, question] as const;
}

/** An unvouched client can have any name, so its address is shown as well (RFC 7591 5). */
export function nameOfClient(checked: AuthorizationRequest, t: texts.Texts): string {
  const { name, isOpen } = checked.client;
  if (checked.accountPage) return t.yourAccount;
  const address = isOpen ? strangersAddress(checked) : undefined;
  return address === undefined ? name : `${name} (${address})`;
}

/** A host or scheme, which cannot be faked; undefined if the response goes to a program on the user's device. */
function strangersAddress({ client: { documentUrl }, reply: { redirectUri } }: AuthorizationRequest) {
  if (documentUrl !== null) return urlOf(documentUrl).host;
  return withoutLoopbackPort(redirectUri) === undefined ? placeOf(redirectUri) : undefined;
}

/** The destinations that a consent covers: a program on the user's device may use any port. */
export function destinationsOf({ device, reply: { redirectUri } }: AuthorizationRequest): Destinations {
  return { destinations: device ? [] : [placeOf(withoutLoopbackPort(redirectUri) ?? redirectUri)] };
}

export async function giveConsent(
  tx: Transaction,
  request: Request,
  { tenantId, userId }: Session,
  checked: AuthorizationRequest,
  asked: AskedAccess,
): Promise<void> {
  const user = { type: "User", id: userId } as const;
  const consent = consentTo(asked);
  const clientId = String(checked.client.id);
  await rememberConsent(tx, tenantId, userId, checked.client.id, { ...consent, ...destinationsOf(checked) });
  await recordAudit(tx, tenantId, originOf(request, { actor: user, clientId }), {
    kind: "Consent.Given",
    subject: user,
    details: {
      ApplicationId: clientId,
      Scopes: consent.scopes,
      ...(consent.claims.length > 0 && { Claims: consent.claims }),
    },
  });
}
