// The life of signing keys: announced, signing, retired, removed; also manual replacement, and the end of a leaked key.

import { describe, expect, test } from "bun:test";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { SIGNING_ALGS } from "../../server/identity/oauth/contract.ts";
import { createKeyRotation } from "../../server/identity/oauth/keys/key-rotation.ts";
import { createSigningKeys } from "../../server/identity/oauth/keys/signing-keys.ts";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { createVault } from "../../server/platform/vault.ts";
import { type ApiProcess, startApiProcess } from "../support/api-process.ts";
import { runEntry } from "../support/entry.ts";
import { type KeyDatabase, newKeyDatabase } from "../support/key-database.ts";
import { until } from "../world/api.ts";
import { notify } from "../world/postgresql.ts";
import { countOf, elapse, rowsOf, setRows } from "../world/rows.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The time when each key of an algorithm begins to sign, in days from `start`, the newest first. */
async function signing({ sql }: KeyDatabase, start: Date, alg = "EdDSA"): Promise<number[]> {
  const rows = await rowsOf<{ signs_from: Date }>("signing_keys", { alg }, sql);
  return rows.map((row) => Math.round((+row.signs_from - +start) / HOUR) / 24).toSorted((a, b) => b - a);
}

/** The clients of a new tenant use every algorithm. */
async function useAll({ sql }: KeyDatabase): Promise<void> {
  await createTenant(sql, "tenant");
  await setRows("credentials", {}, { id_token_alg: "EdDSA", access_token_alg: "ES256" }, sql);
}

