// A receiver's wishes: to end a delivery, to stop the connection, and to get compressed bodies.

import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { isSignedWith } from "../../examples/receiver/verify.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const answer = (status: number, wish: string) => new Response(null, { status, headers: { "webhook-delivery": wish } });

describe.concurrent("an answer with webhook-delivery", () => {
  test("abort-message ends this delivery at its first attempt, and the next event is sent", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ payload }) =>
      payload.Data.Name === "unwanted" ? answer(422, "Abort-Message") : 200,
    );
    const { Id } = await api.connect(receiver.url);
    const ended = await api.settledChange({ Name: "unwanted" });
    expect(ended.Deliveries[0]).toMatchObject({ State: "Exhausted", Attempts: [{ Number: 1, StatusCode: 422 }] });
    const next = await api.settledChange({ Name: "wanted" });
    expect(next.Deliveries[0]!.State).toBe("Delivered");
    expect(await api.connection(Id)).toMatchObject({ State: "Active" });
  });

  test("disable holds the connection at once, with the reason", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(answer(503, "disable"));
    const { Id } = await api.connect(receiver.url);
    await api.change({ Name: "Gate" });
    const held = await until("the hold", async () => {
      const connection = await api.connection(Id);
      return connection.State === "Held" && connection;
    });
    expect(held.HeldReason).toBe("disabled by the receiver, with 503");
    expect(receiver.calls).toHaveLength(1);
  });

  test("is ignored with a 2xx, and with other words", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(({ count }) =>
      answer(count === 1 ? 500 : 200, count === 1 ? "later" : "disable"),
    );
    const { Id } = await api.connect(receiver.url);
    const event = await api.settledChange({ Name: "Gate" });
    expect(event.Deliveries[0]).toMatchObject({ State: "Delivered", Attempts: [{}, { StatusCode: 200 }] });
    expect(await api.connection(Id)).toMatchObject({ State: "Active" });
  });
});

test("a connection with Compression Gzip gets compressed bodies, signed as the JSON", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  const Secret = "hunter2";
  await api.connect(receiver.url, { Compression: "Gzip", Secret });
  await api.settledChange({ Name: "Zoë 🚪", Description: "x".repeat(5_000) });
  const [call] = receiver.calls;
  expect(call!.headers.get("content-encoding")).toBe("gzip");
  expect(Number(call!.headers.get("content-length"))).toBe(call!.bytes.length);
  expect(call!.bytes.length).toBeLessThan(1_500);
  expect(isSignedWith(Secret, gunzipSync(call!.bytes), call!.headers.get("x-signature"))).toBe(true);
});
