// The history of one record, by filters of the activity log.

import { describe, expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { hide, READING, send } from "../world/spy.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

type Reader = Pick<Awaited<ReturnType<typeof newMember>>, "get">;

/** The newest first: the kind of change, and the number of its records. */
async function found(reader: Reader, filter: string): Promise<string[]> {
  const { Items } = await ok(reader.get(`/WebhookEvent?${filter}`));
  return Items.map((event: { EventType: string; RecordCount: number }) => `${event.EventType} ${event.RecordCount}`);
}

describe.concurrent("RecordId", () => {
  test("finds all events of a record: alone, among several, and after its deletion", async () => {
    const admin = await newTenant();
    const names = ["North", "South"].map((Name) => ({ Name }));
    const [north, south] = await ok(send(admin, "PATCH", "/Department", names));
    await ok(admin.patch("/Department", { Id: north.Id, Description: "where it is cold" }));
    await ok(
      send(admin, "PATCH", "/Department", [
        { Id: north.Id, Description: "a" },
        { Id: south.Id, Description: "b" },
      ]),
    );
    await ok(admin.patch("/Department", { Name: "East" }));
    const all = ["Updated 2", "Updated 1", "Created 2"];
    expect(await found(admin, `RecordId=${north.Id}`)).toEqual(all);
    expect(await found(admin, `RecordId=${north.Id}&EventRecord=Department`)).toEqual(all);
    expect(await found(admin, `RecordId=${north.Id}&EventType=Updated`)).toEqual(["Updated 2", "Updated 1"]);
    expect(await found(admin, `RecordId=${south.Id}`)).toEqual(["Updated 2", "Created 2"]);
    expect(await found(admin, `RecordId=${south.Id}0`)).toEqual([]);

    const pages: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page = await ok(admin.get(`/WebhookEvent?RecordId=${north.Id}&Limit=1&Cursor=${next}`));
      pages.push(...page.Items.map(({ EventType, RecordCount }: never) => `${EventType} ${RecordCount}`));
      next = page.Next;
    }
    expect(pages).toEqual(all);
    await ok(send(admin, "DELETE", `/Department/${north.Id}`, undefined));
    expect(await found(admin, `RecordId=${north.Id}`)).toEqual(["Deleted 1", ...all]);
  });

  test("distinguishes equal Ids by entity, and finds a connection's pings", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/");
    await api.ping(Id);
    const { Items } = await api.events(`RecordId=${Id.toUpperCase()}`);
    expect(Items.map(({ EventType, RecordId }) => [EventType, RecordId])).toEqual([["Ping", Id]]);
    const { Id: application } = await api.change({ Name: "Front door" });
    expect((await api.events(`RecordId=${application}&EventRecord=User`)).Items).toEqual([]);
    expect((await api.events(`RecordId=${application}&EventRecord=Application`)).Items).toHaveLength(1);
  });

  test("does not reveal hidden records' share in bulk changes", async () => {
    const admin = await newTenant();
    const spy = await newMember(admin);
    await savePolicy(admin, "Spy", `permit (principal == Client::"${spy.clientId}", action, resource);`);
    const [open, secret] = await ok(send(admin, "PATCH", "/Department", [{ Name: "Open" }, { Name: "Secret" }]));
    expect(await found(spy, `RecordId=${secret.Id}`)).toEqual(["Created 2"]);
    await hide({ admin, spy }, [{ type: "Department", id: String(secret.Id) }], READING);
    expect(await found(spy, `RecordId=${open.Id}`)).toEqual(["Created 2"]);
    expect(await found(spy, `RecordId=${secret.Id}`)).toEqual([]);
    expect(await found(admin, `RecordId=${secret.Id}`)).toEqual(["Created 2"]);
  });

  test("finds no record of another tenant", async () => {
    const [admin, stranger] = await Promise.all([newTenant(), newTenant()]);
    const [north, south] = await ok(send(admin, "PATCH", "/Department", [{ Name: "North" }, { Name: "South" }]));
    await ok(admin.patch("/Department", { Id: south.Id, Name: "Further south" }));
    for (const { Id } of [north, south]) expect(await found(stranger, `RecordId=${Id}`)).toEqual([]);
  });

  test.each(["seven", "0", "-1", "1,2", "9999999999999999", "%00", "' or true --"])("rejects %s", async (id) => {
    const { status, body } = await (await newTenant()).get(`/WebhookEvent?RecordId=${id}`);
    expect({ status, errors: body.Errors }).toEqual({ status: 400, errors: ["RecordId must be a record's Id."] });
  });
});