describe.concurrent("on an empty database", () => {
  test("processes starting at once agree on one key per algorithm, and no JWKS is empty", async () => {
    await using database = await newKeyDatabase();
    const processes = Array.from({ length: 4 }, () => createSigningKeys(database.sql, database.vault));
    const sets = await Promise.all(processes.map((keys) => keys.jwks()));
    // Nothing uses the other algorithms yet.
    for (const set of sets) expect(set.keys.map((key) => key.alg)).toEqual(["RS256"]);
    expect(new Set(sets.map((set) => JSON.stringify(set.keys.map((key) => key.kid).sort()))).size).toBe(1);
    for (const alg of SIGNING_ALGS) {
      const kids = (await Promise.all(processes.map((keys) => keys.signingKey(alg)))).map((key) => key.kid);
      expect(new Set(kids).size).toBe(1);
      expect(await processes[0]!.verificationKey(kids[0]!, alg)).toBeDefined();
    }
  });

  test("concurrent first requests of one process all find the keys", async () => {
    await using database = await newKeyDatabase();
    const keys = createSigningKeys(database.sql, database.vault);
    const kids = await Promise.all(Array.from({ length: 8 }, async () => (await keys.signingKey("EdDSA")).kid));
    expect(new Set(kids).size).toBe(1);
  });

  test("RSA keys come first in the JWKS, then EC keys, for clients that stop at an unknown key type", async () => {
    await using database = await newKeyDatabase();
    await useAll(database);
    const keys = createSigningKeys(database.sql, database.vault);
    await database.rotation.run();
    await database.rotation.run(new Date(Date.now() + 89 * DAY));
    await until("all keys", async () => (await keys.jwks()).keys.length === 2 * SIGNING_ALGS.length);
    const kinds = (await keys.jwks()).keys.map(({ kty }) => kty);
    expect(kinds).toEqual(["RSA", "RSA", "EC", "EC", "OKP", "OKP"]);
  });

  test("a key is used with its own algorithm only", async () => {
    await using database = await newKeyDatabase();
    const keys = createSigningKeys(database.sql, database.vault);
    const { kid } = await keys.signingKey("EdDSA");
    expect(await keys.verificationKey(kid, "RS256")).toBeUndefined();
    expect(await keys.verificationKey("other", "EdDSA")).toBeUndefined();
  });

  test("a key is announced a day before it signs, and removed 31 days after its successor took over", async () => {
    await using database = await newKeyDatabase();
    await useAll(database);
    const start = new Date();
    const pass = (days: number) => database.rotation.run(new Date(start.getTime() + days * DAY));
    expect((await pass(0)).announced).toHaveLength(SIGNING_ALGS.length);
    for (const quiet of [0, 1, 88.9]) expect(await pass(quiet)).toEqual({ announced: [], removed: [] });
    expect((await pass(89)).announced).toHaveLength(SIGNING_ALGS.length);
    expect(await signing(database, start)).toEqual([90, 0]);
    const keys = createSigningKeys(database.sql, database.vault);
    expect((await keys.jwks()).keys).toHaveLength(2 * SIGNING_ALGS.length);
    const [oldest] = (
      await rowsOf<{ kid: string; signs_from: Date }>("signing_keys", { alg: "EdDSA" }, database.sql)
    ).toSorted((a, b) => +a.signs_from - +b.signs_from);
    expect((await keys.signingKey("EdDSA")).kid).toBe(oldest!.kid);
    for (const quiet of [89, 90, 120.9]) expect(await pass(quiet)).toEqual({ announced: [], removed: [] });
    expect((await pass(121.1)).removed).toContain(oldest!.kid);
    expect(await signing(database, start)).toEqual([90]);
  });

  test("after a long pause the schedule still announces a day ahead", async () => {
    await using database = await newKeyDatabase();
    const start = new Date();
    await database.rotation.run(start);
    await database.rotation.run(new Date(start.getTime() + 200 * DAY));
    expect(await signing(database, start)).toEqual([201, 0]);
  });

  test("concurrent runs announce one key", async () => {
    await using database = await newKeyDatabase();
    await database.rotation.run();
    const later = new Date(Date.now() + 89 * DAY);
    await Promise.all([1, 2, 3].map(() => database.rotation.run(later)));
    expect(await countOf("signing_keys", {}, database.sql)).toBe(2 * SIGNING_ALGS.length);
  });

  test("a key starts signing at its time, in a process that knew it before", async () => {
    await using database = await newKeyDatabase();
    await useAll(database);
    const keys = createSigningKeys(database.sql, database.vault);
    const { kid: old } = await keys.signingKey("EdDSA");
    await database.rotation.run(new Date(Date.now() + 89 * DAY));
    await until("the next key to be published", async () => (await keys.jwks()).keys.length > SIGNING_ALGS.length);
    expect((await keys.signingKey("EdDSA")).kid).toBe(old);
    await elapse("91 days", "signing_keys", {}, "signs_from", database.sql);
    const other = createSigningKeys(database.sql, database.vault);
    const { kid: next } = await other.signingKey("EdDSA");
    expect(next).not.toBe(old);
    expect(await keys.verificationKey(next, "EdDSA")).toBeDefined();
    expect(await other.verificationKey(old, "EdDSA")).toBeDefined();
  });

  test("with a wrong MASTER_KEY no unreadable key is added", async () => {
    await using database = await newKeyDatabase();
    await database.rotation.run();
    const wrong = createVault(Buffer.alloc(32, 9).toString("base64"));
    await expect(createKeyRotation(database.sql, wrong).replace("EdDSA", { leaked: false })).rejects.toThrow(
      /MASTER_KEY/,
    );
    expect(await signing(database, new Date())).toHaveLength(1);
  });
});

