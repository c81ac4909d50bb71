// An identity provider in the API: input and response.

import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, exportJWK } from "jose";
import { urlOf } from "../../../../platform/address.ts";
import { BadInput } from "../../../../platform/errors.ts";
import type { Seal, Vault } from "../../../../platform/vault.ts";
import { CLIENT_KEY_PURPOSE, jwksUriOf, redirectUriOf, signedOutUriOf } from "../configuration.ts";
import type { Provider } from "./contract.ts";
import { PROVIDER, type ProviderInput, type ProviderRecord } from "./contract.ts";
import { DEFAULT_MAPPING, DEFAULT_SCOPES } from "./provider-words.ts";

export function toProviderRecord(publicUrl: string, provider: Provider): ProviderRecord {
  return PROVIDER.toRecord(provider, {
    RedirectUri: redirectUriOf(publicUrl, provider.id),
    PostLogoutRedirectUri: signedOutUriOf(publicUrl, provider.id),
    JwksUri: jwksUriOf(publicUrl, provider.id),
  });
}

/** The values of an ETag. They include the secret, although it is never read back. */
export function versionOf(provider: Provider): object {
  const text = (sealed: Uint8Array | null) => sealed && Buffer.from(sealed).toString("base64");
  return { ...provider, clientSecret: text(provider.clientSecret), clientKey: text(provider.clientKey) };
}

// Builds a provider from the input, its previous state and the defaults.

/** @throws BadInput naming the missing fields of a new provider */
export function merged(secrets: Seal, before: Provider | undefined, input: ProviderInput): Omit<Provider, "id"> {
  const { Id: _, ClientSecret, ...given } = input;
  const former = before ?? blank(PROVIDER.whole(input, "Name", "Type", "ClientId"));
  const secret = ClientSecret && secrets.seal(ClientSecret);
  return {
    ...former,
    ...PROVIDER.toColumns(given),
    clientSecret: secret === undefined ? former.clientSecret : secret || null,
  };
}

function blank({ Type }: Pick<ProviderRecord, "Type">) {
  const own = { clientKey: null, scopes: DEFAULT_SCOPES[Type], mapping: DEFAULT_MAPPING };
  return { ...PROVIDER.blank(), ...own } as Omit<Provider, "id">;
}

/** @throws BadInput naming fields that its Type requires or forbids */
export function requireSound(provider: Omit<Provider, "id">): void {
  const { type, issuer, authorizationEndpoint, tokenEndpoint, userinfoEndpoint, scopes, mapping } = provider;
  const endpoints = Object.entries({
    AuthorizationEndpoint: authorizationEndpoint,
    TokenEndpoint: tokenEndpoint,
    UserinfoEndpoint: userinfoEndpoint,
  });
  const problems: string[] = [];
  const { metadataUri, idTokenAlg, emailsEndpoint, clientSecret, tokenEndpointAuthMethod } = provider;
  if (type === "OpenIDConnect") {
    if (emailsEndpoint) problems.push("EmailsEndpoint is for Type OAuth2.");
    if (idTokenAlg && (clientSecret === null || tokenEndpointAuthMethod === "private_key_jwt")) {
      problems.push(`IdTokenAlg ${idTokenAlg} needs a ClientSecret, and a client that authenticates by it.`);
    }
    if (!issuer) problems.push("Issuer is missing.");
    for (const [name, value] of endpoints) {
      if (value) problems.push(`${name} is for Type OAuth2; OpenIDConnect reads it from the Issuer's metadata.`);
    }
    if (!scopes.includes("openid")) problems.push("Scopes must have openid.");
    if ((mapping.Subject ?? "sub") !== "sub") problems.push("Mapping.Subject is always sub with OpenIDConnect.");
  } else {
    const others = Object.entries({ Issuer: issuer, MetadataUri: metadataUri, IdTokenAlg: idTokenAlg });
    for (const [name, value] of others) if (value) problems.push(`${name} is for Type OpenIDConnect.`);
    if (provider.signOut) problems.push("SignOut is for Type OpenIDConnect.");
    for (const [name, value] of endpoints) if (!value) problems.push(`${name} is missing.`);
  }
  problems.push(...strangersProblem(provider));
  if (problems.length > 0) throw new BadInput(...problems);
}

/** Anyone can register at a public provider, so automatic creation of Users needs a rule about who may. */
function strangersProblem(provider: Omit<Provider, "id">): string[] {
  const { provisioning, allowedDomains, allowedTenants } = provider;
  if (provisioning !== "Create" || allowedDomains.length > 0 || allowedTenants.length > 0) return [];
  const { issuer, metadataUri, authorizationEndpoint, tokenEndpoint, userinfoEndpoint } = provider;
  const host = [issuer, metadataUri, authorizationEndpoint, tokenEndpoint, userinfoEndpoint]
    .flatMap((address) => (address ? publicHostOf(address) : undefined) ?? [])
    .at(0);
  if (host === undefined) return [];
  return [
    `Provisioning Create needs AllowedDomains or AllowedTenants here: anyone can register at ${host} and would become a User.`,
  ];
}

/** Hosts where anyone can register. */
const PUBLIC_HOSTS = [
  ...["google.com", "googleapis.com", "apple.com", "facebook.com", "github.com", "gitlab.com", "bitbucket.org"],
  ...["linkedin.com", "twitter.com", "x.com", "discord.com", "slack.com", "twitch.tv", "amazon.com", "yahoo.com"],
  ...["live.com", "yandex.com", "yandex.ru", "vk.com", "paypal.com", "line.me", "kakao.com", "orcid.org"],
];
/** Microsoft's host serves both single organisations and the public; the path tells them apart. */
const MICROSOFT = ["login.microsoftonline.com", "login.microsoft.com", "login.windows.net", "sts.windows.net"];
const MICROSOFT_PUBLIC = /^\/(common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(\/|$)/i;

function publicHostOf(address: string): string | undefined {
  const { hostname: named, pathname } = urlOf(address);
  // A trailing dot names the same host.
  const hostname = named.replace(/\.$/, "");
  if (MICROSOFT.includes(hostname)) return MICROSOFT_PUBLIC.test(pathname) ? hostname : undefined;
  return PUBLIC_HOSTS.some((known) => hostname === known || hostname.endsWith(`.${known}`)) ? hostname : undefined;
}

const newKeyPair = promisify(generateKeyPair);

/**
 * Creates the key for private_key_jwt. Each provider has its own, separate from the token signing keys, so an assertion
 * is useless elsewhere. All providers support RSA.
 */
export async function withClientKey<P extends Omit<Provider, "id">>(vault: Vault, provider: P): Promise<P> {
  if (provider.tokenEndpointAuthMethod !== "private_key_jwt") return { ...provider, clientKey: null };
  if (provider.clientKey) return provider;
  const { privateKey } = await newKeyPair("rsa", { modulusLength: 2_048 });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { ...provider, clientKey: vault.sealFor(CLIENT_KEY_PURPOSE).seal(JSON.stringify({ ...jwk, kid })) };
}
