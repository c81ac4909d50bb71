// A kind of settings that nobody has heard of is a contract and a store; all the rest follows.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import {
  createAccess,
  createAuthenticate,
  createPolicies,
  judgedFields,
  permit,
  policyRoutes,
} from "../../server/access/index.ts";
import { policyTypes } from "../../server/app.ts";
import { auditRoutes, createAuditLog, recordAudit } from "../../server/audit/index.ts";
import { readConfig } from "../../server/config.ts";
import { settingsPages } from "../../server/console/records/settings.tsx";
import { Visit } from "../../server/console/visit.ts";
import { connect, type Sql } from "../../server/db/connection.ts";
import { migrate } from "../../server/db/migrate.ts";
import { createEgress } from "../../server/egress/index.ts";
import { createFindRecords, ENTITIES } from "../../server/entities/index.ts";
import { contextOf } from "../../server/http/context.ts";
import { errorResponse } from "../../server/http/error-record.ts";
import { controllerOf } from "../../server/http/route.ts";
import { createLog } from "../../server/log.ts";
import { importMasterKey } from "../../server/master-key.ts";
import { createProvider, scopesNow } from "../../server/oauth/index.ts";
import { createDocument } from "../../server/openapi/document.ts";
import { createCookies, type Session } from "../../server/signin/index.ts";
import { createTenant } from "../../server/tenants/index.ts";
import { API, TOKEN_PATH } from "../entities/client.ts";
import { type EmptyDatabase, newEmptyDatabase } from "../support/empty-database.ts";
import { BADGE, badgeRoutes, badges, TABLE } from "./badge.ts";

const masterKey = Buffer.alloc(32, 7).toString("base64");
let database: EmptyDatabase;
let sql: Sql;
let service: ReturnType<typeof badges>;
let authenticate: ReturnType<typeof createAuthenticate>;
let app: { handle(request: Request): Promise<Response> };

beforeAll(async () => {
  database = await newEmptyDatabase();
  await migrate(database.url);
  sql = connect(database.url, "gatehouse test", 4);
  await sql.unsafe(TABLE);
  const config = readConfig({ DATABASE_URL: database.url, MASTER_KEY: masterKey });
  const shared = { config, sql, masterKey: importMasterKey(masterKey), log: createLog("silent", "test") };
  const badgeType = { name: BADGE.name, families: ["Settings" as const], attributes: judgedFields(BADGE) };
  const access = createAccess({
    ...shared,
    resourceTypes: [...policyTypes(ENTITIES), badgeType],
    findRecords: createFindRecords(ENTITIES),
    recordTypes: [],
    findScopes: scopesNow,
  });
  const provider = createProvider({
    ...shared,
    access,
    fetch: createEgress(config.egress).fetch,
    onClient: () => undefined,
    onFailure: () => undefined,
  });
  authenticate = createAuthenticate(provider.verifyAccessToken, access.admit);
  service = badges(sql);
  const routes = [
    ...badgeRoutes(service),
    ...policyRoutes(createPolicies(sql, access, recordAudit)),
    ...auditRoutes(createAuditLog(sql)),
  ];
  app = new Elysia()
    .onRequest(({ request }) => {
      contextOf(request).address = "127.0.0.1";
    })
    .onError({ as: "global" }, ({ error, request }) => errorResponse(error, request))
    .use(provider.controller)
    .use(controllerOf(routes, { authenticate, permit }));
});

