// On an empty database, with processes that start at the same time.

import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import { connect, type Sql } from "../../server/db/connection.ts";
import { migrate } from "../../server/db/migrate.ts";
import { importMasterKey } from "../../server/keys/master-key.ts";
import { createSigningKeys } from "../../server/oauth/index.ts";
import { shared } from "../support/tenant.ts";

const name = `keys_${Bun.randomUUIDv7().replaceAll("-", "")}`;
const masterKey = importMasterKey(Buffer.alloc(32, 5).toString("base64"));
let admin: Sql;
let sql: Sql;

beforeAll(async () => {
  admin = connect(shared().databaseUrl, "gatehouse test", 1);
  await admin`create database ${admin(name)}`;
  const url = new URL(shared().databaseUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  sql = connect(url.href, "gatehouse test", 4);
});

afterEach(() => {
  setSystemTime();
});

afterAll(async () => {
  await sql?.end();
  await admin`drop database ${admin(name)}`;
  await admin.end();
});

test("all processes sign with one key, and one that looked before there was any knows it at once", async () => {
  const processes = Array.from({ length: 4 }, () => createSigningKeys(sql, masterKey));
  const verifier = createSigningKeys(sql, masterKey);
  const publisher = createSigningKeys(sql, masterKey);
  for (const keys of [verifier, publisher]) expect(await keys.jwks()).toEqual({ keys: [] });
  const kids = (await Promise.all(processes.map((keys) => keys.signingKey("EdDSA")))).map((key) => key.kid);
  expect(new Set(kids).size).toBe(1);
  expect(await verifier.verificationKey(kids[0]!, "EdDSA")).toBeDefined();
  expect((await publisher.jwks()).keys.map((key) => key.kid)).toEqual([kids[0]!]);
});

test("a key that another process made later is published and accepted", async () => {
  const keys = createSigningKeys(sql, masterKey);
  await keys.jwks();
  const { kid } = await createSigningKeys(sql, masterKey).signingKey("ES256");
  setSystemTime(Date.now() + 1_001);
  expect(await keys.verificationKey(kid, "ES256")).toBeDefined();
  expect((await keys.jwks()).keys.map((key) => key.kid)).toContain(kid);
});
