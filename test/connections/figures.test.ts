// A connection's state and history in the API.

import { describe, expect, test } from "bun:test";
import type { TenantId } from "../../server/platform/ids.ts";
import { type Api, expectError, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { startReceiver } from "../world/receiver.ts";
import { fill } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

interface Window {
  Places: number;
  Out: number;
  Waiting: number;
  Quick: boolean;
}

interface Status {
  UnderWay: number | null;
  Queued: number | null;
  Held: number | null;
  OldestOn: string | null;
  Probes: number;
  NextProbeOn: string | null;
  Windows: Window[] | null;
}

interface Slice {
  From: string;
  To: string;
  Delivered: number;
  Exhausted: number;
  Open: number;
  P50Ms: number | null;
  P95Ms: number | null;
}

async function read<Body>(api: Api, id: string, what: string): Promise<Body> {
  const { status, body } = await api.get(`/WebhookConnection/${id}/${what}`);
  expect({ status, body }).toEqual({ status: 200, body });
  return body as Body;
}
const statusOf = (api: Api, id: string) => read<Status>(api, id, "Status");
const slicesOf = async (api: Api, id: string, last: string) =>
  (await read<{ Slices: Slice[] | null }>(api, id, `Statistics?Last=${last}`)).Slices;

describe.concurrent("of a connection", () => {
  test("its status shows the worker's window, and that nothing waits", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    await api.settledChange({ Name: "Gate" });
    // The worker may have told of its window before the receiver answered.
    const status = await until("a worker to tell of an empty window", async () => {
      const found = await statusOf(api, Id);
      return found.Windows!.length > 0 && found.Windows![0]!.Out === 0 && found;
    });
    expect(status).toEqual({
      ...{ ConnectionId: Id, State: "Active", UnderWay: 0, Queued: 0, Held: 0, OldestOn: null },
      ...{ Exhausted: 0, ExhaustedSince: null, Probes: 0, NextProbeOn: null, Windows: status.Windows },
    } as never);
    const [window] = status.Windows!;
    expect(window).toEqual({ Places: expect.any(Number), Out: 0, Waiting: 0, Quick: expect.any(Boolean) } as never);
    expect(window!.Places).toBeGreaterThanOrEqual(1);
  });

  test("its status shows what a hanging receiver keeps in flight, and what is queued", async () => {
    const api = await newTenant();
    let isFree = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    await using receiver = startReceiver(async () => {
      if (!isFree) await promise;
      return 200;
    });
    const { Id } = await api.connect(receiver.url, { MaxInFlight: 1, TimeoutMs: 30_000 });
    for (const Name of ["One", "Two", "Three"]) await api.change({ Name: `${Name} ${Id}` });
    const { Items } = await api.events();
    const oldest = Items.at(-1)!;
    await until("one to be out and two behind it", async () => {
      const { UnderWay, Queued, OldestOn } = await statusOf(api, Id);
      return UnderWay === 1 && Queued === 2 && OldestOn === oldest.Timestamp;
    });
    isFree = true;
    resolve();
    await until("nothing to wait", async () => {
      const { UnderWay, Queued } = await statusOf(api, Id);
      return UnderWay === 0 && Queued === 0;
    });
  });

  test("the oldest of two waiting events counts, in its status and on Overview", async () => {
    const [api, other] = await Promise.all([newTenant(), newTenant()]);
    const HOUR_MS = 3_600_000;
    for (const [tenant, hours] of [
      [api, 6],
      [other, 20],
    ] as const) {
      const { Id } = await tenant.connect("https://localhost:9443/", { State: "Paused" });
      const old = { tenantId: tenant.tenantId as TenantId, connectionIds: [Id], events: 2, spanMs: hours * HOUR_MS };
      await fill(db(), { ...old, stateOf: () => "Held" });
      const oldest = (await tenant.events()).Items.at(-1)!;
      expect(await statusOf(tenant, Id)).toMatchObject({ Held: 2, OldestOn: oldest.Timestamp });
      const visitor = new Visitor(issuer());
      const door = await visitor.open(`/settings?organisation=${tenant.tenantId}`);
      await visitor.submit(door, tenant.tenant.admin);
      const words = `Paused: 2 deliveries wait, the oldest for ${hours} h`;
      expect((await visitor.open("/settings")).html.replace(/<[^>]+>/g, "")).toContain(words);
      expect((await visitor.open("/settings/webhooks")).html.replace(/<[^>]+>/g, "")).toContain(`oldest ${hours} h`);
    }
  });

  test("its status shows the next probe while it is Held, and only then", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(410);
    const { Id } = await api.connect(receiver.url);
    await api.change({ Name: "Gate" });
    const held = await until("it to be Held", async () => {
      const found = await statusOf(api, Id);
      return found.NextProbeOn !== null && found;
    });
    expect(Date.parse(held.NextProbeOn!)).toBeGreaterThan(Date.now() - 60_000);
    await api.setState(Id, "Paused");
    expect(await statusOf(api, Id)).toMatchObject({ State: "Paused", NextProbeOn: null, Probes: 0 });
  });

  test.each([
    ["24h", 24, 3_600_000],
    ["7d", 28, 6 * 3_600_000],
  ])("its statistics of %s have %d slices with outcomes and response times", async (last, count, sliceMs) => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload }) => (payload.EventType === "Deleted" ? 500 : 200));
    const { Id } = await api.connect(receiver.url);
    const { Id: gate } = await api.change({ Name: "Gate" });
    await api.settledEvent();
    await api.remove(`/Application/${gate}`);
    await api.settledEvent();
    const slices = (await slicesOf(api, Id, last))!;
    expect(slices).toHaveLength(count);
    for (const { From, To } of slices) expect(Date.parse(To) - Date.parse(From)).toBe(sliceMs);
    for (const [index, { To }] of slices.slice(0, -1).entries()) expect(slices[index + 1]!.From).toBe(To);
    const sum = (of: (one: Slice) => number) => slices.reduce((total, one) => total + of(one), 0);
    expect([sum((one) => one.Delivered), sum((one) => one.Exhausted), sum((one) => one.Open)]).toEqual([1, 1, 0]);
    const answered = slices.filter(({ P50Ms }) => P50Ms !== null);
    expect(answered.length).toBeGreaterThan(0);
    for (const { P50Ms, P95Ms } of answered) {
      expect(P50Ms).toBeGreaterThanOrEqual(0);
      expect(P95Ms).toBeGreaterThanOrEqual(P50Ms!);
    }
  });

  test("its figures need permission to read every event", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url);
    const { EventId } = await api.settledChange({ Name: "Gate" });
    const Policy = `forbid (principal, action, resource == WebhookEvent::"${EventId}");`;
    expect((await api.patch("/Policy", { Name: "One event", Policy })).status).toBe(200);
    const told = { UnderWay: null, Queued: null, Held: null, OldestOn: null, Exhausted: null, Windows: null };
    expect(await statusOf(api, Id)).toMatchObject(told);
    expect(await slicesOf(api, Id, "24h")).toBeNull();
  });

  test("another period, or an unknown connection, is rejected", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/");
    const path = `/WebhookConnection/${Id}/Statistics`;
    expectError(await api.get(`${path}?Last=1h`), 400, "Bad Input", /Last must be one of 24h, 7d/);
    await api.disconnect(Id);
    for (const what of ["Status", "Statistics"]) {
      expect((await api.get(`/WebhookConnection/${Id}/${what}`)).status).toBe(404);
    }
  });
});