afterAll(async () => {
  await sql?.end();
  await database?.[Symbol.asyncDispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: the tests say what it must be.
type Body = any;
type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<CallAnswer>;
interface CallAnswer {
  status: number;
  etag: string | null;
  body: Body;
}

type Client = Call & {
  /** Comes to a page of Settings as this client. */
  visit(path: string, id: string, form?: Record<string, string>): Promise<Visit>;
};

/** A new tenant's client. */
async function newClient(): Promise<(scope: string) => Promise<Client>> {
  const { client } = await createTenant(sql, `tenant ${Bun.randomUUIDv7()}`);
  return async (scope) => {
    const form = { grant_type: "client_credentials", client_id: client.clientId, client_secret: client.clientSecret };
    const asked = new Request(`http://localhost${TOKEN_PATH}`, {
      method: "POST",
      body: new URLSearchParams({ ...form, scope }),
    });
    const { access_token } = (await (await app.handle(asked)).json()) as { access_token: string };
    const call: Call = async (method, path, body, headers) => {
      const answer = await app.handle(
        new Request(`http://localhost${API}${path}`, {
          method,
          headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json", ...headers },
          body: body === undefined ? undefined : JSON.stringify(body),
        }),
      );
      const text = await answer.text();
      return { status: answer.status, etag: answer.headers.get("etag"), body: text && JSON.parse(text) };
    };
    return Object.assign(call, {
      async visit(path: string, id: string, form: Record<string, string> = {}) {
        const url = new URL(path, "http://localhost");
        const request = new Request(url, { headers: { authorization: `Bearer ${access_token}` } });
        const visit = new Visit({
          ...{ request, url, params: { id }, caller: await authenticate(request) },
          ...{ session: {} as Session, organisation: "", csrf: "", formCookies: [] },
          cookies: createCookies("http://localhost"),
          href: (to: string) => to,
        });
        visit.form = new URLSearchParams(form);
        return visit;
      },
    });
  };
}

const administrator = async () => (await newClient())("*");

test("it is made, read, listed, changed and deleted, and the audit log tells of it", async () => {
  const call = await administrator();
  const made = await call("PATCH", "/Badge", { Name: "Front door", Days: 3 });
  expect(made).toMatchObject({ status: 200, body: { Name: "Front door", Description: "", Color: "Red", Days: 3 } });
  expect(made.body.CreatedBy).toMatchObject({ Name: "demo-client", Type: "Application" });
  const { Id } = made.body;
  expect(await call("GET", `/Badge/${Id}`)).toEqual(made);
  expect(await call("POST", "/Badge", made.body)).toEqual(made);
  expect((await call("GET", "/Badge?Name=Front%20door")).body).toEqual({ Items: [made.body], Next: null });
  expect((await call("GET", "/Badge?Name=Back%20door")).body.Items).toEqual([]);
  expect((await call("GET", `/Badge/${Id}`, undefined, { "if-none-match": made.etag! })).status).toBe(304);

  const changed = await call("PATCH", "/Badge", { Name: "Front door", Days: null, Color: "Blue" });
  expect(changed.body).toMatchObject({ Id, Color: "Blue", Days: null });
  expect((await call("DELETE", `/Badge/${Id}`, undefined, { "if-match": made.etag! })).status).toBe(412);
  expect((await call("DELETE", `/Badge/${Id}`)).body).toEqual(changed.body);
  expect((await call("GET", `/Badge/${Id}`)).status).toBe(404);

  const { Items } = (await call("GET", "/AuditEvent?Limit=3")).body;
  expect(Items.map(({ Kind, Subject, Details }: Body) => [Kind, Subject, Details])).toEqual([
    ["Record.Deleted", { Type: "Badge", Id }, { Color: "Blue", Days: null }],
    [
      "Record.Changed",
      { Type: "Badge", Id },
      { Changed: ["Color", "Days"], Color: { From: "Red", To: "Blue" }, Days: { From: 3, To: null } },
    ],
    ["Record.Created", { Type: "Badge", Id }, { Color: "Red", Days: 3 }],
  ]);
});

test("all that is wrong with it is told at once", async () => {
  const call = await administrator();
  const { Id } = (await call("PATCH", "/Badge", { Name: "One" })).body;
  await call("PATCH", "/Badge", { Name: "Two" });
  expect((await call("PATCH", "/Badge", { Name: " ", Color: "Green", Days: 31, Weight: 1 })).body.Errors).toEqual([
    "Name must be a string of 1 to 200 characters.",
    "Color must be Red or Blue.",
    "Days must be a whole number of days from 1 to 30, or null.",
    "Weight is no field of Badge.",
  ]);
  expect((await call("PATCH", "/Badge", {})).body.Errors).toEqual(["Name is missing."]);
  expect((await call("PATCH", "/Badge", { Id, CreatedOn: "2026-01-31" })).body.Errors).toEqual([
    "CreatedOn is set by the server and cannot be changed.",
  ]);
  expect(await call("PATCH", "/Badge", { Id, Name: "Two" })).toMatchObject({
    status: 409,
    body: { Errors: ["Name is held by another Badge."] },
  });
  expect((await call("PATCH", "/Badge", { Id: crypto.randomUUID() })).status).toBe(404);
  expect((await call("PATCH", "/Badge", { Name: "Two" }, { "if-none-match": "*" })).status).toBe(412);
  expect((await call("PATCH", "/Badge", { Name: "x" }, { "content-type": "text/plain" })).status).toBe(415);
  expect((await call("DELETE", "/Badge")).status).toBe(405);
  expect((await call("GET", "/Badge?Color=Red")).status).toBe(400);
});

test("each operation needs its scope", async () => {
  const tokenFor = await newClient();
  const { Id } = (await (await tokenFor("*"))("PATCH", "/Badge", { Name: "Door" })).body;
  const [reader, writer, nobody] = await Promise.all(
    ["Settings:Read", "Settings:Update", "AccessManager:Read"].map(tokenFor),
  );
  const statuses = async (call: Call) => [
    (await call("GET", "/Badge")).status,
    (await call("GET", `/Badge/${Id}`)).status,
    (await call("PATCH", "/Badge", { Id })).status,
    (await call("DELETE", `/Badge/${Id}`, undefined, { "if-match": '"another"' })).status,
  ];
  expect(await statuses(reader!)).toEqual([200, 200, 403, 403]);
  expect(await statuses(writer!)).toEqual([403, 403, 200, 412]);
  expect(await statuses(nobody!)).toEqual([403, 403, 403, 403]);
  expect((await app.handle(new Request(`http://localhost${API}/Badge`))).status).toBe(401);
});

test("another tenant has none of it", async () => {
  const [ours, theirs] = [await administrator(), await administrator()];
  const { Id } = (await ours("PATCH", "/Badge", { Name: "Door" })).body;
  expect((await theirs("GET", "/Badge")).body.Items).toEqual([]);
  for (const [method, path, body] of [
    ["GET", `/Badge/${Id}`],
    ["DELETE", `/Badge/${Id}`],
    ["PATCH", "/Badge", { Id, Color: "Blue" }],
  ] as const) {
    expect((await theirs(method, path, body)).status).toBe(404);
  }
  expect((await theirs("PATCH", "/Badge", { Name: "Door" })).body.Id).not.toBe(Id);
});

test("policies judge it by its fields, before a change and after, and hide what they do not let read", async () => {
  const call = await administrator();
  const red = (await call("PATCH", "/Badge", { Name: "red", Color: "Red" })).body;
  const blue = (await call("PATCH", "/Badge", { Name: "blue", Color: "Blue" })).body;
  const hidden = 'forbid (principal, action, resource is Badge) when { resource.Color == "Red" };';
  const kept =
    'forbid (principal, action == Action::"Settings:Update", resource is Badge) when { resource.after.Color == "Red" };';
  const misspelled = 'forbid (principal, action, resource is Badge) when { resource.Colour == "Red" };';
  expect((await call("PATCH", "/Policy", { Name: "misspelled", Policy: misspelled })).status).toBe(400);
  expect((await call("PATCH", "/Policy", { Name: "hidden", Policy: hidden })).status).toBe(200);
  expect((await call("PATCH", "/Policy", { Name: "kept", Policy: kept })).status).toBe(200);

  expect((await call("GET", "/Badge")).body.Items).toEqual([blue]);
  expect((await call("GET", `/Badge/${red.Id}`)).status).toBe(403);
  expect((await call("DELETE", `/Badge/${red.Id}`)).status).toBe(403);
  expect((await call("PATCH", "/Badge", { Name: "red", Color: "Blue" })).status).toBe(403);
  expect((await call("PATCH", "/Badge", { Name: "blue", Color: "Red" })).status).toBe(403);
  expect((await call("PATCH", "/Badge", { Name: "another", Color: "Red" })).status).toBe(403);
  expect((await call("PATCH", "/Badge", { Name: "blue", Days: 2 })).body).toMatchObject({ Color: "Blue", Days: 2 });
});

test("it is in the document, with its scopes and schemas", () => {
  const { paths, components } = createDocument("https://id.example.com", badgeRoutes(service));
  const path = `${API}/Badge`;
  const scopes = (operation: Body) => operation.security[0].oauth2;
  expect([paths[path]!.get, paths[path]!.patch, paths[`${path}/{Id}`]!.delete].map(scopes)).toEqual([
    ["Settings:Read"],
    ["Settings:Update"],
    ["Settings:Update"],
  ]);
  const schemas: Record<string, Body> = components.schemas;
  expect(schemas.Badge.required).toEqual(Object.keys(BADGE.fields));
  expect(schemas.BadgeData.properties).toMatchObject({
    Color: { type: "string", enum: ["Red", "Blue"] },
    CreatedOn: { readOnly: true },
  });
});

test("its pages in Settings are made of it", async () => {
  const call = await administrator();
  const path = "/settings/badges";
  const pages = settingsPages<typeof BADGE.example, ReturnType<typeof BADGE.parse>>({
    contract: BADGE,
    service,
    path,
    nouns: ["badge", "Badges"],
    empty: { none: ["No badges", "Nothing opens."], filtered: ["No such badge", "Nothing opens."] },
    effects: () => ["It opens no door any more."],
  });
  const send = async (method: "GET" | "POST", to: string, id = "", form?: Record<string, string>) => {
    const handler = pages.find((page) => page.path === path + to)![method]!;
    const view = await handler.answer(await call.visit((path + to).replace(":id", id), id, form));
    if (view instanceof Response) return { status: view.status, html: view.headers.get("location")! };
    return { status: view.status ?? 200, html: `${await view.body}${(await view.actions) ?? ""}` };
  };

  expect((await send("GET", "")).html).toContain("No badges");
  const blank = (await send("GET", "/add")).html;
  expect(blank).toContain("What people call it.");
  expect(blank).toContain('<option value="Blue">Blue</option>');
  expect(blank).toContain('type="number"');
  const typed = { Name: "Gate", Description: "", Color: "Blue", Days: "70" };
  const refused = await send("POST", "/add", "", typed);
  expect(refused.status).toBe(422);
  expect(refused.html).toContain("Days must be a whole number of days from 1 to 30.");
  expect(refused.html).toContain('value="Gate"');
  const made = await send("POST", "/add", "", { ...typed, Days: "7" });
  expect(made.status).toBe(303);
  const { Id } = (await call("GET", "/Badge?Name=Gate")).body.Items[0];
  expect(made.html).toEndWith(`${path}/${Id}`);
  const again = await send("POST", "/add", "", { ...typed, Days: "8" });
  expect(again.html).toContain("Name is held by another badge.");

  expect((await send("GET", "")).html).toContain(`href="${path}/${Id}"`);
  const own = (await send("GET", "/:id", Id)).html;
  expect(own).toContain("<dt>Color</dt><dd><span>Blue</span></dd>");
  expect(own).toContain(`${path}/${Id}/change`);
  const form = (await send("GET", "/:id/change", Id)).html;
  const version = /name="version" value="([^"]*)"/.exec(form)![1]!.replaceAll("&#34;", '"');
  const changed = { ...typed, Days: "9", version };
  expect((await send("POST", "/:id/change", Id, changed)).status).toBe(303);
  expect((await call("GET", `/Badge/${Id}`)).body).toMatchObject({ Name: "Gate", Color: "Blue", Days: 9 });
  expect((await send("POST", "/:id/change", Id, changed)).html).toContain("Somebody else has changed this");
  expect((await send("GET", "/:id/delete", Id)).html).toContain("It opens no door any more.");
  expect((await send("POST", "/:id/delete", Id)).html).toEndWith(path);
  expect((await call("GET", `/Badge/${Id}`)).status).toBe(404);
});
