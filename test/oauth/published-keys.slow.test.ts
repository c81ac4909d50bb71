// The JWKS has the keys of the algorithms that clients and APIs use, because some libraries (ruby-jwt up to 3.2.0)
// reject a whole set with a key type that they do not know.

import { describe, expect, test } from "bun:test";
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { API } from "../../server/identity/oauth/apis/contract.ts";
import { CREDENTIALS } from "../../server/identity/oauth/clients/contract.ts";
import type { Client } from "../../server/identity/oauth/clients/store.ts";
import { SIGNING_ALGS } from "../../server/identity/oauth/contract.ts";
import { createSigningKeys } from "../../server/identity/oauth/keys/signing-keys.ts";
import { createLogoutTokens } from "../../server/identity/oauth/tokens/logout-token.ts";
import { createTokens } from "../../server/identity/oauth/tokens/tokens.ts";
import { createTenant } from "../../server/identity/tenants/index.ts";
import type { Sql } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { storedFields } from "../../server/records/index.ts";
import { startApiProcess } from "../support/api-process.ts";
import { newKeyDatabase } from "../support/key-database.ts";
import { ok, until } from "../world/api.ts";
import { livenessBy } from "../world/grants.ts";
import { addRows, elapse, removeRows, setRows } from "../world/rows.ts";
import { newTenant, request } from "../world/tenant.ts";

const ISSUER = "https://id.example";
const CREDENTIALS_API = "/Endpoint/rest/api/v1/Application";

type Alg = (typeof SIGNING_ALGS)[number];

/** Every setting that names an algorithm of this service's signatures, from the declarations. */
const SETTINGS = Object.entries({ credentials: CREDENTIALS, apis: API }).flatMap(([table, declaration]) =>
  storedFields(declaration)
    .filter(({ name }) => name.endsWith("Alg"))
    .map(({ name, column }) => ({ table, name, column })),
);

const DEFAULTS = { accessTokenAlg: "ES256", idTokenAlg: "RS256", userinfoAlg: "RS256", introspectionAlg: "RS256" };

/** Everything that leaves this service with its signature, by the setting of the algorithm. */
function signers(tokens: ReturnType<typeof createTokens>, keys: ReturnType<typeof createSigningKeys>) {
  const client = (more: object) =>
    ({
      ...{ id: 1, tenantId: Bun.randomUUIDv7(), subjectType: "public", redirectUris: [], ...DEFAULTS },
      ...{ accessTokenType: "at+jwt", ...more },
    }) as unknown as Client;
  const user = { userId: 1, authTime: 1 };
  const ended = { tenantId: Bun.randomUUIDv7() as TenantId, sealedSubjectKey: null, clientId: 1, userId: 1, sid: "s" };
  const owner = {
    subjectType: "public" as const,
    sectorIdentifierUri: "",
    redirectUris: [],
    typ: "logout+jwt" as const,
  };
  const logouts = createLogoutTokens(keys, async () => new Uint8Array(32), ISSUER);
  return {
    "credentials accessTokenAlg": (alg: Alg) => [
      tokens.issueAccessToken(client({ accessTokenAlg: alg }), { scopes: ["openid"] }),
    ],
    "credentials idTokenAlg": (alg: Alg) => [
      tokens.issueIdToken(client({ idTokenAlg: alg }), user),
      tokens.signAnswer(client({ idTokenAlg: alg }), { code: "c" }),
      tokens.signIntrospection(client({ idTokenAlg: alg, introspectionAlg: "" }), { active: false }),
      logouts({ ...ended, ...owner, alg }),
    ],
    "credentials userinfoAlg": (alg: Alg) => [tokens.signUserinfo(client({}), alg, { sub: "user-1" })],
    "credentials introspectionAlg": (alg: Alg) => [
      tokens.signIntrospection(client({ introspectionAlg: alg }), { active: false }),
    ],
    "apis accessTokenAlg": (alg: Alg) => [
      tokens.issueAccessToken(client({}), {
        scopes: ["orders:read"],
        target: { accessTokenAlg: alg, accessTokenType: "at+jwt", audience: "https://orders.example" } as never,
      }),
    ],
  };
}

