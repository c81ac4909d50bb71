// Programs that use an application as their client: those of examples/clients, with the client's own values.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isOwnScope } from "../../access/index.ts";
import { PROJECT_ROOT } from "../../config.ts";
import { type ApiRecord, type CredentialsRecord, DEVICE_GRANT } from "../../oauth/index.ts";

/** What a program does with a client. */
export interface Use {
  title: string;
  /** What stands above the programs. */
  text: string;
  /** By what people call them; files below examples/clients. */
  programs: Record<string, string>;
  isFor(client: CredentialsRecord, api: ApiRecord | undefined): boolean;
}

const signsIn = ({ GrantTypes }: CredentialsRecord) => GrantTypes.includes("authorization_code");

export const USES: Use[] = [
  {
    title: "Sign people in",
    text: "A small web server: /login leads to the sign-in page, and the redirect URI shows who signed in.",
    programs: {
      "openid-client (Node, Bun)": "sign-in/openid-client.mjs",
      "Authlib (Python)": "sign-in/sign_in.py",
      "go-oidc (Go)": "sign-in/main.go",
      "By hand (curl)": "sign-in/curl.sh",
    },
    isFor: (client) => signsIn(client) && client.ClientType !== "public",
  },
  {
    title: "Sign people in from a page",
    text: "The script of the page at the redirect URI; it needs no server.",
    programs: {
      "oidc-client-ts": "browser/oidc-client-ts.js",
      "openid-client": "browser/openid-client.js",
      oauth4webapi: "browser/oauth4webapi.js",
      "Without a library": "browser/fetch.js",
    },
    isFor: (client) => signsIn(client) && client.ClientType === "public",
  },
  {
    title: "Sign people in on a device",
    text: "It shows a code, and waits until somebody has typed it on a phone.",
    programs: {
      "openid-client (Node, Bun)": "device/openid-client.mjs",
      "By hand (curl)": "device/curl.sh",
    },
    isFor: ({ GrantTypes }) => GrantTypes.includes(DEVICE_GRANT),
  },
  {
    title: "Call the API",
    text: "The application itself calls, and nobody signs in.",
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
    text: "The variable TOKEN has the caller's token. By the keys alone, a token is good until it expires; introspection knows at once that it was revoked.",
    programs: {
      "jose (Node, Bun)": "api/jose.mjs",
      "PyJWT (Python)": "api/verify.py",
      "go-oidc (Go)": "api/main.go",
      "Introspection (curl)": "api/curl.sh",
    },
    // Tokens of this service itself are of all organisations, so their audience does not tell one from another.
    isFor: ({ ClientType }, api) => ClientType === "confidential" && api !== undefined,
  },
];

/** What stands in the files in place of a client's own values. */
const EXAMPLE = {
  redirectUri: "http://localhost:3001/callback",
  login: "http://localhost:3001/login",
  signInScopes: "openid profile",
  ownScopes: "AccessManager:Read",
  audience: "https://api.example.com",
  tokenType: "at+jwt",
  issuer: "http://localhost:3000",
  clientId: "1001",
};
const FOR_PEOPLE = ["openid", "profile", "name", "email", "phone", "address"];
/** In a line that only a client of an issuer without TLS needs. */
const LOOPBACK_ONLY = "only for http on this machine";
/** What means nothing else in a string of any of the languages, quoted in either way. */
const PLAIN = /^[\w\-.~:/?&=+,;%@[\] ]+$/;

export interface SnippetValues {
  issuer: string;
  clientId: string;
  client: CredentialsRecord;
  /** The API whose own client it is. */
  api: ApiRecord | undefined;
}

/** One on the developer's own machine, if there is one; of a native client its port may be any (RFC 8252 7.3). */
function redirectUriOf({ ClientType, RedirectUris }: CredentialsRecord): string | undefined {
  const local = RedirectUris.find((uri) => uri.startsWith("http://"));
  if (local === undefined || ClientType !== "native" || new URL(local).port) return local ?? RedirectUris[0];
  return local.replace(/^http:\/\/[^/?]+/, "$&:3001");
}

/** The text of a program with a client's values; one that a program cannot have in its text leaves the example's. */
export function snippet(file: string, { issuer, clientId, client, api }: SnippetValues): string {
  const scopes = client.Scopes.filter((scope) => FOR_PEOPLE.includes(scope));
  const own = client.Scopes.filter((scope) => isOwnScope(scope) && !FOR_PEOPLE.includes(scope));
  const redirectUri = redirectUriOf(client);
  const values: Record<string, string | undefined> = {
    [EXAMPLE.redirectUri]: redirectUri,
    [EXAMPLE.login]: redirectUri && `${new URL(redirectUri).origin}/login`,
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

const texts = new Map<string, string>();
function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(PROJECT_ROOT, "examples/clients", file), "utf8");
  texts.set(file, text);
  return text;
}
