// Every route, with another tenant's token: it finds none of the tenant's records.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApp } from "../../server/app.ts";
import { readConfig } from "../../server/platform/config/config.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import { createLog } from "../../server/platform/log.ts";
import { createVault } from "../../server/platform/vault.ts";
import { API, type Api, ok, unique, until } from "../world/api.ts";
import { plantImport, plantInvitation } from "../world/planted.ts";
import { metadata, REGISTER, send } from "../world/registrar.ts";
import { plantAlert, plantMail } from "../world/rows.ts";
import { newTenant, setting, shared } from "../world/tenant.ts";

/** Outside the entity API: these are open without a tenant's token. A new one must be added here deliberately. */
const PUBLIC =
  /^\/(|healthz|readyz|openapi(\.json|\/.*)?|\.well-known\/.*|oauth\/.*|oAuth\/.*|oauth2\/.*|assets\/.*|signin(\/.*)?|consent(\/.*)?|signout|device(\/.*)?|account(\/.*)?|settings(\/.*)?|language)$/;
/** Routes of the entity API without a tenant's record, or about the caller's own tenant. */
const NO_RECORD = [
  ...["Entities", "TenantSettings", "Policy/Validate", "SigningKey", "RegistrationToken"],
  "EventKind",
  // Its versions have numbers within the tenant.
  ...["TenantSettings/Branding", "TenantSettings/Branding/:id/Restore"],
  ...["WebhookStatement", "WebhookStatement/Certificate", "WebhookStatement/Export"],
]
  .map((path) => `${API}/${path}`)
  // test/scim asks for records of other tenants.
  .concat("/scim/v2/*");
const LISTED_ALONE = ["/RegistrationToken", "/RegistrationAccessToken"];
/** No route has this method, so the 405 lists the valid ones. */
const NO_METHOD = "PROPFIND";

/** Required parameters of routes for one record. */
/** Open resources. */
const QUERIES: Record<string, string> = { "/WebhookEvent/Stream": "?Seconds=1" };
const BODIES: Record<string, unknown> = {
  "/WebhookConnection/:id/Discard": { Before: "2030-01-01" },
  "/WebhookConnection/:id/Ack": { Upto: Bun.randomUUIDv7() },
  "/User/:id/Identities": { IdentityProviderId: "1", Subject: "theirs" },
  "/WebhookConnection/:id/TryFilter": { Filter: "resource.Is_Active" },
  "/InvitationImport/:id": { State: "Paused" },
  "/WebhookConnection/:id/Test": { EventRecord: "Application", EventType: "Deleted" },
};

const marker = unique("theirs");
let stranger: Api;
let owner: Api;
/** One record of each resource. */
let theirs: Record<string, string>;

beforeAll(async () => {
  [owner, stranger] = await Promise.all([newTenant(), newTenant()]);
  const make = async (resource: string, body: Record<string, unknown>): Promise<string> =>
    String((await ok(owner.patch(`/${resource}`, { Name: marker, ...body }))).Id);
  const connection = { URL: "https://example.com/hook", Entities: ["Application"], Events: ["Deleted"] };
  theirs = {
    Application: await make("Application", { ExternalId: marker, Description: marker }),
    User: await make("User", { Username: marker, Email: `${marker}@example.com` }),
    Department: await make("Department", {}),
    Group: await make("Group", {}),
    WebhookConnection: await make("WebhookConnection", { ...connection, ApiKey: marker }),
    WebhookEvent: (await ok(owner.get("/WebhookEvent?Limit=1"))).Items[0].EventId,
    Policy: await make("Policy", { Policy: 'permit (principal == Client::"0", action, resource);' }),
    Role: await make("Role", {}),
    Api: await make("Api", { Audience: `urn:theirs:${Bun.randomUUIDv7()}` }),
    AuditEvent: (await ok(owner.get("/AuditEvent?Kind=Role.Created"))).Items[0].Id,
    Request: (await until("a request", async () => (await ok(owner.get("/Request?Limit=1"))).Items[0])).Id,
    IdentityProvider: await make("IdentityProvider", {
      Type: "OpenIDConnect",
      Issuer: "https://id.example.com",
      ClientId: marker,
    }),
  };
  const erased = await make("User", { Username: `${marker} erased` });
  theirs.Erasure = (await ok(owner.call("POST", `/User/${erased}/Erase`, { Deliveries: "Cancel" }))).Id;
  await ok(owner.patch("/TenantSettings", { ClientRegistration: "Open" }));
  const registered = await send("POST", `${REGISTER}/${owner.tenantId}`, undefined, metadata({ client_name: marker }));
  theirs.RegistrationAccessToken = registered.body.client_id;
  theirs.RegistrationToken = (await ok(owner.call("POST", "/RegistrationToken", { Name: marker }))).Id;
  theirs.Alert = await plantAlert(owner.tenantId, { reason: marker, ended_on: new Date() });
  theirs.Mail = await plantMail(owner.tenantId);
  theirs.Invitation = await plantInvitation(owner);
  theirs.InvitationImport = await plantImport(owner.tenantId);
  const wished = { headers: { "content-type": "application/json" }, body: JSON.stringify(redelivery()) };
  theirs.Redelivery = (await ok(owner.send("POST", "/Redelivery", wished))).Id;
  // The worker may still change records, which would make the lists differ.
  for (const path of [`/Redelivery/${theirs.Redelivery}`, `/Erasure/${theirs.Erasure}`])
    await until(`${path} to end`, async () => (await ok(owner.get(path))).EndedOn);
});

