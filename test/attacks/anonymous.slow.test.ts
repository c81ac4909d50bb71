// Limits what anonymous callers can make Gatehouse write and send: every route is called many times from one address
// without a token, in an installation without other writers.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { MAX_WAITING } from "../../server/identity/oauth/authorize/device.ts";
import { MAX_PUSHES } from "../../server/identity/oauth/authorize/pushed.ts";
import { MAX_OPEN } from "../../server/identity/signin/upstream/round-trips.ts";
import { REGISTRATION_LIMITS } from "../../server/platform/config/config.ts";
import { API_PATH } from "../../server/platform/http/request.ts";
import { composedApp } from "../support/composed-app.ts";
import { type EmptyDatabase, newEmptyDatabase } from "../support/empty-database.ts";
import { type StartedProcess, startProcess } from "../support/process.ts";
import { type Api, ok, until } from "../world/api.ts";
import { carrying, newPkce } from "../world/client.ts";
import { type ForgedProvider, startForgedProvider } from "../world/forged-provider.ts";
import { columnsOf } from "../world/postgresql.ts";
import { countOf } from "../world/rows.ts";
import { newTenant, setting } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const CALLS = 150;
/** The number of calls of a route that may write nothing. */
const CALLS_OF_NOTHING = 20;
const STRANGER = "198.51.100.7";
const CALLBACK = "https://app.example/callback";

/** The maximum effect of CALLS of each kind: rows by table, and outgoing requests. */
interface Limit {
  rows?: Record<string, number>;
  requests?: number;
}

/** The list of a tenant's requests accepts a burst of 500, and as many failures, then ten a second. */
const REQUESTS = { requests: 1_500 };
const audited = (max: number) => ({ audit_log: max, audit_places: max });
/** Wrong passwords: fifty of an address, then one after each wait. */
const GUESSES = { signin_failures: 120, ...audited(80) };
const REGISTERED = [
  "applications",
  "credentials",
  "events",
  "payloads",
  "dispatches",
  "registered_clients",
  "open_registrations",
];

/** All other routes write nothing and send nothing. */
const LIMITS: Record<string, Limit> = {
  "/oauth2/register/:tenant": {
    rows: Object.fromEntries(
      [...REGISTERED, ...Object.keys(audited(0))].map((table) => [table, REGISTRATION_LIMITS.address]),
    ),
  },
  // A failed authentication is one row a minute.
  "/oAuth/rest/v2/Token": { rows: { ...REQUESTS, ...audited(5) } },
  "/oauth2/token": { rows: { ...REQUESTS, ...audited(5) } },
  "/oauth2/revoke": { rows: { ...REQUESTS, ...audited(5) } },
  "/oauth2/introspect": { rows: { ...REQUESTS, ...audited(5) } },
  "/oauth2/par": { rows: { ...REQUESTS, ...audited(5), pushed_requests: MAX_PUSHES.address } },
  "/oauth2/device_authorization": { rows: { ...REQUESTS, ...audited(5), device_codes: MAX_WAITING.address } },
  "/signin": { rows: GUESSES },
  "/device": { rows: { signin_failures: 2 } },
  // The provider's availability is checked every three seconds.
  "/signin/upstream/:id": { rows: { upstream_attempts: MAX_OPEN.address }, requests: 15 },
};

let database: EmptyDatabase;
let server: StartedProcess;
let url: string;
let provider: ForgedProvider;
let api: Api;
let other: Api;
let ids: Record<string, string>;
let cookie: string;
/** The same ids at the second tenant. */
let others: Record<string, string>;
let fields: Record<string, string>;

