// A person is erased: none of 40 values, which came in by every door, remains anywhere.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { API, type Api, expectError, ok, signIn, until } from "../world/api.ts";
import { holdTable, untilWaiting } from "../world/locks.ts";
import { notify } from "../world/postgresql.ts";
import { type Call, type Receiver, startReceiver } from "../world/receiver.ts";
import { setRows } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { foundInLogs, foundInTables, foundInTemporal, logSizes } from "./stored.ts";
import { everyAnswer, everyPage, foundIn, momentOf } from "./walks.ts";

const CALLBACK = "https://app.example/callback";
const PASSWORD = "correct horse battery staple";
const SCOPE = "openid profile AccessManager:Read AccessManager:Create AccessManager:Update";

let stack: Stack;
let receiver: Receiver;
let reply: (call: Call) => Response | number | Promise<never> = echo;

/** Returns the whole call, in the body and in a header. */
function echo({ bytes }: Call): Response {
  const text = bytes.toString("utf8");
  return new Response(text, { headers: { "x-echo": /"Email":"([^"]*)"/.exec(text)?.[1] ?? "none" } });
}

const dataDir = () => process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;
const ofTenant = ({ tenantId }: Api) => receiver.calls.filter(({ payload }) => payload.TenantId === tenantId);
const callsOf = (api: Api) => ofTenant(api).filter(({ payload }) => payload.EventRecord !== "AuditEvent");
const typesOf = (calls: Call[]) => calls.map(({ payload }) => payload.EventType).toSorted();

beforeAll(async () => {
  stack = await startStack({ env: { TRUST_PROXY: "true", WEBHOOK_RECONCILE_INTERVAL: "1s" } });
  receiver = startReceiver((call) => reply(call), { dataDir: dataDir() });
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await stack?.stop();
});

/** Values that occur nowhere else. */
class Planted {
  readonly values: string[] = [];
  private addresses = 0;

  text(name: string): string {
    const value = `${name}-${Bun.randomUUIDv7().replaceAll("-", "")}`;
    this.values.push(value);
    return value;
  }

  /** An address in a network for documentation. */
  address(): string {
    const value = `203.0.113.${10 + ++this.addresses}`;
    this.values.push(value);
    return value;
  }
}

interface Person {
  api: Api;
  userId: number;
  username: string;
  planted: Planted;
  /** Of a stream, before the first event. */
  moment: string;
}

const fieldsOf = (planted: Planted) => ({
  Name: planted.text("Name"),
  Email: `${planted.text("email")}@example.com`,
  MobilePhone: planted.text("phone"),
  GivenName: planted.text("given"),
  FamilyName: planted.text("family"),
  Picture: `https://example.com/${planted.text("picture")}`,
  MiddleName: planted.text("middle"),
  Nickname: planted.text("nick"),
  Profile: `https://example.com/${planted.text("profile")}`,
  Website: `https://example.com/${planted.text("website")}`,
  Gender: planted.text("gender"),
  Address: planted.text("street"),
  Attributes: { Plan: planted.text("plan"), Teams: [planted.text("team")] },
});

async function arrange(): Promise<Person> {
  const planted = new Planted();
  const api = await newTenant(stack);
  const moment = await momentOf(api);
  await ok(
    api.patch("/TenantSettings", {
      UserAttributes: [
        { Name: "Plan", Type: "Text" },
        { Name: "Teams", Type: "Texts" },
      ],
    }),
  );
  await api.connect(receiver.url, {
    Entities: ["User", "Application"],
    Events: ["Created", "Updated", "Deleted", "Erased"],
  });
  const username = planted.text("user");
  const made = await api.made("User", {
    Username: username,
    External_Id: planted.text("external"),
    Is_Active: true,
    ...fieldsOf(planted),
  });
  await api.made("User", { Id: made.Id, ...fieldsOf(planted) });
  await ok(api.send("PATCH", "/User", arrayOf({ Id: made.Id, Nickname: planted.text("bulk") })));
  return { api, userId: made.Id, username, planted, moment };
}

const arrayOf = (record: object) => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify([record]),
});

