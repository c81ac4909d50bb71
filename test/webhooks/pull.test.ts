// Pull connections: a consumer asks for events and acknowledges them.

import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { TenantId } from "../../server/platform/ids.ts";
import { finished, temporal } from "../support/temporal.ts";
import { type Api, expectError, ok, unique, until } from "../world/api.ts";
import { ack, acked, arranged, asked, made, namesOf, pull } from "../world/consumer.ts";
import { fill, rowsOf } from "../world/rows.ts";
import { db, newMember, newTenant, savePolicy } from "../world/tenant.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const MAX_WAITING_PER_TENANT = 10;

/** Asks until no other request has the place. */
async function admitted<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 429) return answer;
  }
}

/** Waits until requests hold so many of the tenant's places: the others are free, and one more is refused. */
async function holdsPlaces(api: Api, id: string, count: number): Promise<void> {
  const free = MAX_WAITING_PER_TENANT - count;
  await until("the places to be taken", async () => {
    const asks = await Promise.all(Array.from({ length: free + 1 }, () => asked(api, id, "Wait=1")));
    return asks.filter(({ status }) => status === 200).length === free;
  });
}

describe.concurrent("a consumer", () => {
  test("gets the events in order, as a receiver would, and acknowledged ones are Delivered", async () => {
    const { api, Id } = await arranged(["One", "Two", "Three"], { Secret: SECRET });
    const { Items: logged } = await api.events("State=Held");
    expect(logged.map(({ Reason }) => Reason)).toEqual(Array(3).fill("not pulled yet"));

    const first = await pull(api, Id, "Limit=2");
    expect(namesOf(first)).toEqual(["One", "Two"]);
    expect(first).toMatchObject({ Waiting: 3, Gap: null, LeasedUntil: expect.any(String) });
    for (const { EventId, Headers, Body } of first.Items) {
      expect(new Webhook(SECRET).verify(Body, Headers)).toEqual(JSON.parse(Body));
      expect(Headers).toMatchObject({
        "Content-Type": "application/json",
        "webhook-id": EventId,
        "webhook-sequence": "1",
        "X-Signature": expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(JSON.parse(Body)).toEqual((await api.event(EventId)).Payload);
    }
    const [one, two] = first.Items;
    expect(await ack(api, Id, two!.EventId)).toBe(2);
    expect(namesOf(await pull(api, Id))).toEqual(["Three"]);

    const event = await api.event(one!.EventId);
    expect(event).toMatchObject({ State: "Delivered", Deliveries: [{ Attempts: [{ Number: 1, StatusCode: 200 }] }] });
    const { Items } = await api.why(one!.EventId);
    expect(Items[0]!.Reason).toMatch(/^delivered at the 1st attempt, \d+ (ms|s) after the event$/);
    const given = (await api.events("State=Held")).Items[0]!.EventId;
    expect((await api.why(given)).Items[0]!.Reason).toBe("given to a consumer, which has not acknowledged it");
  });

  test("waits for an event, and gets it at its commit", async () => {
    const { api, Id } = await arranged([]);
    expect(await pull(api, Id)).toEqual({ Items: [], LeasedUntil: null, Waiting: 0, Gap: null });
    const waiting = pull(api, Id, "Wait=50");
    await api.change({ Name: "Late" });
    expect(namesOf(await waiting)).toEqual(["Late"]);
  });

  test("of two that ask at once gets each event alone", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `Gate ${index}`);
    const { api, Id } = await arranged(names);
    const got: string[] = [];
    const consume = async () => {
      for (;;) {
        const events = await pull(api, Id, "Limit=7&Wait=1&Lease=60");
        if (events.Items.length === 0) return;
        got.push(...namesOf(events));
        await ack(api, Id, events.Items.at(-1)!.EventId);
      }
    };
    await Promise.all([consume(), consume()]);
    expect(got).toEqual(names);
  });

  test("cannot acknowledge what it did not get, and may repeat an acknowledgement", async () => {
    const { api, Id } = await arranged(["One", "Two"]);
    const [two, one] = (await api.events()).Items.map(({ EventId }) => EventId);
    expectError(await acked(api, Id, one), 400, "Bad Input", /Upto: this event was not given to a consumer yet/);
    await pull(api, Id, "Limit=1");
    expectError(await acked(api, Id, two), 400, "Bad Input", /not given/);
    expect([await ack(api, Id, one), await ack(api, Id, one)]).toEqual([1, 0]);
    expectError(
      await acked(api, Id, Bun.randomUUIDv7()),
      400,
      "Bad Input",
      /Upto: the connection has no event with this Id/,
    );
    expectError(await acked(api, Id, "²"), 400, "Bad Input", /Upto must be an EventId/);
    expectError(await acked(api, Id, undefined), 400, "Bad Input", /Upto/);
    const wrong = ["Limit=0", "Limit=201", `Limit=${"9".repeat(99)}`, "Limit=-1", "Limit=²", "Wait=51", "Wait=0.5"];
    for (const query of [...wrong, "Lease=0", "Lease=3601", "Lease=1e3", "Cursor=x", "Limit=1&Limit=2"]) {
      expectError(await asked(api, Id, query), 400, "Bad Input");
    }
  });

  test("gets nothing while the connection is paused, and everything in order afterwards", async () => {
    const { api, Id } = await arranged(["One"]);
    await api.setState(Id, "Paused");
    await api.change({ Name: "Two" });
    expect(await pull(api, Id)).toMatchObject({ Items: [], Waiting: 2 });
    expect((await api.why((await api.newestEvent()).EventId)).Items[0]!.Reason).toMatch(/^paused since /);
    const waiting = pull(api, Id, "Wait=50");
    await api.setState(Id, "Active");
    expect(namesOf(await waiting)).toEqual(["One", "Two"]);
    expect((await ok(api.get("/Redelivery"))).Items).toEqual([]);
  });

  test("learns of the events that no consumer gets", async () => {
    const { api, Id } = await arranged(["One", "Two", "Three"]);
    const { Items } = await api.events();
    const discard = { Before: Items[0]!.Timestamp };
    expect((await ok(api.call("POST", `/WebhookConnection/${Id}/Discard`, discard))).Count).toBe(2);
    const Gap = { Count: 2, From: Items[2]!.Timestamp, To: Items[1]!.Timestamp };
    const events = await pull(api, Id, "Lease=1");
    expect(events).toMatchObject({ Waiting: 1, Gap });
    expect(namesOf(events)).toEqual(["Three"]);
    expect(await pull(api, Id, "Wait=50")).toMatchObject({ Gap });
    await ack(api, Id, events.Items[0]!.EventId);
    expect((await pull(api, Id)).Gap).toBeNull();
  });

  test("does not get the data of an erased person", async () => {
    const api = await newTenant();
    const { Id } = await made(api, { Entities: ["User"], Events: ["Created", "Deleted", "Erased"] });
    const user = await api.made("User", { Username: "ana", Name: "Ana" });
    // Also while a consumer has them.
    await pull(api, Id, "Lease=1");
    const erasure = await ok(api.call("POST", `/User/${user.Id}/Erase`, { Deliveries: "Cancel" }));
    const waiting = async () => (await ok(api.get(`/Erasure/${erasure.Id}`))).Waiting;
    // The events of the erasure itself.
    await until("the search", async () => (await waiting()) === 2);
    const events = await until("the lease's end", async () => {
      const found = await pull(api, Id, "Wait=5");
      return found.Items.length > 0 && found;
    });
    expect(events.Items.map(({ Body }) => JSON.parse(Body).EventType)).toEqual(["Deleted", "Erased"]);
    expect(events.Gap).toMatchObject({ Count: 1 });
    expect(JSON.stringify(events)).not.toContain("Ana");
    await ack(api, Id, events.Items[1]!.EventId);
    await until("the end", async () => (await ok(api.get(`/Erasure/${erasure.Id}`))).State === "Completed");
  });

  test("gets an event again that is sent again, and bulk redeliveries are refused", async () => {
    const { api, Id } = await arranged(["One"]);
    const { Items } = await pull(api, Id);
    const { EventId } = Items[0]!;
    expect((await api.redeliver(EventId)).status).toBe(409);
    await ack(api, Id, EventId);
    const waiting = pull(api, Id, "Wait=50");
    await ok(api.redeliver(EventId));
    expect((await waiting).Items.map((item) => item.EventId)).toEqual([EventId]);
    expect(await ack(api, Id, EventId)).toBe(1);
    expect((await api.event(EventId)).Deliveries[0]!.Attempts.map((attempt) => attempt.Number)).toEqual([1, 2]);
    const replay = { ConnectionId: Id, From: "2020-01-01" };
    for (const [path, body] of [
      ["/Redelivery", replay],
      [`/WebhookConnection/${Id}/Ping`, undefined],
      [`/WebhookConnection/${Id}/Test`, { EventRecord: "Application", EventType: "Created" }],
      [`/WebhookConnection/${Id}/Secret`, {}],
    ] as const) {
      expectError(await api.call("POST", path, body), 409, "Conflict", /Kind Pull/);
    }
  });

  test("gets what its filter and fields leave", async () => {
    const { api, Id } = await arranged(["drop", "keep"], {
      Filter: 'resource.Name like "keep*"',
      Fields: ["Name"],
      Order: "Record",
    });
    const { Items } = await pull(api, Id);
    expect(Items.map(({ Body }) => Object.keys(JSON.parse(Body).Data))).toEqual([["Id", "Name"]]);
    expect(Items[0]!.Headers).toMatchObject({ "X-Previous-Sequence": "0" });
  });

  test("has a workflow for each change, which says so and ends", async () => {
    const { api } = await arranged(["One"]);
    const client = await temporal();
    const { WorkflowId } = await api.newestEvent();
    const handle = await until("the workflow", async () => {
      const found = client.workflow.getHandle(WorkflowId);
      return (await found.describe().catch(() => undefined)) && found;
    });
    await finished(client, WorkflowId);
    expect((await handle.describe()).status.name).toBe("COMPLETED");
    expect((await handle.fetchHistory()).events).toHaveLength(5);
    await client.connection.close();
  });

  test("does not get more than fits into an answer", async () => {
    const { api, Id } = await arranged([]);
    const many = Array.from({ length: 200 }, (_, index) => ({ Name: `${index}`, Description: "x".repeat(4_000) }));
    for (let round = 0; round < 6; round++) {
      await ok(
        api.patch(
          "/Application",
          many.map((one) => ({ ...one, Name: `${one.Name} ${round}` })),
        ),
      );
    }
    const { Items } = await pull(api, Id);
    expect(Items.length).toBeLessThan(6);
    expect(Items.length).toBeGreaterThan(1);
  });
});

