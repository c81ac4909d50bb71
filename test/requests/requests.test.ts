// The last requests of a tenant's clients, found by RequestKey.

import { describe, expect, test } from "bun:test";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { removeOldRequests } from "../../server/records/requests/store.ts";
import { newKeyDatabase } from "../support/key-database.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { startProcess } from "../support/process.ts";
import { API, type Api, expectError, ok, TOKEN_PATH, until } from "../world/api.ts";
import { holdTable, waitingFor } from "../world/locks.ts";
import { renameTable } from "../world/postgresql.ts";
import { countOf, rowsOf } from "../world/rows.ts";
import { db, newMember, newTenant, request, savePolicy, setting, shared } from "../world/tenant.ts";

/** Longer than one write of the list takes. */
const TOLD_AFTER_MS = 3_000;
const newKey = () => Bun.randomUUIDv7();

/** Requests with this key, after the first appears. */
function byKey(reader: Pick<Api, "get">, key: string, query = "") {
  return until("the request to be written down", async () => {
    const { Items } = await ok(reader.get(`/Request?RequestKey=${key}${query}`));
    return Items.length > 0 && Items;
  });
}

describe.concurrent("a request", () => {
  test("is found by its key with its status and effects, without its contents", async () => {
    const admin = await newTenant();
    const [made, failed] = [newKey(), newKey()];
    const before = Date.now();
    await ok(admin.patch("/Application", { Name: "private-name" }, { "x-request-id": made }));
    await admin.get("/Application/7?Name=private-query", { "x-request-id": failed });
    const [change] = await byKey(admin, made);
    expect(change).toEqual({
      Id: expect.any(String),
      OccurredOn: expect.any(String),
      Method: "PATCH",
      Route: `${API}/Application`,
      Status: 200,
      DurationMs: expect.any(Number),
      ClientId: admin.clientId,
      RequestKey: made,
      Omitted: 0,
    });
    expect(Date.parse(change.OccurredOn)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(change.OccurredOn)).toBeLessThanOrEqual(Date.now());
    const [refusal] = await byKey(admin, failed);
    expect(refusal).toMatchObject({ Method: "GET", Route: `${API}/Application/*`, Status: 400 });
    const rows = await rowsOf("requests", { tenant_id: admin.tenantId });
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(rows)).not.toContain("private");
  });

  test("for a token is stored for its client; unauthenticated ones are not stored", async () => {
    const admin = await newTenant();
    const [good, bad, after] = [newKey(), newKey(), newKey()];
    const form = { grant_type: "client_credentials", client_id: admin.clientId };
    const ask = (client_secret: string, key: string) =>
      request("POST", TOKEN_PATH, {
        headers: { "x-request-id": key },
        body: new URLSearchParams({ ...form, client_secret }),
      });
    expect((await ask(admin.clientSecret, good)).status).toBe(200);
    expect((await ask("wrong", bad)).status).toBe(400);
    expect((await ask(admin.clientSecret, after)).status).toBe(200);
    const [row] = await byKey(admin, after);
    expect(row).toMatchObject({ Method: "POST", Route: TOKEN_PATH, ClientId: admin.clientId });
    expect(await byKey(admin, good)).toHaveLength(1);
    expect((await ok(admin.get(`/Request?RequestKey=${bad}`))).Items).toEqual([]);
  });
});

