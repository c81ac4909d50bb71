// An entity is one definition and its table; everything else derives from it.

import { afterAll, expect, test } from "bun:test";
import { createRegistry, ENTITIES } from "../../server/records/entities/registry.ts";
import { recordFields } from "../../server/records/index.ts";
import { startAppWith } from "../support/private-app.ts";
import { until } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { TABLE, team } from "./team.ts";

const app = await startAppWith(TABLE, { entities: createRegistry([...ENTITIES, team]) });
const api = await newTenant(app);

afterAll(() => app?.[Symbol.asyncDispose]());

async function call(method: string, path: string, body?: unknown) {
  // biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
  const answer = await api.call<any>(method, path, body);
  return { status: answer.status, body: answer.body };
}

test("it is listed in Entities with its fields, types and events", async () => {
  const { body } = await call("GET", "/Entities");
  expect(body.Items.find((item: { Name: string }) => item.Name === "Team")).toEqual({
    Name: "Team",
    Fields: [
      { Name: "Id", Type: "integer (int32)", Filter: true },
      { Name: "Code", Type: "string", Filter: true },
      { Name: "Size", Type: "integer (int32)", Filter: true },
      { Name: "Ends_On", Type: "string (date-time)", Filter: true },
      { Name: "Is_Open", Type: "boolean", Filter: true },
      { Name: "Members", Type: "array", Filter: false },
      { Name: "Lead", Type: "object (AbstractLong)", Filter: true },
      { Name: "Tool", Type: "object (AbstractText)", Filter: true },
      { Name: "ModifiedBy", Type: "object (AbstractLong)", Filter: false },
      { Name: "CreatedBy", Type: "object (AbstractLong)", Filter: false },
    ],
    Events: ["Created", "Updated", "Deleted"],
  });
});

test("it is upserted, read, listed and deleted, with its events", async () => {
  const { clientId } = api;
  const fields = { Code: "A-1", Size: -3, Ends_On: "2026-12-31T22:00:00.000Z", Is_Open: true };
  const Lead = { FieldType: "Name", Value: "Administrator" };
  const admin = await call("GET", "/User/admin?Name=Username");
  const Members = [{ Type: "User", Id: admin.body.Id }];
  const made = await call("PATCH", "/Team", { ...fields, Lead, Tool: { Id: clientId }, Members });
  const client = { Id: Number(clientId), ExternalId: "", Name: "demo-client", Type: "Application" };
  expect(made).toEqual({
    status: 200,
    body: {
      ...fields,
      Id: 1,
      Lead: { Id: expect.any(Number), ExternalId: "", Name: "Administrator", Type: "User" },
      Tool: { ...client, Id: clientId },
      Members,
      ModifiedBy: client,
      CreatedBy: client,
    },
  });
  expect(await call("PATCH", "/Team", made.body)).toEqual(made);
  expect(await call("GET", "/Team/A-1?Name=Code")).toEqual(made);
  expect(await call("GET", "/Team/-3?Name=Size")).toEqual(made);
  expect((await call("GET", `/Team?Tool=${clientId}&Ends_On=2026-12-31T23:00:00%2B01:00`)).body.Items).toEqual([
    made.body,
  ]);
  const cleared = await call("PATCH", "/Team", [{ Code: "A-1", Size: null, Ends_On: null, Tool: null }]);
  expect(cleared.body).toMatchObject([{ Id: 1, Size: 0, Ends_On: "1900-01-01T12:00:00Z", Tool: { Id: "", Type: "" } }]);
  const held = await call("DELETE", "/User/admin?Name=Username");
  expect(held).toMatchObject({
    status: 409,
    body: { Type: "/Errors/Conflict", Errors: [expect.stringMatching(/1 Team \(Lead\)/)] },
  });
  expect((await call("DELETE", "/Team/1")).body).toEqual(cleared.body[0]);
  expect((await call("GET", "/Team/1")).status).toBe(404);
  const { body } = await call("GET", "/WebhookEvent?EventRecord=Team");
  expect(body.Items.map((event: { EventType: string }) => event.EventType)).toEqual(["Deleted", "Updated", "Created"]);
  for (const [index, { EventId }] of body.Items.entries()) {
    expect((await call("GET", `/WebhookEvent/${EventId}`)).body.Sequence).toBe(`${3 - index}`);
  }
});

