// Kinds of applications under their common names, and the OAuth settings of each.

import { type CredentialsRecord, DEVICE_GRANT } from "../../oauth/index.ts";

type Set = Pick<CredentialsRecord, "ClientType" | "GrantTypes" | "Scopes"> &
  Partial<Pick<CredentialsRecord, "IdTokenClaims">>;

export interface ApplicationKind {
  name: string;
  text: string;
  sets: Set;
  asks: (keyof CredentialsRecord)[];
  signsIn: boolean;
  told: string;
}

const SIGN_IN = {
  asks: ["RedirectUris", "PostLogoutRedirectUris", "Scopes", "FirstParty"],
  signsIn: true,
} satisfies Partial<ApplicationKind>;
const GRANTS = ["authorization_code", "refresh_token"] as CredentialsRecord["GrantTypes"];
const SCOPES = ["openid", "profile", "name"];

export const KINDS: Record<string, ApplicationKind> = {
  web: {
    ...SIGN_IN,
    name: "Web application",
    text: "Pages made on a server of yours, which keeps a secret.",
    sets: { ClientType: "confidential", GrantTypes: GRANTS, Scopes: [...SCOPES, "email"], IdTokenClaims: true },
    told: "A confidential client: people sign in by authorization_code, and its server stays signed in by refresh_token. Its id_tokens have the claims of its scopes, for libraries that read nothing else. It gets a secret, shown once.",
  },
  spa: {
    ...SIGN_IN,
    name: "Single page application",
    text: "A page that runs in the browser alone and can keep no secret.",
    sets: { ClientType: "public", GrantTypes: GRANTS, Scopes: SCOPES },
    told: "A public client: people sign in by authorization_code with PKCE. It has no secret.",
  },
  native: {
    ...SIGN_IN,
    name: "Native application",
    text: "An app on a phone or a desktop, or a command line tool.",
    sets: { ClientType: "native", GrantTypes: GRANTS, Scopes: SCOPES, IdTokenClaims: true },
    told: "A native client: people sign in by authorization_code with PKCE. It has no secret. Of a redirect URI on 127.0.0.1 or [::1] the port may be any.",
  },
  device: {
    name: "Device or command line tool",
    text: "A television, a console or a tool that has no browser; people sign it in on their phone.",
    sets: {
      ClientType: "native",
      GrantTypes: [DEVICE_GRANT, "refresh_token"],
      Scopes: SCOPES,
    },
    asks: ["Scopes", "FirstParty"],
    signsIn: false,
    told: "A native client: it shows a code, which people type at /device (RFC 8628). It has no secret and no redirect URI.",
  },
  machine: {
    name: "Machine",
    text: "A service or a script that calls the API as itself; users do not sign in.",
    sets: { ClientType: "confidential", GrantTypes: ["client_credentials"], Scopes: ["AccessManager:Read"] },
    asks: ["Scopes"],
    signsIn: false,
    told: "A confidential client that gets tokens by client_credentials. It gets a secret, shown once. What it may do to a record is for the policies to say.",
  },
  api: {
    name: "API",
    text: "A service of yours that takes this organisation's access tokens and asks here whether they are good.",
    sets: { ClientType: "confidential", GrantTypes: [], Scopes: [] },
    asks: [],
    signsIn: false,
    told: "A confidential client without grants: it asks for no tokens, and only checks those that others send it, by introspection (RFC 7662). It gets a secret, shown once. What they are for, and its own scopes, are an API's, which you add next.",
  },
};
