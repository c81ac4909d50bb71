// The longest requests that an anonymous caller can send to a route: each header, parameter and field at its limit.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REQUEST_LIMIT } from "../../server/identity/oauth/authorize/parameters.ts";
import { ENDPOINTS } from "../../server/identity/oauth/endpoints.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { FORM_BODY_LIMIT } from "../../server/platform/http/body.ts";
import { API_PATH } from "../../server/platform/http/request.ts";
import { CALLBACK } from "../world/client.ts";
import { shared } from "../world/tenant.ts";

export interface Hostile {
  path: string;
  /** The part that is long. */
  name: string;
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  isChunked?: boolean;
}

export const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

/** Bun rejects more than 16 KiB of headers, and the other headers need some. */
const HEADER_LENGTH = 13_500;
const QUERY_LENGTH = 11_000;
/** The authorization request is near its own limit, and not beyond it. */
const PARAMETER_LENGTH = REQUEST_LIMIT - 700;
const FIELD_LENGTH = FORM_BODY_LIMIT - 3_000;

/** Texts that make a quadratic step slow: blanks inside, separators, escapes, marks to reorder. */
const FILLINGS: Record<string, (length: number) => string> = {
  blanks: (length) => `a${" ".repeat(length)}x`,
  colons: (length) => ":".repeat(length),
  lists: (length) => "a, b;c=d ".repeat(length / 9),
  marks: (length) => `a${"\u0301\u0323".repeat(length / 2)}`,
};

/** Headers that the server reads, from its source, and others that proxies and frameworks read. */
const HEADERS = [
  ...new Set([
    ...namesIn(/headers\.(?:get|has)\("([\w-]+)"\)/g, "server"),
    ...["dpop", "if-match", "forwarded", "accept-language", "referer", "range", "tracestate", "x-real-ip"],
    ...["access-control-request-headers", "client-cert", "expect-ct"],
  ]),
].filter((name) => !["content-length", "transfer-encoding", "host"].includes(name));

const PREFIXES: Record<string, string[]> = {
  "content-type": [`${FORM};charset=`, `${FORM};`, `${JSON_TYPE};charset=`],
  authorization: ["Basic ", "Bearer ", "DPoP "],
  cookie: ["session", "visitor"].map((name) => `gatehouse-${name}-${new URL(shared().url).port}=`),
  accept: ["text/html,"],
  "x-forwarded-for": ["198.51.100.7,", "["],
};

/** Parameters and fields that the server reads, from its source and its declarations. */
const NAMES = [
  ...new Set([
    ...namesIn(/\.get\("([a-z_]+)"\)/g, "server/identity/oauth", "server/identity/signin"),
    ...ENDPOINTS.flatMap((one) => Object.keys(declaredBy(one))),
    ...["next", "organisation"],
  ]),
];

/** @param fields valid fields of any form; each request replaces one */
export function* hostileTo(path: string, fields: Record<string, string>): Generator<Hostile> {
  // Without a token or a session, one check rejects all of them.
  const isBehindADoor = path.startsWith(API_PATH) || path.startsWith("/settings/");
  yield* longHeaders(path);
  yield* longTexts(path, fields, isBehindADoor ? ["organisation", "next", "Search"] : NAMES);
  yield* manyFields(path);
  if (/^\/oauth2\/(register|clients)/.test(path)) yield* longMetadata(path);
}

function* longHeaders(path: string): Generator<Hostile> {
  for (const header of HEADERS) {
    for (const prefix of PREFIXES[header] ?? [""]) {
      for (const filling of ["blanks", "colons", "lists"]) {
        const value = `${(prefix + FILLINGS[filling]!(HEADER_LENGTH)).slice(0, HEADER_LENGTH)}x`;
        const long = { path, name: `${header}: ${prefix}${filling}`, headers: { [header]: value } };
        if (header !== "content-type") yield { ...long, method: "GET" };
        yield { ...long, method: "POST", body: "a=b" };
      }
    }
  }
}

function* longTexts(path: string, fields: Record<string, string>, names: readonly string[]): Generator<Hostile> {
  for (const name of names) {
    for (const [filling, fill] of Object.entries(FILLINGS)) {
      const long = { path, name: `${name} of ${filling}` };
      const text = (length: number) => new URLSearchParams({ ...fields, [name]: filled(fill, length) }).toString();
      yield { ...long, method: "GET", path: `${path}?${text(PARAMETER_LENGTH)}` };
      yield { ...long, method: "POST", body: text(FIELD_LENGTH) };
    }
  }
}

