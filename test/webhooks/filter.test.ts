// Filters of connections: only matching changes are sent, a failing filter never drops one, and a trial comes first.

import { describe, expect, test } from "bun:test";
import { type Api, expectError, ok, until } from "../world/api.ts";
import { type Call, startReceiver } from "../world/receiver.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

const HOOK = "https://hooks.example/";
const RENAMED_TO_KEEP = 'resource.Name like "keep*" && context.changed.contains("Name")';
/** Any Id but 0 is too large for it. */
const OVERFLOWS = "resource.Id * 9223372036854775807 > 0";

const namesIn = (calls: Call[]) => calls.map(({ payload }) => payload.Data.Name);
const tryFilter = (api: Api, id: string, Filter: string | null) =>
  api.call("POST", `/WebhookConnection/${id}/TryFilter`, { Filter });

describe.concurrent("a connection with a filter", () => {
  test("gets only matching changes, and the log says why the others were not sent", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await using all = startReceiver();
    const { Id } = await api.connect(receiver.url, { Filter: RENAMED_TO_KEEP });
    await api.connect(all.url);
    const { Id: gate } = await api.change({ Name: "keep at first" });
    const created = await api.newestEvent();
    await api.change({ Id: gate, Name: "other" });
    await api.change({ Id: gate, Name: "keep again" });
    const sent = await api.settledEvent();
    await api.change({ Id: gate, Description: "not renamed" });
    await until("the others", () => all.calls.length === 4);
    expect(namesIn(receiver.calls)).toEqual(["keep again"]);
    const [call] = receiver.calls;
    // The default form, byte for byte.
    expect(call!.bytes).toEqual(all.callsFor(sent.EventId)[0]!.bytes);
    expect(call!.headers.get("x-previous-sequence")).toBeNull();
    const { Items } = await api.why(created.EventId, `ConnectionId=${Id}`);
    expect(Items).toMatchObject([{ Outcome: "Filtered", Reason: "its filter did not match", DeliveryId: null }]);
  });

  test("knows the state before, the kind of change, and the last state of a deleted record", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const Filter = `
      context has before && context.before.Is_Active && !resource.Is_Active // switched off
      || context.event == "Deleted" && resource.Name == "Gate"`;
    await api.connect(receiver.url, { Filter });
    const { Id } = await api.change({ Name: "Gate", Is_Active: true });
    await api.change({ Id, Is_Active: false });
    await ok(api.remove(`/Application/${Id}`));
    await api.settledEvent();
    await until("two", () => receiver.calls.length === 2);
    expect(receiver.calls.map(({ payload }) => payload.EventType)).toEqual(["Updated", "Deleted"]);
  });

  test("gets the matching records of a bulk change, with their sequences", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { Filter: 'resource.Name like "keep*"', Secret: "hunter2" });
    await api.change({ Name: "keep 2", Description: "is there before" });
    const names = ["drop 1", "keep 1", "keep 2"];
    await ok(
      api.patch(
        "/Application",
        names.map((Name) => ({ Name, Description: "now" })),
      ),
    );
    const three = await until("the calls", () => receiver.calls.length === 3 && receiver.calls);
    const arrays = three.filter(({ payload }) => Array.isArray(payload.Data));
    const [made] = arrays as unknown as { payload: { Data: { Name: string }[]; EventResponse: string } }[];
    expect(arrays).toHaveLength(1);
    expect(made!.payload.EventResponse).toBe("Array");
    expect(made!.payload.Data.map(({ Name }) => Name)).toEqual(["keep 1"]);
    expect(arrays[0]!.headers.get("webhook-sequence")).toBe("1");
  });

  test("with Order Record gets the number before each gap", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload, count }) =>
      payload.Data.Name === "keep 4" && count < 3 ? 500 : 200,
    );
    await api.connect(receiver.url, { Filter: 'resource.Name like "keep*"', Order: "Record" });
    const { Id } = await api.change({ Name: "keep 1" });
    for (const Name of ["2", "3", "keep 4", "keep 5", "6"]) await api.change({ Id, Name });
    await api.change({ Id, Name: "keep 7" });
    await ok(api.remove(`/Application/${Id}`));
    await until("all", () => receiver.calls.length === 7);
    const told = receiver.calls.map(({ headers }) => {
      return `${headers.get("x-previous-sequence")} ${headers.get("webhook-sequence")}`;
    });
    expect(told).toEqual(["0 1", "1 4", "1 4", "1 4", "4 5", "5 7", "7 8"]);
  });

  test("that fails at a change gets it, and raises an alert until the filter is replaced", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { Filter: OVERFLOWS });
    const [one, two] = await Promise.all([api.change({ Name: "one" }), api.change({ Name: "two" })]);
    await until("both", () => receiver.calls.length === 2);
    const alerts = async () => (await api.get("/Alert")).body.Items;
    const [alert] = await until("the alert", async () => (await alerts()).length === 1 && alerts());
    expect(alert).toMatchObject({ Kind: "FilterFailed", ConnectionId: Id, State: "Open" });
    expect(alert.Reason).toMatch(/^the filter failed at the event [\da-f-]{36}, which was sent$/);
    expect([one, two].map(({ Name }) => Name)).toEqual(["one", "two"]);
    await api.connect(receiver.url, { Id, Filter: null });
    await until("its end", async () => (await alerts())[0].State === "Ended");
  });

  test("that fails at many changes at once delays none of them", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { Filter: OVERFLOWS, Entities: ["Department"], Events: ["Deleted"] });
    const made = await ok(
      api.call(
        "POST",
        "/Department",
        Array.from({ length: 10 }, (_, n) => ({ Name: `${n}` })),
      ),
    );
    const gone = await Promise.all((made as { Id: number }[]).map(({ Id }) => api.remove(`/Department/${Id}`)));
    expect(gone.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await until("all", () => receiver.calls.length === 10);
  });

  test("never withholds the erasure of a person", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const Filter = 'resource.Name == "other"';
    await api.connect(receiver.url, { Filter, Entities: ["User"], Events: ["Created", "Deleted", "Erased"] });
    const { Id } = await api.made("User", { Username: "ana", Name: "Ana" });
    await ok(api.call("POST", `/User/${Id}/Erase`, {}));
    await until("both", () => receiver.calls.length === 2);
    expect(receiver.calls.map(({ payload }) => payload.EventType).toSorted()).toEqual(["Deleted", "Erased"]);
    expect((await api.get("/Alert")).body.Items).toEqual([]);
  });
});