/** The person signs in by a browser, fails once, and changes a record through an application. */
async function act({ api, userId, username, planted }: Person): Promise<void> {
  const { Url } = await ok(api.call("POST", `/User/${userId}/PasswordReset`));
  const from = () => ({ "user-agent": planted.text("browser"), "x-forwarded-for": planted.address() });
  const visitor = new Visitor(stack.url);
  const reset = await visitor.open(new URL(Url).pathname + new URL(Url).search, from());
  await visitor.submit(reset, { new_password: PASSWORD }, from());
  const role = (await ok(api.get("/Role?Limit=200"))).Items.find(({ Name }: { Name: string }) => Name === "admin");
  await ok(api.patch("/Role", { Name: "admin", Members: [...role.Members, { Type: "User", Id: String(userId) }] }));
  await ok(api.patch(`/Application/${api.clientId}/Credentials`, { RedirectUris: [CALLBACK] }));
  const query = new URLSearchParams({
    response_type: "code",
    client_id: api.clientId,
    redirect_uri: CALLBACK,
    scope: SCOPE,
    state: "s",
  });
  let view = await visitor.open(`/oauth2/authorize?${query}`, from());
  view = await visitor.submit(view, { username, password: "a wrong guess" }, from());
  view = await visitor.submit(view, { username, password: PASSWORD }, from());
  if (view.heading === "Allow access") view = await visitor.submit(view, { decision: "allow" }, from());
  const code = view.location!.searchParams.get("code")!;
  const form = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
  const pushed = await fetch(`${stack.url}/oauth2/par`, {
    method: "POST",
    body: new URLSearchParams({
      ...{ client_id: api.clientId, client_secret: api.clientSecret },
      ...{ response_type: "code", redirect_uri: CALLBACK, scope: SCOPE, login_hint: username },
    }),
  });
  expect(pushed.status).toBe(201);
  const credentials = { client_id: api.clientId, client_secret: api.clientSecret };
  const answer = await fetch(`${stack.url}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({ ...form, ...credentials }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const changed = await fetch(`${stack.url}${API}/Application`, {
    method: "PATCH",
    headers: { ...headers, "user-agent": planted.text("app") },
    body: JSON.stringify({ Name: "An application of the person's" }),
  });
  expect(changed.status).toBe(200);
  const provider = await api.made("IdentityProvider", {
    Name: "Contoso",
    Type: "OpenIDConnect",
    Issuer: "https://login.example.com",
    ClientId: "gatehouse",
    Is_Active: true,
  });
  const Subject = planted.text("subject");
  await ok(api.call("POST", `/User/${userId}/Identities`, { IdentityProviderId: provider.Id, Subject }));
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
const ended = ({ api }: Person, id: string): Promise<any> =>
  until("the erasure to end", async () => {
    const { status, body } = await api.get(`/Erasure/${id}`);
    return status === 200 && body.State === "Completed" && body;
  });

describe("a person who came in by every door", () => {
  test("is erased, and none of 40 values is left", async () => {
    reply = echo;
    const person = await arrange();
    const { api, userId, planted, moment } = person;
    await api.connect(receiver.url, { Name: "Collector", Entities: ["AuditEvent"], Events: ["Created"] });
    await act(person);
    const { values } = planted;
    expect(values.length).toBeGreaterThanOrEqual(40);
    await until("the events to be delivered", async () => {
      const { Items } = await api.events("Limit=200");
      return Items.length >= 4 && Items.every(({ State }) => State === null || State === "Delivered");
    });
    const before = await foundInTables(stack, values);
    expect(before.length).toBeGreaterThan(values.length / 2);
    expect(before).toContain(`pushed_requests: ${person.username}`);
    // The walks find what is there.
    const found = foundIn(await everyAnswer(api, moment, {}), values).map((one) => one.replace(/^.*: /, ""));
    expect(new Set(found).size).toBeGreaterThan(values.length / 2);
    expect(foundIn(await everyPage(api, stack.publicUrl, {}), values)).not.toBeEmpty();
    const { Counts } = await ok(api.call("POST", `/User/${userId}/Erase`, { DryRun: true }));
    expect(Counts).toMatchObject({ User: 1, Passwords: 1, Identities: 1 });

    const logged = logSizes(stack);
    const erasure = await ok(api.call("POST", `/User/${userId}/Erase`, { Deliveries: "Send" }));
    expect(erasure).toMatchObject({ UserId: String(userId), State: "Running" });
    expect((await api.get(`/User/${userId}`)).status).toBe(404);
    const { Removed, EndedOn } = await ended(person, erasure.Id);
    expect(Removed).toMatchObject({ User: 1, Passwords: 1, Identities: 1, Sessions: 1 });
    for (const kind of ["Payloads", "Responses", "AuditEvents"]) expect(Removed[kind]).toBeGreaterThan(2);
    console.log(`erased: ${values.length} values; ${JSON.stringify(Removed)}`);

    expect(await foundInTables(stack, values)).toEqual([]);
    expect(foundInTemporal(stack, values)).toEqual([]);
    expect(foundInLogs(stack, values, logged)).toEqual([]);
    const answers = await everyAnswer(api, moment, { "/User": [String(userId)] });
    expect(foundIn(answers, values)).toEqual([]);
    // 409: the events of a connection that does not pull.
    expect(answers.filter(({ status }) => ![200, 400, 404, 409].includes(status))).toEqual([]);
    const pages = await everyPage(api, stack.publicUrl, { users: [String(userId)] });
    expect(foundIn(pages, values)).toEqual([]);
    expect(pages.filter(({ status }) => status >= 500)).toEqual([]);
    console.log(`walked: ${answers.length} answers, ${pages.length} pages`);

    const told = callsOf(api).slice(-2);
    expect(typesOf(told)).toEqual(["Deleted", "Erased"]);
    for (const { payload } of told) expect(Object.keys(payload.Data)).toEqual(["Id", "External_Id"]);

    const streamed = () => ofTenant(api).filter(({ payload }) => payload.EventRecord === "AuditEvent");
    await until("the collector to have the last entry", () =>
      streamed().some(({ payload }) => (payload.Data as { Kind?: string }).Kind === "User.Erased"),
    );
    expect(streamed().length).toBeGreaterThan(8);
    expect(values.filter((value) => streamed().some(({ bytes }) => bytes.includes(value)))).toEqual([]);

    const { Certificate } = await ok(api.get(`/Erasure/${erasure.Id}/Certificate`));
    const keys = createRemoteJWKSet(new URL(`${stack.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(Certificate, keys, { typ: "erasure-certificate+jwt" });
    expect(payload).toMatchObject({ jti: erasure.Id, UserId: String(userId), Removed, EndedOn });
  });

  test("is erased although the worker is killed in the middle", async () => {
    reply = () => 503;
    const person = await arrange();
    const { api, userId, planted } = person;
    const { Id } = await ok(api.call("POST", `/User/${userId}/Erase`, { Deliveries: "Send" }));
    expect((await api.get(`/Erasure/${Id}`)).body.State).toBe("Running");
    process.kill(stack.parts.worker.pid!, "SIGKILL");
    expectError(await api.get(`/Erasure/${Id}/Certificate`), 409, "Conflict");
    reply = echo;
    await ended(person, Id);
    expect(await foundInTables(stack, planted.values)).toEqual([]);
  });

  test("waits for its own events and not for deliveries that are cancelled", async () => {
    reply = echo;
    const person = await arrange();
    const { api, userId, planted } = person;
    const { Items } = await ok(api.get("/WebhookConnection"));
    await api.setState(Items[0].Id, "Paused");
    await api.made("User", { Id: userId, Nickname: planted.text("held") });
    const { EventId } = await api.newestEvent();
    const { Id } = await ok(api.call("POST", `/User/${userId}/Erase`, { Deliveries: "Send" }));
    const again = await ok(api.call("POST", `/User/${userId}/Erase`, { Deliveries: "Cancel" }));
    expect(again).toMatchObject({ Id, Deliveries: "Cancel" });
    await until("it to wait for its own", async () => (await ok(api.get(`/Erasure/${Id}`))).Waiting === 2);
    const before = callsOf(api).length;
    await api.setState(Items[0].Id, "Active");
    await ended(person, Id);
    expect(typesOf(callsOf(api).slice(before))).toEqual(["Deleted", "Erased"]);
    expect((await api.event(EventId)).Deliveries).toMatchObject([{ State: "Cancelled", Attempts: [] }]);
    expect(await foundInTables(stack, planted.values)).toEqual([]);
  });

  test("leaves no answer that comes after its end", async () => {
    const gate = Promise.withResolvers<void>();
    reply = echo;
    const person = await arrange();
    const { api, userId, planted } = person;
    await using answering = startReceiver((call) => gate.promise.then(() => echo(call)), { dataDir: dataDir() });
    const Events = ["Updated"];
    const slow = await api.connect(answering.url, { Entities: ["User"], Events, TimeoutMs: 30_000 });
    await api.made("User", { Id: userId, Nickname: planted.text("late") });
    const { EventId } = await api.newestEvent();
    await until("the post to be out", () => answering.calls.length === 1);
    // The deliveries of a deleted connection are Cancelled; an attempt in flight continues.
    await ok(api.remove(`/WebhookConnection/${slow.Id}`));
    const { Id } = await ok(api.call("POST", `/User/${userId}/Erase`, { Deliveries: "Cancel" }));
    await ended(person, Id);
    gate.resolve();
    const attempts = await until("the attempt to be recorded", async () => {
      const { Deliveries } = await api.event(EventId);
      const own = Deliveries.find(({ ConnectionId }) => ConnectionId === slow.Id)!;
      return own.Attempts.length > 0 && own.Attempts;
    });
    expect(attempts).toMatchObject([{ Number: 1, StatusCode: 200 }]);
    expect(await foundInTables(stack, planted.values)).toEqual([]);
  });
});

