// Example programs that use an application as their client, from examples/clients with the client's values.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiRecord, type CredentialsRecord, DEVICE_GRANT } from "../../identity/index.ts";
import { urlOf } from "../../platform/address.ts";
import { PROJECT_ROOT } from "../../platform/config/config.ts";
import { isOwnScope } from "../../records/index.ts";

export interface Use {
  title: string;
  text: string;
  /** File paths below examples/clients, by program name. */
  programs: Record<string, string>;
  isFor(client: CredentialsRecord, api: ApiRecord | undefined): boolean;
}

const ANYWHERE = {
  "Express (Node, Bun)": "sign-in/express.mjs",
  "Flask (Python)": "sign-in/sign_in.py",
  "net/http (Go)": "sign-in/main.go",
  "By hand (curl)": "sign-in/curl.sh",
};
const signsIn = ({ GrantTypes }: CredentialsRecord) => GrantTypes.includes("authorization_code");

export const USES: Use[] = [
  {
    title: "Sign people in",
    text: "A complete web server: it signs a person in, keeps a session, refreshes its tokens, and signs the person out.",
    programs: {
      "Next.js (Node)": "sign-in/next.mjs",
      "FastAPI (Python)": "sign-in/fastapi_app.py",
      "Spring (Java)": "sign-in/Spring.java",
      "ASP.NET (C#)": "sign-in/Program.cs",
      "Laravel (PHP)": "sign-in/laravel.php",
      "Rails (Ruby)": "sign-in/rails.rb",
      ...ANYWHERE,
    },
    isFor: (client) => signsIn(client) && client.ClientType === "confidential",
  },
  {
    title: "Sign people in",
    text: "A program on the person's machine, which listens there: it keeps a session, refreshes its tokens, and signs the person out.",
    programs: ANYWHERE,
    isFor: (client) => signsIn(client) && client.ClientType === "native",
  },
  {
    title: "Sign people in from a page",
    text: "The script of the page at the redirect URI; it needs no server.",
    programs: {
      React: "browser/react.jsx",
      Vue: "browser/vue.js",
      "oidc-client-ts": "browser/oidc-client-ts.js",
      "openid-client": "browser/openid-client.js",
      oauth4webapi: "browser/oauth4webapi.js",
      "Without a library": "browser/fetch.js",
    },
    isFor: (client) => signsIn(client) && client.ClientType === "public",
  },
  {
    title: "Sign people in on a device",
    text: "It shows a code and waits until the user has entered it on a phone.",
    programs: {
      "openid-client (Node, Bun)": "device/openid-client.mjs",
      "By hand (curl)": "device/curl.sh",
    },
    isFor: ({ GrantTypes }) => GrantTypes.includes(DEVICE_GRANT),
  },
  {
    title: "Call the API",
    text: "The application calls as itself; users do not sign in.",
    programs: {
      "openid-client (Node, Bun)": "machine/openid-client.mjs",
      "Authlib (Python)": "machine/call.py",
      "x/oauth2 (Go)": "machine/main.go",
      "By hand (curl)": "machine/curl.sh",
    },
    isFor: ({ GrantTypes }) => GrantTypes.includes("client_credentials"),
  },
  {
    title: "Check the access tokens of callers",
    text: "The variable TOKEN contains the caller's token. Verified by keys only, a token is valid until it expires; introspection reflects revocation at once.",
    programs: {
      "jose (Node, Bun)": "api/jose.mjs",
      "PyJWT (Python)": "api/verify.py",
      "go-oidc (Go)": "api/main.go",
      "Introspection (curl)": "api/curl.sh",
    },
    // Tokens for this service have the same audience in all organisations, so they cannot be told apart by it.
    isFor: ({ ClientType }, api) => ClientType === "confidential" && api !== undefined,
  },
];

const EXAMPLE = {
  redirectUri: "http://localhost:3001/callback",
  login: "http://localhost:3001/login",
  /** After those that it is the beginning of. */
  home: "http://localhost:3001/",
  port: "--port 3001",
  signInScopes: "openid profile",
  ownScopes: "AccessManager:Read",
  audience: "https://api.example.com",
  tokenType: "at+jwt",
  issuer: "http://localhost:3000",
  clientId: "1001",
};
const FOR_PEOPLE = ["openid", "profile", "name", "email", "phone", "address"];
/** Marks a line that is only needed for an issuer without TLS. */
const LOOPBACK_ONLY = "only for http on this machine";
/** Characters that need no escaping in quoted strings of any of the languages. */
const PLAIN = /^[\w\-.~:/?&=+,;%@[\] ]+$/;

export interface SnippetValues {
  issuer: string;
  clientId: string;
  client: CredentialsRecord;
  api: ApiRecord | undefined;
}

/** A loopback URI, if there is one; a native client may use any port (RFC 8252 7.3). */
export function redirectUriOf({ ClientType, RedirectUris }: CredentialsRecord): string | undefined {
  const local = RedirectUris.find((uri) => uri.startsWith("http://"));
  if (local === undefined || ClientType !== "native" || urlOf(local).port) return local ?? RedirectUris[0];
  return local.replace(/^http:\/\/[^/?]+/, "$&:3001");
}

/** The address after sign-out. */
export function homeOf({ PostLogoutRedirectUris }: CredentialsRecord, redirectUri: string): string {
  const { origin } = urlOf(redirectUri);
  return PostLogoutRedirectUris.find((uri) => urlOf(uri).origin === origin) ?? `${origin}/`;
}

export function snippet(file: string, { issuer, clientId, client, api }: SnippetValues): string {
  const scopes = client.Scopes.filter((scope) => FOR_PEOPLE.includes(scope));
  const own = client.Scopes.filter((scope) => isOwnScope(scope) && !FOR_PEOPLE.includes(scope));
  const redirectUri = redirectUriOf(client);
  const values: Record<string, string | undefined> = {
    [EXAMPLE.redirectUri]: redirectUri,
    [EXAMPLE.login]: redirectUri && `${urlOf(redirectUri).origin}/login`,
    [EXAMPLE.home]: redirectUri && homeOf(client, redirectUri),
    [EXAMPLE.port]: redirectUri && `--port ${urlOf(redirectUri).port || 3001}`,
    [EXAMPLE.signInScopes]: scopes.join(" "),
    [EXAMPLE.ownScopes]: own.join(" "),
    [EXAMPLE.audience]: api?.Audience,
    [EXAMPLE.tokenType]: api?.AccessTokenType,
    [EXAMPLE.issuer]: issuer,
    [EXAMPLE.clientId]: clientId,
  };
  const plain = Object.entries(values).filter(([, value]) => value && PLAIN.test(value)) as [string, string][];
  const known = new Map(plain);
  const examples = new RegExp([...known.keys()].map((text) => RegExp.escape(text)).join("|"), "g");
  return textOf(file)
    .split("\n")
    .filter((line) => issuer.startsWith("http:") || !line.includes(LOOPBACK_ONLY))
    .join("\n")
    .replace(examples, (example) => known.get(example)!);
}

/** The client's values for a file `.env`. @param secret "" to be filled in; undefined: it has none */
export function environment(issuer: string, clientId: string, secret: string | undefined): string {
  const values = { ISSUER: issuer, CLIENT_ID: clientId, ...(secret !== undefined && { CLIENT_SECRET: secret }) };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

const texts = new Map<string, string>();
function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(PROJECT_ROOT, "examples/clients", file), "utf8");
  texts.set(file, text);
  return text;
}
