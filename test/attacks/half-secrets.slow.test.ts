// Secrets that authenticate calls to a receiver, seen by a caller who may read everything and change nothing.

import { expect, test } from "bun:test";
import { type Api, ok } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { readDocument } from "../world/documented.ts";
import { type Item, send } from "../world/spy.ts";
import { newMember, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const API = "/Endpoint/rest/api/v1";
const KEYS = { own: "own-api-key-of-a-receiver-end1", inUrl: "url-api-key-of-a-receiver-end2" };
const SIGNATURE = "signature-of-an-address-end3";
const WEBHOOK = { Entities: ["Department"], Events: ["Created", "Updated", "Deleted"], State: "Paused" };

/** Two connections with different secrets that the receiver checks, and further secrets. */
async function newSecrets(admin: Api) {
  const own = await ok(
    admin.patch("/WebhookConnection", {
      ...{ ...WEBHOOK, Name: "Own key", URL: `https://receiver.example/a?sig=${SIGNATURE}&flag&v=1` },
      ...{ ApiKey: KEYS.own, Secret: "secret-of-a-connection", Headers: { Authorization: "header-of-a-connection" } },
    }),
  );
  const inUrl = await ok(
    admin.patch("/WebhookConnection", {
      ...{ ...WEBHOOK, Name: "Key in the URL", URL: `https://receiver.example/b?ApiKey=${KEYS.inUrl}` },
    }),
  );
  const provider = { Name: "ID", Type: "OpenIDConnect", Issuer: "https://id.example.com", ClientId: "x" };
  await ok(admin.patch("/IdentityProvider", { ...provider, ClientSecret: "secret-of-a-provider" }));
  const application = await ok(admin.patch("/Application", { Name: "Payroll", Is_Active: true }));
  const { Secret } = await ok(admin.call("POST", `/Application/${application.Id}/Secrets`));
  const { Token } = await ok(admin.call("POST", "/RegistrationToken", {}));
  await ok(admin.patch("/Department", { Name: "Told" }));
  const event = await admin.newestEvent();
  return {
    secrets: [
      ...[...Object.values(KEYS), SIGNATURE, "secret-of-a-connection", "header-of-a-connection"],
      ...["secret-of-a-provider", Secret, Token],
    ],
    ids: { WebhookConnection: own.Id, Application: application.Id, WebhookEvent: event.EventId },
    own,
    inUrl,
  };
}

const isAllowed = (text: string, secrets: string[]) => secrets.filter((secret) => text.includes(secret));

test("a reader of everything sees no full secret by REST; an editor of a connection sees its ApiKey", async () => {
  const admin = await newTenant();
  const { secrets, ids, own, inUrl } = await newSecrets(admin);
  const reader = await newMember(admin, "admin");
  const Scopes = ["AccessManager:Read", "Settings:Read", "Webhooks:Read", "Webhooks:Delete"];
  await ok(admin.patch(`/Application/${reader.clientId}/Credentials`, { Scopes }));
  const told: string[] = [];
  for (const [path, { get }] of Object.entries<Item>((await readDocument()).paths)) {
    if (!get || !path.startsWith(API) || path.endsWith("/Stream")) continue;
    const [, type = ""] = path.slice(API.length).split("/");
    const filled = path.slice(API.length).replace(/\{[^}]+\}/, () => String(ids[type as keyof typeof ids] ?? 1));
    const { body } = await reader.get(filled);
    told.push(...isAllowed(JSON.stringify(body ?? ""), secrets).map((secret) => `${filled}: ${secret}`));
  }
  expect(told).toEqual([]);
  const { body: seen } = await reader.get(`/WebhookConnection/${own.Id}`);
  expect(seen).toMatchObject({ ApiKey: "…end1" });
  expect(seen.URL).toBe("https://receiver.example/a?sig=%E2%80%A6end3&%E2%80%A6&v=%E2%80%A6");
  expect((await reader.get(`/WebhookConnection/${inUrl.Id}`)).body).toMatchObject({ ApiKey: "…end2" });
  expect((await ok(admin.get(`/WebhookConnection/${own.Id}`))).ApiKey).toBe(KEYS.own);
  // A hidden value from a response cannot be written back, and the last state after deletion reveals nothing more.
  for (const body of [{ ApiKey: seen.ApiKey }, { URL: seen.URL }]) {
    expect((await admin.patch("/WebhookConnection", { Id: own.Id, ...body })).status).toBe(400);
  }
  const gone = await send(reader, "DELETE", `/WebhookConnection/${own.Id}`, undefined);
  expect(gone).toMatchObject({ status: 200, body: { ApiKey: "…end1" } });
});

test.each(["auditor", "ops"])(
  "the role %s sees no secret on any page of Settings, and no ApiKey with its scopes",
  async (role) => {
    const admin = await newTenant();
    const { secrets } = await newSecrets(admin);
    const { username, password } = await newColleague(admin, role);
    const browser = new Visitor(issuer());
    const front = await browser.open(`/settings?organisation=${admin.tenantId}`);
    expect((await browser.submit(front, { username, password })).heading).toBe("Overview");
    const seen = new Set<string>();
    const told: string[] = [];
    let next = ["/settings"];
    while (next.length > 0) {
      const found: string[] = [];
      for (const path of next) {
        if (seen.has(path)) continue;
        seen.add(path);
        const { html } = await browser.open(path);
        told.push(...isAllowed(html, secrets).map((secret) => `${path}: ${secret}`));
        for (const [, href] of html.matchAll(/href="(\/settings[^"#?]*)/g)) if (!seen.has(href!)) found.push(href!);
      }
      next = [...new Set(found)];
    }
    expect(seen.size).toBeGreaterThan(10);
    expect(told).toEqual([]);
  },
);