test("its input is validated", async () => {
  const wrong = {
    Code: "x".repeat(11),
    Size: 2_147_483_648,
    Ends_On: "2026-02-30",
    Is_Open: 1,
    Lead: 5,
    Members: [1],
    Color: 1,
  };
  const { status, body } = await call("PATCH", "/Team", wrong);
  expect(status).toBe(400);
  const said = [
    "Code has 11 characters",
    "Size must be",
    "Ends_On must be",
    "Is_Open must be",
    "Lead must be",
    "Members\\[0\\] must be",
    "Color is no",
  ];
  expect(body.Errors).toEqual(said.map((start) => expect.stringMatching(new RegExp(`^${start}`))));
});

test("a webhook connection can subscribe to it", async () => {
  const connection = { URL: "https://example.com", Entities: ["Team"], Events: ["Created"] };
  expect((await call("POST", "/WebhookConnection", connection)).body.Entities).toEqual(["Team"]);
});

test("policies judge its attributes, before and after a change", async () => {
  const policy = (text: string) => ({ Name: "Small teams", Policy: text });
  const limit = "forbid (principal, action, resource is Team) when { resource.after.Size > 100 };";
  const wrong = await call("PATCH", "/Policy", policy(limit.replace("Size", "Sise")));
  expect(wrong).toMatchObject({ status: 400, body: { Errors: [expect.stringMatching(/Sise/)] } });
  const saved = await call("PATCH", "/Policy", policy(limit));
  expect(saved.status).toBe(200);
  const made = await call("PATCH", "/Team", { Code: "P-1", Size: 100 });
  expect(made.status).toBe(200);
  const refused = await call("PATCH", "/Team", { Id: made.body.Id, Size: 101 });
  expect(refused).toMatchObject({ status: 403, body: { Type: "/Errors/Permission" } });
  expect((await call("DELETE", `/Policy/${saved.body.Id}`)).status).toBe(200);
  expect((await call("DELETE", `/Team/${made.body.Id}`)).body.Size).toBe(100);
});

test("policies ask who is a member, of the caller and of a record", async () => {
  const ana = (await call("PATCH", "/User", { Username: "ana of the team", Is_Active: true })).body;
  const bob = (await call("PATCH", "/User", { Username: "bob of the team", Is_Active: true })).body;
  const { Id } = (await call("PATCH", "/Team", { Code: "M-1" })).body;
  const member = (one: { Id: number }) => ({ Type: "User", Id: one.Id });
  const save = (Members: object) => call("PATCH", "/Team", { Id, Members });
  const policy = (Name: string, Policy: string) => call("PATCH", "/Policy", { Name, Policy });
  const wrong = await policy("Wrong", `permit (principal in Department::"1", action, resource);`);
  expect(wrong.status).toBe(400);
  const read = `action == Action::"AccessManager:Read"`;
  const readers = await policy("Readers", `permit (principal in Team::"${Id}", ${read}, resource is Department);`);
  const department = (await call("PATCH", "/Department", { Name: "Of the team" })).body;
  const decided = async ({ Id: user }: { Id: number }) => {
    const { body } = await call("POST", "/Policy/Evaluate", {
      Principal: { Type: "User", Id: user },
      Action: "AccessManager:Read",
      Resource: { Type: "Department", Id: String(department.Id) },
      Context: { Scopes: ["AccessManager:Read"] },
    });
    return body.Decision;
  };
  const seen = async ({ Id: user }: { Id: number }) => (await call("GET", `/User/${user}`)).status;
  const become = (state: (one: { Id: number }) => Promise<unknown>, ...wanted: unknown[]) =>
    until(wanted.join(", "), async () => Bun.deepEquals([await state(ana), await state(bob)], wanted));
  expect([await decided(ana), await decided(bob)]).toEqual(["Deny", "Deny"]);
  await save({ Add: [member(ana)] });
  await become(decided, "Allow", "Deny");
  await save({ Add: [member(bob)], Remove: [member(ana)] });
  await become(decided, "Deny", "Allow");

  const hidden = await policy("Hidden", `forbid (principal is Client, ${read}, resource is User in Team::"${Id}");`);
  await become(seen, 200, 403);
  await save([member(ana)]);
  await become(seen, 403, 200);
  expect((await call("DELETE", `/Team/${Id}`)).status).toBe(200);
  await become(seen, 200, 200);
  await become(decided, "Deny", "Deny");
  for (const { body } of [readers, hidden]) expect((await call("DELETE", `/Policy/${body.Id}`)).status).toBe(200);
});