describe("two API processes on one database", () => {
  test("`bun run keys rotate`: the new key signs once all know it, and the old one's signatures stay valid", async () => {
    await using database = await newKeyDatabase();
    const { client } = await createTenant(database.sql, "tenant");
    await using one = await startApiProcess(database);
    await using two = await startApiProcess(database);
    const before = await one.token(client);
    const [old, keysBefore] = [decodeProtectedHeader(before).kid!, await published(one)];

    const said = await rotate(database, "ES256");
    const [, fresh, signsFrom] = said.match(/^ES256: ([\w-]{43}) signs from (\S+) on; removed none\n$/)!;
    const { headers } = await fetch(`${one.url}/.well-known/jwks.json`);
    const maxAge = Number(/max-age=(\d+)/.exec(headers.get("cache-control")!)![1]);
    expect(Date.parse(signsFrom!) - Date.now()).toBeGreaterThan(maxAge * 1_000 + 60_000);
    for (const api of [one, two]) {
      await until("the new key to be published", async () => (await published(api)).includes(fresh!));
      expect(await published(api)).toEqual([...keysBefore, fresh!].sort());
      expect(decodeProtectedHeader(await api.token(client)).kid).toBe(old);
    }
    await elapse("10 minutes", "signing_keys", { kid: fresh! }, "signs_from", database.sql);
    await notify("gatehouse_signing_keys", "", database.sql);
    for (const api of [one, two]) {
      await until("the new key to sign", async () => decodeProtectedHeader(await api.token(client)).kid === fresh);
      expect(await api.accepts(before)).toBe(true);
    }
    const remote = createRemoteJWKSet(new URL(`${two.url}/.well-known/jwks.json`));
    const { protectedHeader } = await jwtVerify(before, remote, { issuer: one.publicUrl, typ: "at+jwt" });
    expect(protectedHeader.kid).toBe(old);
  });

  test("`bun run keys rotate --leaked`: both sign with the new key at once and reject the old one's signatures", async () => {
    await using database = await newKeyDatabase();
    const { client } = await createTenant(database.sql, "tenant");
    await using one = await startApiProcess(database);
    await using two = await startApiProcess(database);
    const issuer = one.publicUrl;
    const before = await one.token(client);
    for (const api of [one, two]) expect(await api.accepts(before)).toBe(true);
    const keysBefore = await published(one);
    expect(await published(two)).toEqual(keysBefore);

    const said = await rotate(database, "ES256", "--leaked");
    expect(said).toMatch(/^ES256: [\w-]{43} signs from now on; removed [\w-]{43}, with all tokens signed by them\n$/);
    const leaked = said.match(/removed ([\w-]{43})/)![1]!;
    for (const api of [one, two]) {
      await until("the leaked key to be gone", async () => !(await published(api)).includes(leaked));
      expect(await api.accepts(before)).toBe(false);
    }
    const after = await one.token(client);
    for (const api of [one, two]) expect(await api.accepts(after)).toBe(true);
    const remote = createRemoteJWKSet(new URL(`${two.url}/.well-known/jwks.json`));
    await jwtVerify(after, remote, { issuer, typ: "at+jwt" });
    // Keys of the other algorithms stay.
    const kept = (await published(two)).filter((kid) => keysBefore.includes(kid));
    expect(kept).toHaveLength(1);

    await rotate(database, "--leaked");
    await until("all keys to be new", async () => (await published(two)).every((kid) => !kept.includes(kid)));
  });

  test("the command prints its usage, and requires a master key", async () => {
    for (const args of [[], ["rotate", "HS256"], ["rotate", "EdDSA", "x"], ["reseal", "--leaked"], ["color"]]) {
      const { exitCode, output } = await runEntry("keys", {}, args);
      expect(exitCode).toBe(2);
      expect(output).toMatch(/^Usage: bun run keys rotate/);
    }
    const { exitCode, output } = await runEntry("keys", { DATABASE_URL: "postgres://localhost:1/x" }, ["rotate"]);
    expect(exitCode).toBe(2);
    expect(output).toMatch(/MASTER_KEY/);
  });
});

async function published(api: ApiProcess): Promise<string[]> {
  const answer = await fetch(`${api.url}/.well-known/jwks.json`);
  const { keys } = (await answer.json()) as { keys: { kid: string }[] };
  return keys.map((key) => key.kid).sort();
}

async function rotate({ url, masterKeyText }: KeyDatabase, ...alg: string[]): Promise<string> {
  const { exitCode, output } = await runEntry("keys", { DATABASE_URL: url, MASTER_KEY: masterKeyText }, [
    "rotate",
    ...alg,
  ]);
  expect(exitCode).toBe(0);
  return output;
}
