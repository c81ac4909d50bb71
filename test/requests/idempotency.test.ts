// Idempotency-Key: a repeated POST or PATCH gets the first answer and changes nothing.

import { describe, expect, test } from "bun:test";
import { composedRoutes } from "../support/composed-app.ts";
import { type Answer, type Api, expectError, ok, unique, until } from "../world/api.ts";
import { freshRecords } from "../world/fresh.ts";
import { holdRows } from "../world/locks.ts";
import { countOf, elapse, rowsOf, setRows, storedText } from "../world/rows.ts";
import { clientOf, newMember, newTenant, savePolicy } from "../world/tenant.ts";

const newKey = () => Bun.randomUUIDv7();

function send(api: Api, method: string, path: string, key: string, body?: unknown): Promise<Answer> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  return api.send(method, path, { headers, body: body === undefined ? undefined : JSON.stringify(body) });
}

const isReplayed = ({ headers }: Answer) => headers.get("idempotent-replayed") === "true";
const numberOf = async (api: Api, kind: string) => (await ok(api.get(`/${kind}?Limit=200`))).Items.length;

describe.concurrent("a request with an Idempotency-Key", () => {
  test("is carried out once, and its repetition gets the same answer", async () => {
    const api = await newTenant();
    const key = newKey();
    const before = await numberOf(api, "Department");
    const first = await send(api, "POST", "/Department", key, {});
    expect([first.status, isReplayed(first)]).toEqual([200, false]);
    const changed = await ok(api.patch("/Department", { Id: first.body.Id, Name: "renamed since" }));
    const again = await send(api, "POST", "/Department", key, {});
    expect([again.status, again.body, isReplayed(again)]).toEqual([200, first.body, true]);
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    expect(await numberOf(api, "Department")).toBe(before + 1);
    expect((await ok(api.get(`/Department/${first.body.Id}`))).Name).toBe(changed.Name);
  });

  test("is refused with another body, path or condition, and with a malformed key", async () => {
    const api = await newTenant();
    const key = newKey();
    await ok(send(api, "PATCH", "/Department", key, { Name: "one" }));
    const reused = /belongs to a different request/;
    expectError(await send(api, "PATCH", "/Department", key, { Name: "two" }), 422, "Unprocessable Content", reused);
    expectError(await send(api, "POST", "/Department", key, { Name: "one" }), 422, "Unprocessable Content", reused);
    expectError(await send(api, "PATCH", "/Role", key, { Name: "one" }), 422, "Unprocessable Content", reused);
    for (const bad of ["a b", "x".repeat(256), "é"]) {
      const says = /Idempotency-Key must be 1 to 255 visible/;
      expectError(await send(api, "POST", "/Department", bad, {}), 400, "Bad Input", says);
    }
    // As the draft writes it.
    expect(isReplayed(await send(api, "PATCH", "/Department", `"${key}"`, { Name: "one" }))).toBe(true);
  });

  test("in progress is 409 for its repetition", async () => {
    const api = await newTenant();
    const { Id } = await api.made("Department", { Name: "held" });
    const key = newKey();
    const body = { Id, Name: "changed" };
    const hold = await holdRows("departments", { id: Id });
    const first = send(api, "PATCH", "/Department", key, body);
    await until("it to begin", async () => (await countOf("idempotency_keys", { tenant_id: api.tenantId })) === 1);
    const second = await send(api, "PATCH", "/Department", key, body);
    expectError(second, 409, "Conflict", /is in progress/);
    expect(second.headers.get("retry-after")).toBe("1");
    await hold.release();
    await ok(first);
    expect(isReplayed(await send(api, "PATCH", "/Department", key, body))).toBe(true);
  });

  test("that failed leaves its key unused", async () => {
    const api = await newTenant();
    const key = newKey();
    await api.made("Role", { Name: "taken" });
    const { Id } = await api.made("Role", { Name: "other" });
    expect((await send(api, "PATCH", "/Role", key, { Id, Name: "taken" })).status).toBe(409);
    await ok(send(api, "PATCH", "/Role", key, { Id, Name: "free" }));
  });

  test("shares its key with no other client, and no other tenant", async () => {
    const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
    const key = newKey();
    const member = await newMember(api, "admin");
    const made = await Promise.all([api, stranger, member].map((one) => send(one, "POST", "/Department", key, {})));
    expect(new Set(made.map(({ body }) => body.Id)).size).toBe(3);
    expect(isReplayed(await send(await clientOf(api.tenant), "POST", "/Department", key, {}))).toBe(true);
  });

  test("is repeated only if policies permit it now", async () => {
    const admin = await newTenant();
    const spy = await newMember(admin);
    const all = `permit (principal == Client::"${spy.clientId}", action, resource);`;
    await savePolicy(admin, "Spy", all);
    const [changing, reading] = [newKey(), newKey()];
    const body = { Name: "Payroll" };
    const repeat = (key: string) => send(spy, "POST", "/Department", key, body);
    const { Id } = await ok(
      until("the policy", async () => (await repeat(changing)).status === 200 && repeat(changing)),
    );
    await ok(repeat(reading));
    await savePolicy(
      admin,
      "Spy",
      `${all}
      forbid (principal == Client::"${spy.clientId}", action == Action::"AccessManager:Read", resource is Department);`,
    );
    await until("it to be hidden", async () => !("Name" in (await repeat(reading)).body));
    expect((await repeat(reading)).body).toEqual({ Id });
    await savePolicy(
      admin,
      "Spy",
      `${all}
      forbid (principal == Client::"${spy.clientId}", action, resource is Department);`,
    );
    await until("it to be refused", async () => (await repeat(changing)).status === 403);
    expectError(await repeat(changing), 403, "Permission", /policy forbids/);
  });

  test("shows a new secret again, which is stored sealed", async () => {
    const api = await newTenant();
    const key = newKey();
    const path = `/Application/${api.clientId}/Secrets`;
    const { Secret } = await ok(send(api, "POST", path, key, {}));
    expect((await ok(send(api, "POST", path, key, {}))).Secret).toBe(Secret);
    expect((await ok(api.get(path))).Items).toHaveLength(2);
    const text = await storedText("idempotency_keys", { tenant_id: api.tenantId });
    for (const hidden of [Secret, Buffer.from(Secret).toString("hex"), key]) expect(text).not.toContain(hidden);
  });

  test("is not carried out again after a crash behind the commit", async () => {
    const api = await newTenant();
    const key = newKey();
    const lost = { answer: null, lease_until: new Date(0) };
    const { Id } = await ok(send(api, "POST", "/Department", key, {}));
    const [row] = await rowsOf("idempotency_keys", { tenant_id: api.tenantId });
    expect(row).toMatchObject({ record_ids: [Id] });
    await setRows("idempotency_keys", { tenant_id: api.tenantId }, lost);
    const again = await send(api, "POST", "/Department", key, {});
    expect([again.status, again.body, isReplayed(again)]).toEqual([200, { Id }, true]);
    const many = newKey();
    const bodies = [{ Name: "one" }, { Name: "two" }];
    await ok(send(api, "POST", "/Department", many, bodies));
    await setRows("idempotency_keys", { tenant_id: api.tenantId }, lost);
    expectError(await send(api, "POST", "/Department", many, bodies), 409, "Conflict", /its answer was lost/);
    expect(await numberOf(api, "Department")).toBe(3);
  });

  test("is carried out after a crash before the commit", async () => {
    const api = await newTenant();
    const key = newKey();
    await ok(send(api, "POST", "/Department", key, {}));
    const lost = { answer: null, done_on: null, record_ids: null, lease_until: new Date(0) };
    await setRows("idempotency_keys", { tenant_id: api.tenantId }, lost);
    expect(isReplayed(await send(api, "POST", "/Department", key, {}))).toBe(false);
    expect(await numberOf(api, "Department")).toBe(2);
  });

  test("that another process has taken over changes nothing", async () => {
    const api = await newTenant();
    const { Id } = await api.made("Department", { Name: "held" });
    const key = newKey();
    const body = [{ Name: "new" }, { Id, Name: "changed" }];
    const hold = await holdRows("departments", { id: Id });
    const paused = send(api, "POST", "/Department", key, body);
    await until("it to begin", async () => (await countOf("idempotency_keys", { tenant_id: api.tenantId })) === 1);
    // As after a pause of its process that is longer than its lease.
    const taken = { lease_until: new Date(0), reservation: Bun.randomUUIDv7() };
    await setRows("idempotency_keys", { tenant_id: api.tenantId }, taken);
    await hold.release();
    expectError(await paused, 409, "Conflict", /is in progress/);
    expect(isReplayed(await send(api, "POST", "/Department", key, body))).toBe(false);
    expect(await numberOf(api, "Department")).toBe(2);
  });

  test("gives back nothing about a person who was erased since", async () => {
    const api = await newTenant();
    const [one, many] = [newKey(), newKey()];
    const person = { Username: "erna", Name: "Erna" };
    const { Id } = await ok(send(api, "POST", "/User", one, person));
    await ok(send(api, "POST", "/User", many, [{ Id, Nickname: "E" }, { Username: "rui" }]));
    await ok(api.call("POST", `/User/${Id}/Erase`, {}));
    expect((await send(api, "POST", "/User", one, person)).body).toEqual({ Id });
    const rest = await send(api, "POST", "/User", many, [{ Id, Nickname: "E" }, { Username: "rui" }]);
    expectError(rest, 409, "Conflict", /its answer was lost/);
  });

  test("without a change keeps no long answer", async () => {
    const api = await newTenant();
    const many = Array.from({ length: 60 }, (_, n) => ({ Name: `same ${n}` }));
    await ok(api.call("POST", "/Application", many));
    await ok(send(api, "POST", "/Application", newKey(), many));
    expect(await countOf("idempotency_keys", { tenant_id: api.tenantId })).toBe(0);
    const key = newKey();
    const changed = many.map((one) => ({ ...one, Description: "x".repeat(4_000) }));
    await ok(send(api, "POST", "/Application", key, changed));
    expect(isReplayed(await send(api, "POST", "/Application", key, changed))).toBe(true);
  });

  test("is forgotten after a day", async () => {
    const api = await newTenant();
    const key = newKey();
    const { Id } = await ok(send(api, "POST", "/Department", key, {}));
    await elapse("25 hours", "idempotency_keys", { tenant_id: api.tenantId }, "started_on");
    const later = await ok(send(api, "POST", "/Department", key, {}));
    expect(later.Id).not.toBe(Id);
    expect(await countOf("idempotency_keys", { tenant_id: api.tenantId })).toBe(1);
  });
});