test("Settings lists, adds, changes and deletes it, by its fields", async () => {
  const visitor = new Visitor(app.url);
  const door = await visitor.open(`/settings?organisation=${api.tenantId}`);
  const overview = await visitor.submit(door, api.tenant.admin);
  expect(overview.html).toMatch(/<a href="\/settings\/teams">(<svg.*?<\/svg>)?(<span>)?Teams/);
  const { csrf } = overview.forms[0]!.fields;
  const send = (path: string, fields: object) => visitor.post(path, { csrf, ...fields } as Record<string, string>);

  const empty = await visitor.open("/settings/teams");
  expect(empty.html).toContain("No teams to see");
  const form = await visitor.open("/settings/teams/add");
  for (const name of ["Code", "Size", "Ends_On", "Is_Open", "Lead", "Tool"]) {
    expect(form.html).toContain(`name="${name}"`);
  }
  const typed = { Code: "B-2", Size: "4", Ends_On: "2026-02-30", Is_Open: "true" };
  const refused = await send("/settings/teams/add", typed);
  expect(refused.status).toBe(422);
  expect(refused.html).toMatch(/id="field-Ends_On-problem"/);
  expect(refused.html).toContain('value="B-2"');
  const { body: lead } = await call("GET", "/User/admin?Name=Username");
  const made = await send("/settings/teams/add", {
    ...typed,
    Ends_On: "",
    Lead: `${lead.Id}`,
    "Lead-now": "",
    "Lead-by": "Id",
  });
  expect(made.html).toContain("The team is added.");
  expect(made.html).toContain(`href="/settings/users/${lead.Id}"`);
  const { body } = await call("GET", "/Team/B-2?Name=Code");
  expect(body).toMatchObject({ Size: 4, Is_Open: true, Ends_On: recordFields.UNSET_DATE, Lead: { Id: lead.Id } });
  const again = await send("/settings/teams/add", { Code: "B-2" });
  expect(again.html).toMatch(/field-Code-problem"[^>]*>Code is already used by another Team\./);

  const path = `/settings/teams/${body.Id}`;
  const change = await visitor.open(`${path}/change`);
  expect(change.html).toContain('name="Size" autocomplete="off" type="number" value="4"');
  const { version } = change.forms[1]!.fields;
  const saved = { ...typed, Ends_On: "2026-12-31T22:00:00Z", Size: "", version };
  expect((await send(`${path}/change`, saved)).html).toContain("The team is changed.");
  expect((await call("GET", `/Team/${body.Id}`)).body).toMatchObject({
    Size: 0,
    Ends_On: "2026-12-31T22:00:00.000Z",
    Lead: { Id: lead.Id },
  });
  expect((await send(`${path}/change`, saved)).html).toContain("Another user has changed this");

  expect((await visitor.open(path)).html).toContain("No members yet.");
  const found = await visitor.open(`${path}/members/add?Search=ADM`);
  expect(found.heading).toBe("Add members");
  const added = await send(`${path}/members/add?Search=ADM`, { Type: "User", Id: `${lead.Id}` });
  expect(added.html).toContain("In the team now: Administrator");
  expect(added.html).toContain("is a member");
  const Members = [{ Type: "User", Id: lead.Id }];
  expect((await call("GET", `/Team/${body.Id}`)).body.Members).toEqual(Members);
  const shown = await visitor.open(path);
  expect(shown.html).toContain("Members (1)");
  const remove = shown.forms.find(({ action }) => action.endsWith("/members/remove"))!;
  expect((await send(`${path}/members/remove`, remove.fields)).html).toContain("The User was removed from the team.");
  expect((await call("GET", `/Team/${body.Id}`)).body.Members).toEqual([]);

  const asking = await visitor.open(`${path}/delete`);
  expect(asking.heading).toBe("Delete this team?");
  expect((await send(`${path}/delete`, asking.forms.at(-1)!.fields)).html).toContain("is deleted.");
  expect((await visitor.open(path)).status).toBe(404);

  const audit = await call("GET", "/AuditEvent?Limit=5");
  const subject = { Type: "Team", Id: `${body.Id}` };
  const kinds = ["Deleted", "Changed", "Changed", "Changed", "Created"].map((kind) => `Record.${kind}`);
  expect(audit.body.Items.map(({ Kind, Subject }: Record<string, unknown>) => [Kind, Subject])).toEqual(
    kinds.map((kind) => [kind, subject]),
  );
  const details = audit.body.Items.map(({ Details }: Record<string, unknown>) => Details);
  expect(details.slice(1, 3)).toEqual([
    { Changed: ["Members"], Members: { Added: [], Removed: Members } },
    { Changed: ["Members"], Members: { Added: Members, Removed: [] } },
  ]);
});

test("a definition with an unknown reference fails at the start", () => {
  expect(() => createRegistry([team])).toThrow("Team.Lead points at User, which is not an entity.");
});
