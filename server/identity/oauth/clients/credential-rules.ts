// The effects of changing credentials, and the rules between their fields.

import { readUrl, urlOf } from "../../../platform/address.ts";
import type { CheckUrl } from "../../../platform/egress/index.ts";
import { BadInput } from "../../../platform/errors.ts";
import { printable } from "../../../platform/http/body.ts";
import { type CertificateName, canBeNamed } from "../certificate.ts";
import { EXCHANGE_GRANT, STANDARD_GRANT_TYPES } from "../contract.ts";
import { CREDENTIALS, type Credentials, type CredentialsInput } from "./contract.ts";
import { sectorOf } from "./sector.ts";

/** A client that may no longer use client_credentials loses it, unless its grants were set explicitly. */
export function changedCredentials(before: Credentials, input: CredentialsInput): Credentials {
  const changes = CREDENTIALS.toColumns(input) as { [name in keyof Credentials]?: Credentials[name] | null };
  const clientType = changes.clientType === null ? "confidential" : (changes.clientType ?? before.clientType);
  const defaults = defaultsOf(clientType);
  const isChosen = before.grantTypes.join() !== defaultsOf(before.clientType).grantTypes.join();
  const unchosen = isChosen || clientType === "confidential" ? {} : { grantTypes: defaults.grantTypes };
  const given = Object.entries(changes).map(([name, value]) => [name, value ?? defaults[name as keyof Credentials]]);
  return { ...before, ...unchosen, ...Object.fromEntries(given) };
}

/** Features of this installation. */
export interface Possible {
  checkUrl: CheckUrl;
  /** MTLS_URL is configured. */
  takesCertificates: boolean;
}

/** Checks that the fields are consistent and the addresses may be requested. @throws BadInput naming all problems */
export function requireSound(after: Credentials, before: Credentials, possible: Possible): void {
  const { checkUrl } = possible;
  const { clientType, grantTypes, redirectUris, postLogoutRedirectUris, backchannelLogoutUri } = after;
  const isNew = backchannelLogoutUri !== before.backchannelLogoutUri;
  const logoutProblem = isNew && backchannelLogoutUri ? logoutUriProblem(backchannelLogoutUri, checkUrl) : undefined;
  const keysProblem = after.jwksUri && after.jwksUri !== before.jwksUri ? checkUrl(after.jwksUri) : undefined;
  const problems = [
    ...authenticationProblems(after),
    ...certificateProblems(after, before, possible),
    ...profileProblems(after),
    ...(keysProblem ? [problem("JwksUri", `: ${keysProblem}`)] : []),
    ...uriProblems("RedirectUris", redirectUris, clientType),
    ...uriProblems("PostLogoutRedirectUris", postLogoutRedirectUris, clientType),
    ...sectorProblems(after, before, checkUrl),
    ...shownProblems(after, before, checkUrl),
    ...(logoutProblem ? [problem("BackchannelLogoutUri", `: ${logoutProblem}`)] : []),
    ...grantTypes
      .filter((grant) => clientType !== "confidential" && OF_CONFIDENTIAL.includes(grant))
      .map((grant) => problem("GrantTypes", ` has ${grant}, which a ${clientType} client cannot use.`)),
  ];
  if (problems.length > 0) throw BadInput.in(problems);
}

/** Each message starts with the field's name. */
const problem = (Field: string, rest: string) => ({ Field, Message: Field + rest });
type Problem = ReturnType<typeof problem>;

/** Grants for authenticated clients only: RFC 6749 4.4, RFC 8693 5. */
export const OF_CONFIDENTIAL: string[] = ["client_credentials", EXCHANGE_GRANT];