describe.concurrent("a filter", () => {
  test("is tried on stored events before it is saved", async () => {
    const api = await newTenant();
    const { Id } = await api.connect(HOOK, { State: "Paused" });
    for (const Name of ["keep 1", "drop 1", "keep 2"]) await api.change({ Name });
    await api.made("Department", { Name: "keep out" });
    const tried = await ok(tryFilter(api, Id, 'resource.Name like "keep*"'));
    expect(tried).toMatchObject({ Tried: 3, Sent: 2, Failed: 0 });
    expect(tried.Events).toHaveLength(2);
    expect((await api.event(tried.Events[0].EventId)).Payload).toMatchObject({ Data: { Name: "keep 2" } });
    expect(await ok(tryFilter(api, Id, null))).toMatchObject({ Tried: 3, Sent: 3 });
    expect((await api.connection(Id)) as object).toMatchObject({ Filter: null });

    expect(await ok(tryFilter(api, Id, OVERFLOWS))).toMatchObject({ Sent: 3, Failed: 3 });
    const saved = await api.patch("/WebhookConnection", { Id, Filter: OVERFLOWS });
    expectError(saved, 400, "Bad Input", /Filter: it fails for 3 of the last 3 events/);
  });

  test("is tried again when the connection gets more events", async () => {
    const api = await newTenant();
    const { Id } = await api.connect(HOOK, { State: "Paused", Events: ["Deleted"], Filter: OVERFLOWS });
    await api.change({ Name: "created" });
    const wider = await api.patch("/WebhookConnection", { Id, Events: ["Created", "Deleted"] });
    expectError(wider, 400, "Bad Input", /Filter: it fails for 1 of the last 1 events/);
    await ok(api.patch("/WebhookConnection", { Id, Events: ["Deleted"], Description: "unchanged" }));
  });

  test("is tried on the newest events with at most 2,000 records together", async () => {
    const api = await newTenant();
    const { Id } = await api.connect(HOOK, { State: "Paused" });
    const many = Array.from({ length: 900 }, (_, n) => ({ Name: `keep ${n}` }));
    for (const Description of ["1", "2", "3"]) {
      await ok(
        api.call(
          "POST",
          "/Application",
          many.map((one) => ({ ...one, Description })),
        ),
      );
    }
    expect(await ok(tryFilter(api, Id, 'resource.Name like "keep*"'))).toMatchObject({ Tried: 2, Sent: 2, Failed: 0 });
    const one = await Promise.all(Array.from({ length: 20 }, () => tryFilter(api, Id, null)));
    expect(new Set(one.map(({ status }) => status))).toEqual(new Set([200, 429]));
  });

  test.each([
    ["an unknown attribute", "resource.Nam == 1", /line 1, column 1: attribute `Nam` on entity type `Application` not/],
    ["a wrong type", "true &&\nresource.Name", /Filter: line 2/],
    ["an unguarded state before", "context.before.Name == resource.Name", /try testing for the attribute's presence/],
    ["a second statement", "true }; permit (principal, action, resource) when { true", /Write one expression/],
    ["a second condition", "true } unless { false", /Write one expression/],
    ["never true", "false", /evaluates to false for all valid requests/],
    ["another kind's attribute", 'resource.Kind == "Backlog"', /attribute `Kind`/],
    ["too costly", Array(25).fill('resource.Description like "*a*b*c*d*"').join("||"), /steps; the limit is 500/],
    ["too deep", `${"(".repeat(40)}true${")".repeat(40)}`, /nest brackets at most 30 deep/],
    ["too long", "x".repeat(1_001), /has 1001 characters; the limit is 1000/],
    ["no text", 7, /Filter must be a Cedar expression/],
  ])("is refused by its field: %s", async (_, Filter, says) => {
    const api = await newTenant();
    const connection = { URL: HOOK, Entities: ["Application"], Events: ["Created"], Filter };
    expectError(await api.patch("/WebhookConnection", connection), 400, "Bad Input", says);
  });

  test("must fit the entities, also when these change", async () => {
    const api = await newTenant();
    const { Id } = await api.connect(HOOK, { Filter: 'resource.ApplicationKey == "a"' });
    const both = ["Application", "User"];
    expectError(await api.patch("/WebhookConnection", { Id, Entities: both }), 400, "Bad Input", /ApplicationKey/);
    const Filter = 'resource is User || resource.ApplicationKey == "a"';
    await api.connect(HOOK, { Id, Entities: both, Filter });
  });

  test("belongs to at most 20 connections of a tenant", async () => {
    const api = await newTenant();
    const add = (Filter: string | null) =>
      api.patch("/WebhookConnection", { URL: HOOK, Entities: ["Application"], Events: ["Created"], Filter });
    for (let index = 0; index < 20; index++) await ok(add("resource.Is_Active"));
    expectError(await add("resource.Is_Active"), 409, "Conflict", /20 connections with a Filter/);
    await ok(add(null));
  });

  test("reveals nothing in a trial that its caller may not read", async () => {
    const admin = await newTenant();
    const spy = await newMember(admin);
    await savePolicy(admin, "Spy", `permit (principal == Client::"${spy.clientId}", action, resource);`);
    const { Id } = await admin.connect(HOOK, { State: "Paused" });
    const { Id: hidden } = await admin.change({ Name: "hidden", Description: "secret word" });
    await admin.change({ Id: hidden, Name: "shown since", Description: "" });
    await admin.change({ Name: "seen", Description: "other" });
    await savePolicy(
      admin,
      "Hidden",
      `forbid (principal == Client::"${spy.clientId}", action, resource is Application) when { resource.Name == "hidden" };`,
    );
    // The client of the spy has a record too.
    const words = 'resource.Description like "*secret*"';
    await until("the policy", async () => {
      const { body } = await tryFilter(spy, Id, words);
      return body.Tried === 3 && body.Sent === 0;
    });
    expect(await ok(tryFilter(admin, Id, words))).toMatchObject({ Tried: 4, Sent: 1 });
    const formerly = 'context has before && context.before.Description like "*secret*"';
    expect(await ok(tryFilter(spy, Id, formerly))).toMatchObject({ Tried: 3, Sent: 0 });
    expect(await ok(tryFilter(admin, Id, formerly))).toMatchObject({ Tried: 4, Sent: 1 });
  });

  test("is tried only by callers who may change the connection, in their tenant", async () => {
    const api = await newTenant();
    const { Id } = await api.connect(HOOK);
    const stranger = await newTenant();
    expectError(await tryFilter(stranger, Id, null), 404, "Not Found");
    expectError(await tryFilter(await api.withScope("Webhooks:Read"), Id, null), 403, "Permission");
    expectError(
      await api.call("POST", `/WebhookConnection/${Id}/TryFilter`, {}),
      400,
      "Bad Input",
      /Filter is missing/,
    );
  });
});
