import { redirectUriOf } from "../redirect-uri.ts";
import type { Provider } from "./store.ts";

export type ProviderRecord = ReturnType<typeof toProviderRecord>;

/** A provider in its response shape; the secret is never read back. */
export function toProviderRecord(publicUrl: string, provider: Provider) {
  return {
    Id: String(provider.id),
    Name: provider.name,
    ExternalId: provider.externalId ?? "",
    Type: provider.type,
    Issuer: provider.issuer ?? "",
    AuthorizationEndpoint: provider.authorizationEndpoint ?? "",
    TokenEndpoint: provider.tokenEndpoint ?? "",
    UserinfoEndpoint: provider.userinfoEndpoint ?? "",
    ClientId: provider.clientId,
    TokenEndpointAuthMethod: provider.tokenEndpointAuthMethod ?? "",
    Scopes: provider.scopes,
    Mapping: provider.mapping,
    Provisioning: provider.provisioning,
    AllowedDomains: provider.allowedDomains,
    AllowedTenants: provider.allowedTenants,
    RequireVerifiedEmail: provider.requireVerifiedEmail,
    AllowLocal: provider.allowLocal,
    Is_Active: provider.isActive,
    RedirectUri: redirectUriOf(publicUrl, provider.id),
  };
}

/** What an ETag depends on: the secret too, though it is never read back. */
export function versionOf(provider: Provider): object {
  const { clientSecret } = provider;
  return { ...provider, clientSecret: clientSecret && Buffer.from(clientSecret).toString("base64") };
}
