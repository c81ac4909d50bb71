// An entity is one definition and its table; all the rest follows.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApp } from "../../server/app.ts";
import { readConfig } from "../../server/config.ts";
import { migrate } from "../../server/db/migrate.ts";
import { connect, type Sql } from "../../server/db/sql.ts";
import { createEgress } from "../../server/egress/index.ts";
import { ENTITIES, type EntityDefinition, UNSET_DATE } from "../../server/entities/index.ts";
import { createLog } from "../../server/log.ts";
import { createTenant, type NewTenant } from "../../server/tenants/index.ts";
import { createVault } from "../../server/vault.ts";
import { Visitor } from "../authorize/visitor.ts";
import { shared } from "../support/tenant.ts";
import { API, TOKEN_PATH } from "./client.ts";

const badge: EntityDefinition = {
  name: "Badge",
  description: "A card that opens doors.",
  table: "badges",
  idAsText: false,
  fields: [
    { name: "Id", column: "id", type: "int32", description: "Number of the badge.", readOnly: true },
    {
      name: "Code",
      column: "code",
      type: "text",
      description: "Printed on it.",
      maxLength: 10,
      unique: "badges_code_key",
    },
    { name: "Level", column: "level", type: "int32", description: "What it opens." },
    { name: "Valid_Until", column: "valid_until", type: "dateTime", description: "When it stops opening." },
    { name: "Is_Lost", column: "is_lost", type: "boolean", description: "Nobody knows where it is." },
  ],
  references: [
    { name: "Holder", column: "holder_id", target: "User", description: "Who carries it." },
    { name: "Printer", column: "printer_id", target: "Application", description: "What printed it." },
  ],
  identifiers: ["Code"],
};

const TABLE = `
  create table badges (
    id integer generated always as identity primary key,
    tenant_id uuid not null references tenants,
    code text,
    level integer,
    valid_until timestamptz(3),
    is_lost boolean not null default false,
    sequence bigint not null default 1,
    holder_id integer references users,
    printer_id bigint references applications,
    created_on timestamptz(3) not null, created_by_type text, created_by_id bigint,
    modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
    constraint badges_code_key unique (tenant_id, code)
  )`;

const name = `fourth_${Bun.randomUUIDv7().replaceAll("-", "")}`;
const masterKey = Buffer.alloc(32, 7).toString("base64");
let admin: Sql;
let sql: Sql;
let app: ReturnType<typeof createApp>;
let server: ReturnType<typeof Bun.serve>;
const origin = () => `http://localhost:${server.port}`;
let tenant: NewTenant;
let authorization: string;

beforeAll(async () => {
  admin = connect(shared().databaseUrl, "gatehouse test", 1);
  await admin`create database ${admin(name)}`;
  const url = new URL(shared().databaseUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  sql = connect(url.href, "gatehouse test", 4);
  await sql.unsafe(TABLE);
  server = Bun.serve({ port: 0, fetch: (request) => app.handle(request) });
  const config = readConfig({ DATABASE_URL: url.href, MASTER_KEY: masterKey, PUBLIC_URL: origin() });
  app = createApp({
    config,
    sql,
    vault: createVault(masterKey),
    egress: createEgress(config.egress),
    log: createLog("silent", "test"),
    entities: [...ENTITIES, badge],
  });
  tenant = await createTenant(sql, "fourth");
  const { clientId, clientSecret } = tenant.client;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope: "*" };
  const token = await app.handle(
    new Request(`${origin()}${TOKEN_PATH}`, { method: "POST", body: new URLSearchParams(form) }),
  );
  authorization = `Bearer ${((await token.json()) as { access_token: string }).access_token}`;
});

afterAll(async () => {
  await server?.stop(true);
  await sql?.end();
  await admin`drop database ${admin(name)}`;
  await admin.end();
});

