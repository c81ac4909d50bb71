// Password hashes of other systems: which are known, what they match, and the limits of their costs.

import { describe, expect, test } from "bun:test";
import { pbkdf2Sync, randomBytes, scryptSync } from "node:crypto";
import fc from "fast-check";
import { WrongHash } from "../../server/platform/password-hash/derived.ts";
import { matchesHash, readHash } from "../../server/platform/password-hash/formats.ts";
import { FIREBASE, HASHES, LONG, PASSWORD } from "./vectors.ts";

function problemOf(hash: string): string {
  try {
    readHash(hash);
    return "";
  } catch (error) {
    if (error instanceof WrongHash) return error.message;
    throw error;
  }
}

test.each(Object.entries(HASHES))("%s matches its password, composed and decomposed, and no other", async (_, hash) => {
  expect(await matchesHash(PASSWORD, hash)).toBe(true);
  expect(await matchesHash(PASSWORD.normalize("NFD"), hash)).toBe(true);
  expect(await matchesHash(PASSWORD.toUpperCase(), hash)).toBe(false);
  expect(await matchesHash(`${PASSWORD}\0`, hash)).toBe(false);
});

test("a hash of the decomposed password matches, too", async () => {
  const hash = await Bun.password.hash(PASSWORD.normalize("NFD"), { algorithm: "bcrypt", cost: 4 });
  expect(await matchesHash(PASSWORD, hash)).toBe(true);
});

test("Firebase's example matches", async () => {
  expect(await matchesHash(FIREBASE.password, FIREBASE.hash)).toBe(true);
  expect(await matchesHash(`${FIREBASE.password}!`, FIREBASE.hash)).toBe(false);
});

test("bcrypt counts 72 bytes of the password", async () => {
  expect(await matchesHash(LONG.password, LONG.hash)).toBe(true);
  expect(await matchesHash(LONG.password.slice(0, 72), LONG.hash)).toBe(true);
  expect(await matchesHash(LONG.password.slice(0, 71), LONG.hash)).toBe(false);
});

const b64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");

test("any salt and cost of PBKDF2 and scrypt is read as it was made", async () => {
  const cases = fc.record({
    password: fc.string({ minLength: 1, maxLength: 20, unit: "grapheme-ascii" }),
    salt: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    length: fc.integer({ min: 16, max: 80 }),
    iterations: fc.integer({ min: 1, max: 50 }),
    log: fc.integer({ min: 1, max: 6 }),
    r: fc.integer({ min: 1, max: 9 }),
    p: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ password, salt: bytes, length, iterations, log, r, p }) => {
      const salt = Buffer.from(bytes);
      const derived = pbkdf2Sync(password, salt, iterations, length, "sha512");
      const pbkdf2 = `$pbkdf2-sha512$i=${iterations}$${b64(salt)}$${b64(derived)}`;
      const scrypt = `$scrypt$ln=${log},r=${r},p=${p}$${b64(salt)}$${b64(scryptSync(password, salt, length, { N: 2 ** log, r, p }))}`;
      for (const hash of [pbkdf2, scrypt]) {
        expect(await matchesHash(password, hash)).toBe(true);
        expect(await matchesHash(`${password}.`, hash)).toBe(false);
      }
    }),
    { numRuns: 50 },
  );
});

test("a text that begins like a hash, or has changed places, never fails but by its problem", () => {
  const known = [...Object.values(HASHES), FIREBASE.hash, LONG.hash];
  const changed = fc.tuple(fc.constantFrom(...known), fc.nat(2_000), fc.string({ maxLength: 5, unit: "binary" }));
  fc.assert(
    fc.property(changed, ([hash, at, put]) => {
      const place = at % (hash.length + 1);
      problemOf(hash.slice(0, place) + put + hash.slice(place + put.length));
      problemOf(hash.slice(0, place));
    }),
    { numRuns: 1_000 },
  );
});

const SALT = b64(Buffer.alloc(16, 1));
const HASH = b64(Buffer.alloc(32, 2));
const keycloak = (credential: object) =>
  JSON.stringify({
    secretData: JSON.stringify({
      value: Buffer.alloc(32).toString("base64"),
      salt: Buffer.alloc(16).toString("base64"),
    }),
    credentialData: JSON.stringify(credential),
  });