function authenticationProblems({ clientType, tokenEndpointAuthMethod, jwks, jwksUri }: Credentials): Problem[] {
  const method = tokenEndpointAuthMethod;
  const problems: Problem[] = [];
  if (method !== null && (method === "none") === (clientType === "confidential")) {
    problems.push(problem("TokenEndpointAuthMethod", ` is ${method}, which a ${clientType} client cannot have.`));
  }
  // RFC 7591 2.
  if (jwks && jwksUri !== "") problems.push(problem("JwksUri", " cannot be combined with Jwks."));
  if (method === "private_key_jwt" && !jwks && jwksUri === "") {
    problems.push(problem("TokenEndpointAuthMethod", " is private_key_jwt, which needs Jwks or JwksUri."));
  }
  return problems;
}

/** RFC 8705 2.1.2. */
function certificateProblems(after: Credentials, before: Credentials, { takesCertificates }: Possible): Problem[] {
  const { tokenEndpointAuthMethod: method, tlsClientAuthName: name, tlsClientAuthValue: value } = after;
  if (value !== "" && !canBeNamed(name, value)) return [problem("TlsClientAuthValue", ` ${NAME_MUST[name]}`)];
  if (method !== "tls_client_auth") return [];
  if (!takesCertificates && method !== before.tokenEndpointAuthMethod) {
    const needed = " is tls_client_auth, which needs MTLS_URL and a proxy that forwards certificates.";
    return [problem("TokenEndpointAuthMethod", needed)];
  }
  if (value !== "") return [];
  return [problem("TlsClientAuthValue", " is missing, which TokenEndpointAuthMethod tls_client_auth needs.")];
}

const NAME_MUST: Record<CertificateName, string> = {
  SubjectDn: "must be a distinguished name (RFC 4514), such as CN=payroll,O=Example,C=DE.",
  SanDns: "must be a host name, such as payroll.example.com.",
  SanUri: "must be an absolute address, such as https://payroll.example.com/client.",
  SanIp: "must be an IP address, such as 192.0.2.1.",
  SanEmail: "must be an e-mail address, such as payroll@example.com.",
};

function shownProblems(after: Credentials, before: Credentials, checkUrl: CheckUrl): Problem[] {
  const { logoUri, policyUri, tosUri } = after;
  const logo = logoUri !== "" && logoUri !== before.logoUri ? checkUrl(logoUri) : undefined;
  const links = Object.entries({ PolicyUri: policyUri, TosUri: tosUri });
  const wrong = links.filter(([, uri]) => uri !== "" && !canBeLinked(uri));
  return [
    ...(logo ? [problem("LogoUri", `: ${logo}`)] : []),
    ...wrong.map(([field, uri]) =>
      problem(field, `: ${printable(uri)} must begin with https:// or http://, and have no user name.`),
    ),
  ];
}

/** A user name before the host could make a link look like a different host. */
export function canBeLinked(uri: string): boolean {
  const url = readUrl(uri);
  return /^https?:$/.test(url?.protocol ?? "") && url!.username === "" && url!.password === "";
}

function sectorProblems(after: Credentials, before: Credentials, checkUrl: CheckUrl): Problem[] {
  const { subjectType, sectorIdentifierUri: uri } = after;
  const wrong = uri !== "" && uri !== before.sectorIdentifierUri ? checkUrl(uri) : undefined;
  if (wrong) return [problem("SectorIdentifierUri", `: ${wrong}`)];
  if (subjectType === "public" || after.redirectUris.some((one) => !readUrl(one)) || sectorOf(after)) return [];
  // OIDC Core 8.1.
  const must = "RedirectUris must be https on one host, or be listed at SectorIdentifierUri.";
  return [problem("SubjectType", ` is pairwise: ${must}`)];
}