async function call(method: string, path: string, body?: unknown) {
  const answer = await app.handle(
    new Request(`${origin()}${API}${path}`, {
      method,
      headers: { authorization, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
  );
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what it must be.
  return { status: answer.status, body: (await answer.json()) as any };
}

test("it stands among the Entities with its fields, their types and its events", async () => {
  const { body } = await call("GET", "/Entities");
  expect(body.Items.find((item: { Name: string }) => item.Name === "Badge")).toEqual({
    Name: "Badge",
    Fields: [
      { Name: "Id", Type: "integer (int32)", Filter: true },
      { Name: "Code", Type: "string", Filter: true },
      { Name: "Level", Type: "integer (int32)", Filter: true },
      { Name: "Valid_Until", Type: "string (date-time)", Filter: true },
      { Name: "Is_Lost", Type: "boolean", Filter: true },
      { Name: "Holder", Type: "object (AbstractLong)", Filter: true },
      { Name: "Printer", Type: "object (AbstractText)", Filter: true },
      { Name: "ModifiedBy", Type: "object (AbstractLong)", Filter: false },
      { Name: "CreatedBy", Type: "object (AbstractLong)", Filter: false },
    ],
    Events: ["Created", "Updated", "Deleted"],
  });
});

test("it is upserted, read, listed and deleted, with its events", async () => {
  const { clientId } = tenant.client;
  const fields = { Code: "A-1", Level: -3, Valid_Until: "2026-12-31T22:00:00.000Z", Is_Lost: true };
  const Holder = { FieldType: "Name", Value: "Administrator" };
  const made = await call("PATCH", "/Badge", { ...fields, Holder, Printer: { Id: clientId } });
  const client = { Id: Number(clientId), ExternalId: "", Name: "demo-client", Type: "Application" };
  expect(made).toEqual({
    status: 200,
    body: {
      ...fields,
      Id: 1,
      Holder: { Id: expect.any(Number), ExternalId: "", Name: "Administrator", Type: "User" },
      Printer: { ...client, Id: clientId },
      ModifiedBy: client,
      CreatedBy: client,
    },
  });
  expect(await call("PATCH", "/Badge", made.body)).toEqual(made);
  expect(await call("GET", "/Badge/A-1?Name=Code")).toEqual(made);
  expect(await call("GET", "/Badge/-3?Name=Level")).toEqual(made);
  expect((await call("GET", `/Badge?Printer=${clientId}&Valid_Until=2026-12-31T23:00:00%2B01:00`)).body.Items).toEqual([
    made.body,
  ]);
  const cleared = await call("PATCH", "/Badge", [{ Code: "A-1", Level: null, Valid_Until: null, Printer: null }]);
  expect(cleared.body).toMatchObject([
    { Id: 1, Level: 0, Valid_Until: "1900-01-01T12:00:00Z", Printer: { Id: "", Type: "" } },
  ]);
  const held = await call("DELETE", "/User/admin?Name=Username");
  expect(held).toMatchObject({
    status: 409,
    body: { Type: "/Errors/Conflict", Errors: [expect.stringMatching(/1 Badge \(Holder\)/)] },
  });
  expect((await call("DELETE", "/Badge/1")).body).toEqual(cleared.body[0]);
  expect((await call("GET", "/Badge/1")).status).toBe(404);
  const { body } = await call("GET", "/WebhookEvent?EventRecord=Badge");
  expect(body.Items.map((event: { EventType: string }) => event.EventType)).toEqual(["Deleted", "Updated", "Created"]);
  for (const [index, { EventId }] of body.Items.entries()) {
    expect((await call("GET", `/WebhookEvent/${EventId}`)).body.Sequence).toBe(`${3 - index}`);
  }
});

test("its input is held against its definition", async () => {
  const wrong = {
    Code: "x".repeat(11),
    Level: 2_147_483_648,
    Valid_Until: "2026-02-30",
    Is_Lost: 1,
    Holder: 5,
    Color: 1,
  };
  const { status, body } = await call("PATCH", "/Badge", wrong);
  expect(status).toBe(400);
  const said = [
    "Code has 11 characters",
    "Level must be",
    "Valid_Until must be",
    "Is_Lost must be",
    "Holder must be",
    "Color is no",
  ];
  expect(body.Errors).toEqual(said.map((start) => expect.stringMatching(new RegExp(`^${start}`))));
});

test("a webhook connection can ask for it", async () => {
  const connection = { URL: "https://example.com", Entities: ["Badge"], Events: ["Created"] };
  expect((await call("POST", "/WebhookConnection", connection)).body.Entities).toEqual(["Badge"]);
});

test("Settings lists it, adds it, changes it and deletes it, by its fields", async () => {
  const visitor = new Visitor(origin());
  const door = await visitor.open(`/settings?organisation=${tenant.tenantId}`);
  const overview = await visitor.submit(door, tenant.admin);
  expect(overview.html).toContain('<a href="/settings/badges">Badges</a>');
  const { csrf } = overview.forms[0]!.fields;
  const send = (path: string, fields: object) => visitor.post(path, { csrf, ...fields } as Record<string, string>);

  const empty = await visitor.open("/settings/badges");
  expect(empty.html).toContain("No badges to see");
  const form = await visitor.open("/settings/badges/add");
  for (const name of ["Code", "Level", "Valid_Until", "Is_Lost", "Holder", "Printer"]) {
    expect(form.html).toContain(`name="${name}"`);
  }
  const typed = { Code: "B-2", Level: "4", Valid_Until: "2026-02-30", Is_Lost: "true" };
  const refused = await send("/settings/badges/add", typed);
  expect(refused.status).toBe(422);
  expect(refused.html).toMatch(/id="field-Valid_Until-problem"/);
  expect(refused.html).toContain('value="B-2"');
  const { body: holder } = await call("GET", "/User/admin?Name=Username");
  const made = await send("/settings/badges/add", {
    ...typed,
    Valid_Until: "",
    Holder: `${holder.Id}`,
    "Holder-now": "",
    "Holder-by": "Id",
  });
  expect(made.html).toContain("The badge is added.");
  expect(made.html).toContain(`href="/settings/users/${holder.Id}"`);
  const { body } = await call("GET", "/Badge/B-2?Name=Code");
  expect(body).toMatchObject({ Level: 4, Is_Lost: true, Valid_Until: UNSET_DATE, Holder: { Id: holder.Id } });
  const again = await send("/settings/badges/add", { Code: "B-2" });
  expect(again.html).toMatch(/field-Code-problem"[^>]*>Code is held by another Badge\./);

  const path = `/settings/badges/${body.Id}`;
  const change = await visitor.open(`${path}/change`);
  expect(change.html).toContain('name="Level" autocomplete="off" type="number" value="4"');
  const { version } = change.forms[1]!.fields;
  const saved = { ...typed, Valid_Until: "2026-12-31T22:00:00Z", Level: "", version };
  expect((await send(`${path}/change`, saved)).html).toContain("The badge is changed.");
  expect((await call("GET", `/Badge/${body.Id}`)).body).toMatchObject({
    Level: 0,
    Valid_Until: "2026-12-31T22:00:00.000Z",
    Holder: { Id: holder.Id },
  });
  expect((await send(`${path}/change`, saved)).html).toContain("Another user has changed this");
  const asking = await visitor.open(`${path}/delete`);
  expect(asking.heading).toBe("Delete this badge?");
  expect((await send(`${path}/delete`, asking.forms.at(-1)!.fields)).html).toContain("is deleted.");
  expect((await visitor.open(path)).status).toBe(404);
});

test("a definition that points at no entity is refused when the service starts", () => {
  const config = readConfig({ DATABASE_URL: "postgres://localhost/none", MASTER_KEY: masterKey });
  const parts = {
    config,
    sql,
    vault: createVault(masterKey),
    egress: createEgress(config.egress),
    log: createLog("silent", "test"),
  };
  expect(() => createApp({ ...parts, entities: [badge] })).toThrow("Badge.Holder points at User, which is no entity.");
});