describe("a redelivery beside the end of an erasure", () => {
  /** A person with a delivered event. */
  async function delivered() {
    reply = echo;
    const person = await arrange();
    const { api } = person;
    const { Items } = await ok(api.get("/WebhookEvent?EventType=Created"));
    const { EventId } = Items[0];
    await until("all to be delivered", async () => {
      const { Items: all } = await api.events("Limit=200");
      return all.every(({ State }) => State === null || State === "Delivered");
    });
    return { ...person, eventId: EventId as string };
  }

  let sql: Sql;
  beforeAll(() => {
    sql = connect(stack.databaseUrl, "gatehouse test", 2);
  });
  afterAll(() => sql.end());

  /** It gives the transaction no id, so the erasure does not wait for it. */
  const locked = (table: string) => holdTable(table, "share row exclusive", sql);
  const blocked = (statement: string) => untilWaiting(1, [statement], sql);

  test("finds no payload, if the erasure was first", async () => {
    const person = await delivered();
    const { api, userId, eventId, planted } = person;
    const { release } = await locked("personal_keys");
    const { Id } = await ok(api.call("POST", `/User/${userId}/Erase`));
    await blocked("delete from personal_keys");
    const redelivery = api.redeliver(eventId);
    await blocked("for update of d");
    await release();
    expect(await redelivery).toMatchObject({
      status: 409,
      body: { Errors: [expect.stringContaining("by the erasure of a person")] },
    });
    await ended(person, Id);
    expect(await foundInTables(stack, planted.values)).toEqual([]);
  });

  test("is awaited by the erasure, if the redelivery was first", async () => {
    const person = await delivered();
    const { api, userId, eventId, planted } = person;
    const { Items } = await ok(api.get("/WebhookConnection"));
    await api.connect("https://localhost:9443/", { Entities: ["User"], Events: ["Deleted"], State: "Paused" });
    const { Id } = await ok(api.call("POST", `/User/${userId}/Erase`));
    await until(
      "it to wait for the paused connection",
      async () => (await ok(api.get(`/Erasure/${Id}`))).Waiting === 1,
    );
    const before = callsOf(api).length;
    const { release } = await locked("audit_log");
    const redelivery = api.redeliver(eventId, Items[0].Id);
    await blocked("insert into audit_log");
    await setRows("deliveries", { tenant_id: api.tenantId, state: "Held" }, { state: "Cancelled" }, sql);
    await setRows("erasures", { id: Id }, { lease_until: sql`'-infinity'` }, sql);
    await notify("gatehouse_erasure", "", sql);
    await blocked("select from deliveries where event_id in");
    await release();
    expect((await redelivery).status).toBe(200);
    await ended(person, Id);
    expect(typesOf(callsOf(api).slice(before))).toEqual(["Created"]);
    expect(await foundInTables(stack, planted.values)).toEqual([]);
  });
});

test("an erasure needs the scope, an existing User, and a valid body", async () => {
  const { api, userId } = await arrange();
  const deleting = await api.withScope("AccessManager:Delete");
  expectError(await deleting.call("POST", `/User/${userId}/Erase`), 403, "Permission");
  for (const id of ["0", "999999999", "abc"]) {
    expectError(await api.call("POST", `/User/${id}/Erase`), 404, "Not Found");
  }
  expectError(await api.call("POST", `/User/${userId}/Erase`, { Deliveries: "No" }), 400, "Bad Input");
  // A User who was deleted before can be erased by the former Id.
  await ok(api.remove(`/User/${userId}`));
  const { Id } = await ok(api.call("POST", `/User/${userId}/Erase`));
  await ended({ api, userId } as Person, Id);
  expectError(await api.call("POST", `/User/${userId}/Erase`), 404, "Not Found");
  const other = await signIn(stack.url, (await newTenant(stack)).tenant);
  expect((await other.get(`/Erasure/${Id}`)).status).toBe(404);
});
