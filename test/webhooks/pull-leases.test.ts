// The leases of Pull connections: events are given to one consumer at a time, and none is lost or ended by another.

import { describe, expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { ack, arranged, namesOf, pull } from "../world/consumer.ts";

describe.concurrent("a consumer", () => {
  test("gets events again after its lease, and no other consumer does before", async () => {
    const { api, Id } = await arranged(["One", "Two"]);
    const first = await pull(api, Id, "Lease=10&Limit=1");
    expect(await pull(api, Id)).toMatchObject({ Items: [], Waiting: 2 });
    const again = await pull(api, Id, "Wait=50");
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(first.LeasedUntil!) - 50);
    expect(namesOf(again)).toEqual(["One", "Two"]);
    // A late acknowledgement of the first consumer is true.
    expect(await ack(api, Id, first.Items[0]!.EventId)).toBe(1);
    expect(await ack(api, Id, again.Items[1]!.EventId)).toBe(1);
  });

  test("gets the events of a crashed one at once, after a pause", async () => {
    const { api, Id } = await arranged(["One"]);
    const crashed = await pull(api, Id, "Lease=3600");
    expect(await pull(api, Id)).toMatchObject({ Items: [], Waiting: 1 });
    for (const State of ["Paused", "Active"]) await ok(api.call("PATCH", "/WebhookConnection", { Id, State }));
    expect(namesOf(await pull(api, Id))).toEqual(["One"]);
    expect(await ack(api, Id, crashed.Items[0]!.EventId)).toBe(1);
  });

  test("keeps its events when an older acknowledgement is repeated", async () => {
    const { api, Id } = await arranged(["One", "Two"]);
    const first = await pull(api, Id);
    const [one, two] = first.Items.map(({ EventId }) => EventId);
    expect(await ack(api, Id, two)).toBe(2);
    await ok(api.call("POST", `/WebhookEvent/${one}/Redeliver`, {}));
    expect(namesOf(await pull(api, Id, "Lease=60"))).toEqual(["One"]);
    expect(await ack(api, Id, two)).toBe(0);
    expect(await pull(api, Id)).toMatchObject({ Items: [], Waiting: 1 });
    expect(await ack(api, Id, one)).toBe(1);
  });

  test("gets newer events at once when all that were leased are discarded", async () => {
    const { api, Id } = await arranged(["One"]);
    await pull(api, Id, "Lease=3600");
    await api.change({ Name: "Two" });
    const [newest] = (await api.events()).Items;
    const discard = { Before: newest!.Timestamp };
    expect((await ok(api.call("POST", `/WebhookConnection/${Id}/Discard`, discard))).Count).toBe(1);
    expect(namesOf(await pull(api, Id))).toEqual(["Two"]);
  });
});