test("every route of the entity API answers 403 or 404 for another tenant's record, and no list contains it", async () => {
  const paths = routes().filter((path) => !PUBLIC.test(path) && !NO_RECORD.includes(path));
  expect(paths.length).toBeGreaterThan(10);
  const before = await recordsOf(owner);
  for (const path of paths) {
    const resource = path.startsWith(`${API}/`) ? path.slice(API.length + 1).split("/")[0]! : path;
    const id = theirs[resource];
    if (!id) throw new Error(`Give this test a record of ${resource}, or, if ${path} is public, say so in PUBLIC.`);
    await walk(path.slice(API.length), id);
  }
  expect(await recordsOf(owner)).toEqual(before);
});

test("names, filters and foreign keys do not find them either", async () => {
  for (const resource of ["Application", "User", "Department"]) {
    const answer = await stranger.get(`/${resource}/${marker}?Name=Name`);
    expect({ resource, status: answer.status }).toEqual({ resource, status: 404 });
    expect((await ok(stranger.get(`/${resource}?Name=${marker}`))).Items).toEqual([]);
  }
  expect((await ok(stranger.get("/RegistrationToken"))).Items).toEqual([]);
  expect((await ok(stranger.get(`/WebhookEvent?ConnectionId=${theirs.WebhookConnection}`))).Items).toEqual([]);
  expect((await ok(stranger.get(`/AuditEvent?SubjectType=Role&SubjectId=${theirs.Role}`))).Items).toEqual([]);
  expect((await ok(stranger.get(`/Redelivery?ConnectionId=${theirs.WebhookConnection}`))).Items).toEqual([]);
  for (const path of ["", "/Certificate", "/Export"]) {
    const statement = await stranger.get(`/WebhookStatement${path}?ConnectionId=${theirs.WebhookConnection}`);
    expect({ path, status: statement.status }).toEqual({ path, status: 404 });
  }
  const pointing = await stranger.patch("/User", { Username: unique("user"), Department: { Id: theirs.Department } });
  expect(pointing.status).toBe(400);
  const application = { Name: unique("app"), AuthenticationId: { Id: theirs.IdentityProvider } };
  expect((await stranger.patch("/Application", application)).status).toBe(400);
  const member = { Type: "User", Id: theirs.User };
  expect((await stranger.patch("/Role", { Name: "mine", Members: [member] })).status).toBe(400);
});

/** All methods of the path, on the record or, without an Id, on all of them. */
async function walk(template: string, id: string): Promise<void> {
  const ofOne = /:\w+|\*/.test(template);
  const path = template.replaceAll(/:\w+|\*/g, id);
  const probe = await stranger.send(NO_METHOD, path);
  expect({ path, status: probe.status }).toEqual({ path, status: 405 });
  const methods = probe.headers.get("allow")!.split(", ");
  for (const method of methods.filter((allowed) => allowed !== "HEAD")) {
    // It sends a mail of the caller's own tenant.
    if (["/Mail", "/InvitationImport"].includes(template) && method === "POST") continue;
    const headers = { "content-type": "application/json" };
    const pointing = { "/Redelivery": redelivery(), "/Policy/Evaluate": question(id) }[path] ?? { Id: id };
    const sent = BODIES[template] ?? (ofOne ? {} : pointing);
    const body = method === "GET" || method === "DELETE" ? undefined : JSON.stringify(sent);
    const answer = await stranger.send(method, path + (QUERIES[template] ?? ""), { headers, body });
    const text = JSON.stringify(answer.body);
    expect({ method, path, text }).toEqual({ method, path, text: expect.not.stringContaining(marker) });
    const expected = !ofOne && method === "GET" ? [200] : [403, 404];
    expect({ method, path, status: answer.status, fits: expected.includes(answer.status) }).toMatchObject({
      fits: true,
    });
  }
}

/** With a text instead of their policy. */
function question(Id: string) {
  const Resource = { Type: "Application", Id: stranger.clientId };
  const Principal = { Type: "Client", Id: stranger.clientId };
  return { Id, Policy: "permit (principal, action, resource);", Principal, Action: "AccessManager:Read", Resource };
}

/** A redelivery of their connection. */
function redelivery() {
  return { ConnectionId: theirs.WebhookConnection, From: "2026-01-01" };
}

async function recordsOf(caller: Api): Promise<unknown[]> {
  const { RegistrationToken: _, RegistrationAccessToken: __, ...read } = theirs;
  const records = Object.entries(read).map(([resource, id]) => ok(caller.get(`/${resource}/${id}`)));
  return Promise.all([...records, ...LISTED_ALONE.map((resource) => ok(caller.get(resource)))]);
}

const sql = connect(shared().databaseUrl, "gatehouse test", 1);
afterAll(() => sql.end());

/** All paths of the app. */
function routes(): string[] {
  const masterKey = setting("GATEHOUSE_TEST_MASTER_KEY");
  const config = readConfig({ DATABASE_URL: shared().databaseUrl, MASTER_KEY: masterKey });
  const parts = { vault: createVault(masterKey), egress: createEgress(config.egress) };
  const app = createApp({ config, sql, log: createLog("silent", "test"), ...parts });
  return [...new Set(app.routes.map((route) => route.path))];
}
