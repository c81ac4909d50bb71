// The gate of all settings in the OpenAPI document, of counts, and of payloads.

import { describe, expect, test } from "bun:test";
import { BRANDING_NAMES } from "../../server/identity/branding/fields.ts";
import { LIMIT_NAMES } from "../../server/platform/tenant-limits.ts";
import { type Answer, type Api, ok, unique } from "../world/api.ts";
import { readDocument } from "../world/documented.ts";
import { hide, type Item, listsOf, newWorld, pagesOf, READING, send, uidOf } from "../world/spy.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

const HOOK = { URL: "https://receiver.example/", Entities: ["Application"], Events: ["Created"], State: "Paused" };

describe("every setting", () => {
  test("answers writers without read permission with Id and the sent fields, without ETag", async () => {
    const world = await newWorld();
    const { paths } = await readDocument();
    // Records with a list, changed at the same path.
    const collections = (await listsOf(world)).filter(({ path }) => paths[`/Endpoint/rest/api/v1${path}`]?.patch);
    expect(collections.length).toBeGreaterThanOrEqual(7);
    for (const { path, name } of collections) {
      const { Items } = await ok(world.admin.get(`${path}?Limit=200`));
      const item = Items.filter(({ Id }: Item) => ![world.spy.clientId, world.admin.clientId].includes(Id)).at(
        name === "User" || name === "Application" || name === "Department" ? -1 : 0,
      );
      await hide(world, [uidOf(name, item)!], READING);
      const { status, body, headers } = await world.spy.patch(path, { Id: item.Id });
      expect({ path, status, body, etag: headers.get("etag") }).toEqual({
        ...{ path, status: 200, body: { Id: item.Id } },
        etag: null,
      });
      expect((await world.spy.get(`${path}/${item.Id}`)).status).toBe(403);
      if (!paths[`/Endpoint/rest/api/v1${path}/{Id}`]?.delete) continue;
      const gone = await world.spy.remove(`${path}/${item.Id}`);
      expect({ path, status: gone.status, body: gone.body }).toEqual({ path, status: 200, body: { Id: item.Id } });
    }
  });

  test("with a single record returns only the sent fields: credentials and the tenant's settings", async () => {
    const world = await newWorld();
    for (const type of ["Credentials", "TenantSettings"]) {
      await savePolicy(
        world.admin,
        `Hide ${type}`,
        `forbid (principal == Client::"${world.spy.clientId}", action == Action::"Settings:Read", resource is ${type});`,
      );
    }
    const credentials = await world.spy.patch(`/Application/${world.admin.clientId}/Credentials`, {
      FirstParty: false,
    });
    expect({ body: credentials.body, etag: credentials.headers.get("etag") }).toEqual({
      body: { FirstParty: false },
      etag: null,
    });
    expect(await ok(world.spy.patch("/TenantSettings", {}))).toEqual({});
    expect(await ok(world.admin.patch("/TenantSettings", {}))).toEqual({
      Name: expect.stringMatching(/^test /),
      UserAttributes: [],
      RetentionDays: null,
      ...Object.fromEntries(LIMIT_NAMES.map((name) => [name, null])),
      SecondFactor: "Optional",
      Passkeys: "Optional",
      PasskeysRequiredFrom: null,
      PasskeyModels: [],
      SessionsAfterReset: "End",
      ...Object.fromEntries(BRANDING_NAMES.map((name) => [name, ""])),
      ...{ KeepSignedIn: "Off", NewDeviceMail: "Off", SignUp: "Off", SignUpDomains: [] },
      ...{ ConsentText: "", TermsUri: "", PrivacyUri: "", AlertMailKinds: [], AlertMailTo: [] },
      Language: "en",
      Texts: [],
      ReplyTo: "",
      ClientRegistration: "Off",
      ClientIdMetadataDocuments: "Off",
      RegistrationScopes: ["openid", "profile", "name", "email", "address", "phone"],
    });
  });

  test("appears in the audit log by Id only for readers without permission", async () => {
    const world = await newWorld();
    const role = await ok(world.admin.patch("/Role", { Name: unique("secret"), Scopes: ["Webhooks:Delete"] }));
    const rowOf = async (reader: { get(path: string): Promise<Answer> }) => {
      const { Items } = await ok(reader.get(`/AuditEvent?SubjectType=Role&SubjectId=${role.Id}`));
      return Items[0];
    };
    expect((await rowOf(world.spy)).Details).not.toEqual({});
    await hide(world, [{ type: "Role", id: role.Name }], READING);
    const row = await rowOf(world.spy);
    expect({ Subject: row.Subject, Details: row.Details }).toEqual({
      Subject: { Type: "Role", Id: role.Id },
      Details: {},
    });
    expect((await ok(world.spy.get(`/AuditEvent/${row.Id}`))).Details).toEqual({});
    const file = (await world.spy.get(`/AuditEvent/Export?SubjectType=Role&SubjectId=${role.Id}`)).body;
    expect(file).not.toContain("Webhooks:Delete");
    expect((await rowOf(world.admin)).Details).not.toEqual({});
  });
});