async function newInstallation() {
  const database = await newKeyDatabase();
  const { sql, vault, rotation } = database;
  const { tenantId, client } = await createTenant(sql, "tenant");
  const audience = "https://orders.example";
  const api = {
    id: Bun.randomUUIDv7(),
    tenant_id: tenantId,
    name: "Orders",
    audience,
    audience_key: audience,
    scopes: [],
  };
  await addRows("apis", { ...api, access_token_alg: "RS256", access_token_type: "at+jwt" }, sql);
  const keys = createSigningKeys(sql, vault);
  /** The algorithms in the JWKS of a process that has just started. */
  const algs = async () => [...new Set((await createSigningKeys(sql, vault).jwks()).keys.map(({ alg }) => alg))].sort();
  /** Everything as it is without a use, and all tokens expired. */
  const allRsa = async () => {
    const rsa = { access_token_alg: "RS256", id_token_alg: "RS256", userinfo_alg: "", introspection_alg: "" };
    await setRows("credentials", {}, rsa, sql);
    await setRows("apis", {}, { access_token_alg: "RS256" }, sql);
    await age(sql, "27 hours");
    await rotation.run();
  };
  return { ...database, keys, client, algs, allRsa, dispose: () => database[Symbol.asyncDispose]() };
}

/** Simulates elapsed time since the last use. */
const age = (sql: Sql, time: string) => elapse(time, "signing_keys", {}, "used_on", sql);

describe("a key is published", () => {
  test("when a setting uses its algorithm, and until its tokens have expired: every setting, every algorithm", async () => {
    const { sql, rotation, algs, allRsa, keys, dispose } = await newInstallation();
    const tokens = createTokens({ keys, issuer: ISSUER, lifetime: 3600, ...livenessBy(sql) });
    const signed = signers(tokens, keys);
    try {
      expect(SETTINGS.map(({ table, name }) => `${table} ${name}`).sort()).toEqual(Object.keys(signed).sort());
      for (const { table, name, column } of SETTINGS) {
        for (const alg of SIGNING_ALGS) {
          const at = `${table} ${name} ${alg}`;
          const both = [...new Set(["RS256", alg])].sort();
          await allRsa();
          expect([at, await algs()]).toEqual([at, ["RS256"]]);
          await setRows(table, {}, { [column]: alg }, sql);
          expect([at, await algs()]).toEqual([at, both]);
          await until("the notification", async () => (await keys.jwks()).keys.some((key) => key.alg === alg));
          const jwks = createLocalJWKSet(await keys.jwks());
          for (const jwt of await Promise.all(signed[`${table} ${name}` as keyof typeof signed](alg))) {
            expect(decodeProtectedHeader(jwt).alg).toBe(alg);
            await jwtVerify(jwt, jwks, { issuer: ISSUER });
          }
          // However long it is used.
          await age(sql, "40 days");
          await rotation.run();
          expect([at, await algs()]).toEqual([at, both]);
          await age(sql, "2 hours");
          await setRows(table, {}, { [column]: "RS256" }, sql);
          await age(sql, "25 hours");
          await rotation.run();
          expect([at, await algs()]).toEqual([at, both]);
          await age(sql, "2 hours");
          await rotation.run();
          expect([at, await algs()]).toEqual([at, ["RS256"]]);
        }
      }
    } finally {
      await dispose();
    }
  });

  test("with its successor, before that signs, and after a leak", async () => {
    const { sql, rotation, keys, allRsa, dispose } = await newInstallation();
    try {
      await allRsa();
      await setRows("credentials", {}, { id_token_alg: "EdDSA" }, sql);
      const published = async () => (await keys.jwks()).keys.filter(({ alg }) => alg === "EdDSA").map(({ kid }) => kid);
      await until("the key", async () => (await published()).length === 1);
      const { announced } = await rotation.replace("EdDSA", { leaked: false });
      await until("its successor", async () => (await published()).includes(announced[0]));
      expect(await published()).toHaveLength(2);
      const after = await rotation.replace("EdDSA", { leaked: true });
      await until("the new key alone", async () => String(await published()) === String(after.announced));
      // Of unused algorithms, no rotation publishes a key.
      await rotation.replace("ES256", { leaked: true });
      expect((await keys.jwks()).keys.map(({ alg }) => alg)).not.toContain("ES256");
    } finally {
      await dispose();
    }
  });

  test("when the last client that uses it is deleted, until its tokens have expired", async () => {
    const { sql, rotation, algs, allRsa, dispose } = await newInstallation();
    try {
      await allRsa();
      await setRows("credentials", {}, { id_token_alg: "EdDSA" }, sql);
      await age(sql, "40 days");
      await removeRows("credentials", {}, sql);
      await rotation.run();
      expect(await algs()).toEqual(["EdDSA", "RS256"]);
    } finally {
      await dispose();
    }
  });
});

