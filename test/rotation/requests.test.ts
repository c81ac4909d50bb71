// Requests to stage a secret: validation, permissions, and data that is never returned.

import { describe, expect, test } from "bun:test";
import { type Api, ok } from "../world/api.ts";
import { logOf, textOf } from "../world/audit.ts";
import { newTenant } from "../world/tenant.ts";

describe.concurrent("a staged secret", () => {
  test("is read without its value, and is in the audit log without it", async () => {
    const caller = await newTenant();
    const path = await connectionPath(caller);
    const staged = await ok(post(caller, path, {}));
    const answers = [await caller.get(path), await caller.send("DELETE", path), await caller.send("DELETE", path)];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain("whsec_");
    }
    expect((await logOf(caller)).map(({ Kind }) => Kind)).toEqual([
      "WebhookConnection.RotationEnded",
      "WebhookConnection.SecretStaged",
      "WebhookConnection.Created",
    ]);
    expect(await textOf(caller.tenantId)).not.toContain(staged.Secret);
  });

  test.each([
    [{ Secret: 5 }, /Secret must be a string/],
    [{ Secret: "" }, /Secret must be a string/],
    [{ Secret: "whsec_hunter2" }, /base64 of 24 to 64 bytes/],
    [{ Secret: "x".repeat(501) }, /at most 500/],
    [{ OverlapSeconds: -1 }, /from 0 to 604800/],
    [{ OverlapSeconds: 604_801 }, /from 0 to 604800/],
    [{ OverlapSeconds: "60" }, /whole number/],
    [{ Color: "red" }, /Color is not a field/],
    [[], /an object/],
  ])("rejects %j", async (body, says) => {
    const caller = await newTenant();
    const path = await connectionPath(caller);
    const answer = await post(caller, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.Errors.join()).toMatch(says);
    expect(JSON.stringify(answer.body)).not.toContain("hunter2");
    expect((await caller.get(path)).body.State).toBe("None");
  });

  test("is invisible to other tenants and unauthorized callers", async () => {
    const [caller, stranger] = await Promise.all([newTenant(), newTenant()]);
    const path = await connectionPath(caller);
    const reader = await caller.withScope("Webhooks:Read");
    expect((await post(reader, path, {})).status).toBe(403);
    expect((await reader.send("POST", `${path}/Prove`)).status).toBe(403);
    expect((await reader.get(path)).status).toBe(200);
    const answers = [stranger.get(path), post(stranger, path, {}), stranger.send("POST", `${path}/Prove`)];
    for (const { status } of await Promise.all(answers)) expect(status).toBe(404);
  });
});

async function connectionPath(caller: Api): Promise<string> {
  const fields = { URL: "https://hooks.example/", Entities: ["User"], Events: ["Created"] };
  return `/WebhookConnection/${(await caller.made("WebhookConnection", fields)).Id}/Secret`;
}

const post = (caller: Api, path: string, body: unknown) =>
  caller.send("POST", path, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