describe("a hash is rejected by the name of what is wrong", () => {
  test.each([
    ["$2b$16$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui", "has bcrypt cost 16; the limit is 15."],
    ["$2b$03$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui", "has bcrypt cost 3; the minimum is 4."],
    [`$argon2id$v=19$m=262145,t=1,p=1$${SALT}$${HASH}`, "has argon2 memory in KiB 262145; the limit is 262144."],
    [`$argon2id$v=19$m=262144,t=5,p=1$${SALT}$${HASH}`, "has argon2 time 5; the limit is 4."],
    [`$argon2d$v=19$m=4096,t=1,p=17$${SALT}$${HASH}`, "has argon2 parallelism 17; the limit is 16."],
    [`$argon2i$v=19$m=7,t=1,p=1$${SALT}$${HASH}`, "has argon2 memory in KiB 7; the minimum is 8."],
    [`$argon2i$m=64,t=1,p=1$${SALT}$${HASH}`, "has argon2 version 16; only 19 (1.3) is supported."],
    [`$argon2id$v=19$m=64,t=1,p=1$${SALT}$AAAA`, "has a hash of 3 bytes; 16 to 64 are valid."],
    [`$pbkdf2-sha256$i=2000001$${SALT}$${HASH}`, "has PBKDF2 iterations 2000001; the limit is 2000000."],
    [`$pbkdf2$1000001$${SALT}$${HASH}`, "has PBKDF2 iterations 1000001; the limit is 1000000."],
    [`$pbkdf2-sha256$0$${SALT}$${HASH}`, "has PBKDF2 iterations 0; the minimum is 1."],
    [
      `$scrypt$ln=19,r=8,p=1$${SALT}$${HASH}`,
      "has scrypt memory in bytes (128 N r) 536870912; the limit is 268435456.",
    ],
    [`$scrypt$ln=14,r=8,p=33$${SALT}$${HASH}`, "has scrypt work (N r p) 4325376; the limit is 4194304."],
    [`scrypt$1000$salt$8$1$${HASH}`, "has a scrypt N that is no power of two."],
    [`{SSHA256}${Buffer.alloc(32).toString("base64")}`, "has a salt of 0 bytes; 1 to 256 are valid."],
    [`{SSHA512}${Buffer.alloc(20).toString("base64")}`, "has a hash of 20 bytes; it must have 64."],
    ["{}", "must be a credential of Keycloak's export, with secretData and credentialData."],
    [keycloak({ algorithm: "md5", hashIterations: 1 }), "has an algorithm of Keycloak that is not supported."],
    [
      keycloak({ algorithm: "pbkdf2-sha256", hashIterations: 1e9 }),
      "has PBKDF2 iterations 1000000000; the limit is 2000000.",
    ],
    [
      Buffer.concat([Buffer.from([1, 0, 0, 0, 9]), randomBytes(50)]).toString("base64"),
      "has no supported format; docs/sign-in.md lists them.",
    ],
    [
      "$2x$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
      "has no supported format; docs/sign-in.md lists them.",
    ],
    ["correct horse battery staple", "has no supported format; docs/sign-in.md lists them."],
  ])("%s", (hash, problem) => {
    expect(problemOf(hash)).toBe(problem);
  });
});

test("hashes that can be guessed fast are weak", () => {
  const weak = (hash: string) => readHash(hash).isWeak;
  expect(Object.keys(HASHES).filter((name) => name.startsWith("SSHA") && !weak(HASHES[name]!))).toEqual([]);
  expect([9_999, 10_000].map((count) => weak(`$pbkdf2-sha256$${count}$${SALT}$${HASH}`))).toEqual([true, false]);
  expect(["07", "08"].map((cost) => weak(LONG.hash.replace("05", cost)))).toEqual([true, false]);
  expect([1, 2].map((time) => weak(`$argon2id$v=19$m=2048,t=${time},p=1$${SALT}$${HASH}`))).toEqual([true, false]);
  expect([10, 11].map((log) => weak(`$scrypt$ln=${log},r=8,p=1$${SALT}$${HASH}`))).toEqual([true, false]);
});
