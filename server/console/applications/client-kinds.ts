// Kinds of applications under their common names, and the OAuth settings of each.

import { type CredentialsRecord, DEVICE_GRANT } from "../../identity/index.ts";

type Set = Pick<CredentialsRecord, "ClientType" | "GrantTypes" | "Scopes"> &
  Partial<Pick<CredentialsRecord, "IdTokenClaims">>;

export interface ApplicationKind {
  name: string;
  text: string;
  sets: Set;
  asks: (keyof CredentialsRecord)[];
  signsIn: boolean;
  description: string;
}

const SIGN_IN = {
  asks: ["RedirectUris", "PostLogoutRedirectUris", "Scopes", "FirstParty"],
  signsIn: true,
} satisfies Partial<ApplicationKind>;
const GRANTS = ["authorization_code", "refresh_token"] as CredentialsRecord["GrantTypes"];
const SCOPES = ["openid", "profile", "name", "email"];

export const KINDS: Record<string, ApplicationKind> = {
  web: {
    ...SIGN_IN,
    name: "Web application",
    text: "A server-rendered app that can store a secret.",
    sets: { ClientType: "confidential", GrantTypes: GRANTS, Scopes: SCOPES, IdTokenClaims: true },
    description:
      "A confidential client: people sign in by authorization_code, and its server stays signed in by refresh_token. Its id_tokens contain the claims of its scopes, for libraries that read only these. It gets a secret, shown once.",
  },
  spa: {
    ...SIGN_IN,
    name: "Single page application",
    text: "An app that runs only in the browser and cannot store a secret.",
    sets: { ClientType: "public", GrantTypes: GRANTS, Scopes: SCOPES },
    description: "A public client: people sign in by authorization_code with PKCE. It has no secret.",
  },
  native: {
    ...SIGN_IN,
    name: "Native application",
    text: "An app on a phone or a desktop, or a command line tool.",
    sets: { ClientType: "native", GrantTypes: GRANTS, Scopes: SCOPES, IdTokenClaims: true },
    description:
      "A native client: people sign in by authorization_code with PKCE. It has no secret. A redirect URI on 127.0.0.1 or [::1] matches any port.",
  },
  device: {
    name: "Device or command line tool",
    text: "A television, a console or a tool without a browser; people sign in on their phone.",
    sets: {
      ClientType: "native",
      GrantTypes: [DEVICE_GRANT, "refresh_token"],
      Scopes: SCOPES,
    },
    asks: ["Scopes", "FirstParty"],
    signsIn: false,
    description:
      "A native client: it shows a code that people type at /device (RFC 8628). It has no secret and no redirect URI.",
  },
  machine: {
    name: "Machine",
    text: "A service or a script that calls the API as itself; users do not sign in.",
    sets: { ClientType: "confidential", GrantTypes: ["client_credentials"], Scopes: ["AccessManager:Read"] },
    asks: ["Scopes"],
    signsIn: false,
    description:
      "A confidential client that gets tokens by client_credentials. It gets a secret, shown once. Policies decide access to single records.",
  },
  api: {
    name: "API",
    text: "A service that accepts this organisation's access tokens and introspects them here.",
    sets: { ClientType: "confidential", GrantTypes: [], Scopes: [] },
    asks: [],
    signsIn: false,
    description:
      "A confidential client without grants: it only checks tokens by introspection (RFC 7662). It gets a secret, shown once. Next you add an API with the audience and scopes of these tokens.",
  },
};
