// A new kind of settings needs its declaration, a table and a line in the list; everything else derives from it.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runApply } from "../../server/appliance/apply/command.ts";
import { kindsOf } from "../../server/appliance/apply/kinds.ts";
import { SETTINGS } from "../../server/identity/settings.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { startAppWith } from "../support/private-app.ts";
import { API, type Api } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { BADGE, BADGES, TABLE } from "./badge.ts";

const app = closedAfterAll(await startAppWith(TABLE, { settings: { ...SETTINGS, badges: BADGES } }));

// biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
type Body = any;
type Call = ReturnType<typeof callerOf>;

function callerOf(api: Api) {
  return async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await api.send(method, path, {
      headers: { "content-type": "application/json", ...headers },
      body: text,
    });
    return { status: answer.status, etag: answer.headers.get("etag"), body: answer.body };
  };
}

const administrator = async () => callerOf(await newTenant(app));

test("it is created, read, listed, changed and deleted, and the audit log has it", async () => {
  const call = await administrator();
  const made = await call("PATCH", "/Badge", { Name: "Front door", Days: 3 });
  expect(made).toMatchObject({ status: 200, body: { Name: "Front door", Description: "", Color: "Red", Days: 3 } });
  expect(made.body.CreatedBy).toMatchObject({ Name: "demo-client", Type: "Application" });
  const { Id } = made.body;
  expect(await call("GET", `/Badge/${Id}`)).toEqual(made);
  expect(await call("POST", "/Badge", made.body)).toEqual(made);
  expect((await call("GET", "/Badge?Name=Front%20door")).body).toEqual({ Items: [made.body], Next: null, Hidden: 0 });
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

test("all its errors are reported at once", async () => {
  const call = await administrator();
  const { Id } = (await call("PATCH", "/Badge", { Name: "One" })).body;
  await call("PATCH", "/Badge", { Name: "Two" });
  expect((await call("PATCH", "/Badge", { Name: " ", Color: "Green", Days: 31, Weight: 1 })).body.Errors).toEqual([
    "Name must be a string of 1 to 200 characters.",
    "Color must be Red or Blue.",
    "Days must be a whole number of days from 1 to 30, or null.",
    "Weight is not a field of Badge.",
  ]);
  expect((await call("PATCH", "/Badge", {})).body.Errors).toEqual(["Name is missing."]);
  expect((await call("PATCH", "/Badge", { Id, CreatedOn: "2026-01-31" })).body.Errors).toEqual([
    "CreatedOn is set by the server and cannot be changed.",
  ]);
  expect(await call("PATCH", "/Badge", { Id, Name: "Two" })).toMatchObject({
    status: 409,
    body: { Errors: ["Name is already used by another Badge."] },
  });
  expect((await call("PATCH", "/Badge", { Id: crypto.randomUUID() })).status).toBe(404);
  expect((await call("PATCH", "/Badge", { Name: "Two" }, { "if-none-match": "*" })).status).toBe(412);
  expect((await call("PATCH", "/Badge", { Name: "x" }, { "content-type": "text/plain" })).status).toBe(415);
  expect((await call("DELETE", "/Badge")).status).toBe(405);
  expect((await call("GET", "/Badge?Color=Red")).status).toBe(400);
});

test("a file of `bun run apply` can contain it", async () => {
  const { clientId, clientSecret } = await newTenant(app);
  const file = join(temporaryDirectory("badges"), "badges.yaml");
  const env = {
    GATEHOUSE_URL: app.url,
    GATEHOUSE_CLIENT_ID: clientId,
    GATEHOUSE_CLIENT_SECRET: clientSecret,
  } as unknown as NodeJS.ProcessEnv;
  const run = async (text: string) => {
    await Bun.write(file, text);
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const kinds = kindsOf(ENTITIES, { ...SETTINGS, badges: BADGES });
    return [await runApply([file, "--yes"], kinds, { env, say, fail: say }), said.at(-1)];
  };
  expect(await run("Badge:\n  - Name: Door\n    Days: 3\n")).toEqual([0, 'Created Badge "Door"']);
  expect(await run("Badge:\n  - Name: Door\n    Days: 3\n")).toEqual([0, "No changes. 1 as in the file."]);
  const wrong = 'badges.yaml:3: Badge "Door": Days must be a whole number of days from 1 to 30, or null.';
  expect(await run("Badge:\n  - Name: Door\n    Days: 31\n")).toEqual([1, wrong]);
});

test("each operation requires its scope", async () => {
  const tenant = await newTenant(app);
  const tokenFor = async (scope: string) => callerOf(await tenant.withScope(scope));
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
  expect((await fetch(`${app.url}${API}/Badge`)).status).toBe(401);
});

test("another tenant does not see it", async () => {
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

test("policies judge its fields before and after a change, and hide unreadable records", async () => {
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

test("it is in the document, with its scopes and schemas", async () => {
  const { paths, components } = (await (await fetch(`${app.url}/openapi.json`)).json()) as Body;
  const path = `${API}/Badge`;
  const scopes = (operation: Body) => operation.security[0].oauth2;
  expect([paths[path]!.get, paths[path]!.patch, paths[`${path}/{Id}`]!.delete].map(scopes)).toEqual([
    ["Settings:Read"],
    ["Settings:Update"],
    ["Settings:Update"],
  ]);
  const schemas: Record<string, Body> = components.schemas;
  expect(schemas.Badge.required).toEqual(Object.keys(BADGE.field));
  expect(schemas.BadgeData.properties).toMatchObject({
    Color: { type: "string", enum: ["Red", "Blue"] },
    CreatedOn: { readOnly: true },
  });
});

test("its pages in Settings are generated", async () => {
  const api = await newTenant(app);
  const call = callerOf(api);
  const visitor = new Visitor(app.url);
  const door = await visitor.open(`/settings?organisation=${api.tenantId}`);
  const overview = await visitor.submit(door, api.tenant.admin);
  expect(overview.html).toMatch(/<a href="\/settings\/badges">(<svg.*?<\/svg>)?(<span>)?Badges/);
  const { csrf } = overview.forms[0]!.fields;
  const path = "/settings/badges";
  const send = (to: string, form: Record<string, string>) => visitor.post(path + to, { csrf: csrf!, ...form });

  expect((await visitor.open(path)).html).toContain("No badges to see");
  const blank = (await visitor.open(`${path}/add`)).html;
  expect(blank).toContain("What people call it.");
  expect(blank).toContain('<option value="Blue">Blue</option>');
  expect(blank).toContain('type="number"');
  const typed = { Name: "Gate", Description: "", Color: "Blue", Days: "70" };
  const refused = await send("/add", typed);
  expect(refused.status).toBe(422);
  expect(refused.html).toContain("Days must be a whole number of days from 1 to 30.");
  expect(refused.html).toContain('value="Gate"');
  const made = await send("/add", { ...typed, Days: "7" });
  expect(made.html).toContain("The badge is added.");
  expect(made.html).toContain("<dt>Color</dt><dd><span>Blue</span></dd>");
  const { Id } = (await call("GET", "/Badge?Name=Gate")).body.Items[0];
  expect((await send("/add", { ...typed, Days: "8" })).html).toContain("Name is already used by another badge.");

  expect((await visitor.open(path)).html).toContain(`href="${path}/${Id}"`);
  const form = await visitor.open(`${path}/${Id}/change`);
  const { version } = form.forms.find(({ fields }) => "version" in fields)!.fields;
  const changed = { ...typed, Days: "9", version: version! };
  expect((await send(`/${Id}/change`, changed)).html).toContain("The badge is changed.");
  expect((await call("GET", `/Badge/${Id}`)).body).toMatchObject({ Name: "Gate", Color: "Blue", Days: 9 });
  expect((await send(`/${Id}/change`, changed)).html).toContain("Another user has changed this");

  for (const text of ["gat", Id]) {
    expect((await visitor.open(`/settings/search?q=${text}`)).html).toContain(`href="${path}/${Id}"`);
  }
  expect((await visitor.open(`${path}/${Id}/audit`)).html).toContain(">Record.Changed</a>");
  const log = await visitor.open("/settings/audit-log?SubjectType=Badge");
  expect(log.html).toContain(`<a href="${path}/${Id}">Gate</a>`);
  expect((await call("GET", `/AuditEvent?SubjectType=Badge&SubjectId=${Id}`)).body.Items).toHaveLength(2);

  const asking = await visitor.open(`${path}/${Id}/delete`);
  expect(asking.html).toContain("It no longer opens doors.");
  expect((await send(`/${Id}/delete`, asking.forms.at(-1)!.fields)).html).toContain("The badge Gate is deleted.");
  expect((await call("GET", `/Badge/${Id}`)).status).toBe(404);
});