describe.concurrent("the list", () => {
  test("is filtered by class of status, method, route, client and time", async () => {
    const admin = await newTenant();
    const from = new Date().toISOString();
    const keys = { read: newKey(), write: newKey(), failure: newKey() };
    await ok(admin.get("/Department", { "x-request-id": keys.read }));
    await ok(admin.patch("/Application", { Name: "a" }, { "x-request-id": keys.write }));
    await admin.get("/Application/7", { "x-request-id": keys.failure });
    await byKey(admin, keys.failure);
    const found = async (query: string) => {
      const { Items } = await ok(admin.get(`/Request?${query}`));
      const own = Items.map(({ RequestKey }: { RequestKey: string }) => RequestKey);
      return Object.entries(keys).flatMap(([name, key]) => (own.includes(key) ? [name] : []));
    };
    for (const [query, names] of [
      ["", ["read", "write", "failure"]],
      ["Status=2xx", ["read", "write"]],
      ["Status=4xx", ["failure"]],
      ["Status=5xx", []],
      ["Method=PATCH", ["write"]],
      ["Route=DEPARTMENT", ["read"]],
      ["Route=/Application/", ["failure"]],
      ["Route=%25", []],
      [`ClientId=${admin.clientId}`, ["read", "write", "failure"]],
      ["ClientId=7", []],
      [`From=${from}`, ["read", "write", "failure"]],
      [`To=${from}`, []],
      ["Last=1h", ["read", "write", "failure"]],
    ] as const) {
      expect([query, await found(query)]).toEqual([query, [...names]]);
    }
  });

  test.each([
    ["Status=6xx", /^Status must be one of 2xx, 3xx, 4xx, 5xx\.$/],
    ["Method=FETCH", /^Method must be one of/],
    ["Route=%00", /^Route contains a character that is not text/],
    ["ClientId=x", /^ClientId must be a record's Id\.$/],
    ["RequestKey=%00", /^RequestKey contains a character that is not text/],
    ["From=yesterday", /^From must be a date/],
    ["Last=1w", /^Last must be a time/],
    ["Path=/", /is not a filter/],
  ])("refuses %s", async (query, says) => {
    const admin = await newTenant();
    expectError(await admin.get(`/Request?${query}`), 400, "Bad Input", says);
  });

  test("requires Settings:Read and a policy, and is limited to the tenant", async () => {
    const [admin, stranger] = await Promise.all([newTenant(), newTenant()]);
    const key = newKey();
    await ok(admin.get("/Application", { "x-request-id": key }));
    await byKey(admin, key);
    const other = await admin.withScope("Settings:Update");
    expectError(await other.get("/Request"), 403, "Permission", /Settings:Read/);
    const [auditor, editor] = [await newMember(admin, "auditor"), await newMember(admin, "editor")];
    expect(await byKey(auditor, key)).toHaveLength(1);
    expect((await ok(editor.get(`/Request?RequestKey=${key}`))).Items).toEqual([]);
    expect((await ok(stranger.get(`/Request?RequestKey=${key}`))).Items).toEqual([]);
    const person = await newMember(admin);
    await savePolicy(
      admin,
      "Watches failures",
      `permit (principal == Client::"${person.clientId}", action == Action::"Settings:Read", resource is Request)
       when { resource.Status >= 400 };`,
    );
    const failed = newKey();
    await admin.get("/Application/7", { "x-request-id": failed });
    expect(await byKey(person, failed)).toHaveLength(1);
    expect((await ok(person.get(`/Request?RequestKey=${key}`))).Items).toEqual([]);
  });
});

describe("storing requests", () => {
  /** All requests of the tenant, as rows or in the count of omitted ones. */
  const counted = async (tenantId: string, sql = db()) => {
    const rows = await rowsOf<{ omitted: number }>("requests", { tenant_id: tenantId }, sql);
    return { rows: rows.length, all: rows.reduce((sum, { omitted }) => sum + omitted, rows.length) };
  };

  test("has a limit per tenant: omitted ones are counted, and failures have reserved space", async () => {
    await using app = startPrivateApp({ rateLimit: { perSecond: 1e6, burst: 1e6 } }, "silent");
    const api = await newTenant(app);
    const { tenantId } = api.tenant;
    // The first request was for the token.
    let sent = 1;
    const send = async (path: string, key = newKey()) => {
      sent++;
      const headers = { authorization: api.authorization, "x-request-id": key };
      return (await fetch(`${app.url}${API}${path}`, { headers })).status;
    };
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => send("/Entities")));
      expect(answers.every((status) => status === 200)).toBe(true);
    }
    const failed = newKey();
    expect(await send("/Application/7", failed)).toBe(404);
    // Each row counts the omitted requests before it.
    const { rows } = await until("all to be accounted for", async () => {
      await send("/Application/7");
      const now = await counted(tenantId);
      return now.all > 1_000 && now;
    });
    expect(rows).toBeLessThan(1_000);
    const [row] = await rowsOf("requests", { tenant_id: tenantId, request_key: failed });
    expect(row).toMatchObject({ status: 404 });
    await until("every one to be accounted for", async () => (await counted(tenantId)).all === sent);
  });

  test("never delays a response; those not stored are counted", async () => {
    await using database = await newKeyDatabase();
    await using app = startPrivateApp({}, "silent", { databaseUrl: database.url });
    const api = await newTenant(app);
    const { tenantId } = api.tenant;
    let sent = 1;
    const send = async () => {
      sent++;
      expect((await api.call("GET", "/Entities")).status).toBe(200);
    };
    await using lock = await holdTable("requests", "access exclusive", database.sql);
    await send();
    await until("the writing to wait", async () => (await waitingFor(lock, database.sql)).length > 0);
    await send();
    await lock.release();
    await until("both to be there", async () => (await counted(tenantId, database.sql)).all === sent);

    await renameTable("requests", "away", database.sql);
    await send();
    await send();
    // The next one is tried with or without the table: no loss is silent.
    await renameTable("away", "requests", database.sql);
    let last = performance.now();
    await until("all to be accounted for", async () => {
      if ((await counted(tenantId, database.sql)).all === sent) return true;
      // A later request reports those that were not stored.
      if (performance.now() - last < TOLD_AFTER_MS) return false;
      await send();
      last = performance.now();
      return false;
    });
  });

  test("completes before the process ends by SIGTERM", async () => {
    const { databaseUrl, url } = shared();
    await using api = startProcess("server/serve.ts", {
      DATABASE_URL: databaseUrl,
      MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
      // The issuer of the tokens.
      PUBLIC_URL: `http://localhost:${new URL(url).port}`,
      PORT: "0",
    });
    const { port } = await api.said((message) => message === "api ready");
    const caller = await newTenant();
    const keys = Array.from({ length: 20 }, newKey);
    for (const key of keys) {
      const headers = { authorization: `Bearer ${caller.token}`, "x-request-id": key };
      expect((await fetch(`http://127.0.0.1:${port}${API}/Entities`, { headers })).status).toBe(200);
    }
    api.signal("SIGTERM");
    expect(await api.exited).toBe(0);
    expect(await countOf("requests", { request_key: keys })).toBe(keys.length);
  });

  test("is limited to a day, and to a tenant's maximum", async () => {
    await using database = await newKeyDatabase();
    const { sql } = database;
    const [busy, quiet] = [await createTenant(sql, "busy"), await createTenant(sql, "quiet")];
    // More than a tenant's requests in a test, in a second.
    const fill = (tenantId: string, status: number, hoursAgo: number, count: number) => sql`
        insert into requests (tenant_id, id, request_key, method, route, status, duration_ms, client_id, omitted)
        select ${tenantId}, uuidv7(make_interval(hours => ${-hoursAgo}::int)), 'key', 'GET', '/', ${status}, 1, 1, 0
        from generate_series(1, ${count}::int)`;
    await fill(quiet.tenantId, 200, 23, 2);
    await fill(quiet.tenantId, 200, 25, 3);
    await fill(quiet.tenantId, 404, 25, 4);
    await fill(busy.tenantId, 404, 2, 5);
    await fill(busy.tenantId, 200, 1, 100_006);
    expect(await removeOldRequests(sql)).toBe(3 + 4 + 6);
    const left = (where: object) => countOf("requests", { ...where }, sql);
    expect(await left({ tenant_id: quiet.tenantId, status: 200 })).toBe(2);
    expect(await left({ tenant_id: busy.tenantId, status: 404 })).toBe(5);
    expect([await left({ tenant_id: busy.tenantId, status: 200 }), await left({})]).toEqual([100_000, 100_007]);
    const other = connect(database.url, "gatehouse test", 1);
    expect(await removeOldRequests(other)).toBe(0);
    await other.end();
  });
});