describe.concurrent("a Pull connection", () => {
  test("has a Name and nothing about calls, and its Kind stays", async () => {
    const { api, Id } = await arranged([]);
    const { Name } = await api.connection(Id);
    const whole = { Kind: "Pull", Name: unique("c"), Entities: ["Application"], Events: ["Created"] };
    const refused = async (fields: object, says: RegExp) =>
      expectError(await api.call("POST", "/WebhookConnection", { ...whole, ...fields }), 400, "Bad Input", says);
    await refused({ Name: "" }, /^Name is missing/m);
    await refused({ URL: "https://localhost:9443/" }, /URL is for calls/);
    await refused({ Headers: { "X-A": "b" } }, /Headers is for calls/);
    await refused({ SignByKey: true, MaxInFlight: 3 }, /SignByKey is for calls.*\n?.*MaxInFlight is for calls/s);
    await refused({ Kind: "Push" }, /URL is missing/);
    await refused({ Kind: "Poll" }, /Kind must be Push or Pull/);
    expectError(
      await api.patch("/WebhookConnection", { Id, Kind: "Push" }),
      400,
      "Bad Input",
      /Kind cannot be changed/,
    );
    // A record can be sent back as it was read.
    const read = await api.connection(Id);
    expect(await ok(api.patch("/WebhookConnection", read))).toEqual(read);
    expect(read).toMatchObject({ Kind: "Pull", URL: "", Name });
  });

  test("gives events only to callers who may change it, and one of Kind Push gives none", async () => {
    const { api, Id } = await arranged(["One"]);
    const reader = await api.withScope("Webhooks:Read");
    expectError(await asked(reader, Id), 403, "Permission");
    const { EventId } = await api.newestEvent();
    expectError(await acked(reader, Id, EventId), 403, "Permission");
    const member = await newMember(api, "admin");
    const forbid = `forbid (principal == Client::"${member.clientId}", action == Action::"Webhooks:Update", resource);`;
    await savePolicy(api, "no pull", forbid);
    expectError(await asked(member, Id), 403, "Permission");
    expectError(await acked(member, Id, EventId), 403, "Permission");

    const stranger = await newTenant();
    expectError(await asked(stranger, Id), 404, "Not Found");
    expectError(await acked(stranger, Id, EventId), 404, "Not Found");
    const pushed = await api.connect("https://localhost:9443/", { State: "Paused" });
    expectError(await asked(api, pushed.Id), 409, "Conflict", /Kind Push/);
    const other = await made(api, { Events: ["Deleted"] });
    expectError(await acked(api, other.Id, EventId), 400, "Bad Input", /no event with this Id/);
    const entries = await made(api, { Entities: ["AuditEvent"], Events: ["Created"] });
    const unread = await api.withScope("Webhooks:Update");
    expectError(await asked(unread, entries.Id), 403, "Permission", /AuditEvent/);
    expectError(await acked(unread, entries.Id, EventId), 403, "Permission", /AuditEvent/);
    await api.disconnect(Id);
    expectError(await asked(api, Id), 404, "Not Found");
  });

  test("gives nothing to a caller whose access ends while it waits", async () => {
    const api = await newTenant();
    const [revoked, forbidden] = [await newMember(api, "admin"), await newMember(api, "admin")];
    const { Id } = await made(api);
    const waits = [revoked, forbidden].map((member) => admitted(() => asked(member, Id, "Wait=50")));
    await holdsPlaces(api, Id, waits.length);
    const { clientId: client_id, clientSecret: client_secret } = revoked;
    const token = revoked.authorization.split(" ")[1]!;
    const body = new URLSearchParams({ client_id, client_secret, token });
    expect((await fetch(`${api.url}/oauth2/revoke`, { method: "POST", body })).status).toBe(200);
    const { clientId } = forbidden;
    const forbid = `forbid (principal == Client::"${clientId}", action == Action::"Webhooks:Update", resource);`;
    await savePolicy(api, "no pull", forbid);
    await api.change({ Name: "Late" });
    expect((await Promise.all(waits)).map(({ status }) => status)).toEqual([401, 403]);
    expect(namesOf(await pull(api, Id))).toEqual(["Late"]);
  });

  test("answers HEAD without a lease, and a consumer that leaves while it waits takes none", async () => {
    const { api, Id } = await arranged([]);
    const url = `${api.url}/Endpoint/rest/api/v1/WebhookConnection/${Id}/Events`;
    const left = new AbortController();
    const options = { headers: { authorization: api.authorization }, signal: left.signal };
    const waits = Array.from({ length: MAX_WAITING_PER_TENANT }, () =>
      admitted(() => fetch(`${url}?Wait=50`, options)),
    );
    await until("the limit", async () => (await asked(api, Id, "Wait=1")).status === 429);
    left.abort();
    await Promise.allSettled(waits);
    await until("their places", async () => (await asked(api, Id, "Wait=1")).status === 200);
    await api.change({ Name: "One" });
    const head = await fetch(url, { method: "HEAD", headers: { authorization: api.authorization } });
    expect(head.status).toBe(200);
    expect(namesOf(await pull(api, Id))).toEqual(["One"]);
  });

  test("has at most ten waiting requests for each tenant", async () => {
    const { api, Id } = await arranged([]);
    const waits = Array.from({ length: MAX_WAITING_PER_TENANT }, () => admitted(() => asked(api, Id, "Wait=50")));
    const refused = await until("the limit", async () => {
      const answer = await asked(api, Id, "Wait=1");
      return answer.status === 429 && answer;
    });
    expectError(refused, 429, "Too Many Requests", /requests that wait for events/);
    const other = await newTenant();
    expect((await pull(other, (await made(other)).Id, "Wait=1")).Items).toEqual([]);
    await api.setState(Id, "Paused");
    await api.disconnect(Id);
    const statuses = (await Promise.all(waits)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([404]));
  });

  test("gives thousands of events in order", async () => {
    const { api, Id } = await arranged([]);
    const filling = { tenantId: api.tenantId as TenantId, connectionIds: [Id], spanMs: 3_600_000 };
    await fill(db(), { ...filling, events: 3_000, stateOf: () => "Held" });
    let last = 0;
    for (let got = 0; got < 3_000; ) {
      const events = await pull(api, Id, "Limit=200");
      expect(events.Waiting).toBe(3_000 - got);
      for (const { Body } of events.Items) {
        const { Id: number } = JSON.parse(Body).Data;
        expect(Number(number)).toBeGreaterThanOrEqual(last);
        last = Number(number);
      }
      got += await ack(api, Id, events.Items.at(-1)!.EventId);
    }
    expect((await pull(api, Id)).Waiting).toBe(0);
    // An acknowledged delivery was not held back.
    expect(await rowsOf("former_outcomes", { connection_id: Id })).toEqual([]);
  });
});
