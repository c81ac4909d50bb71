// A connection's secret changes with proof: staged, proven by a ping, then current, while the former one signs too for
// a while.

import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { isSignedWith } from "../../examples/receiver/verify.ts";
import { createVault } from "../../server/platform/vault.ts";
import { removeFormerSecrets } from "../../server/webhooks/connections/secret-rotation.store.ts";
import { closeOpenDelivery } from "../../server/webhooks/deliveries/store.ts";
import { type Api, until } from "../world/api.ts";
import { type Call, type Receiver, startReceiver } from "../world/receiver.ts";
import { rowsOf } from "../world/rows.ts";
import { db, newTenant, setting } from "../world/tenant.ts";

const OLD = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

interface Rotation {
  State: string;
  StagedOn: string | null;
  OverlapSeconds: number | null;
  Proof: { EventId: string; State: string; Reason: string | null } | null;
  FormerUntil: string | null;
}

describe.concurrent("a new secret", () => {
  test("is in force after a ping signed with it alone got 2xx; the former one signs beside it until it expires", async () => {
    const story = await begin();
    await using receiver = story.receiver;
    const staged = await story.stage({ Secret: NEW, OverlapSeconds: 3 });
    expect(staged).toMatchObject({ State: "Staged", OverlapSeconds: 3, Proof: null, FormerUntil: null, Secret: null });
    expect(signersOf(await story.change())).toEqual({ spec: "old", standard: ["old", "new"] });

    const proving = await story.prove();
    expect(proving).toMatchObject({ State: "Proving", Proof: { Reason: null } });
    const overlap = await story.reaches("Overlap");
    expect(overlap).toMatchObject({ StagedOn: null, OverlapSeconds: null, Proof: null });
    const [ping] = receiver.callsFor(proving.Proof!.EventId);
    expect(signersOf(ping!)).toEqual({ spec: "new", standard: ["new"] });
    expect(signersOf(await story.change())).toEqual({ spec: "new", standard: ["new", "old"] });

    await until("the overlap to end", () => Date.now() > Date.parse(overlap.FormerUntil!));
    await story.reaches("InForce");
    expect(signersOf(await story.change())).toEqual({ spec: "new", standard: ["new"] });
    expect(await sealed(story.id)).toMatchObject({ former: expect.any(Buffer) });
    await removeFormerSecrets(db());
    expect(await sealed(story.id)).toMatchObject({ former: null, staged: null });
  });

  test("unknown to the receiver leaves the old one in force with a reason, and can be tried again", async () => {
    let knows = OLD;
    const story = await begin((call) =>
      isSignedWith(knows, call.bytes, call.headers.get("x-signature")!) ? 200 : 401,
    );
    await using _ = story.receiver;
    await story.stage({ Secret: NEW });
    await story.prove();
    const refused = await story.reaches("Refused");
    expect(refused.Proof).toMatchObject({ State: "Exhausted", Reason: "the receiver answered 401" });
    expect(signersOf(await story.change())).toEqual({ spec: "old", standard: ["old", "new"] });

    knows = NEW;
    await story.prove();
    await story.reaches("Overlap");
    expect(signersOf(await story.change())).toEqual({ spec: "new", standard: ["new", "old"] });
  });

  test("is generated unless given, shown once, and works with the Standard Webhooks library", async () => {
    const story = await begin();
    await using receiver = story.receiver;
    const { Secret } = await story.stage({});
    expect(Secret).toMatch(/^whsec_/);
    const { Proof } = await story.prove();
    await story.reaches("Overlap");
    const [ping] = receiver.callsFor(Proof!.EventId);
    expect(() => new Webhook(Secret!).verify(ping!.bytes, Object.fromEntries(ping!.headers))).not.toThrow();
    const row = await sealed(story.id);
    expect(createVault(setting("GATEHOUSE_TEST_MASTER_KEY")).sealFor("webhook secret").open(row.secret!)).toBe(Secret!);
    expect([row.secret![0], row.former![0]]).toEqual([1, 1]);
  });

  test("is the first one of a connection without signatures", async () => {
    const story = await begin(200, null);
    await using receiver = story.receiver;
    expect((await story.rotation()).State).toBe("None");
    await story.stage({ Secret: NEW });
    expect((await story.change()).headers.get("webhook-signature")).toBeNull();
    const { Proof } = await story.prove();
    await story.reaches("InForce");
    expect(signersOf(receiver.callsFor(Proof!.EventId)[0]!)).toEqual({ spec: "new", standard: ["new"] });
    expect(signersOf(await story.change())).toEqual({ spec: "new", standard: ["new"] });
  });

  test("is confirmed also while the connection is paused", async () => {
    const story = await begin();
    await using _ = story.receiver;
    await story.api.setState(story.id, "Paused");
    await story.stage({ Secret: NEW, OverlapSeconds: 0 });
    await story.prove();
    await story.reaches("InForce");
    expect((await story.api.connection(story.id)).State).toBe("Paused");
  });

  test("is not in force if its ping is lost with its worker, until the receiver's 2xx arrives", async () => {
    let release = () => {};
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const story = await begin(({ payload }) => (payload.EventType === "Ping" ? asked.then(() => 200) : 200));
    await using receiver = story.receiver;
    await story.api.connect(receiver.url, { Id: story.id, TimeoutMs: 30_000 });
    await story.stage({ Secret: NEW });
    const { Proof } = await story.prove();
    await until("the ping", () => receiver.calls.length === 1);
    // A worker finds an attempt of a dead one.
    const { EventId, Deliveries } = await story.api.event(Proof!.EventId);
    await closeOpenDelivery(db(), story.api.tenant.tenantId, EventId, Deliveries[0]!.Id, "Exhausted");
    expect((await story.reaches("Refused")).Proof!.Reason).toBe("the attempt was lost with its worker; try again");
    expect(signersOf(await story.change())).toEqual({ spec: "old", standard: ["old", "new"] });

    release();
    await story.reaches("Overlap");
    expect((await story.api.event(Proof!.EventId)).State).toBe("Delivered");
    expect(signersOf(await story.change())).toEqual({ spec: "new", standard: ["new", "old"] });
  });

  test("replaces one that was staged before; the earlier ping then confirms nothing", async () => {
    let release = () => {};
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const story = await begin(async ({ payload }) => {
      if (payload.EventType === "Ping") await asked;
      return 200;
    });
    await using receiver = story.receiver;
    await story.stage({ Secret: "the first one" });
    const { Proof } = await story.prove();
    await until("the ping", () => receiver.calls.length === 1);
    await story.stage({ Secret: NEW });
    release();
    expect((await story.api.settled(Proof!.EventId)).State).toBe("Delivered");
    expect((await story.rotation()).State).toBe("Staged");
    expect(signersOf(await story.change())).toEqual({ spec: "old", standard: ["old", "new"] });
  });

  test("can be withdrawn, and a former one ended at once", async () => {
    const story = await begin();
    await using _ = story.receiver;
    await story.stage({ Secret: NEW });
    expect((await story.giveUp()).State).toBe("InForce");
    expect(signersOf(await story.change())).toEqual({ spec: "old", standard: ["old"] });
    expect(await story.call("POST", "/Prove")).toMatchObject({ status: 409, body: { Type: "/Errors/Conflict" } });

    await story.stage({ Secret: NEW });
    await story.prove();
    await story.reaches("Overlap");
    expect((await story.giveUp()).State).toBe("InForce");
    expect(signersOf(await story.change())).toEqual({ spec: "new", standard: ["new"] });
  });

  test("set by PATCH is in force at once and alone, and ends a rotation", async () => {
    const story = await begin();
    await using receiver = story.receiver;
    await story.stage({ Secret: "another one" });
    await story.api.connect(receiver.url, { Id: story.id, Secret: NEW });
    expect(await story.rotation()).toMatchObject({ State: "InForce", StagedOn: null });
    expect(signersOf(await story.change())).toEqual({ spec: "new", standard: ["new"] });
  });
});