describe("counts", () => {
  test("are left out where some of the records are hidden", async () => {
    const world = await newWorld();
    const [connection] = (await ok(world.admin.get("/WebhookConnection"))).Items;
    const dryRun = () => ({ ConnectionId: connection.Id, From: "2020-01-01", States: ["Exhausted"], DryRun: true });
    const counted = async () => ({
      dry: (await ok(send(world.spy, "POST", "/Redelivery", dryRun()))).Count,
      dead: (await ok(world.spy.get("/WebhookEvent/DeadLetters"))).Items.map(({ Count }: Item) => Count),
    });
    expect(await counted()).toEqual({ dry: 0, dead: Array(5).fill(expect.any(Number)) });
    await hide(world, [{ type: "WebhookEvent", id: String(world.ids.WebhookEvent) }], READING);
    expect(await counted()).toEqual({ dry: null, dead: Array(5).fill(null) });
  });

  test("are shown to readers of every event, whatever policies say of other users", async () => {
    const admin = await newTenant();
    const reader = await newMember(admin);
    await ok(admin.patch("/Role", { Name: "watchers", Members: [{ Type: "Application", Id: reader.clientId }] }));
    const { Id } = await ok(admin.patch("/WebhookConnection", HOOK));
    await ok(admin.patch("/Application", { Name: "Gate" }));
    const counted = async (person: Pick<Api, "token" | "get">) => {
      const dryRun = { ConnectionId: Id, From: "2020-01-01", States: ["Exhausted"], DryRun: true };
      const { Items } = await ok(person.get("/WebhookEvent/DeadLetters"));
      return [(await ok(send(person, "POST", "/Redelivery", dryRun))).Count, Items[0].Count];
    };
    const looking = (effect: string, principal: string, action = "Webhooks:Read") =>
      `${effect} (${principal}, action == Action::"${action}", resource is WebhookEvent)
        when { resource has User && resource.User.Name like "Open*" };`;
    const others = [
      looking("permit", `principal == Client::"${reader.clientId}"`),
      looking("forbid", `principal == Client::"${reader.clientId}"`),
      looking("forbid", 'principal in Role::"watchers"'),
      looking("forbid", "principal is User"),
      looking("forbid", 'principal is Client in Role::"watchers"'),
      // Without the policy, the administrator may read them all.
      looking("permit", "principal"),
    ];
    for (const policy of others) {
      await savePolicy(admin, "Others", policy);
      expect({ policy, counted: await counted(admin) }).toEqual({ policy, counted: [0, 1] });
    }
    for (const principal of ["principal", 'principal in Role::"admin"', `principal == Client::"${admin.clientId}"`]) {
      const policy = looking("forbid", principal);
      await savePolicy(admin, "Others", policy);
      expect({ policy, counted: await counted(admin) }).toEqual({ policy, counted: [null, null] });
    }
    // The condition is about another type.
    const watchers = 'permit (principal in Role::"watchers", action, resource) unless';
    await savePolicy(admin, "Others", `${watchers} { resource is User && resource.Name == "Open" };`);
    expect(await counted(reader)).toEqual([0, 1]);
    await savePolicy(admin, "Others", `${watchers} { resource has User && resource.User.Name == "Open" };`);
    expect(await counted(reader)).toEqual([null, null]);
  });

  test("of dead letters reveal nothing about a hidden event, at any time", async () => {
    const admin = await newTenant();
    const reader = await newMember(admin);
    await savePolicy(admin, "Reader", `permit (principal == Client::"${reader.clientId}", action, resource);`);
    const { Id } = await ok(admin.patch("/WebhookConnection", HOOK));
    const quiet = await ok(admin.patch("/WebhookConnection", { ...HOOK, Entities: ["Department"] }));
    await ok(admin.patch("/Application", { Name: "Gate" }));
    const { EventId, Timestamp } = (await ok(admin.get("/WebhookEvent?Limit=1"))).Items[0];
    const after = new Date(Date.parse(Timestamp) + 1).toISOString();
    const filters = [
      "",
      `From=${Timestamp}&To=${after}`,
      `From=${after}`,
      `To=${Timestamp}`,
      "State=Held",
      "State=Exhausted",
    ];
    const read = async (filter: string) => ok(reader.get(`/WebhookEvent/DeadLetters?${filter}`));
    const found = async () => (await Promise.all(filters.map(read))).map(({ Items }) => Items.length);
    expect(await found()).toEqual([1, 1, 0, 0, 1, 0]);
    await hide({ admin, spy: reader }, [{ type: "WebhookEvent", id: EventId }], READING);
    const none = { ConnectionName: "", Count: null, Receiver: null, Configuration: null, Ours: null, Reasons: [] };
    const each = [quiet.Id, Id].map((ConnectionId) => ({ ConnectionId, ...none }));
    for (const filter of filters) expect(await read(filter)).toEqual({ Items: each, Next: null, Hidden: 0 });
    expect((await read(`ConnectionId=${Id}&From=${after}`)).Items).toEqual(each.slice(1));
  });
});