/** As many fillings as fit into this many encoded characters. */
function filled(fill: (length: number) => string, length: number): string {
  const encoded = new URLSearchParams({ a: fill(1_000) }).toString().length / 1_000;
  return fill(Math.floor(length / encoded));
}

function* manyFields(path: string): Generator<Hostile> {
  const texts = {
    "many names": (length: number) => Array.from({ length: length / 6 }, (_, at) => at.toString(36)).join("&"),
    "a repeated name": (length: number) => "a=1&".repeat(length / 4),
    "many resources": (length: number) => "resource=a&".repeat(length / 11),
  };
  for (const [name, text] of Object.entries(texts)) {
    yield { path: `${path}?${text(QUERY_LENGTH)}`, name, method: "GET" };
    yield { path, name, method: "POST", body: text(FIELD_LENGTH) };
  }
  const many = Array.from({ length: 100_000 }, (_, at) => `f${at}=`).join("&");
  for (const isChunked of [false, true]) {
    yield { path, method: "POST", name: "a form of 100,000 names", body: many, isChunked };
    yield { path, method: "POST", name: "a form of 2 MB", body: `a=${"x".repeat(2_000_000)}`, isChunked };
  }
}

/** Client metadata (RFC 7591 2) of 60 KB. */
function* longMetadata(path: string): Generator<Hostile> {
  const base = { redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" };
  const one = (name: string, value: unknown): Hostile => ({
    ...{ path, name, method: "POST", headers: { "content-type": JSON_TYPE }, body: JSON.stringify(value) },
  });
  for (const member of ["redirect_uris", "post_logout_redirect_uris", "grant_types", "response_types", "contacts"]) {
    for (const item of ["a:", "https://a.example/", "x"]) {
      const items = Array.from({ length: 60_000 / (item.length + 7) }, (_, at) => item + at.toString(36));
      yield one(`${member} of ${item}`, { ...base, [member]: items });
    }
  }
  for (const [filling, fill] of Object.entries(FILLINGS)) {
    for (const member of TEXTS) {
      yield one(`${member} of ${filling}`, { ...base, [member]: fill(20_000) });
      yield one(`${member} of an address and ${filling}`, { ...base, [member]: `https://a.example/${fill(20_000)}` });
    }
    yield one(`a redirect URI of ${filling}`, { ...base, redirect_uris: [`https://a.example/${fill(20_000)}`] });
  }
  const key = { kty: "RSA", e: "AQAB", n: "x".repeat(340) };
  const keys = Array.from({ length: 150 }, (_, at) => ({ ...key, kid: String(at) }));
  yield one("many keys", { ...base, jwks: { keys } });
  yield one("many members", Object.fromEntries(Array.from({ length: 7_000 }, (_, at) => [`m${at}`, 1])));
  yield one("nested lists", JSON.parse("[".repeat(30) + "]".repeat(30)));
}

const TEXTS = [
  ...["client_name", "client_uri", "logo_uri", "scope", "jwks_uri", "backchannel_logout_uri"],
  ...["sector_identifier_uri", "tls_client_auth_subject_dn", "tls_client_auth_san_dns"],
];

/** Paths at their limit below these. */
export function* longPaths(starts: readonly string[]): Generator<Hostile> {
  const endings = {
    slashes: "/".repeat(HEADER_LENGTH),
    segments: "a/".repeat(HEADER_LENGTH / 2),
    dots: "../".repeat(HEADER_LENGTH / 3),
    escapes: "%2F".repeat(HEADER_LENGTH / 3),
    base64: `base64|${"A".repeat(HEADER_LENGTH)}`,
    digits: "9".repeat(HEADER_LENGTH),
  };
  for (const start of starts) {
    for (const [name, ending] of Object.entries(endings)) yield { path: start + ending, name, method: "GET" };
  }
}

type Endpoint = (typeof ENDPOINTS)[number];

function declaredBy(endpoint: Endpoint): Record<string, unknown> {
  if (endpoint.kind === "form") return endpoint.form.properties;
  return endpoint.kind === "page" ? endpoint.takes.properties : {};
}

/** The first group of each match in the source files below these folders. */
function namesIn(pattern: RegExp, ...folders: string[]): string[] {
  const paths = folders.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(PROJECT_ROOT)]);
  const texts = paths.map((path) => readFileSync(join(PROJECT_ROOT, path), "utf8"));
  return texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name!));
}