describe.concurrent("a change of secret", () => {
  test("is in the audit log with the requester, once it is in force", async () => {
    const story = await begin();
    await using _ = story.receiver;
    await story.stage({ Secret: NEW });
    const { Proof } = await story.prove();
    await story.reaches("Overlap");
    const path = `/AuditEvent?SubjectType=WebhookConnection&SubjectId=${story.id}`;
    const { body } = await story.api.call<{ Items: Record<string, unknown>[] }>("GET", path);
    const actor = { Actor: { Type: "Application", Id: story.api.tenant.client.clientId } };
    const details = { EventId: Proof!.EventId, Proves: "Secret" };
    expect(body.Items.slice(0, 2)).toMatchObject([
      { ...actor, Kind: "WebhookConnection.SecretChanged", Outcome: "Success", Details: details },
      { ...actor, Kind: "WebhookConnection.Pinged", Details: details },
    ]);
    expect(body.Items[0]!.RequestKey).toBe(body.Items[1]!.RequestKey!);
  });
});

/** A connection with the old secret, and its administrator's actions. */
async function begin(reply: Parameters<typeof startReceiver>[0] = 200, Secret: string | null = OLD) {
  const api = await newTenant();
  const receiver = startReceiver(reply);
  const { Id } = await api.connect(receiver.url, { Secret });
  const call = (method: string, rest = "", body?: unknown) =>
    api.call<Rotation & { Secret: string | null }>(method, `/WebhookConnection/${Id}/Secret${rest}`, body);
  const good = async (...request: Parameters<typeof call>) => {
    const { status, body } = await call(...request);
    expect({ status, body }).toEqual({ status: 200, body });
    return body;
  };
  return {
    api,
    receiver,
    id: Id,
    call,
    stage: (body: object) => good("POST", "", body),
    prove: () => good("POST", "/Prove"),
    giveUp: () => good("DELETE"),
    rotation: () => good("GET"),
    reaches: (state: string) =>
      until(`the secret to be ${state}`, async () => {
        const rotation = await good("GET");
        return rotation.State === state && rotation;
      }),
    change: () => oneChange(api, receiver),
  };
}

/** The call of this change. */
async function oneChange(api: Api, receiver: Receiver): Promise<Call> {
  await api.change({ Name: `Gate ${crypto.randomUUID()}` });
  const { EventId } = await api.newestEvent();
  await until("the call", () => receiver.callsFor(EventId).length > 0);
  return receiver.callsFor(EventId)[0]!;
}

/** The secret of X-Signature, and those of the Standard Webhooks signatures in their order. */
function signersOf({ bytes, headers }: Call) {
  const known = { old: OLD, new: NEW };
  const spec = Object.entries(known).find(([, secret]) => isSignedWith(secret, bytes, headers.get("x-signature")!));
  const standard = headers
    .get("webhook-signature")!
    .split(" ")
    .map((signature) => {
      const single = { ...Object.fromEntries(headers), "webhook-signature": signature };
      return Object.entries(known).find(([, secret]) => verifies(secret, bytes, single))?.[0];
    });
  return { spec: spec?.[0], standard };
}

function verifies(secret: string, bytes: Buffer, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(bytes, headers);
    return true;
  } catch {
    return false;
  }
}

async function sealed(id: string) {
  const [row] = await rowsOf<Record<string, Buffer | null>>("webhook_connections", { id });
  return { secret: row!.secret!, staged: row!.staged_secret!, former: row!.former_secret! };
}