test("every POST and PATCH of the API answers its repetition as it answered first", async () => {
  const api = await newTenant();
  const fresh = await freshRecords(api);
  const routes = composedRoutes().filter(({ method }) => method === "POST" || method === "PATCH");
  expect(routes.length).toBeGreaterThan(40);
  const told: Record<string, unknown> = {};
  for (const { id, method, path, body } of routes) {
    const { path: ids = {}, body: given } = await fresh(id, `/Endpoint/rest/api/v1${path}`);
    const at = path.replace(/\{(\w+)\}/g, (_, name) => String(ids[name]));
    const sent = given ?? (body && Object.values(body.examples as object)[0]);
    const key = unique(id);
    const [first, again] = [await send(api, method, at, key, sent), await send(api, method, at, key, sent)];
    // A refused request is checked anew.
    if (first.status >= 400) told[id] = [first.status, again.status === first.status];
    else told[id] = [again.status === first.status, isReplayed(again), Bun.deepEquals(again.body, first.body)];
  }
  const wrong = Object.entries(told).filter(([, one]) => !(one as unknown[]).slice(-2).every((part) => part !== false));
  expect(wrong).toEqual([]);
  const carriedOut = Object.values(told).filter((one) => (one as unknown[]).length === 3);
  expect(carriedOut.length).toBeGreaterThan(routes.length / 2);
}, 300_000);
