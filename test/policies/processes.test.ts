// Policies in several API processes, behind a proxy, and in the log.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { startSecondApi } from "../support/second-api.ts";
import { ok, until } from "../world/api.ts";
import { endSessions } from "../world/postgresql.ts";
import { addRows, rowsOf } from "../world/rows.ts";
import { db, newMember, newTenant, savePolicy, shared } from "../world/tenant.ts";

const second = closedAfterAll(await startSecondApi({ TRUST_PROXY: "true" }));

const NOTICED_MS = 30_000;

describe.concurrent("a change saved through one process", () => {
  test("applies in another at once: a policy, a role, and its members", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const path = `/Application/${admin.clientId}`;
    const seen = (status: number) =>
      until(`${status} elsewhere`, async () => (await second.get(path, person.token)).status === status, NOTICED_MS);
    await seen(403);
    const { Id } = await savePolicy(
      admin,
      "All",
      `permit (principal == Client::"${person.clientId}", action, resource);`,
    );
    await seen(200);
    await ok(admin.send("DELETE", `/Policy/${Id}`));
    await seen(403);
    await ok(admin.patch("/Role", { Name: "editor", Members: [{ Type: "Application", Id: person.clientId }] }));
    await seen(200);
    await ok(admin.patch("/Role", { Name: "editor", Members: [] }));
    await seen(403);
    await savePolicy(
      admin,
      "By name",
      `permit (principal is Client, action, resource) when { principal.Description == "in" };`,
    );
    await ok(admin.patch("/Application", { Id: person.clientId, Description: "in" }));
    await seen(200);
    const credentials = `/Application/${person.clientId}/Credentials`;
    const { Scopes } = await ok(admin.get(credentials));
    await ok(admin.patch(credentials, { Scopes: ["openid"] }));
    await seen(403);
    await ok(admin.patch(credentials, { Scopes }));
    await seen(200);
    await ok(admin.patch("/Application", { Id: person.clientId, Is_Active: false }));
    await seen(401);
  });

  test("of a client applies here with the answer and in another at once: secrets, grants, deletion", async () => {
    const admin = await newTenant();
    const { body: application } = await admin.patch("/Application", { Name: "kept client", Is_Active: true });
    const path = `/Application/${application.Id}`;
    const makeSecret = () => ok(admin.send("POST", `${path}/Secrets`));
    const [first, spare] = [await makeSecret(), await makeSecret()];
    const ask = async (url: string, secret: string) => {
      const answer = await fetch(`${url}/oauth2/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${application.Id}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: "client_credentials" }),
      });
      return ((await answer.json()) as { error?: string }).error ?? "issued";
    };
    const is = async (secret: string, expected: string) => {
      expect(await ask(shared().url, secret)).toBe(expected);
      await until(`${expected} elsewhere`, async () => (await ask(second.url, secret)) === expected, NOTICED_MS);
    };
    // Twice, so both processes have it in memory.
    for (const { Secret } of [first, spare, first, spare]) await is(Secret, "issued");
    await ok(admin.send("DELETE", `${path}/Secrets/${first.Id}`));
    await is(first.Secret, "invalid_client");
    await is(spare.Secret, "issued");
    const third = await makeSecret();
    // A process that has cached the client without it reads it again.
    expect(await ask(second.url, third.Secret)).toBe("issued");
    await is(third.Secret, "issued");
    await ok(admin.patch(`${path}/Credentials`, { GrantTypes: ["authorization_code"] }));
    await is(third.Secret, "unauthorized_client");
    await ok(admin.patch(`${path}/Credentials`, { GrantTypes: null }));
    await is(third.Secret, "issued");
    await ok(admin.patch("/Application", { Id: application.Id, Is_Active: false }));
    await is(third.Secret, "invalid_client");
    await ok(admin.patch("/Application", { Id: application.Id, Is_Active: true }));
    await is(third.Secret, "issued");
    await ok(admin.send("DELETE", path));
    await is(third.Secret, "invalid_client");
  });

  test("applies in another whose connection to PostgreSQL was interrupted", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const path = `/Application/${admin.clientId}`;
    expect((await second.get(path, person.token)).status).toBe(403);
    const listeners = async () => {
      const api = { application_name: "gatehouse api", datname: db()`current_database()` };
      const sessions = await rowsOf<{ pid: number; query: string }>("pg_stat_activity", api);
      return sessions.flatMap(({ pid, query }) => (/^listen "gatehouse_|^select$/.test(query) ? pid : []));
    };
    // Other tests' processes also use this database for a while.
    const before = await listeners();
    expect(before.length).toBeGreaterThanOrEqual(2);
    // Ended and changed in one transaction, so no notification is sent.
    await db().begin(async (tx) => {
      const policy = { name: "All", policy: "permit (principal, action, resource);" };
      await addRows("policies", { id: crypto.randomUUID(), tenant_id: admin.tenantId, ...policy }, tx);
      await endSessions(before, tx);
    });
    await until("200 elsewhere", async () => (await second.get(path, person.token)).status === 200, NOTICED_MS);
    await until("listening again", async () => {
      const pids = await listeners();
      return pids.length >= 2 && !pids.some((pid) => before.includes(pid));
    });
  });
});

describe.concurrent("the address in policies", () => {
  test("is, behind our proxy, the last of X-Forwarded-For, which the caller cannot choose", async () => {
    const admin = await newTenant();
    const auditor = await newMember(admin, "auditor");
    const from = async (forwarded: string) =>
      (await second.get(`/Application/${admin.clientId}`, auditor.token, { "x-forwarded-for": forwarded })).status;
    expect(await from("10.1.2.3")).toBe(200);
    expect(await from("203.0.113.9, 192.168.7.7")).toBe(200);
    expect(await from("::ffff:10.1.2.3")).toBe(200);
    expect(await from("fd12::1")).toBe(200);
    expect(await from("203.0.113.9")).toBe(403);
    expect(await from("10.1.2.3, 203.0.113.9")).toBe(403);
    expect(await from("127.0.0.1, 2001:db8::1")).toBe(403);
  });

  test("is missing if the proxy sends none: a policy that uses it denies, whether permit or forbid", async () => {
    const admin = await newTenant();
    const auditor = await newMember(admin, "auditor");
    await savePolicy(
      admin,
      "Not from there",
      'forbid (principal, action, resource is Department) when { context.ip.isInRange(ip("203.0.113.0/24")) };',
    );
    const none = ["unknown", "", " ", "_hidden", "127.1", "10.1.2.3,", "010.1.2.3"];
    const to = async (path: string, token: string, forwarded?: string) =>
      (await second.get(path, token, forwarded === undefined ? {} : { "x-forwarded-for": forwarded })).status;
    expect(
      await until("the policy there", async () => (await to("/Department", admin.token, "10.1.2.3")) === 200),
    ).toBe(true);
    for (const forwarded of [...none, undefined]) {
      expect([forwarded, await to(`/Application/${admin.clientId}`, auditor.token, forwarded)]).toEqual([
        forwarded,
        403,
      ]);
      // Callers whose policies do not mention the address are allowed everywhere else.
      expect([forwarded, await to(`/Application/${admin.clientId}`, admin.token, forwarded)]).toEqual([forwarded, 200]);
    }
  });

  test("is the peer's without a trusted proxy", async () => {
    const admin = await newTenant();
    const auditor = await newMember(admin, "auditor");
    const headers = { "x-forwarded-for": "203.0.113.9", authorization: `Bearer ${auditor.token}` };
    expect((await admin.send("GET", `/Application/${admin.clientId}`, { headers })).status).toBe(200);
  });
});

test.concurrent("a denial is logged with the deciding policies' names, without the record", async () => {
  const admin = await newTenant();
  await savePolicy(admin, "No peeking", "forbid (principal, action, resource is Application);");
  const path = `/Application/${admin.clientId}`;
  const key = Bun.randomUUIDv7();
  const answer = await until("the refusal", async () => {
    const tried = await second.get(path, admin.token, { "x-request-id": key });
    return tried.status === 403 && tried;
  });
  expect(JSON.stringify(answer.body)).not.toContain("No peeking");
  const line = await until("the log line", () =>
    second.log().find(({ msg, requestKey }) => msg === "a request was denied by policies" && requestKey === key),
  );
  expect(line).toMatchObject({
    level: 30,
    tenantId: admin.tenantId,
    traceId: expect.stringMatching(/^[\da-f]{32}$/),
    principal: `Client ${admin.clientId}`,
    action: "AccessManager:Read",
    resource: `Application ${admin.clientId}`,
    forbidden: true,
    policies: ["No peeking"],
    failed: [],
  });
  expect(JSON.stringify(line)).not.toContain("demo-client");
});
