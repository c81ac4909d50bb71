// MASTER_KEY is replaced: first both keys are configured, then all values are encrypted again, then the former key is
// removed.

import { expect, test } from "bun:test";
import { createSigningKeys } from "../../server/identity/oauth/keys/signing-keys.ts";
import { insertFamily } from "../../server/identity/oauth/tokens/families.store.ts";
import { createFamilies } from "../../server/identity/oauth/tokens/families.ts";
import { createTokens } from "../../server/identity/oauth/tokens/tokens.ts";
import { SEALED_BY_IDENTITY } from "../../server/identity/sealed.ts";
import { createCookies } from "../../server/identity/signin/cookies.ts";
import { createKnownBrowsers } from "../../server/identity/signin/known-browsers.ts";
import { createSecondFactor } from "../../server/identity/signin/second-factor/second-factor.ts";
import type { Session } from "../../server/identity/signin/session.ts";
import { createTenant, type NewTenant } from "../../server/identity/tenants/index.ts";
import type { Sql } from "../../server/platform/db/sql.ts";
import type { SealedColumn } from "../../server/platform/vault.ts";
import { createVault, type Vault } from "../../server/platform/vault.ts";
import { SEALED_BY_WEBHOOKS } from "../../server/webhooks/index.ts";
import { startApiProcess } from "../support/api-process.ts";
import { runEntry } from "../support/entry.ts";
import { type KeyDatabase, newKeyDatabase } from "../support/key-database.ts";
import { API } from "../world/api.ts";
import { livenessBy } from "../world/grants.ts";
import { Authenticator } from "../world/person.ts";
import { adminIdOf, plantSession } from "../world/planted.ts";
import { columnsOf } from "../world/postgresql.ts";
import { addRows, rowsOf, setRows } from "../world/rows.ts";

const SEALED = [...SEALED_BY_IDENTITY, ...SEALED_BY_WEBHOOKS];
const ISSUER = "https://id.example.com";
const newKey = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const [SECOND, STRANGE] = [newKey(6), newKey(7)];
const CALLER = { address: "127.0.0.1", userAgent: "" };
const WRONG_KEY = /^A stored [a-z ]+ cannot be decrypted with this MASTER_KEY\./m;

/** The product's own parts, as in a process with these keys. */
function partsOf(sql: Sql, vault: Vault) {
  const browsers = createKnownBrowsers(sql, createCookies(ISSUER), async () => {});
  const keys = createSigningKeys(sql, vault);
  const tokens = createTokens({ keys, issuer: ISSUER, lifetime: 3600, ...livenessBy(sql) });
  return {
    factor: createSecondFactor({ sql, vault, browsers, issuer: ISSUER, warnOwner: async () => {} }),
    families: createFamilies({ vault, tokens, onReuse: () => {} }),
  };
}

const request = () => new Request(ISSUER);

/** Secrets of a tenant's admin: an authenticator app with recovery codes, and an application's refresh token. */
async function giveSecrets({ sql, vault }: KeyDatabase, { tenantId, client }: NewTenant) {
  const { factor, families } = partsOf(sql, vault);
  const userId = await adminIdOf({ tenantId }, sql);
  const session = { tenantId, userId, id: Bun.randomUUIDv7(), username: "admin", name: "" } as Session;
  const proposal = factor.propose(session);
  const app = new Authenticator(proposal.key);
  const codes = await factor.enrol(request(), session, proposal, app.code());
  const grant = { clientId: Number(client.clientId), userId, scopes: [], authTime: 0 };
  const started = families.start(grant);
  await insertFamily(sql, tenantId, started.family);
  return { session, app, codes: codes!, ...started };
}

async function stored(sql: Sql, { table, column }: SealedColumn): Promise<Uint8Array[]> {
  const rows = await rowsOf<Record<string, Uint8Array | null>>(table, {}, sql);
  return rows.flatMap((row) => row[column] ?? []);
}

/** All sealed values by column. */
async function allStored(sql: Sql) {
  const values = await Promise.all(SEALED.map(async (column) => ({ column, values: await stored(sql, column) })));
  for (const { column, values: some } of values)
    expect({ column, some: some.length > 0 }).toEqual({ column, some: true });
  return values;
}