/** FAPI 2.0 Security Profile 5.3.2.1 and 5.4.1: its requirements on other fields. */
function profileProblems(credentials: Credentials): Problem[] {
  if (credentials.securityProfile !== "FAPI2") return [];
  const { requirePar, dpopBound, tokenEndpointAuthMethod, idTokenAlg, accessTokenAlg, redirectUris } = credentials;
  const { userinfoAlg, introspectionAlg } = credentials;
  const needed: Record<string, boolean> = {
    "RequirePar: true": requirePar,
    "DpopBound: true": dpopBound,
    "TokenEndpointAuthMethod: private_key_jwt or tls_client_auth":
      tokenEndpointAuthMethod === "private_key_jwt" || tokenEndpointAuthMethod === "tls_client_auth",
    "IdTokenAlg: ES256 or EdDSA": idTokenAlg !== "RS256",
    "AccessTokenAlg: ES256 or EdDSA": accessTokenAlg !== "RS256",
    "UserinfoAlg: none, ES256 or EdDSA": userinfoAlg !== "RS256",
    "IntrospectionAlg: none, ES256 or EdDSA": introspectionAlg !== "RS256",
    "only https RedirectUris": redirectUris.every((uri) => /^https:/i.test(uri)),
  };
  const missing = Object.keys(needed).filter((name) => !needed[name]);
  return missing.length > 0 ? [problem("SecurityProfile", ` is FAPI2, which needs ${missing.join(", ")}.`)] : [];
}

function uriProblems(field: string, uris: string[], clientType: Credentials["clientType"]): Problem[] {
  return uris.flatMap((uri) => redirectUriProblem(uri, clientType) ?? []).map((wrong) => problem(field, `: ${wrong}`));
}

/** OIDC Back-Channel Logout 2.2. */
function logoutUriProblem(uri: string, checkUrl: CheckUrl): string | undefined {
  return checkUrl(uri) ?? (uri.includes("#") ? "The URL must not have a fragment." : undefined);
}

export function defaultsOf(clientType: Credentials["clientType"]): Credentials {
  // RFC 6749 4.4.
  const grantTypes = STANDARD_GRANT_TYPES.filter(
    (grant) => clientType === "confidential" || grant !== "client_credentials",
  );
  return { ...(CREDENTIALS.blank() as unknown as Credentials), clientType, grantTypes };
}

const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];

/** Redirect URIs are stored as sent and compared as strings (RFC 9700 2.1). */
export function redirectUriProblem(uri: string, clientType: Credentials["clientType"]): string | undefined {
  const shown = printable(uri);
  const url = /^[\x21-\x7e]+$/.test(uri) ? readUrl(uri) : undefined;
  if (!url) return `${shown} is not an absolute address.`;
  // RFC 6749 3.1.2.
  if (uri.includes("#")) return `${shown} has a fragment; redirect URIs must not have one.`;
  if (url.username || url.password) return `${shown} has a user name; redirect URIs must not have one.`;
  if (uri.includes("*")) return `${shown} contains a *; a redirect URI is one exact address.`;
  if (url.protocol === "https:" || url.protocol === "http:") return webProblem(uri, url, shown);
  if (clientType === "native" && isPrivateUse(uri, url)) return undefined;
  return clientType === "native"
    ? `${shown}: a private-use scheme must look like com.example.app:/callback, or example://callback if no other program uses it.`
    : `${shown} must begin with https://; only native clients can use private-use schemes.`;
}

