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
  type SettingsService,
  settingsRoutes,
} from "../../server/access/index.ts";
import { descriptionField, idField, nameField, STAMP_FIELDS } from "../../server/access/settings-fields.ts";
import { createSettingsService, type SettingsStore } from "../../server/access/settings-service.ts";
import type { Stamped } from "../../server/access/stamps.ts";
import { policyTypes } from "../../server/app.ts";
import { auditRoutes, createAuditLog } from "../../server/audit/index.ts";
import { readConfig } from "../../server/config.ts";
import { connect, type Queries, type Sql } from "../../server/db/connection.ts";
import { migrate } from "../../server/db/migrate.ts";
import { createEgress } from "../../server/egress/index.ts";
import { createFindRecords, ENTITIES } from "../../server/entities/index.ts";
import { contextOf } from "../../server/http/context.ts";
import { contract } from "../../server/http/contract.ts";
import { errorResponse } from "../../server/http/error-record.ts";
import { type InputOf, integer, oneOf, type RecordOf } from "../../server/http/fields.ts";
import { controllerOf, type Route } from "../../server/http/route.ts";
import { createLog } from "../../server/log.ts";
import { importMasterKey } from "../../server/master-key.ts";
import { createProvider, scopesNow } from "../../server/oauth/index.ts";
import { createDocument } from "../../server/openapi/document.ts";
import { bodyOf, ContractField, formFields, formOfRecord } from "../../server/settings/components/index.ts";
import { createTenant } from "../../server/tenants/index.ts";
import { API, TOKEN_PATH } from "../entities/client.ts";
import { type EmptyDatabase, newEmptyDatabase } from "../support/empty-database.ts";

const FIELDS = {
  Id: idField("Badge"),
  Name: { ...nameField("Front door"), form: { label: "Name", hint: "What people call it." } },
  Description: { ...descriptionField("Opens in the morning."), form: { label: "Description" } },
  Color: oneOf(["Red", "Blue"], { judged: true, audit: "value", form: { label: "Color" }, example: "Red" }),
  Days: integer(1, 30, "days", { audit: "value", form: { label: "Days" }, example: null }),
  ...STAMP_FIELDS,
};
const BADGE = contract("Badge", "What opens a door.", FIELDS);

interface Badge extends Stamped {
  id: string;
  name: string;
  description: string;
  color: "Red" | "Blue";
  days: number | null;
}

const TABLE = `
  create table badges (
    id uuid primary key, tenant_id uuid not null references tenants, name text not null, description text not null,
    color text not null, days integer,
    created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
    modified_on timestamptz(3) not null default now(), modified_by_type text, modified_by_id bigint,
    unique (tenant_id, name)
  )`;
const columns = (sql: Queries) => sql`id, name, description, color, days, created_on as "createdOn",
  actor_reference(created_by_type, created_by_id) as "createdBy", modified_on as "modifiedOn",
  actor_reference(modified_by_type, modified_by_id) as "modifiedBy"`;

const store: SettingsStore<Badge> = {
  list: (sql, tenantId, { name }, limit, after) => sql<Badge[]>`
    select ${columns(sql)} from badges
    where tenant_id = ${tenantId} ${after ? sql`and id < ${after}` : sql``}
      ${name === undefined ? sql`` : sql`and name = ${name}`}
    order by id desc limit ${limit + 1}`,
  async find(sql, tenantId, key) {
    const match = "id" in key ? sql`id = ${key.id}` : sql`name = ${key.name}`;
    const [row] = await sql<Badge[]>`select ${columns(sql)} from badges where tenant_id = ${tenantId} and ${match}`;
    return row;
  },
  async insert(sql, tenantId, { name, description, color, days }, { type, id }) {
    const [row] = await sql<Badge[]>`
      insert into badges (id, tenant_id, name, description, color, days, created_by_type, created_by_id,
        modified_by_type, modified_by_id)
      values (${Bun.randomUUIDv7()}, ${tenantId}, ${name}, ${description}, ${color}, ${days}, ${type}, ${id}, ${type},
        ${id}) returning ${columns(sql)}`;
    return row!;
  },
  async update(sql, tenantId, { id, name, description, color, days }, actor) {
    const [row] = await sql<Badge[]>`
      update badges set name = ${name}, description = ${description}, color = ${color}, days = ${days},
        modified_on = now(), modified_by_type = ${actor.type}, modified_by_id = ${actor.id}
      where tenant_id = ${tenantId} and id = ${id} returning ${columns(sql)}`;
    return row!;
  },
  async remove(sql, tenantId, id) {
    await sql`delete from badges where tenant_id = ${tenantId} and id = ${id}`;
  },
};

