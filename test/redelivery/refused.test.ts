// Bulk redeliveries to unavailable receivers.

import { describe, expect, test } from "bun:test";
import { newTenant } from "../world/tenant.ts";

const NOBODYS = "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5";

describe.concurrent("a bulk redelivery is rejected", () => {
  test("with 400, naming each invalid field", async () => {
    const api = await newTenant();
    const cases: [unknown, RegExp][] = [
      [[], /must be one Redelivery object/],
      [{}, /ConnectionId is missing.*From is missing/],
      [{ ConnectionId: "7", From: "yesterday" }, /ConnectionId must be a connection's Id.*From must be a date/],
      [{ ConnectionId: NOBODYS, From: "2026-01-02", To: "2026-01-01" }, /From must be before To/],
      [
        { ConnectionId: NOBODYS, From: "2026-01-02", States: ["Held"] },
        /States must be a list .* Delivered, Exhausted/,
      ],
      [{ ConnectionId: NOBODYS, From: "2026-01-02", States: [] }, /States must be a list/],
      [{ ConnectionId: NOBODYS, From: "2026-01-02", Rate: 101 }, /Rate must be a whole number from 1 to 100/],
      [{ ConnectionId: NOBODYS, From: "2026-01-02", Rate: 0.5 }, /Rate must be a whole number/],
      [{ ConnectionId: NOBODYS, From: "2026-01-02", DryRun: 1 }, /DryRun must be true or false/],
      [{ ConnectionId: NOBODYS, From: "2026-01-02", Speed: 1 }, /Speed is not a field of Redelivery/],
    ];
    for (const [body, says] of cases) {
      const answer = await api.call<{ Errors: string[] }>("POST", "/Redelivery", body);
      expect({ body, status: answer.status }).toEqual({ body, status: 400 });
      expect(answer.body.Errors.join(" ")).toMatch(says);
    }
    for (const change of [{ State: "Completed" }, { Rate: 0 }, { Total: 1 }]) {
      expect((await api.call("PATCH", `/Redelivery/${NOBODYS}`, change)).status).toBe(400);
    }
  });

  test("with 404 for a missing connection or redelivery", async () => {
    const api = await newTenant();
    const wish = { ConnectionId: NOBODYS, From: "2026-01-01" };
    expect((await api.call("POST", "/Redelivery", wish)).status).toBe(404);
    expect((await api.call("POST", "/Redelivery", { ...wish, DryRun: true })).status).toBe(404);
    expect((await api.call("PATCH", `/Redelivery/${NOBODYS}`, {})).status).toBe(404);
    expect((await api.call("GET", "/Redelivery/7")).status).toBe(404);
  });

  test("with 403 where a policy forbids it", async () => {
    const api = await newTenant();
    const { Id: id } = await api.connect("https://hooks.example/");
    await api.call("PATCH", "/Policy", {
      Name: "Slowly",
      Policy: "forbid (principal, action, resource is Redelivery) when { resource.Rate > 10 };",
    });
    const wish = { ConnectionId: id, From: "2020-01-01", States: ["Delivered"] };
    expect((await api.call("POST", "/Redelivery", { ...wish, Rate: 11 })).status).toBe(403);
    expect((await api.call("POST", "/Redelivery", { ...wish, Rate: 11, DryRun: true })).status).toBe(403);
    expect((await api.call("POST", "/Redelivery", { ...wish, Rate: 10 })).status).toBe(200);
  });
});
