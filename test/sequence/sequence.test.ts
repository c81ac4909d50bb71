// Every delivery has a number that grows by one with each change of its record, in the order of commits.

import { describe, expect, test } from "bun:test";
import { type Api, until } from "../world/api.ts";
import { type Call, connected, startReceiver } from "../world/receiver.ts";
import { rowsOf, setRows } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

/** If many records have this number, the list exceeds the header's limit. */
const HIGH = 1_000_000_000;
/** This number of numbers with eleven characters and a comma fits into 3,000 characters. */
const MAX_HIGH = 272;

const sequenceOf = ({ headers }: Call) => headers.get("webhook-sequence");

async function patchAll(api: Api, entity: string, records: object[]): Promise<Record<string, unknown>[]> {
  const { status, body } = await api.call<Record<string, unknown>[]>("PATCH", `/${entity}`, records);
  expect(status).toBe(200);
  return body;
}

describe.concurrent("webhook-sequence", () => {
  test("counts a record's changes from 1, including deletion; a request without changes is not counted", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { Entities: ["Department"] });
    const numberOf = async (method: string, path: string, body?: object) => {
      const before = (await api.events("Limit=1")).Items[0]?.EventId;
      expect((await api.call(method, path, body)).status).toBe(200);
      const event = await api.settledEvent();
      if (event.EventId === before) return undefined;
      const [call] = receiver.callsFor(event.EventId);
      expect(event.Sequence).toBe(sequenceOf(call!));
      return event.Sequence;
    };
    const department = { ExternalId: "d-1", Name: "Sales" };
    expect(await numberOf("PATCH", "/Department", department)).toBe("1");
    expect(await numberOf("PATCH", "/Department", department)).toBeUndefined();
    expect(await numberOf("POST", "/Department", { ...department, Name: "Sales and more" })).toBe("2");
    expect(await numberOf("PATCH", "/Department", { ...department, Name: "Sales" })).toBe("3");
    expect(await numberOf("DELETE", "/Department/d-1?Name=ExternalId")).toBe("4");
    // A record that is made again is a new one, with a new Id.
    expect(await numberOf("PATCH", "/Department", department)).toBe("1");
    const ids = receiver.calls.map(({ payload }) => payload.Data.Id);
    expect(new Set(ids).size).toBe(2);
  });

  test("of an array is a list in the order of Data; a repeated record counts once", async () => {
    const api = await newTenant();
    await using receiver = await connected(api);
    await patchAll(api, "Application", [{ Name: "b" }, { Name: "a" }, { Name: "b", Description: "at once" }]);
    await api.change({ Name: "a", Description: "alone" });
    const names = ["a", "c", "b", "a"];
    await patchAll(
      api,
      "Application",
      names.map((Name, index) => ({ Name, Description: `${index}` })),
    );
    await until("four calls", () => receiver.calls.length === 4);
    const told = receiver.calls.map((call) => {
      const named = [call.payload.Data].flat().map(({ Name }) => Name);
      return [call.payload.EventType, named.join(), sequenceOf(call)].join(" ");
    });
    expect(told.toSorted()).toEqual(["Created b,a 1,1", "Created c 1", "Updated a 2", "Updated a,b 3,2"]);
    expect(await sequencesOf(api)).toEqual({ a: 3, b: 2, c: 1 });
  });

  test("is omitted for a list longer than 3,000 characters", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url, { Entities: ["Department"], Events: ["Updated"] });
    const records = Array.from({ length: MAX_HIGH + 1 }, (_, index) => ({ ExternalId: `d-${index}`, Name: "" }));
    await patchAll(api, "Department", records);
    await setRows("departments", { tenant_id: api.tenant.tenantId }, { sequence: HIGH });
    const renamed = records.map((record) => ({ ...record, Name: record.ExternalId }));
    await patchAll(api, "Department", renamed.slice(0, MAX_HIGH));
    const fits = await api.settledEvent();
    expect(fits.Sequence).toBe(
      Array(MAX_HIGH)
        .fill(HIGH + 1)
        .join(),
    );
    expect(sequenceOf(receiver.callsFor(fits.EventId)[0]!)).toBe(fits.Sequence!);
    await patchAll(
      api,
      "Department",
      renamed.map((record) => ({ ...record, Name: `${record.Name} again` })),
    );
    const longer = await api.settledEvent();
    expect(longer).toMatchObject({ RecordCount: MAX_HIGH + 1, State: "Delivered", Sequence: null });
    expect(receiver.callsFor(longer.EventId).map(sequenceOf)).toEqual([null]);
  });

  test("is the same at every attempt and redelivery of an event", async () => {
    const api = await newTenant();
    await using receiver = startReceiver([500, 500, 200]);
    const { Id } = await api.connect(receiver.url, { Name: "flaky", Secret: "s" });
    const created = await api.settledChange({ Name: "Gate" });
    const updated = await api.settledChange({ Name: "Gate", Description: "newer" });
    expect((await api.redeliver(created.EventId)).status).toBe(200);
    await api.settled(created.EventId);
    const replay = await api.replay({ ConnectionId: Id, States: ["Delivered"] });
    await api.endedRedelivery(replay.Id);
    expect(receiver.callsFor(created.EventId).map(sequenceOf)).toEqual(Array(5).fill("1"));
    expect(receiver.callsFor(updated.EventId).map(sequenceOf)).toEqual(Array(4).fill("2"));
  });

  test("is omitted for a ping, which has no record", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    const event = await api.settled(await api.ping(Id));
    expect(event).toMatchObject({ State: "Delivered", Sequence: null });
    expect(receiver.calls.map(sequenceOf)).toEqual([null]);
  });
});

async function sequencesOf({ tenant }: Api): Promise<Record<string, number>> {
  const own = { tenant_id: tenant.tenantId, name: ["a", "b", "c"] };
  const rows = await rowsOf<{ name: string; sequence: number }>("applications", own);
  return Object.fromEntries(rows.map(({ name, sequence }) => [name, sequence]));
}
