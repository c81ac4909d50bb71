// Two numbers that a caller chooses do not multiply: values of a request, records of an array, and what is registered.

import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import type { Api } from "../../server/identity/oauth/apis/contract.ts";
import { WrongAddress } from "../../server/identity/oauth/authorize/checks/wrong-address.ts";
import { CREDENTIALS, MAX_REDIRECT_URIS } from "../../server/identity/oauth/clients/contract.ts";
import { redirectUriProblem } from "../../server/identity/oauth/clients/credential-rules.ts";
import { usableKeys } from "../../server/identity/oauth/clients/jwks.ts";
import { readMetadata } from "../../server/identity/oauth/registration/metadata.ts";
import { InvalidTarget, MAX_RESOURCES, resourcesIn, withoutScope } from "../../server/identity/oauth/resources.ts";
import { FORM_BODY_LIMIT, JSON_BODY_LIMIT } from "../../server/platform/http/body.ts";
import type { FieldOptions } from "../../server/platform/http/fields.ts";
import { MAX_RECORDS } from "../../server/records/entities/bulk.ts";
import { createRegistry, ENTITIES } from "../../server/records/entities/registry.ts";
import { apart, FILLINGS } from "./doubling.ts";

/** Work of the processor between two turns of other requests. */
const MAX_MS = 30;
/** For a quarter of the longest array; its records leave turns to others. */
const MAX_ARRAY_MS = 100;
const ARRAY_BYTES = JSON_BODY_LIMIT / 4;
/** Compilers and collectors work at the same time. */
const TRIES = 6;
const LENGTHS = [480, 960];

/** The processor's shortest time of some tries, up to the first that is short enough. Waiting does not count. */
function msOf(step: () => unknown, enough: number): number {
  let ms = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TRIES && ms >= enough; turn++) {
    const began = process.cpuUsage();
    step();
    const { user, system } = process.cpuUsage(began);
    ms = Math.min(ms, (user + system) / 1_000);
  }
  return ms;
}

/** As many values as fit into a body. */
const fitting = (value: unknown, limit: number, most: number) =>
  Array.from({ length: Math.min(most, Math.floor(limit / Buffer.byteLength(JSON.stringify(value)))) }, () => value);

interface TextField extends FieldOptions {
  type: string;
  readOnly?: boolean;
  shownAtSignIn?: boolean;
}

test("no text makes an array of records expensive", () => {
  const slow: string[] = [];
  const measured = new Set<string>();
  for (const { name, field: fields, check } of createRegistry(ENTITIES)) {
    for (const [field, one] of Object.entries(fields)) {
      const { type, readOnly, maxLength, compared, shape, shownAtSignIn } = one as TextField;
      const kind = JSON.stringify([maxLength, compared?.sql, shape?.must, shownAtSignIn]);
      if (type !== "text" || readOnly || measured.has(kind)) continue;
      measured.add(kind);
      for (const [filling, fill] of Object.entries(FILLINGS)) {
        for (const length of LENGTHS) {
          const records = fitting({ [field]: fill(length).slice(0, length) }, ARRAY_BYTES, MAX_RECORDS);
          const ms = msOf(() => records.map((record) => check(record as object)), MAX_ARRAY_MS);
          if (ms > MAX_ARRAY_MS) slow.push(`${name}.${field}, ${length} of ${filling}: ${ms.toFixed(0)} ms`);
        }
      }
    }
  }
  expect(slow).toEqual([]);
});

const apis = Array.from({ length: 100 }, (_, index) => ({
  id: String(index),
  audience: `https://api-${index}.example.com/${"x".repeat(450)}`,
  scopes: Array.from({ length: 100 }, (_, scope) => ({ name: `scope-${index}-${scope}` })),
})) as unknown as Api[];
const ISSUER = "https://gatehouse.example.com";

/** Each letter of the path is escaped, or not. */
function spelled(audience: string, number: number): string {
  const { origin, pathname } = new URL(audience);
  const letters = [...pathname.slice(1)].map((letter, at) =>
    at < 10 && (number >> at) & 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
  );
  return `${origin}/${letters.join("")}`;
}

test("many spellings of a resource are compared with many APIs in time", () => {
  const short = { ...apis.at(-1)!, audience: "https://b.example/bcdefghij" };
  const all = [...apis.slice(0, -1), short];
  const request = (count: number) =>
    new URLSearchParams(Array.from({ length: count }, (_, at) => ["resource", spelled(short.audience, at)]));
  expect(resourcesIn(all, ISSUER, request(MAX_RESOURCES))).toEqual([short.id]);
  expect(() => resourcesIn(all, ISSUER, request(MAX_RESOURCES + 1))).toThrow(InvalidTarget);
  for (const count of [MAX_RESOURCES, 990]) {
    const asked = request(count);
    expect(msOf(() => refusable(() => resourcesIn(all, ISSUER, asked)), MAX_MS)).toBeLessThan(MAX_MS);
  }
});

test("many requested scopes are compared with those of many APIs in time", () => {
  const owned = apis.flatMap(({ scopes }) => scopes.map(({ name }) => name)).reverse();
  const asked = Array.from({ length: FORM_BODY_LIMIT / 6 }, (_, at) => `s${at.toString(36)}`);
  expect(msOf(() => withoutScope(apis, owned, asked), MAX_MS)).toBeLessThan(MAX_MS);
});

test("a redirect URI is compared with many registered ones in time", () => {
  const redirectUris = Array.from({ length: MAX_REDIRECT_URIS }, (_, at) => `https://app-${at}.example/callback`);
  const client = { redirectUris } as unknown as WrongAddress["client"];
  for (const ignorable of ["\u00ad", "\u2064", ""]) {
    for (const length of [240, 960, 3_900]) {
      const wrong = new WrongAddress(client, "1", `https://a${apart(ignorable, length)}/`);
      expect(msOf(() => wrong.reason, MAX_MS / 3)).toBeLessThan(MAX_MS / 3);
    }
  }
});

test("many long redirect URIs of a registration are refused in time", () => {
  const bounds = { scopes: ["openid"], standardScopes: ["openid"], isOpen: true };
  const possible = { checkUrl: () => undefined, takesCertificates: false };
  for (const length of [480, 1_990, 3_900]) {
    const uri = `https://a${apart("\u00ad", length)}/`;
    const redirect_uris = fitting(uri, FORM_BODY_LIMIT, MAX_REDIRECT_URIS) as string[];
    const register = () => readMetadata({ redirect_uris }, CREDENTIALS.blank() as never, bounds, possible, undefined);
    expect(register).toThrow();
    expect(msOf(() => refusable(register), MAX_MS)).toBeLessThan(MAX_MS);
    expect(msOf(() => redirect_uris.map((one) => redirectUriProblem(one, "public")), MAX_MS)).toBeLessThan(MAX_MS);
  }
});

test("a published set of many keys is read in time", () => {
  const key = generateKeyPairSync("rsa", { modulusLength: 2_048 }).publicKey.export({ format: "jwk" });
  const keys = fitting({ ...key, alg: "none" }, 256 * 1024, 10_000);
  const others = fitting(generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }), 256 * 1024, 10_000);
  for (const set of [{ keys }, { keys: others }]) expect(msOf(() => usableKeys(set), MAX_MS)).toBeLessThan(MAX_MS);
});

function refusable(step: () => unknown): void {
  try {
    step();
  } catch {
    // A refusal takes its time, too.
  }
}