/** Beyond RFC 8252 7.1, a single word is accepted if an authority follows and no browser or system handles it. */
function isPrivateUse(uri: string, { protocol }: URL): boolean {
  const scheme = protocol.slice(0, -1);
  if (!uri.toLowerCase().startsWith(protocol) || !/^[a-z][a-z0-9+.-]*$/.test(scheme)) return false;
  if (/^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(scheme)) return true;
  return /^[^:]+:\/\/[^/?#]/.test(uri) && !TAKEN_SCHEMES.has(scheme) && !/^(ms|web|chrome|moz|x)-|^web\+/.test(scheme);
}

const TAKEN_SCHEMES = new Set(
  [
    "about acap afp afs android-app app-settings blob bluetooth bolt brave browser cap chrome cid content crid data dav",
    "devtools dict dns dntp ed2k edge safari settings shortcuts vivaldi",
    "facetime feed file filesystem finger fish ftp ftps geo git go gopher h323 hcp help http https iax icap im imap imaps",
    "info intent ipfs ipns ipp ipps irc ircs itms jar javascript jdbc jms jnlp ldap ldaps livescript magnet mailto maps",
    "market mdb mhtml mid mms mocha modem msdt mvn nats news nfs nntp opaquelocktoken opera pkcs11 pop pop3 prefs pres",
    "proxy rediss redis res resource rmi rsync rtmp rtsp scp search search-ms secondlife service session sftp sgn shell",
    "sip sips sms smb smtp snmp soap ssh ssm steam stun stuns svn tag tel telnet tftp tip tn3270 turn turns tv udp unreal",
    "urn ut2004 vbs vbscript vemmi view-source vnc wais wpid ws wss wyciwyg xmpp xri zoommtg",
  ].flatMap((line) => line.split(" ")),
);

/** Native apps listen on loopback (RFC 8252 7.3); other apps use it in development. */
export function isLoopback(url: URL | undefined): boolean {
  return url?.protocol === "http:" && LOOPBACK.includes(url.hostname);
}

/** Loopback addresses that only a client in development should have; native apps may use them. */
export function developmentUris(uris: readonly string[], clientType: string): string[] {
  return clientType === "native" ? [] : uris.filter((uri) => isLoopback(readUrl(uri)));
}

/** RFC 8252 7.3: native apps may use any port. @returns undefined if it is not a loopback address */
export function withoutLoopbackPort(uri: string): string | undefined {
  const match = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?([/?].*)?$/i.exec(uri);
  return match && readUrl(uri) ? match[1]! + (match[2] ?? "") : undefined;
}

/** The recognizable part of an address: its host, or the scheme of an app's private-use URI. */
export function placeOf(uri: string): string {
  const { protocol, host } = urlOf(uri);
  return protocol === "https:" || protocol === "http:" ? host : protocol.slice(0, -1);
}

/** Whether an address is registered; on loopback, native clients may use any port. */
export function isRegisteredUri({ clientType }: Credentials, registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true;
  const atAnyPort = clientType === "native" ? withoutLoopbackPort(asked) : undefined;
  return atAnyPort !== undefined && registered.some((known) => withoutLoopbackPort(known) === atAnyPort);
}

/** Whether one of the client's redirect URIs has this origin (RFC 6454 6.2), however it is spelled. */
export function hasOrigin({ redirectUris, clientType }: Credentials, origin: string): boolean {
  const spell = (text: string) => (clientType === "native" && withoutLoopbackPort(text)) || text;
  const origins = redirectUris.flatMap((uri) => originOf(uri) ?? []);
  return origins.some((own) => spell(own) === spell(origin));
}

/** Browsers send origins in lower case and without a default port. Those of private-use schemes stay as they are. */
function originOf(uri: string): string | undefined {
  return /^https?:/i.test(uri) ? readUrl(uri)?.origin : /^[a-z][a-z0-9.+-]*:\/\/[^/?#]+/.exec(uri)?.[0];
}

/**
 * Accepts capitals and a default port. `new URL` accepts more spellings, which other parsers (RFC 3986) read
 * differently.
 */
function webProblem(uri: string, url: URL, shown: string): string | undefined {
  const [, host, port] = /^https?:\/\/([^/?:[]+|\[[^\]]*\])(?::(\d+))?(?=[/?]|$)/i.exec(uri) ?? [];
  const ownPort = url.port || (url.protocol === "https:" ? "443" : "80");
  if (host?.toLowerCase() !== url.hostname || (port ?? ownPort) !== ownPort) {
    return `${shown}: its beginning must be ${url.origin}, in capitals or not.`;
  }
  if (url.protocol === "https:" || isLoopback(url)) return undefined;
  return `${shown} must begin with https://; http is only for 127.0.0.1, [::1] or localhost.`;
}
