// Webhook events of alerts.

import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { generateSecret, signPayload } from "../../server/webhooks/signature.ts";
import { type Api, ok, until } from "../world/api.ts";
import { type Call, type Receiver, startReceiver } from "../world/receiver.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

interface AlertPayload {
  EventRecord: string;
  EventType: string;
  EventId: string;
  EventResponse: string;
  Data: { Id: string; Kind: string; ConnectionId: string; State: string; AcknowledgedBy: object | null };
}
const toldBy = ({ payload }: Call) => payload as unknown as AlertPayload;

/** The call with this event about the connection. */
const told = (receiver: Receiver, about: string, type: string) =>
  until(`Alert ${type}`, () =>
    receiver.calls.find((call) => {
      const { EventRecord, EventType, Data } = toldBy(call);
      return EventRecord === "Alert" && EventType === type && Data.ConnectionId === about;
    }),
  );

async function alertAbout(api: Api, connection: string) {
  const find = async () =>
    (await api.get("/Alert")).body.Items.find((one: AlertPayload["Data"]) => one.ConnectionId === connection);
  return (await until("an alert about it", find)) as AlertPayload["Data"];
}

const eventsOf = async (api: Api, alert: string) =>
  (await api.get(`/WebhookEvent?EventRecord=Alert&RecordId=${alert}`)).body.Items as { EventId: string }[];

describe.concurrent("a connection subscribed to alerts", () => {
  test("gets a signed, numbered call for each alert raised, acknowledged and ended, except its own", async () => {
    const api = await newTenant();
    await using gone = startReceiver(410);
    await using pager = startReceiver(200);
    const Secret = generateSecret();
    const ops = await api.connect(pager.url, { Name: "Pager", Entities: ["Alert"], Secret });
    const failing = await api.connect(gone.url, { Name: "Directory", Entities: ["Application", "Alert"] });
    await api.change({ Name: "Gate" });

    const raised = await told(pager, failing.Id, "Created");
    const { Data, EventId, EventResponse } = toldBy(raised);
    expect(EventResponse).toBe("Object");
    expect(Data).toMatchObject({ Kind: "ConnectionHeld", State: "Open", AcknowledgedBy: null });
    const body = raised.bytes.toString("utf8");
    expect(raised.headers.get("x-signature")).toBe(signPayload(body, Secret));
    expect(() => new Webhook(Secret).verify(body, Object.fromEntries(raised.headers))).not.toThrow();
    expect(raised.headers.get("webhook-sequence")).toBe("1");
    const event = await ok(api.get(`/WebhookEvent/${EventId}`));
    expect(event.Payload.Data).toEqual(Data);
    expect(event.Deliveries.map(({ ConnectionId }: AlertPayload["Data"]) => ConnectionId)).toEqual([ops.Id]);
    const why = await ok(api.get(`/WebhookEvent/${EventId}/Why`));
    expect(why.Items.find((one: AlertPayload["Data"]) => one.ConnectionId === failing.Id)).toMatchObject({
      Outcome: "NotConcerned",
      Reason: "an alert is not sent to its own connection",
    });

    await ok(api.call("POST", `/Alert/${Data.Id}/Acknowledge`, {}));
    const seen = await told(pager, failing.Id, "Updated");
    expect(toldBy(seen).Data).toMatchObject({
      ...{ Id: Data.Id, State: "Acknowledged" },
      AcknowledgedBy: { Type: "Application", Id: api.clientId },
    });
    expect(seen.headers.get("webhook-sequence")).toBe("2");
    await api.setState(failing.Id, "Paused");
    const ended = await told(pager, failing.Id, "Deleted");
    expect(toldBy(ended).Data).toMatchObject({ Id: Data.Id, State: "Ended" });
    expect(ended.headers.get("webhook-sequence")).toBe("3");
    expect(gone.calls.map((call) => toldBy(call).EventRecord)).toEqual(["Application"]);
  });

  test("and to nothing else causes no further alerts when it fails itself", async () => {
    const api = await newTenant();
    await using gone = startReceiver(410);
    await using pager = startReceiver(200);
    const broken = await api.connect(gone.url, { Name: "Broken pager", Entities: ["Alert"] });
    await api.connect(pager.url, { Name: "Pager", Entities: ["Alert"] });
    const failing = await api.connect(gone.url, { Name: "Directory" });
    await api.change({ Name: "Gate" });
    const first = await alertAbout(api, failing.Id);
    expect(await eventsOf(api, first.Id)).toHaveLength(1);
    const second = await alertAbout(api, broken.Id);
    expect(second.Kind).toBe("ConnectionHeld");
    // The row and its event are one transaction, so no wait is needed.
    expect(await eventsOf(api, second.Id)).toEqual([]);
  });

  test("can send itself a test alert; readers without access to the connection see no Data of it", async () => {
    const admin = await newTenant();
    const spy = await newMember(admin);
    await using gone = startReceiver(410);
    await using pager = startReceiver(200);
    const all = { Entities: ["Alert"], Events: ["Created", "Updated", "Deleted"] };
    const ops = await ok(admin.patch("/WebhookConnection", { ...all, Name: "Pager", URL: pager.url }));
    const failing = await ok(
      admin.patch("/WebhookConnection", { ...all, Entities: ["Department"], Name: "Directory", URL: gone.url }),
    );
    const entities = await ok(admin.get("/Entities"));
    expect(entities.Items.find(({ Name }: { Name: string }) => Name === "Alert").Events).toEqual(all.Events);
    await ok(admin.call("POST", `/WebhookConnection/${ops.Id}/Test`, { EventRecord: "Alert", EventType: "Created" }));
    const sample = await until("the test", () => pager.calls[0]);
    expect(sample.payload).toMatchObject({ EventRecord: "Alert", Test: true });

    await ok(admin.patch("/Department", { Name: "Facilities" }));
    const { EventId } = toldBy(await told(pager, failing.Id, "Created"));
    await savePolicy(admin, "Spy", `permit (principal == Client::"${spy.clientId}", action, resource);`);
    expect((await ok(spy.get(`/WebhookEvent/${EventId}`))).Withheld).toBeNull();
    await savePolicy(
      admin,
      "Not that one",
      `forbid (principal == Client::"${spy.clientId}", action, resource is WebhookConnection)
          when { resource.Id == "${failing.Id}" };`,
    );
    const hidden = await ok(spy.get(`/WebhookEvent/${EventId}`));
    expect(hidden.Withheld).not.toBeNull();
    expect(hidden.Payload.Data).toBeUndefined();
  });
});