test("a master key is replaced without losing any encrypted value", async () => {
  await using database = await newKeyDatabase();
  const { sql, url: DATABASE_URL, masterKeyText: first } = database;
  const tenant = await createTenant(sql, "tenant");
  const both = { DATABASE_URL, MASTER_KEY: SECOND, MASTER_KEY_PREVIOUS: `${STRANGE},${first}` };
  const alone = { DATABASE_URL, MASTER_KEY: SECOND };

  let token = "";
  let connection: { Id: string; ApiKey: string } | undefined;
  const call = async (api: { url: string }, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(api.url + API + path, { method, headers, body: body && JSON.stringify(body) });
    expect({ path, ok: answer.ok }).toEqual({ path, ok: true });
    // biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
    return (await answer.json()) as any;
  };
  {
    await using api = await startApiProcess(database);
    token = await api.token(tenant.client);
    connection = await call(api, "PATCH", "/WebhookConnection", {
      ...{ Name: "orders", URL: "https://receiver.example/hooks", Entities: ["User"], Events: ["Created"] },
      ...{ Secret: "the first secret", Headers: { Authorization: "Basic x" } },
    });
    await call(api, "POST", `/WebhookConnection/${connection!.Id}/Secret`, { Secret: "the second secret" });
    // A proven secret leaves a former one, which needs a receiver.
    await setRows("webhook_connections", {}, { former_secret: sql("staged_secret") }, sql);
    const provider = {
      Name: "ID",
      Type: "OpenIDConnect",
      Issuer: "https://id.example",
      ClientId: "x",
      ClientSecret: "y",
      TokenEndpointAuthMethod: "private_key_jwt",
    };
    await call(api, "PATCH", "/IdentityProvider", provider);
  }
  const { session, app, codes, refreshToken } = await giveSecrets(database, tenant);
  // A session from a provider with SignOut, which needs a provider.
  const { purpose } = SEALED.find(({ column }) => column === "id_token_hint")!;
  const id_token_hint = createVault(first).sealFor(purpose).seal("an id_token");
  await plantSession(tenant, session.userId, { amr: ["fed"], id_token_hint }, sql);
  // A mail that could not be sent, which needs a mail server.
  const content = createVault(first).sealFor("mail").seal("{}");
  const failed = { kind: "Test", recipient: "ana@mail.test", state: "Failed", reason: "x", ended_on: new Date() };
  await addRows("mails", { id: Bun.randomUUIDv7(), tenant_id: tenant.tenantId, ...failed, content }, sql);
  const sealedByFirst = await allStored(sql);

  const wrong = { ...alone, MASTER_KEY_PREVIOUS: STRANGE };
  for (const [entry, ...args] of [["server"], ["worker"], ["keys", "reseal"]] as const) {
    const { exitCode, output } = await runEntry(entry, { ...wrong, LOG_LEVEL: "silent" }, args);
    expect({ entry, exitCode }).toEqual({ entry, exitCode: 1 });
    expect(output).toMatch(WRONG_KEY);
  }
  expect(await allStored(sql)).toEqual(sealedByFirst);

  {
    await using api = await startApiProcess(database, both);
    expect(await api.accepts(token)).toBe(true);
    expect((await call(api, "GET", `/WebhookConnection/${connection!.Id}`)).ApiKey).toBe(connection!.ApiKey);
    const withBoth = partsOf(sql, createVault(SECOND, [STRANGE, first]));
    expect(await withBoth.factor.check(request(), session, codes[0]!, CALLER)).toEqual({ outcome: "right" });
    expect(await withBoth.families.read(refreshToken)).toBeDefined();

    const { exitCode, printed } = await runEntry("keys", both, ["reseal"]);
    expect(exitCode).toBe(0);
    for (const { table, column } of SEALED)
      expect(printed).toMatch(new RegExp(`^${table}\\.${column}: [1-9]\\d* re-encrypted`, "m"));
    expect(printed).toContain("Remove MASTER_KEY_PREVIOUS");
    expect((await runEntry("keys", both, ["reseal"])).printed).not.toMatch(/: [1-9]\d* re-encrypted/);
    expect(await api.accepts(await api.token(tenant.client))).toBe(true);
  }

  const second = createVault(SECOND);
  for (const { column, values } of await allStored(sql)) {
    for (const value of values) expect(second.sealFor(column.purpose).open(value)).toBeString();
  }
  await using api = await startApiProcess(database, alone);
  expect(await api.accepts(token)).toBe(true);
  expect((await call(api, "GET", `/WebhookConnection/${connection!.Id}`)).ApiKey).toBe(connection!.ApiKey);
  const { factor, families } = partsOf(sql, second);
  expect(await factor.check(request(), session, codes[0]!, CALLER)).toEqual({ outcome: "wrong" });
  expect(await factor.check(request(), session, codes[1]!, CALLER)).toEqual({ outcome: "right" });
  expect(await factor.check(request(), session, new Authenticator(app.key).code(1), CALLER)).toEqual({
    outcome: "right",
  });
  expect(await families.read(refreshToken)).toBeUndefined();
});

// Audit entries are encrypted by the keys of their persons, which are not encrypted (docs/decisions/0011). Passkeys have
// public keys only.
test("every column encrypted with the master key is included in resealing", async () => {
  await using database = await newKeyDatabase();
  const sealed = (await columnsOf(database.sql)).filter(
    ({ table, column, type }) =>
      type === "bytea" &&
      !/(^|_)(digest|browser|object)$/.test(column) &&
      // Answers are kept for a day; one that can no longer be opened counts as lost.
      !/^audit_|^personal_keys$|^passkey|^idempotency_keys$/.test(table),
  );
  expect(sealed.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
    SEALED.map(({ table, column }) => `${table}.${column}`).sort(),
  );
});
