import { expect, test } from "bun:test";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

test.concurrent("a call has its connection's extra headers and the standard ones", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  const Headers = { Authorization: "Bearer hunter2-hunter2", "x-Env": "prod, eu" };
  await api.connect(receiver.url, { Headers, Secret: "sesame" });
  await api.change({ Name: "Gate" });
  expect((await api.settledEvent()).State).toBe("Delivered");
  const { headers } = receiver.calls[0]!;
  expect(headers.get("authorization")).toBe("Bearer hunter2-hunter2");
  expect(headers.get("x-env")).toBe("prod, eu");
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("x-signature")).toMatch(/^[0-9a-f]{64}$/);
});

test.concurrent("headers echoed by a receiver are not in the log, whole or in part", async () => {
  const api = await newTenant();
  const echo = "hello Bearer hunter2-hunter2, your hunter2-hunter2 in prod is no good";
  await using receiver = startReceiver(
    () => new Response(echo, { status: 401, headers: { "x-seen": "hunter2-hunter2" } }),
  );
  await api.connect(receiver.url, { Headers: { Authorization: "Bearer hunter2-hunter2", "X-Env": "prod" } });
  const event = await api.settledChange({ Name: "Gate" });
  expect(event.Deliveries[0]!.Attempts[0]!.Response).toMatchObject({
    Headers: expect.stringContaining("x-seen: …"),
    Body: "hello …, your … in prod is no good",
  });
  expect(JSON.stringify(event)).not.toContain("hunter2");
});

test.concurrent("a receiver has the time that its connection allows", async () => {
  const api = await newTenant();
  // Both are slower than one connection's timeout and faster than the other's.
  const slow = () => Bun.sleep(1_000).then(() => 200);
  await using hurried = startReceiver(slow);
  await using patient = startReceiver(slow);
  const { Id } = await api.connect(hurried.url, { TimeoutMs: 200 });
  await api.connect(patient.url, { TimeoutMs: 30_000 });
  const { Deliveries } = await api.settledChange({ Name: "Gate" });
  const [short, long] = [true, false].map((wanted) => Deliveries.find((it) => (it.ConnectionId === Id) === wanted)!);
  expect(short).toMatchObject({ State: "Exhausted", Attempts: [1, 2, 3].map(() => ({ Failure: "timeout" })) });
  expect(long).toMatchObject({ State: "Delivered", AttemptCount: 1 });
});
