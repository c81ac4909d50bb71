// Attempts of one tenant to block others: the other tenant gets responses before the attack has ended.

import { expect, test } from "bun:test";
import type { TenantId } from "../../server/platform/ids.ts";
import { createExaminer } from "../../server/records/access/decisions/examiner.ts";
import { resourceTypes } from "../../server/records/entities/record.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { newKeyDatabase } from "../support/key-database.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { API, type Api, expectError, ok, until } from "../world/api.ts";
import { type Client, newClient } from "../world/client.ts";
import { holdRows, holdTable, waitingFor } from "../world/locks.ts";
import { countOf, fill, plantEntries, rowsOf, times } from "../world/rows.ts";
import { db, newTenant, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** A text with some thousand Cedar errors, one for each action, caller and type of record. */
const SLOW = Array(5)
  .fill(`permit (principal, action, resource) when { [${Array(60).fill("resource.x").join(",")}].isEmpty() };`)
  .join("");

function validate(admin: Api, Policy: string) {
  const body = JSON.stringify({ Policy });
  return admin.send("POST", "/Policy/Validate", { headers: { "content-type": "application/json" }, body });
}

/** The number of answers to a client, one request at a time, until the attack has ended. */
async function answersDuring(attack: Promise<unknown>, request: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const ended = attack.finally(() => {
    isOver = true;
  });
  ended.catch(() => {});
  let answers = 0;
  while (!isOver) {
    await request();
    if (!isOver) answers++;
  }
  await ended;
  return answers;
}

test("policies that take Cedar seconds to check delay no other tenant", async () => {
  const [attacker, other] = await Promise.all([newTenant(), newTenant()]);
  const validations = async () => {
    for (let count = 0; count < 3; count++) {
      const { Problems } = await ok(validate(attacker, SLOW));
      expect(Problems).not.toEqual([]);
    }
  };
  const savings = async () => {
    for (let count = 0; count < 3; count++) {
      const answer = await attacker.patch("/Policy", { Name: "slow", Policy: SLOW });
      expect(answer.status).toBe(400);
    }
  };
  // If the server's only thread checked them, each of the six would let in one or two requests.
  const answers = await answersDuring(Promise.all([validations(), savings()]), () =>
    ok(other.get(`/Application/${other.clientId}`)),
  );
  expect(answers).toBeGreaterThan(30);
});

test("a tenant's policy checks are limited: requests beyond the queue get an error that asks to retry", async () => {
  const [attacker, other] = await Promise.all([newTenant(), newTenant()]);
  // In sequence, because a machine may finish one of them before the others arrive.
  const slow = Array.from({ length: 8 }, () => validate(attacker, SLOW));
  const short = "permit (principal, action, resource);";
  const all = await Promise.all([
    validate(other, short),
    // Valid texts are cached and not checked again.
    ...Array.from({ length: 70 }, (_, index) => validate(attacker, `${short} // ${index}`)),
    ...slow,
  ]);
  const refused = all.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]!.headers.get("retry-after")).toBe("2");
  expect(refused[0]!.body.Errors).toEqual([
    "This tenant has 1 policy checks in progress and 50 waiting, the maximum. Try again when these have ended.",
  ]);
});

test("a check that takes too long is stopped with an error, and the next one runs", async () => {
  const tenantId = Bun.randomUUIDv7() as TenantId;
  const impatient = createExaminer(resourceTypes(ENTITIES), 1);
  const message = "It took more than 1 ms to check. Simplify it, or try again if the server is busy.";
  expect(await impatient.check(tenantId, SLOW)).toEqual([{ message }]);
  expect(await impatient.check(tenantId, SLOW)).toEqual([{ message }]);
  const patient = createExaminer(resourceTypes(ENTITIES));
  expect(await patient.check(tenantId, "permit (principal, action, resource);")).toEqual([]);
});

test("a tenant's sign-ins do not block other tenants' sign-ins", async () => {
  const [attacker, other] = await Promise.all([newClient(), newClient()]);
  const open = async (client: Client) => {
    const visitor = new Visitor();
    return { visitor, page: await visitor.open(client.authorize()) };
  };
  const forms = await Promise.all(Array.from({ length: 45 }, () => open(attacker)));
  const own = await open(other);
  let answered = 0;
  const attack = forms.map(async ({ visitor, page }, index) => {
    const { status } = await visitor.submit(page, { username: `nobody-${index}`, password: "wrong" });
    answered++;
    return status;
  });
  await Promise.race(attack);
  const { status } = await own.visitor.submit(own.page, other.tenant.admin);
  expect(status).toBe(200);
  // In one queue for all tenants, its turn would come after theirs.
  expect(answered).toBeLessThan(35);
  expect(new Set(await Promise.all(attack))).toEqual(new Set([422]));
});