beforeAll(async () => {
  database = await newEmptyDatabase();
  provider = await startForgedProvider();
  url = `http://localhost:${await nextFreePort(0, "127.0.0.1", new Set())}`;
  server = startProcess("server/serve.ts", {
    ...{ DATABASE_URL: database.url, MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY") },
    ...{ PORT: new URL(url).port, PUBLIC_URL: url, TRUST_PROXY: "true" },
    EGRESS_ALLOW: "127.0.0.0/8,::1/128",
    EGRESS_CA_FILE: join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver", "ca.pem"),
  });
  await server.said((message) => message === "api ready");
  [api, other] = await Promise.all([newInstalled(), newInstalled()]);
  await ok(api.patch("/TenantSettings", { ClientRegistration: "Open" }));
  const { Id, client, asked, request } = await newWay(api);
  const elsewhere = await newWay(other);
  others = { id: elsewhere.Id, request: elsewhere.request };
  const browser = new Visitor(url);
  const page = await browser.open(request);
  cookie = browser.cookieHeader;
  ids = { id: Id, tenant: api.tenantId, client_id: client };
  fields = {
    ...asked,
    application: client,
    ...page.forms[0]!.fields,
    ...{ request, username: api.tenant.admin.username, password: "wrong", organisation: api.tenantId },
    ...{ code: "wrong", grant_type: "authorization_code", token: "wrong", user_code: "BCDF-GHJK", link: "x" },
    ...{ provider: Id, id_token_hint: "x", new_password: "correct horse battery staple", decision: "allow" },
  };
  // Tokens are counted after the answers; those of the setup must not be part of the measurement.
  await until("the first tokens to be counted", async () => (await counted()).issued_tokens! > 0);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const newInstalled = () => newTenant({ url, databaseUrl: database.url });

/** A provider of the tenant, and a request of a client whose users can sign in there. */
async function newWay(of: Api) {
  const { Id } = await ok(
    of.patch("/IdentityProvider", {
      ...{ Name: "Example ID", Type: "OpenIDConnect", ClientId: "gatehouse", ClientSecret: "a secret" },
      ...{ Issuer: provider.issuer, Provisioning: "Create", Is_Active: true },
    }),
  );
  const client = await newPublicClient(of);
  const app = { response_type: "code", client_id: client, redirect_uri: CALLBACK, scope: "openid", state: "x" };
  const asked = { ...app, ...newPkce().challenge };
  return { Id, client, asked, request: `/oauth2/authorize?${new URLSearchParams(asked)}` };
}

async function newPublicClient(of: Api): Promise<string> {
  const { Id } = await ok(of.patch("/Application", { Name: "Public", Is_Active: true }));
  const GrantTypes = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"];
  const credentials = { ClientType: "public", GrantTypes, RedirectUris: [CALLBACK], Scopes: ["openid"] };
  await ok(of.patch(`/Application/${Id}/Credentials`, credentials));
  return Id;
}

const paths = [...new Set(composedApp().routes.map(({ path }) => path))].filter((path) => !path.startsWith("/assets/"));

test("every listed route exists in the app", () => {
  expect(Object.keys(LIMITS).filter((path) => !paths.includes(path))).toEqual([]);
});

describe.each(paths)("%s", (path) => {
  test("without authentication writes and sends at most the listed limits", async () => {
    const before = await counted();
    const sent = provider.calls.length;
    const calls = path in LIMITS ? CALLS : CALLS_OF_NOTHING;
    await hammer(path.replace(/:(\w+)/g, (_, name) => ids[name] ?? "1").replace("*", "x"), calls);
    if (path in LIMITS) await settled(path);
    const after = await counted();
    const grown = Object.fromEntries(
      Object.entries(after).flatMap(([table, rows]) => (rows > before[table]! ? [[table, rows - before[table]!]] : [])),
    );
    const requests = provider.calls.length - sent;
    const { rows = {}, requests: max = 0 } = LIMITS[path] ?? {};
    const tooMany = Object.entries(grown).filter(([table, count]) => count > (rows[table] ?? 0));
    expect({ path, tooMany }).toEqual({ path, tooMany: [] });
    expect(requests).toBeLessThanOrEqual(max);
  });
});

test("an address that leaves sign-ins at a provider unfinished is blocked; others are not", async () => {
  const goThere = async (address: string, tenants: Record<string, string>) => {
    const browser = new Visitor(url);
    const headers = { "x-forwarded-for": address };
    const view = await browser.open(carrying(`/signin/upstream/${tenants.id}`, tenants.request!), headers);
    if (!view.location) return view.status;
    const state = view.location.searchParams.get("state")!;
    await browser.open(`/signin/upstream/${tenants.id}/callback?${new URLSearchParams({ state, code: "x" })}`, headers);
    return 303;
  };
  const before = await counted();
  const sent = provider.calls.filter(({ path }) => path === "/token").length;
  const statuses: number[] = [];
  const own = { id: ids.id!, request: fields.request! };
  for (let call = 0; call < CALLS; call++) statuses.push(await goThere("198.51.100.8", own));
  const after = await counted();
  expect(statuses.filter((status) => status === 303)).toHaveLength(MAX_OPEN.address);
  expect(statuses.filter((status) => status === 429)).toHaveLength(CALLS - MAX_OPEN.address);
  expect(provider.calls.filter(({ path }) => path === "/token").length - sent).toBe(MAX_OPEN.address);
  expect(after.upstream_attempts! - before.upstream_attempts!).toBe(MAX_OPEN.address);
  expect(after.audit_log! - before.audit_log!).toBeLessThanOrEqual(MAX_OPEN.address);
  // For the same tenant from a different address, and for a second tenant from the same address.
  expect(await goThere("203.0.113.9", own)).toBe(303);
  expect(await goThere("198.51.100.8", others)).toBe(303);
});

test("requests for an inactive provider are logged only up to a limit", async () => {
  const { Id } = await ok(
    api.patch("/IdentityProvider", {
      ...{ Name: "Off", Type: "OpenIDConnect", ClientId: "gatehouse", ClientSecret: "a secret" },
      ...{ Issuer: provider.issuer, Is_Active: false },
    }),
  );
  const ways = [
    ["198.51.100.9", carrying(`/signin/upstream/${Id}`, fields.request!)],
    ["198.51.100.10", carrying(`/signin/upstream/${Id}`, `/account/sign-in?application=${fields.client_id}`)],
  ] as const;
  for (const [address, path] of ways) {
    const before = await counted();
    const statuses: number[] = [];
    for (let call = 0; call < CALLS; call++) {
      statuses.push((await new Visitor(url).open(path, { "x-forwarded-for": address })).status);
    }
    expect(statuses.filter((status) => status === 403)).toHaveLength(MAX_OPEN.address);
    expect(statuses.filter((status) => status === 429)).toHaveLength(CALLS - MAX_OPEN.address);
    expect((await counted()).audit_log! - before.audit_log!).toBe(MAX_OPEN.address);
  }
});

const CARRYING = /^\/signin\/(upstream\/\d+|local)$/;

/** Without a token or a session, one check rejects all of them. */
const isBehindADoor = (path: string) => path.startsWith(API_PATH) || path.startsWith("/settings");

/** By GET and by POST, with all fields of any form, and with a JSON body where JSON is accepted. */
async function hammer(path: string, max: number): Promise<void> {
  const isJson = path.startsWith("/oauth2/register") || path.startsWith("/oauth2/clients") || path.startsWith(API_PATH);
  const one = async (index: number) => {
    const { request, ...rest } = fields;
    // The pushed form is the authorization request itself.
    const own = {
      ...rest,
      ...(path !== "/oauth2/par" && { request }),
      ...(index % 2 === 0 && { username: `nobody ${index}` }),
    };
    const form = new URLSearchParams(own);
    const body = isJson ? JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" }) : form;
    await send("GET", CARRYING.test(path) ? carrying(path, request!) : `${path}?${form}`);
    await send("POST", path, body, isJson ? "application/json" : undefined);
    if (!isJson && path !== "/signin") {
      const wrong = new URLSearchParams({ ...own, client_id: api.clientId, client_secret: "wrong" });
      await send("POST", path, wrong);
    }
  };
  const calls = isBehindADoor(path) ? 10 : max;
  const indices = Array.from({ length: calls }, (_, index) => index);
  for (let start = 0; start < calls; start += 10) await Promise.all(indices.slice(start, start + 10).map(one));
}

async function send(method: string, path: string, body?: BodyInit, type?: string): Promise<void> {
  const answer = await fetch(url + path, {
    method,
    body,
    redirect: "manual",
    headers: { cookie, "x-forwarded-for": STRANGER, ...(type && { "content-type": type }) },
  });
  await answer.arrayBuffer();
  expect({ path, status: answer.status }).not.toEqual({ path, status: 500 });
}

/** All background writes have finished when a later request appears in the list. */
async function settled(path: string): Promise<void> {
  const key = Bun.randomUUIDv7();
  await ok(other.get("/Entities", { "x-request-id": key }));
  await until(`the requests of ${path} to be written`, async () => {
    const { Items } = await ok(other.get(`/Request?RequestKey=${key}`));
    return Items.length > 0;
  });
}

/** Rows by table. For the second tenant only rows made by others, because the test itself calls it. */
async function counted(): Promise<Record<string, number>> {
  const { sql } = database;
  const byTable = Map.groupBy(await columnsOf(sql), ({ table }) => table);
  const counts: Record<string, number> = {};
  for (const [table, columns] of byTable) {
    const own = columns.some(({ column }) => column === "tenant_id") ? { tenant_id: other.tenantId } : undefined;
    counts[table] = (await countOf(table, {}, sql)) - (own ? await countOf(table, own, sql) : 0);
  }
  return counts;
}