test("at once in every process, for a client that chooses EdDSA; without it, the set has RSA and EC keys only", async () => {
  await using database = await newKeyDatabase();
  const { client } = await createTenant(database.sql, "tenant");
  await using one = await startApiProcess(database);
  await using two = await startApiProcess(database);
  const kinds = async ({ url }: typeof one) => {
    const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kty: string }[] };
    return keys.map(({ kty }) => kty);
  };
  for (const api of [one, two]) expect(await kinds(api)).toEqual(["RSA", "EC"]);
  // Only this service verifies this token, so its key is not published.
  const ask = async (fields: Record<string, string>) => {
    const form = new URLSearchParams({ client_id: client.clientId, client_secret: client.clientSecret, ...fields });
    const answer = await fetch(`${one.url}/oAuth/rest/v2/Token`, { method: "POST", body: form });
    return { status: answer.status, body: (await answer.json()) as { access_token: string; refresh_token: string } };
  };
  const first = await ask({ grant_type: "client_credentials", scope: "*" });
  expect(decodeProtectedHeader(first.body.refresh_token).alg).toBe("EdDSA");
  expect((await ask({ grant_type: "refresh_token", refresh_token: first.body.refresh_token })).status).toBe(200);
  // Access tokens leave this service, so gateways can verify them.
  await jwtVerify(first.body.access_token, createRemoteJWKSet(new URL(`${two.url}/.well-known/jwks.json`)));

  const metadata = await (await fetch(`${one.url}/.well-known/openid-configuration`)).json();
  expect(metadata).toMatchObject({ id_token_signing_alg_values_supported: expect.arrayContaining(["EdDSA"]) });
  const changed = await fetch(`${one.url}${CREDENTIALS_API}/${client.clientId}/Credentials`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${first.body.access_token}`, "content-type": "application/json" },
    body: JSON.stringify({ IdTokenAlg: "EdDSA" }),
  });
  expect(changed.status).toBe(200);
  expect(await kinds(one)).toEqual(["RSA", "EC", "OKP"]);
  await until("the other process", async () => (await kinds(two)).includes("OKP"));
});

test("an API that chooses an algorithm has its key in the set when the answer arrives", async () => {
  const admin = await newTenant();
  const Scopes = [{ Name: "orders:read", Description: "Read orders" }];
  const input = { Name: "Orders", Audience: `https://${Bun.randomUUIDv7()}.example`, Scopes, AccessTokenAlg: "EdDSA" };
  await ok(admin.patch("/Api", input));
  const { keys } = await ok(request("GET", "/.well-known/jwks.json"));
  expect(keys.map(({ alg }: { alg: string }) => alg)).toContain("EdDSA");
});
