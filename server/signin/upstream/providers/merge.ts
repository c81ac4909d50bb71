// A provider as it is to be: what was given, over what it was, or over the defaults.

import { BadInput } from "../../../errors.ts";
import type { MasterKey } from "../../../master-key.ts";
import type { ProviderInput } from "./input.ts";
import { sealSecret } from "./secret.ts";
import type { Mapping, Provider, ProviderType } from "./store.ts";

const DEFAULT_SCOPES: Record<ProviderType, string[]> = { OpenIDConnect: ["openid", "profile", "email"], OAuth2: [] };
/** OIDC Core 5.1. */
const DEFAULT_MAPPING: Mapping = {
  Name: "name",
  Username: "preferred_username",
  Email: "email",
  EmailVerified: "email_verified",
  MobilePhone: "phone_number",
};

/** @throws BadInput naming what a new one lacks */
export function merged(masterKey: MasterKey, before: Provider | undefined, input: ProviderInput): Omit<Provider, "id"> {
  const { id: _, redirectUri: __, clientSecret, ...given } = input;
  const type = given.type ?? before?.type;
  const missing = Object.entries({ Name: given.name, Type: type, ClientId: given.clientId });
  if (!before && missing.some(([, value]) => value === undefined)) {
    throw new BadInput(...missing.flatMap(([name, value]) => (value === undefined ? `${name} is missing.` : [])));
  }
  const former: Omit<Provider, "id"> = before ?? {
    name: given.name!,
    externalId: null,
    type: type!,
    issuer: null,
    authorizationEndpoint: null,
    tokenEndpoint: null,
    userinfoEndpoint: null,
    clientId: given.clientId!,
    clientSecret: null,
    scopes: DEFAULT_SCOPES[type!],
    mapping: DEFAULT_MAPPING,
    provisioning: "LinkOnly",
    allowLocal: false,
    isActive: true,
  };
  const secret = clientSecret && sealSecret(masterKey, clientSecret);
  return { ...former, ...given, clientSecret: secret === undefined ? former.clientSecret : secret || null };
}

/** @throws BadInput naming what its Type needs, or cannot have */
export function requireSound(provider: Omit<Provider, "id">): void {
  const { type, issuer, authorizationEndpoint, tokenEndpoint, userinfoEndpoint, scopes, mapping } = provider;
  const endpoints = Object.entries({
    AuthorizationEndpoint: authorizationEndpoint,
    TokenEndpoint: tokenEndpoint,
    UserinfoEndpoint: userinfoEndpoint,
  });
  const problems: string[] = [];
  if (type === "OpenIDConnect") {
    if (!issuer) problems.push("Issuer is missing.");
    for (const [name, value] of endpoints) {
      if (value) problems.push(`${name} is for Type OAuth2; OpenIDConnect reads it from the Issuer's metadata.`);
    }
    if (!scopes.includes("openid")) problems.push("Scopes must have openid.");
    if ((mapping.Subject ?? "sub") !== "sub") problems.push("Mapping.Subject is always sub with OpenIDConnect.");
  } else {
    if (issuer) problems.push("Issuer is for Type OpenIDConnect.");
    for (const [name, value] of endpoints) if (!value) problems.push(`${name} is missing.`);
  }
  if (problems.length > 0) throw new BadInput(...problems);
}
