// Presets for common identity providers, which fill the form of a new one.

import type { ProviderRecord } from "../../identity/index.ts";
import { LinkBar } from "../../ui/index.ts";
import type { Visit } from "../visit.ts";

type ProviderType = ProviderRecord["Type"];

interface Preset {
  /** The preset's name in the address. */
  key: string;
  name: string;
  type: ProviderType;
  values: Record<string, string>;
  advice: string;
}

const PRESETS: Preset[] = [
  {
    key: "google",
    name: "Google",
    type: "OpenIDConnect",
    values: { Name: "Google", Issuer: "https://accounts.google.com" },
    advice:
      "In the Google Cloud console, create an OAuth client of the type Web application. Google accounts are open to everyone, so new users must match Domains or Organisations.",
  },
  {
    key: "entra",
    name: "Microsoft Entra ID",
    type: "OpenIDConnect",
    values: { Name: "Microsoft", Issuer: "https://login.microsoftonline.com/TENANT/v2.0" },
    advice:
      "In the issuer, replace TENANT with the Directory (tenant) ID of your organisation. In Entra, register an application for the platform Web, and create a client secret.",
  },
  {
    key: "apple",
    name: "Apple",
    type: "OpenIDConnect",
    values: {
      Name: "Apple",
      Issuer: "https://appleid.apple.com",
      Scopes: "openid name email",
      TokenEndpointAuthMethod: "client_secret_post",
      AuthorizationParameters: '{"response_mode": "form_post"}',
      ...claims({ GivenName: "user.name.firstName", FamilyName: "user.name.lastName" }),
    },
    advice:
      "At Apple, create a Services ID, which is the ClientId, and a key. The ClientSecret is a JWT signed with the key, valid for at most six months: replace it before it expires. Apple sends the name only at a person's first sign-in. Apple accounts are open to everyone, so new users must match Domains.",
  },
  {
    key: "keycloak",
    name: "Keycloak",
    type: "OpenIDConnect",
    values: { Name: "Keycloak", Issuer: "https://HOST/realms/REALM" },
    advice:
      "In the issuer, replace HOST with the server's name and REALM with the realm's. In the realm, create a client with client authentication and the standard flow.",
  },
  {
    key: "okta",
    name: "Okta",
    type: "OpenIDConnect",
    values: { Name: "Okta", Issuer: "https://ORGANISATION.okta.com" },
    advice:
      "In the issuer, replace ORGANISATION with your organisation's name. In Okta, create an OIDC app integration for a web application.",
  },
  {
    key: "github",
    name: "GitHub",
    type: "OAuth2",
    values: {
      Name: "GitHub",
      AuthorizationEndpoint: "https://github.com/login/oauth/authorize",
      TokenEndpoint: "https://github.com/login/oauth/access_token",
      UserinfoEndpoint: "https://api.github.com/user",
      EmailsEndpoint: "https://api.github.com/user/emails",
      TokenEndpointAuthMethod: "client_secret_post",
      Scopes: "read:user user:email",
      ...claims({ Subject: "id", Name: "name", Username: "login", Email: "email", Picture: "avatar_url" }),
    },
    advice:
      "GitHub is OAuth 2.0 without OpenID Connect. The user's e-mail address is the verified one of the e-mail addresses endpoint. GitHub accounts are open to everyone, so new users must match Domains. Create an OAuth app in GitHub's developer settings.",
  },
];

function claims(mapping: ProviderRecord["Mapping"]): Record<string, string> {
  return Object.fromEntries(Object.entries(mapping).map(([field, claim]) => [`Mapping.${field}`, claim]));
}

export function presetOf({ url }: Visit, type: ProviderType): Preset | undefined {
  return PRESETS.find((preset) => preset.type === type && preset.key === url.searchParams.get("Preset"));
}

interface PresetsProps {
  visit: Visit;
  type: ProviderType;
  /** The parent of each type's form. */
  path: string;
  kept: string;
}

export function Presets({ visit, type, path, kept }: PresetsProps): JSX.Element {
  const chosen = presetOf(visit, type);
  return (
    <>
      <LinkBar
        label="Presets for"
        links={PRESETS.map((preset) => ({
          text: preset.name,
          href: visit.href(`${path}/${preset.type}?Preset=${preset.key}&${kept}`),
          isCurrent: preset === chosen,
        }))}
      />
      {chosen ? <p safe>{chosen.advice}</p> : ""}
      <p class="fine">It is saved as inactive. Test the connection on its page.</p>
    </>
  );
}