describe("the role ops", () => {
  test("reads payloads by the policy Payloads and by nothing else", async () => {
    const { admin } = await newWorld();
    const ops = await newMember(admin, "ops");
    const { EventId, RecordId } = (await ok(admin.get("/WebhookEvent?EventRecord=User&EventType=Created"))).Items[0];
    const event = () => ok(ops.get(`/WebhookEvent/${EventId}`));
    expect((await event()).Payload).toEqual((await ok(admin.get(`/WebhookEvent/${EventId}`))).Payload);
    expect((await ops.get(`/User/${RecordId}`)).status).toBe(403);
    expect((await ops.get("/User")).body).toEqual({ Items: [], Next: null, Hidden: null });

    const { Items } = await ok(admin.get("/Policy?Name=Payloads"));
    await ok(admin.remove(`/Policy/${Items[0].Id}`));
    const { Payload, Withheld } = await event();
    expect(Payload).not.toHaveProperty("Data");
    expect(Payload).toMatchObject({ EventId, EventRecord: "User" });
    expect(Withheld).toMatch(/omitted/);
  });
});

describe("policies of events", () => {
  test("can ask for the records in them, for each record of an array", async () => {
    const world = await newWorld();
    const secret = unique("secret");
    const one = await ok(world.admin.patch("/Department", { Name: secret }));
    const other = await ok(world.admin.patch("/Department", { Name: unique("open") }));
    await ok(
      world.admin.patch(
        "/Department",
        [one, other].map(({ Id }) => ({ Id, Is_Active: true })),
      ),
    );
    await savePolicy(
      world.admin,
      "No secrets",
      `forbid (principal == Client::"${world.spy.clientId}", action, resource is WebhookEvent)
       when { resource has Department && resource.Department.Name == "${secret}" };`,
    );
    const all = (await pagesOf(world.admin, "/WebhookEvent", 200)).flatMap(({ Items }) => Items);
    const seen = new Set(
      (await pagesOf(world.spy, "/WebhookEvent", 200)).flatMap(({ Items }) => Items).map(({ EventId }) => EventId),
    );
    const lost = all.filter(({ EventId }) => !seen.has(EventId));
    expect(lost.map(({ RecordId, RecordCount }) => ({ RecordId, RecordCount }))).toEqual([
      { RecordId: null, RecordCount: 2 },
      { RecordId: String(one.Id), RecordCount: 1 },
    ]);
    for (const { EventId } of lost) {
      expect((await world.spy.get(`/WebhookEvent/${EventId}`)).status).toBe(403);
      expect((await world.spy.get(`/WebhookEvent/${EventId}/Why`)).status).toBe(403);
      expect((await send(world.spy, "POST", `/WebhookEvent/${EventId}/Redeliver`, {})).status).toBe(403);
    }
  });
});
