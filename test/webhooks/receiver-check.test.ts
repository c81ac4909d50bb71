// A check proves that a receiver is ready: calls that are right, wrong, old, repeated, out of order, large and many.

import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { finished, temporal } from "../support/temporal.ts";
import { type Api, expectError, ok, until } from "../world/api.ts";
import { type Call, type Reply, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

interface Check {
  State: "None" | "Running" | "Completed";
  EndedOn: string | null;
  Results: { Step: string; Expected: string; Got: string; Verdict: string; Advice: string }[];
}

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const STEPS = ["Right", "WrongSignature", "OldTimestamp", "Twice", "OutOfOrder", "Largest", "Prompt", "Burst"];
const path = (id: string) => `/WebhookConnection/${id}/Check`;

async function checked(api: Api, id: string): Promise<Check> {
  expect(await ok(api.call("POST", path(id)))).toMatchObject({ State: "Running", Results: [] });
  return until("the check's end", async () => {
    const check = await ok(api.get(path(id)));
    return check.State === "Completed" && check;
  });
}

const verdictsOf = ({ Results }: Check) => Object.fromEntries(Results.map(({ Step, Verdict }) => [Step, Verdict]));

/** Verifies as the documents say. */
function verified({ bytes, headers }: Call): Reply {
  try {
    new Webhook(SECRET).verify(bytes.toString("utf8"), Object.fromEntries(headers));
    return 204;
  } catch {
    return 401;
  }
}

describe.concurrent("a receiver check", () => {
  test("sends what the connection's deliveries have", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { Fields: ["Name"] });
    await checked(api, Id);
    const [right] = receiver.calls;
    expect(right!.payload).toMatchObject({
      Version: "1.1",
      Data: { Id: "7", Name: "Payroll" },
    });
    expect(Object.keys(right!.payload.Data)).toHaveLength(2);
  });

  test("is one of at most three of a tenant", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(() => "hang");
    const ids: string[] = [];
    for (const Name of ["1", "2", "3", "4"]) ids.push((await api.connect(receiver.url, { Name })).Id);
    for (const id of ids.slice(0, 3)) await ok(api.call("POST", path(id)));
    expectError(await api.call("POST", path(ids[3]!)), 409, "Conflict", /A tenant can have 3 running checks/);
  });

  test("passes a receiver that verifies, and leaves no trace in the log or on the connection", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(verified);
    const connection = await api.connect(receiver.url, { Secret: SECRET, State: "Paused", TimeoutMs: 30_000 });
    const { Id } = connection;
    expect(await ok(api.get(path(Id)))).toMatchObject({ State: "None", Results: [], EndedOn: null });
    const check = await checked(api, Id);
    expect(check.Results.map(({ Step }) => Step)).toEqual(STEPS);
    expect(verdictsOf(check)).toEqual({
      ...Object.fromEntries(STEPS.map((step) => [step, "Passed"])),
      Prompt: expect.stringMatching(/^(Passed|Advised)$/),
    });
    expect(check.Results[0]!.Got).toMatch(/^204; \d+ ms$/);
    expect(check.Results.at(-1)!.Got).toMatch(/^20 × 204; at most [\d,]+ ms$/);

    const calls = receiver.calls;
    expect(calls).toHaveLength(31);
    expect(calls.every(({ payload }) => (payload as { Test?: boolean }).Test === true)).toBe(true);
    const sequences = calls.slice(5, 7).map(({ headers }) => headers.get("webhook-sequence"));
    expect(sequences).toEqual(["2", "1"]);
    const [once, twice] = calls.slice(3, 5);
    expect(twice!.bytes).toEqual(once!.bytes);
    expect((calls[7]!.payload as { Data: unknown }).Data).toHaveLength(1_000);
    expect((await api.events()).Items).toEqual([]);
    expect(await api.connection(Id)).toEqual(connection);
    const { Items } = await ok(api.get("/AuditEvent?Kind=WebhookConnection.Pinged"));
    expect(Items).toMatchObject([{ Subject: { Id } }]);
    const client = await temporal();
    await finished(client, `WebhookConnection/${Id}/Check/${Items[0].Details.Check}`);
    await client.connection.close();
  });

  test("tells a receiver that verifies nothing what to change, and one without a secret what it cannot prove", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { Secret: SECRET });
    const check = await checked(api, Id);
    expect(verdictsOf(check)).toMatchObject({ Right: "Passed", WrongSignature: "Failed", OldTimestamp: "Failed" });
    expect(check.Results[1]!.Advice).toStartWith("Anyone can send calls. Verify webhook-signature");
    await ok(api.patch("/WebhookConnection", { Id, Secret: null }));
    const again = await checked(api, Id);
    expect(verdictsOf(again)).toMatchObject({ Right: "Passed", WrongSignature: "Skipped", OldTimestamp: "Skipped" });
  });

  test("tells of a limit of bodies, of errors for repeated events, and of a burst that is refused politely", async () => {
    const api = await newTenant();
    const busy = new Response(null, { status: 429, headers: { "retry-after": "1" } });
    let inFlight = 0;
    await using receiver = startReceiver(async ({ bytes, count }) => {
      if (bytes.length > 100_000) return 413;
      if (count === 2) return 409;
      inFlight++;
      const isBusy = inFlight > 4;
      await Bun.sleep(20);
      inFlight--;
      return isBusy ? busy : 200;
    });
    const { Id } = await api.connect(receiver.url, { TimeoutMs: 30_000 });
    const check = await checked(api, Id);
    expect(verdictsOf(check)).toMatchObject({ Twice: "Failed", Largest: "Failed", Burst: "Advised" });
    const advice = Object.fromEntries(check.Results.map(({ Step, Advice }) => [Step, Advice]));
    expect(advice.Largest).toContain("Raise the limit");
    expect(advice.Burst).toStartWith("Set MaxInFlight");
  });

  test("ends at once if the receiver cannot be reached, and can be repeated", async () => {
    const api = await newTenant();
    const receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { Secret: SECRET });
    await receiver[Symbol.asyncDispose]();
    const check = await checked(api, Id);
    expect(check.Results).toMatchObject([
      { Step: "Right", Verdict: "Failed", Got: expect.stringMatching(/^refused; /) },
    ]);
    expect((await checked(api, Id)).Results).toHaveLength(1);
  });

  test("runs once at a time, for callers who may change the connection, and not for a Pull connection", async () => {
    const api = await newTenant();
    await using receiver = startReceiver("hang");
    const { Id } = await api.connect(receiver.url, { TimeoutMs: 30_000 });
    await ok(api.call("POST", path(Id)));
    expectError(await api.call("POST", path(Id)), 409, "Conflict", /is running/);
    const reader = await api.withScope("Webhooks:Read");
    expectError(await reader.call("POST", path(Id)), 403, "Permission");
    expect((await ok(reader.get(path(Id)))).State).toBe("Running");
    const stranger = await newTenant();
    expectError(await stranger.call("POST", path(Id)), 404, "Not Found");
    expectError(await stranger.get(path(Id)), 404, "Not Found");
    const pull = { Kind: "Pull", Name: "consumer", Entities: ["Application"], Events: ["Created"] };
    const { Id: pulled } = await ok(api.call("POST", "/WebhookConnection", pull));
    expectError(await api.call("POST", path(pulled)), 409, "Conflict", /Kind Pull/);
    const audit = { Entities: ["Alert"], Events: ["Created"] };
    const alerts = await api.connect(receiver.url, audit);
    expect([200, 409]).toContain((await api.call("POST", path(alerts.Id))).status);
  });
});
