// The contents of a connection's events: some fields, the names of changed fields, and their former values.

import { describe, expect, test } from "bun:test";
import { isSignedWith } from "../../examples/receiver/verify.ts";
import { expectError, ok, until } from "../world/api.ts";
import { type Call, type Receiver, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const HOOK = "https://hooks.example/";

/** The payload with its fields in their order. */
const shapeOf = ({ payload }: Call) => JSON.parse(JSON.stringify(payload)) as Record<string, unknown>;

async function updates(receiver: Receiver, count = 1): Promise<Call[]> {
  return until("the updates", () => {
    const found = receiver.calls.filter(({ payload }) => payload.EventType === "Updated");
    return found.length === count && found;
  });
}

describe.concurrent("a connection", () => {
  test("gets the chosen fields, the names of changed ones and their former values, as version 1.1", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await using plain = startReceiver();
    const Secret = "hunter2";
    await api.connect(receiver.url, { Fields: ["Name", "Is_Active"], ChangedFields: true, Previous: true, Secret });
    await api.connect(plain.url);
    const { Id } = await api.change({ Name: "Gate", Description: "first" });
    await api.change({ Id, Name: "Door", Description: "second" });
    const [call] = await updates(receiver);
    const [before] = await updates(plain);
    expect(Object.keys(shapeOf(call!))).toEqual([
      ...["TenantId", "EventType", "EventId", "Version", "Timestamp", "EventRecord", "EventResponse", "Data"],
      ...["ChangedFields", "Previous"],
    ]);
    expect(shapeOf(call!)).toMatchObject({
      ...{ Version: "1.1", EventResponse: "Object", Data: { Id, Name: "Door", Is_Active: false } },
      ...{ ChangedFields: ["Name", "Description"], Previous: { Name: "Gate" } },
    });
    expect(Object.keys(call!.payload.Data)).toEqual(["Id", "Name", "Is_Active"]);
    expect(isSignedWith(Secret, call!.bytes, call!.headers.get("x-signature"))).toBe(true);
    expect(shapeOf(before!)).toMatchObject({ Version: "1.0", Data: { Description: "second" } });
    expect(shapeOf(before!)).not.toHaveProperty("Previous");
    // Created has neither.
    const [made] = receiver.calls;
    expect(Object.keys(shapeOf(made!)).at(-1)).toBe("Data");
    expect(shapeOf(made!)).toMatchObject({ Version: "1.1" });
  });

  test("names all changed fields but those that each change sets", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { ChangedFields: true, Previous: true });
    const { Id: parent } = await api.change({ Name: "Parent" });
    const { Id } = await api.change({ Name: "Gate" });
    await api.change({ Id, Is_Active: true, ApplicationId: { Id: parent } });
    const [call] = await updates(receiver);
    expect(shapeOf(call!).ChangedFields).toEqual(["Is_Active"]);
    expect(shapeOf(call!).Previous).toEqual({ Is_Active: false });
  });

  test("gets thin events, in a bulk change too, whose records keep their places", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { Fields: ["Id"], ChangedFields: true, Events: ["Updated"] });
    const [one, two] = await ok(api.patch("/Application", [{ Name: "one" }, { Name: "two" }]));
    await ok(
      api.patch("/Application", [
        { Id: one.Id, Description: "changed" },
        { Id: two.Id, Is_Active: true },
      ]),
    );
    const [call] = await updates(receiver);
    expect(call!.payload.Data as unknown).toEqual([{ Id: one.Id }, { Id: two.Id }]);
    expect(shapeOf(call!).ChangedFields).toEqual([["Description"], ["Is_Active"]]);
  });

  test("keeps its form in all attempts and redeliveries, whatever its settings are then", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([500, 200]);
    const { Id } = await api.connect(receiver.url, { Fields: ["Name"], Previous: true, Events: ["Updated"] });
    const { Id: gate } = await api.change({ Name: "Gate" });
    await api.change({ Id: gate, Name: "Door" });
    await until("the first", () => receiver.calls.length === 1);
    await api.connect(receiver.url, { Id, Fields: null, Previous: false, Events: ["Updated"] });
    const event = await api.settledEvent();
    await api.redeliver(event.EventId);
    await until("three", () => receiver.calls.length === 3);
    const [first, ...others] = receiver.calls;
    for (const other of others) expect(other.bytes).toEqual(first!.bytes);
    expect(shapeOf(first!)).toMatchObject({ Data: { Name: "Door" }, Previous: { Name: "Gate" } });
  });

  test("is tested with calls in its form", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { Fields: ["Name"], ChangedFields: true, Previous: true });
    await ok(api.call("POST", `/WebhookConnection/${Id}/Test`, { EventRecord: "Application", EventType: "Updated" }));
    await api.ping(Id);
    await until("both", () => receiver.calls.length === 2);
    const tested = receiver.calls.map(shapeOf).find(({ Test }) => Test)!;
    expect(tested).toMatchObject({ Version: "1.1", ChangedFields: ["Name"], Previous: { Name: expect.any(String) } });
    expect(Object.keys(tested).at(-1)).toBe("Test");
    expect(receiver.calls.map(shapeOf).find(({ EventType }) => EventType === "Ping")).toMatchObject({ Version: "1.0" });
  });

  test("gets both Ids of an erased person, whose former values are no longer stored", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const Events = ["Updated", "Erased"];
    const options = { Entities: ["User"], Events, Fields: ["Name"], Previous: true, ChangedFields: true };
    await api.connect(receiver.url, options);
    const { Id } = await api.made("User", { Username: "ana", Name: "Ana Before", External_Id: "HR-7" });
    await api.made("User", { Id, Name: "Ana After" });
    const updated = await api.settledEvent();
    await ok(api.call("POST", `/User/${Id}/Erase`, { Deliveries: "Send" }));
    await until("the erasure", () => receiver.calls.length === 2);
    expect(shapeOf(receiver.calls[1]!)).toMatchObject({ EventType: "Erased", Data: { Id, External_Id: "HR-7" } });
    await until("its end", async () => (await api.event(updated.EventId)).Payload === null);
    await api.redeliver(updated.EventId);
    expect(receiver.calls).toHaveLength(2);
  });
});

test("Fields are those of the connection's entities, and of none other", async () => {
  const api = await newTenant();
  const add = (fields: object) =>
    api.patch("/WebhookConnection", { URL: HOOK, Entities: ["Application"], Events: ["Created"], ...fields });
  const refused = async (fields: object, says: RegExp) => expectError(await add(fields), 400, "Bad Input", says);
  await refused({ Fields: ["Name", "Email"] }, /Fields: no Application has the field Email/);
  await refused({ Entities: ["Application", "Department"], Fields: ["Email"] }, /no Application or Department has/);
  await refused({ Fields: "Name" }, /Fields must be a list of at most 100 field names, or null/);
  await refused({ Fields: ["a b"] }, /Fields must be/);
  await refused({ Previous: "yes" }, /Previous must be true or false/);
  const made = await ok(add({ Fields: [] }));
  expect(made.Fields).toBeNull();
  expect((await ok(add({ Entities: ["Application", "User"], Fields: ["Email", "Email"] }))).Fields).toEqual(["Email"]);
});
