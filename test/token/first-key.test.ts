// On an empty database, with processes that start at the same time.

import { afterAll, beforeAll, expect, test } from "bun:test";
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

afterAll(async () => {
  await sql?.end();
  await admin`drop database ${admin(name)}`;
  await admin.end();
});

test("all processes sign with one key, and one that looked before there was any knows it at once", async () => {
  const processes = Array.from({ length: 4 }, () => createSigningKeys(sql, masterKey));
  const kids = (await Promise.all(processes.map((keys) => keys.signingKey("EdDSA")))).map((key) => key.kid);
  expect(new Set(kids).size).toBe(1);
  for (const keys of processes) {
    expect(await keys.verificationKey(kids[0]!, "EdDSA")).toBeDefined();
    expect((await keys.jwks()).keys.map((key) => key.alg).sort()).toEqual(["ES256", "EdDSA", "RS256"]);
  }
});