const badges = (sql: Sql): SettingsService<RecordOf<typeof FIELDS>, InputOf<typeof FIELDS>> =>
  createSettingsService(sql, {
    contract: BADGE,
    store,
    blank: { name: "", description: "", color: "Red", days: null },
  });

const routesOf = (service: SettingsService<RecordOf<typeof FIELDS>, InputOf<typeof FIELDS>>): Route[] =>
  settingsRoutes({
    contract: BADGE,
    service,
    tag: { name: "Badge", description: "What opens doors." },
    nouns: ["badge", "badges"],
    examples: { badge: { Name: BADGE.example.Name } },
    upsert: "The badge that Id, or without it Name, points at is updated; else a new one is made, which needs Name.",
    remove: "It opens no door any more.",
  });

const masterKey = Buffer.alloc(32, 7).toString("base64");
let database: EmptyDatabase;
let sql: Sql;
let service: ReturnType<typeof badges>;
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
    findScopes: scopesNow,
  });
  const provider = createProvider({
    ...shared,
    access,
    fetch: createEgress(config.egress).fetch,
    onClient: () => undefined,
    onFailure: () => undefined,
  });
  const authenticate = createAuthenticate(provider.verifyAccessToken, access.admit);
  service = badges(sql);
  const routes = [
    ...routesOf(service),
    ...policyRoutes(createPolicies(sql, access)),
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

/** A new tenant's client. */
async function newClient(): Promise<(scope: string) => Promise<Call>> {
  const { client } = await createTenant(sql, `tenant ${Bun.randomUUIDv7()}`);
  return async (scope) => {
    const form = { grant_type: "client_credentials", client_id: client.clientId, client_secret: client.clientSecret };
    const asked = new Request(`http://localhost${TOKEN_PATH}`, {
      method: "POST",
      body: new URLSearchParams({ ...form, scope }),
    });
    const { access_token } = (await (await app.handle(asked)).json()) as { access_token: string };
    return async (method, path, body, headers) => {
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
  const { paths, components } = createDocument("https://id.example.com", routesOf(service));
  const path = `${API}/Badge`;
  const scopes = (operation: Body) => operation.security[0].oauth2;
  expect([paths[path]!.get, paths[path]!.patch, paths[`${path}/{Id}`]!.delete].map(scopes)).toEqual([
    ["Settings:Read"],
    ["Settings:Update"],
    ["Settings:Update"],
  ]);
  const schemas: Record<string, Body> = components.schemas;
  expect(schemas.Badge.required).toEqual(Object.keys(FIELDS));
  expect(schemas.BadgeData.properties).toMatchObject({
    Color: { type: "string", enum: ["Red", "Blue"] },
    CreatedOn: { readOnly: true },
  });
});

test("the console's form is made of it, and sends what it takes", async () => {
  const names = formFields(BADGE);
  expect(names).toEqual(["Name", "Description", "Color", "Days"]);
  const state = formOfRecord(BADGE, names, BADGE.example);
  const html = names.map((name) => ContractField({ contract: BADGE, name, state, isNew: true })).join("");
  expect(html).toContain("What people call it.");
  expect(html).toContain('<option value="Blue">Blue</option>');
  expect(html).toContain('type="number"');
  const sent = bodyOf(BADGE, names, new URLSearchParams({ Name: "Gate", Description: "", Color: "Blue", Days: "7" }));
  const call = await administrator();
  expect((await call("PATCH", "/Badge", sent)).body).toMatchObject({ Name: "Gate", Color: "Blue", Days: 7 });
});
