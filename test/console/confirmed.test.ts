// What cannot be undone happens as its page has said it: if that has changed by the click, the page is shown again.

import { expect, test } from "bun:test";
import { issuer } from "../authorize/client.ts";
import { type View, Visitor } from "../authorize/visitor.ts";
import { ok } from "../policies/people.ts";
import { type Api, until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { clientOf, newTenant } from "../support/tenant.ts";

async function atSettings({ tenant }: Api): Promise<Visitor> {
  const visitor = new Visitor(issuer());
  const { username, password } = tenant.admin;
  await visitor.submit(await visitor.open(`/settings?organisation=${tenant.tenantId}`), { username, password });
  return visitor;
}

const formOf = (page: View, path: string) => page.forms.find(({ action }) => action === path)!;

/** Of each kind of record: how one is made, and what somebody else makes of it. */
const RECORDS: [path: string, route: string, made: object, changed: object][] = [
  ["departments", "/Department", { Name: "Doors" }, { Name: "Windows" }],
  ["users", "/User", { Name: "Ana", Username: "ana" }, { Name: "Somebody else" }],
  ["applications", "/Application", { Name: "Payroll" }, { Name: "Bank" }],
  ["roles", "/Role", { Name: "clerks" }, { Scopes: ["AccessManager:Read"] }],
  [
    "policies",
    "/Policy",
    { Name: "Doors", Policy: 'permit (principal in Role::"clerks", action, resource);' },
    { Policy: 'forbid (principal in Role::"clerks", action, resource);' },
  ],
  [
    "identity-providers",
    "/IdentityProvider",
    { Name: "Example", Type: "OpenIDConnect", Issuer: "https://id.example", ClientId: "x" },
    { Name: "Other" },
  ],
  ["apis", "/Api", { Name: "Orders", Audience: `https://${Bun.randomUUIDv7()}.example` }, { Name: "Payments" }],
  [
    "webhooks",
    "/WebhookConnection",
    { URL: "https://localhost:9443/a", Entities: ["User"], Events: ["Created"] },
    { Name: "Everything" },
  ],
];

test.each(RECORDS)("deleting one of %s asks again if it is another by then", async (area, route, made, changed) => {
  const api = await newTenant();
  const admin = await clientOf(api.tenant);
  const { Id } = await ok(admin.patch(route, made));
  const visitor = await atSettings(api);
  const path = `/settings/${area}/${Id}/delete`;
  const { fields } = formOf(await visitor.open(path), path);
  await ok(admin.patch(route, { Id, ...changed }));

  // Neither as it was, nor with what another page has sealed, nor with nothing.
  const another = await ok(admin.patch(route, { ...made, ...OTHER[area] }));
  const foreign = formOf(
    await visitor.open(path.replace(`${Id}`, `${another.Id}`)),
    path.replace(`${Id}`, `${another.Id}`),
  );
  for (const shown of [fields.shown!, foreign.fields.shown!, ""]) {
    const again = await visitor.post(path, { csrf: fields.csrf!, shown });
    expect([again.status, again.html.includes("This has changed since the page was shown")]).toEqual([409, true]);
    expect((await admin.get(`${route}/${Id}`)).status).toBe(200);
  }
  const again = await visitor.post(path, { csrf: fields.csrf! });
  expect((await visitor.post(path, formOf(again, path).fields)).status).toBe(200);
  expect((await admin.get(`${route}/${Id}`)).status).toBe(404);
});

/** What tells a second one from the first. */
const OTHER: Record<string, object> = {
  departments: { Name: "Another" },
  users: { Username: "another" },
  applications: { Name: "Another" },
  roles: { Name: "another" },
  policies: { Name: "Another" },
  "identity-providers": { Name: "Another" },
  apis: { Name: "Another", Audience: `https://${Bun.randomUUIDv7()}.example` },
  webhooks: { Name: "Another" },
};

test("what is sent again is what was counted, and goes where it was to go", async () => {
  const api = await newTenant();
  const admin = await clientOf(api.tenant);
  await using receiver = startReceiver(() => 410);
  await using other = startReceiver();
  const { Id } = await api.connect(receiver.url, { Name: "Directory" });
  await api.change({ Name: "Front door" });
  await until("the first one is Exhausted", async () => (await api.newestEvent()).Deliveries[0]?.State === "Exhausted");
  const visitor = await atSettings(api);
  const path = `/settings/webhooks/${Id}/redeliver`;
  const States = "Exhausted";
  const counted = await visitor.post(path, { ...formOf(await visitor.open(path), path).fields, States, step: "count" });
  expect(counted.html).toContain("1 delivery would be sent again.");
  const { fields } = formOf(counted, path);
  const send = { ...fields, States, step: "send" };

  await ok(admin.patch("/WebhookConnection", { Id, URL: other.url, ApiKey: "another-key" }));
  const tried = [send, { ...send, Rate: "100" }, { ...send, From: "2026-01-01T00:00" }, { ...send, shown: "" }];
  for (const sent of tried) {
    const again = await visitor.post(path, sent);
    expect([again.status, again.html.includes("This has changed since the page was shown")]).toEqual([409, true]);
    expect((await ok(admin.get("/Redelivery"))).Items).toEqual([]);
  }
  const again = formOf(await visitor.post(path, send), path);
  expect((await visitor.post(path, { ...again.fields, States, step: "send" })).html).toContain("The redelivery");
  expect((await ok(admin.get("/Redelivery"))).Items).toHaveLength(1);
});