test("a caller may run two exports; the next is rejected, and other tenants' are not", async () => {
  const [attacker, other] = await Promise.all([newTenant(), newTenant()]);
  // More than the buffers of the sockets between hold.
  const failure = { kind: "SignIn.Failed", outcome: "Failure", details: { Reason: "WrongPassword" } } as const;
  await plantEntries(attacker.tenantId, 40_000, { ...failure, userAgent: "x".repeat(200) });
  const path = "/AuditEvent/Export";
  const begin = async () => {
    const answer = await fetch(`${shared().url}${API}${path}`, {
      headers: { authorization: `Bearer ${attacker.token}` },
    });
    expect(answer.status).toBe(200);
    const reader = answer.body!.getReader();
    await reader.read();
    return reader;
  };
  const readers = [await begin(), await begin()];
  const says = /^This caller has 2 exports in progress, the maximum\. Try again when these have ended\.$/;
  expectError(await attacker.get(path), 429, "Too Many Requests", says);
  expect((await other.get(path)).status).toBe(200);
  // Readers that disconnect or finish free their place.
  await readers[0]!.cancel();
  const third = await until("a place", () => begin().catch(() => undefined));
  while (!(await readers[1]!.read()).done);
  const fourth = await until("another place", () => begin().catch(() => undefined));
  await Promise.all([third.cancel(), fourth.cancel()]);
});

test("slow arrays of several tenants leave PostgreSQL connections for other tenants", async () => {
  await using app = startPrivateApp({}, "silent");
  const [other, ...attackers] = await Promise.all(Array.from({ length: 4 }, () => newTenant(app)));
  const held = await Promise.all(attackers.map((attacker) => attacker.change({ Name: "held" })));
  await using lock = await holdRows("applications", { id: held.map(({ Id }) => Number(Id)) });
  // A request that waits for a record occupies its connection.
  const arrays = attackers.flatMap((attacker) =>
    times(4, () => attacker.call("PATCH", "/Application", [{ Name: "held", Description: "attack" }])),
  );
  await until("arrays to wait", async () => (await waitingFor(lock)).length >= 2);
  await other!.change({ Name: "beside" });
  expect((await other!.call("GET", "/Application")).status).toBe(200);
  await lock.release();
  for (const { status } of await Promise.all(arrays)) expect(status).toBe(200);
});

test("a Search that takes too long ends with an error, and other requests keep their connections", async () => {
  await using database = await newKeyDatabase();
  await using app = startPrivateApp({}, "silent", { databaseUrl: database.url });
  const api = await newTenant(app);
  await using lock = await holdTable("departments", "access exclusive", database.sql);
  const search = api.call("GET", "/Department?Search=x");
  await api.change({ Name: "beside" });
  const { status, body } = await search;
  expect(status).toBe(503);
  expect(body.Errors).toEqual(["The search took more than 5 s. Add a filter, or try again in a moment."]);
  await lock.release();
  expect((await api.call("GET", "/Department?Search=x")).status).toBe(200);
});

test("a connection with a large backlog is deleted at once, without blocking changes, and its backlog is cancelled", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost/", { Entities: ["Application"] });
  await api.setState(Id, "Paused");
  const held = { connection_id: Id, state: "Held" };
  const made = { tenantId: api.tenantId as TenantId, connectionIds: [Id], events: 2_500, spanMs: 0 };
  await fill(db(), { ...made, stateOf: () => "Held" });
  const countHeld = () => countOf("deliveries", held);
  const [first] = (await rowsOf<{ id: string }>("deliveries", held)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  // One record is locked by another transaction. If all tenants shared one queue, every change would wait for it.
  await using lock = await holdRows("deliveries", { id: first!.id });
  await api.disconnect(Id);
  expect((await api.call("GET", `/WebhookConnection/${Id}`)).status).toBe(404);
  await api.change({ Name: "beside" });
  await until("all others to be cancelled", async () => (await countHeld()) === 1);
  await lock.release();
  await until("the last one to be cancelled", async () => (await countHeld()) === 0);
});
