import { describe, expect, test } from "bun:test";
import type { EventId } from "../../server/platform/ids.ts";
import type { Api } from "../world/api.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { expire } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const HOUR_MS = 3_600_000;

describe.concurrent("the activity log", () => {
  test("is filtered by State, EventType, EventRecord and ConnectionId, alone and together", async () => {
    const api = await newTenant();
    await using sound = startReceiver();
    await using gone = startReceiver(410);
    const good = await api.connect(sound.url);
    const bad = await api.connect(gone.url, { Events: ["Updated"] });
    const created = await api.settledChange({ Name: "Gate" });
    const updated = await api.settledChange({ Name: "Gate", Description: "new" });

    const both = [updated.EventId, created.EventId];
    expect(await ids(api, "")).toEqual(both);
    expect(await ids(api, "State=Delivered")).toEqual(both);
    expect(await ids(api, "State=Exhausted")).toEqual([updated.EventId]);
    expect(await ids(api, "State=Held")).toEqual([]);
    expect(await ids(api, "EventType=Created")).toEqual([created.EventId]);
    expect(await ids(api, "EventRecord=Application")).toEqual(both);
    expect(await ids(api, "EventRecord=User")).toEqual([]);
    expect(await ids(api, `ConnectionId=${good.Id}`)).toEqual(both);
    expect(await ids(api, `ConnectionId=${bad.Id}`)).toEqual([updated.EventId]);
    expect(await ids(api, `ConnectionId=${good.Id}&State=Exhausted`)).toEqual([]);
    expect(await ids(api, `ConnectionId=${bad.Id}&State=Exhausted&EventType=Updated`)).toEqual([updated.EventId]);
    expect(await ids(api, "Reason=410")).toEqual([updated.EventId]);
    expect(await ids(api, "Reason=%20410%20")).toEqual([updated.EventId]);
    expect(await ids(api, "Reason=timeout")).toEqual([]);
    expect(await ids(api, `Reason=410&ConnectionId=${good.Id}`)).toEqual([]);
  });

  test("never shows a delivery in a state from before the attempts beside it", async () => {
    const api = await newTenant();
    await using _ = await connected(api, 200);
    const follow = async (index: number) => {
      await api.change({ Name: `Gate ${index}` });
      const { Items } = await api.events("Limit=1");
      for (;;) {
        const [delivery] = (await api.event(Items[0]!.EventId)).Deliveries;
        if (delivery!.State === "Delivered") return expect(delivery!.Attempts).toHaveLength(1);
        expect(delivery).toMatchObject({ State: "Pending", Attempts: [] });
      }
    };
    for (let round = 0; round < 5; round++) await Promise.all([0, 1, 2, 3].map((lane) => follow(4 * round + lane)));
  });

  test("is filtered by time: From is inclusive, To is exclusive", async () => {
    const api = await newTenant();
    await api.change({ Name: "Gate" });
    const event = await api.newestEvent();
    const at = event.Timestamp;
    const later = new Date(Date.parse(at) + 1).toISOString();
    expect(await ids(api, `From=${at}`)).toEqual([event.EventId]);
    expect(await ids(api, `From=${later}`)).toEqual([]);
    expect(await ids(api, `To=${at}`)).toEqual([]);
    expect(await ids(api, `To=${later}`)).toEqual([event.EventId]);
    expect(await ids(api, `From=${at}&To=${later}`)).toEqual([event.EventId]);
    expect(await ids(api, `From=${at.slice(0, 10)}`)).toEqual([event.EventId]);
    const inIndia = (date: string) => new Date(Date.parse(date) + 5.5 * HOUR_MS).toISOString().replace("Z", "+05:30");
    for (const written of [encodeURIComponent, (text: string) => text]) {
      expect(await ids(api, `From=${written(inIndia(at))}`)).toEqual([event.EventId]);
      expect(await ids(api, `From=${written(inIndia(later))}`)).toEqual([]);
    }
  });

  test("is filtered by Last up to now, with consistent pages", async () => {
    const api = await newTenant();
    for (let index = 1; index <= 3; index++) await api.change({ Name: `Gate ${index}` });
    const [newest, second, old] = await ids(api, "");
    await expire("events", { id: old! }, "occurred_on", "2 hours");
    expect(await ids(api, "Last=15m")).toEqual([newest!, second!]);
    expect(await ids(api, "Last=3h")).toEqual([newest!, second!, old!]);
    expect(await ids(api, `Last=3h&From=${new Date(Date.now() - HOUR_MS).toISOString()}`)).toEqual([newest!, second!]);
    const first = await api.events("Last=1h&Limit=1");
    const next = await api.events(`Last=1h&Limit=1&Cursor=${first.Next}`);
    expect(next.Items.map(({ EventId }) => EventId)).toEqual([second!]);
    expect(next.Next).toBeNull();
  });

  test("is paged by cursor, newest first, each event once, also while new ones arrive", async () => {
    const api = await newTenant();
    for (let index = 1; index <= 5; index++) await api.change({ Name: `Gate ${index}` });
    const all = await ids(api, "");
    expect(all).toHaveLength(5);
    const first = await api.events("Limit=2");
    await api.change({ Name: "Gate 6" });
    const second = await api.events(`Limit=2&Cursor=${first.Next}`);
    const third = await api.events(`Limit=2&Cursor=${second.Next}`);
    const paged = [first, second, third].flatMap((page) => page.Items.map((event) => event.EventId));
    expect(paged).toEqual(all);
    expect(third.Next).toBeNull();
    expect((await api.events("Limit=6")).Next).toBeNull();
  });

  test.each([
    ["State=delivered", "State must be one of"],
    ["EventType=Changed", "EventType must be one of"],
    ["ConnectionId=7", "ConnectionId must be"],
    ["From=yesterday", "From must be a date"],
    ["Last=1y", "Last must be a time such as 15m, 24h or 7d."],
    ["Last=0m", "Last must be a time"],
    ["Reason=Not%20there", "Reason must be a status such as 503, or one of dns, blocked-address, refused"],
    ["Reason=time-out", "Reason must be a status"],
    ["Reason=666", "Reason must be a status"],
    ["OutcomeFrom=2026-02-01&OutcomeTo=2026-01-31", "OutcomeFrom must be before OutcomeTo."],
    ["To=2026-13-01", "To must be a date"],
    ["From=2026-02-30", "From must be a date"],
    ["To=2026-02-30T12:00:00Z", "To must be a date"],
    ["From=2026-01-31T25:00:00Z", "From must be a date"],
    ["From=2026-01-31T12:00:00", "From must be a date"],
    ["From=2026-01-31nonsense", "From must be a date"],
    ["From=0000-01-01", "From must be a date"],
    ["Limit=0", "Limit must be"],
    ["Limit=201", "Limit must be"],
    ["Limit=ten", "Limit must be"],
    ["Cursor=nonsense", "Cursor is not from this list"],
    ["Sate=Held", "Sate is not a filter. Filters are Limit, Cursor, EventRecord, RecordId, EventType"],
    [
      "EventRecord=Foo",
      "EventRecord must be one of Application, User, Department, Group, Invitation, Alert, AuditEvent, WebhookConnection.",
    ],
    ["State=Held&State=Pending", "State is repeated in the query"],
  ])("rejects %s", async (filter, reason) => {
    const api = await newTenant();
    const { status, body } = await api.call<{ Type: string; Errors: string[] }>("GET", `/WebhookEvent?${filter}`);
    expect(status).toBe(400);
    expect(body.Type).toBe("/Errors/Bad Input");
    expect(body.Errors.join(" ")).toContain(reason);
  });

  test("contains no event of another tenant", async () => {
    const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
    const connection = await api.connect("https://localhost:8443/");
    await api.change({ Name: "Gate" });
    const { EventId } = await api.newestEvent();
    expect((await stranger.call("GET", `/WebhookEvent/${EventId}`)).status).toBe(404);
    expect(await ids(stranger, "")).toEqual([]);
    expect(await ids(stranger, `ConnectionId=${connection.Id}`)).toEqual([]);
    expect((await api.call("GET", "/WebhookEvent/nonsense")).status).toBe(404);
  });
});

async function ids(api: Api, filter: string): Promise<EventId[]> {
  return (await api.events(filter)).Items.map((event) => event.EventId);
}
