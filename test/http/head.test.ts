// HEAD works wherever GET does (RFC 9110 9.1).

import { expect, test } from "bun:test";
import { newTenant, request } from "../world/tenant.ts";

const LISTS = ["User", "Application", "Department", "Entities", "WebhookConnection", "WebhookEvent", "Policy", "Role"];

test("HEAD answers as GET does, without the body, and changes nothing", async () => {
  const caller = await newTenant();
  const connection = await caller.made("WebhookConnection", {
    URL: "https://hooks.example.com/in",
    Entities: ["User"],
    Events: ["Created"],
  });
  const user = await caller.made("User", { Username: "ana" });
  const [policy] = (await caller.get("/Policy?Limit=1")).body.Items;
  const [role] = (await caller.get("/Role?Limit=1")).body.Items;
  const [event] = (await caller.get("/WebhookEvent?Limit=1")).body.Items;
  const paths = [
    ...LISTS.map((name) => `/${name}`),
    "/User/ana?Name=Username",
    `/User/${user.Id}/Grants`,
    `/Application/${caller.clientId}/Grants`,
    `/Application/${caller.clientId}/Credentials`,
    `/Application/${caller.clientId}/Secrets`,
    `/WebhookConnection/${connection.Id}`,
    `/WebhookEvent/${event.EventId}`,
    `/Policy/${policy.Id}`,
    `/Role/${role.Id}`,
  ];
  for (const path of paths) {
    const [head, get] = [await caller.send("HEAD", path), await caller.get(path)];
    expect({ path, status: head.status, body: head.body }).toEqual({ path, status: 200, body: undefined });
    expect({ path, status: get.status }).toEqual({ path, status: 200 });
    expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
  }
});

test.each([
  "/healthz",
  "/readyz",
  "/openapi.json",
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  "/.well-known/jwks.json",
])("HEAD %s is 200", async (path) => {
  const answer = await request("HEAD", path);
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: undefined });
});

test("HEAD requires the scope of GET", async () => {
  const weak = await (await newTenant()).withScope("Webhooks:Delete");
  const path = `/WebhookConnection/${Bun.randomUUIDv7()}`;
  expect((await weak.send("HEAD", path)).status).toBe(403);
});
