// Presets for common identity providers, which fill the form of a new one.

import type { ProviderRecord } from "../../signin/index.ts";
import { attribute } from "../../ui/index.ts";
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
      "In the Google Cloud console, make an OAuth client of the type Web application. Anybody can have an account at Google: who is new comes in by Domains or Organisations alone.",
  },
  {
    key: "entra",
    name: "Microsoft Entra ID",
    type: "OpenIDConnect",
    values: { Name: "Microsoft", Issuer: "https://login.microsoftonline.com/TENANT/v2.0" },
    advice:
      "In the issuer, put the Directory (tenant) ID of your organisation in the place of TENANT. In Entra, register an application for the platform Web, and make a client secret.",
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
    },
    advice:
      "At Apple, make a Services ID, which is the ClientId, and a key. The ClientSecret is a JWT that you sign by the key, good for six months at most: give a new one before it expires. Anybody can have an account at Apple: who is new comes in by Domains alone.",
  },
  {
    key: "keycloak",
    name: "Keycloak",
    type: "OpenIDConnect",
    values: { Name: "Keycloak", Issuer: "https://HOST/realms/REALM" },
    advice:
      "In the issuer, put the server's name in the place of HOST, and the realm's in the place of REALM. In the realm, make a client with client authentication and the standard flow.",
  },
  {
    key: "okta",
    name: "Okta",
    type: "OpenIDConnect",
    values: { Name: "Okta", Issuer: "https://ORGANISATION.okta.com" },
    advice:
      "In the issuer, put your organisation's name in the place of ORGANISATION. In Okta, make an app integration of OIDC for a web application.",
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
      TokenEndpointAuthMethod: "client_secret_post",
      Scopes: "read:user",
      ...claims({ Subject: "id", Name: "name", Username: "login", Email: "email", Picture: "avatar_url" }),
    },
    advice:
      "GitHub is OAuth 2.0 without OpenID Connect: it does not say whether an e-mail address is the user's own, so rules by e-mail address let nobody in. Link accounts of users that are here already. Make an OAuth app in GitHub's developer settings.",
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
      <nav class="ranges" aria-label="Fill in for">
        {PRESETS.map((preset) => (
          <a
            href={attribute(`${visit.href(`${path}/${preset.type}`)}?Preset=${preset.key}&${kept}`)}
            aria-current={preset === chosen ? "true" : undefined}
            safe
          >
            {preset.name}
          </a>
        ))}
      </nav>
      {chosen ? <p safe>{chosen.advice}</p> : ""}
      <p class="fine">It is saved switched off. Its page then tests the connection.</p>
    </>
  );
}
