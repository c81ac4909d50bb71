// SCIM 2.0: what a directory reads and writes, as Entra ID and Okta send it.

import { describe, expect, test } from "bun:test";
import { type Answer, type Api, ok, unique } from "../world/api.ts";
import { adminIdOf, plantSession } from "../world/planted.ts";
import { countOf } from "../world/rows.ts";
import { newMember, newTenant, request, savePolicy } from "../world/tenant.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** Calls by the client's secret, unless `token` says otherwise. */
class Scim {
  constructor(
    readonly api: Api,
    readonly token = `${api.clientId}.${api.clientSecret}`,
  ) {}

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return request(method, `/scim/v2${path}`, {
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  patch(path: string, ...Operations: object[]): Promise<Answer> {
    return this.send("PATCH", path, { schemas: [PATCH], Operations });
  }

  async user(fields: object = {}) {
    const { status, body } = await this.send("POST", "/Users", {
      schemas: [USER],
      userName: unique("user"),
      ...fields,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  }

  async group(members: string[] = []) {
    const body = { displayName: unique("group"), members: members.map((value) => ({ value })) };
    const answer = await this.send("POST", "/Groups", body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  async found(path: string, filter: string): Promise<string[]> {
    const { status, body } = await this.send("GET", `${path}?filter=${encodeURIComponent(filter)}`);
    expect({ filter, status }).toEqual({ filter, status: 200 });
    expect(body.totalResults).toBe(body.Resources.length);
    return body.Resources.map(({ id }: { id: string }) => id);
  }
}

const newScim = async () => new Scim(await newTenant());

function expectRefused({ status, body }: Answer, expected: number, scimType: string | undefined, detail: RegExp) {
  expect({ status, body }).toMatchObject({
    status: expected,
    body: {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(expected),
      detail: expect.stringMatching(detail),
    },
  });
  expect(body.scimType).toBe(scimType);
}

describe.concurrent("the caller", () => {
  test("is a client by its access token or by its secret; other texts are refused", async () => {
    const scim = await newScim();
    for (const token of [scim.token, scim.api.token]) {
      expect((await new Scim(scim.api, token).send("GET", "/Users?count=1")).status).toBe(200);
    }
    const other = await newTenant();
    const wrong = [`${scim.api.clientId}.${other.clientSecret}`, `${scim.api.clientId}.`, "1.2", "x", `${scim.token}x`];
    for (const token of wrong) {
      expectRefused(await new Scim(scim.api, token).send("GET", "/Users"), 401, undefined, /./);
    }
    const { id } = await scim.user();
    expectRefused(await new Scim(other).send("GET", `/Users/${id}`), 404, undefined, /./);
    expectRefused(await new Scim(other).send("DELETE", `/Users/${id}`), 404, undefined, /./);
    expectRefused(
      await new Scim(other).patch(`/Users/${id}`, { op: "replace", path: "active", value: false }),
      404,
      undefined,
      /./,
    );
  });

  test("needs the scopes and policies of the API", async () => {
    const scim = await newScim();
    const { id } = await scim.user();
    const editor = new Scim(await newMember(scim.api, "editor"));
    expect((await editor.send("GET", `/Users/${id}`)).status).toBe(200);
    expectRefused(await editor.send("DELETE", `/Users/${id}`), 403, undefined, /./);
    await savePolicy(
      scim.api,
      "Hide",
      `forbid (principal, action == Action::"AccessManager:Read", resource == User::"${id}");`,
    );
    expectRefused(await editor.send("GET", "/Users"), 403, undefined, /permits AccessManager:Read on every User/);
  });
});

describe.concurrent("Users", () => {
  test("are created, read, replaced, patched and deleted, with events, location and version", async () => {
    const scim = await newScim();
    const sent = {
      schemas: [USER, ENTERPRISE],
      userName: unique("dora"),
      externalId: unique("00u"),
      name: { givenName: "Dora", familyName: "Silva", formatted: "Dora Silva" },
      displayName: "Dora Silva",
      emails: [
        { value: "home@example.com", type: "home" },
        { value: "dora@example.com", type: "work", primary: true },
      ],
      phoneNumbers: [{ value: "+351 912 345 678", type: "mobile" }],
      active: true,
      [ENTERPRISE]: { department: "Finance" },
    };
    const made = await scim.send("POST", "/Users", sent);
    const { emails, ...same } = sent;
    expect(made).toMatchObject({
      status: 201,
      body: { ...same, emails: [{ value: "dora@example.com", type: "work" }] },
    });
    expect(made.headers.get("content-type")).toStartWith("application/scim+json");
    expect(made.headers.get("location")).toBe(made.body.meta.location);
    const { id } = made.body;
    const read = await scim.send("GET", `/Users/${id}`);
    expect(read.body).toEqual(made.body);
    expect(read.headers.get("etag")).toBe(read.body.meta.version);
    expect((await ok(scim.api.get(`/User/${id}`))).Department.Name).toBe("Finance");

    const etag = read.headers.get("etag")!;
    const put = await scim.send("PUT", `/Users/${id}`, { ...read.body, displayName: "D. Silva" }, { "if-match": etag });
    expect(put.body).toMatchObject({ displayName: "D. Silva", externalId: sent.externalId });
    expect((await scim.send("PUT", `/Users/${id}`, read.body, { "if-match": etag })).status).toBe(412);
    const shorter = await scim.send("PUT", `/Users/${id}`, { userName: sent.userName });
    expect(shorter.body).not.toHaveProperty("emails");
    expect(shorter.body.active).toBe(true);

    expect((await scim.send("DELETE", `/Users/${id}`)).status).toBe(204);
    expectRefused(await scim.send("GET", `/Users/${id}`), 404, undefined, /./);
    expectRefused(await scim.send("DELETE", `/Users/${id}`), 404, undefined, /./);
    const events = await ok(scim.api.get(`/WebhookEvent?EventRecord=User&RecordId=${id}`));
    const kinds = events.Items.map(({ EventType }: { EventType: string }) => EventType);
    expect(kinds).toEqual(["Deleted", "Updated", "Updated", "Created"]);
  });

  test("that exist are not taken over: the same userName in any case, or externalId, is 409", async () => {
    const scim = await newScim();
    const { userName, id } = await scim.user({ externalId: "E-1" });
    expectRefused(await scim.send("POST", "/Users", { userName: "ADMIN" }), 409, "uniqueness", /There is a User/);
    for (const body of [{ userName: userName.toUpperCase() }, { userName: unique("new"), externalId: "E-1" }]) {
      expectRefused(await scim.send("POST", "/Users", body), 409, "uniqueness", /./);
    }
    expect(await scim.found("/Users", `userName eq "${userName.toUpperCase()}"`)).toEqual([id]);
    const other = await scim.user();
    const taken = await scim.patch(`/Users/${other.id}`, { op: "replace", path: "externalId", value: "E-1" });
    expectRefused(taken, 409, "uniqueness", /./);
  });

  test("are patched as Entra ID does it", async () => {
    const scim = await newScim();
    const { id } = await scim.user({ displayName: "Ana", nickName: "A" });
    const path = `/Users/${id}`;
    const patched = await scim.patch(
      path,
      { op: "Replace", path: "active", value: "False" },
      { op: "Add", path: 'emails[type eq "work"].value', value: "ana@example.com" },
      { op: "Replace", path: 'phoneNumbers[type eq "mobile"].value', value: "1" },
      { op: "Replace", path: "displayName", value: [{ $ref: null, value: "Ana Silva" }] },
      { op: "Add", path: `${ENTERPRISE}:department`, value: "Sales" },
      { op: "Replace", value: { "name.givenName": "Ana", externalId: "E-2" } },
      { op: "Remove", path: "nickName" },
    );
    expect(patched).toMatchObject({
      status: 200,
      body: {
        active: false,
        emails: [{ value: "ana@example.com" }],
        phoneNumbers: [{ value: "1" }],
        displayName: "Ana Silva",
        name: { givenName: "Ana" },
        externalId: "E-2",
        [ENTERPRISE]: { department: "Sales" },
      },
    });
    expect(patched.body).not.toHaveProperty("nickName");
    expect((await scim.patch(path, { op: "Replace", path: "ACTIVE", value: "True" })).body.active).toBe(true);
    const removed = await scim.patch(
      path,
      { op: "remove", path: `${ENTERPRISE}:department` },
      { op: "remove", path: "emails" },
    );
    expect(removed.body).not.toHaveProperty(ENTERPRISE);
    expect(removed.body).not.toHaveProperty("emails");
    const before = (await scim.api.newestEvent()).EventId;
    const again = await scim.patch(path, { op: "replace", path: "displayName", value: "Ana Silva" });
    expect([again.status, (await scim.api.newestEvent()).EventId]).toEqual([200, before]);
  });

  test("are not changed by a wrong PATCH; an answer of 200 means that all is done", async () => {
    const scim = await newScim();
    const { id, displayName } = await scim.user({ displayName: "Ana" });
    const renamed = { op: "replace", path: "displayName", value: "Eva" };
    const wrong: [object[], string, RegExp][] = [
      [[renamed, { op: "replace", path: "title", value: "x" }], "invalidPath", /no title here/],
      [[renamed, { op: "replace", path: "password", value: "x" }], "invalidValue", /Passwords/],
      [[renamed, { op: "replace", path: 'emails[type eq "home"].value', value: "x" }], "invalidPath", /./],
      [[renamed, { op: "replace", path: "active", value: "perhaps" }], "invalidValue", /active must be/],
      [[renamed, { op: "move", path: "active" }], "invalidSyntax", /op must be/],
      [[renamed, { op: "remove" }], "noTarget", /requires a path/],
      [[], "invalidSyntax", /Operations/],
      [Array(101).fill(renamed), "invalidSyntax", /1 to 100/],
    ];
    for (const [operations, scimType, detail] of wrong) {
      expectRefused(await scim.patch(`/Users/${id}`, ...operations), 400, scimType, detail);
    }
    expect((await scim.send("GET", `/Users/${id}`)).body.displayName).toBe(displayName);
  });

  test("that become inactive or are deleted lose their sessions at once", async () => {
    const scim = await newScim();
    for (const end of [
      (path: string) => scim.patch(path, { op: "Replace", path: "active", value: "False" }),
      (path: string) => scim.send("DELETE", path),
    ]) {
      const { id } = await scim.user();
      await plantSession(scim.api, Number(id));
      expect(await countOf("sessions", { user_id: Number(id) })).toBe(1);
      expect((await end(`/Users/${id}`)).status).toBeLessThan(300);
      expect(await countOf("sessions", { user_id: Number(id) })).toBe(0);
    }
  });

  test("keep the last administrator", async () => {
    const scim = await newScim();
    const id = await adminIdOf(scim.api);
    const path = `/Users/${id}`;
    const off = { op: "Replace", path: "active", value: "False" };
    expectRefused(await scim.patch(path, off), 409, "uniqueness", /active administrator/);
    expectRefused(await scim.send("DELETE", path), 409, "uniqueness", /active administrator/);
    const other = await scim.user();
    const group = await scim.group([other.id]);
    await ok(
      scim.api.patch("/Role", { Name: "admin", Members: { Add: [{ Type: "Group", Id: Number(group.id.slice(1)) }] } }),
    );
    expect((await scim.patch(path, off)).status).toBe(200);
    const emptied = await scim.patch(`/Groups/${group.id}`, { op: "remove", path: "members" });
    expectRefused(emptied, 409, "uniqueness", /active administrator/);
    expectRefused(await scim.patch(`/Users/${other.id}`, off), 409, "uniqueness", /active administrator/);
  });
});

describe.concurrent("Groups", () => {
  test("get and lose members, and an unchanged PATCH makes no event", async () => {
    const scim = await newScim();
    const [ana, bob] = [await scim.user(), await scim.user()];
    const inner = await scim.group([ana.id]);
    const { id } = await scim.group();
    const path = `/Groups/${id}`;
    const ids = async (answer: Promise<Answer>) => {
      const { status, body } = await answer;
      expect({ status, body }).toMatchObject({ status: 200 });
      return body.members.map(({ value }: { value: string }) => value);
    };
    const add = { op: "Add", path: "members", value: [{ value: ana.id }, { value: inner.id }] };
    expect(await ids(scim.patch(path, add))).toEqual([ana.id, inner.id]);
    const before = (await scim.api.newestEvent()).EventId;
    expect(await ids(scim.patch(path, add))).toEqual([ana.id, inner.id]);
    expect((await scim.api.newestEvent()).EventId).toBe(before);
    expect(await ids(scim.patch(path, { op: "Remove", path: `members[value eq "${ana.id}"]` }))).toEqual([inner.id]);
    expect(await ids(scim.patch(path, { op: "Remove", path: "members", value: [{ value: inner.id }] }))).toEqual([]);
    expect(await ids(scim.patch(path, { op: "replace", path: "members", value: [{ value: bob.id }] }))).toEqual([
      bob.id,
    ]);
    expect(await scim.found("/Groups", `members[value eq "${bob.id}"]`)).toEqual([id]);
    const put = await scim.send("PUT", path, { displayName: "renamed", members: [{ value: ana.id, display: "Ana" }] });
    expect(put.body).toMatchObject({ displayName: "renamed", members: [{ value: ana.id, type: "User" }] });
    expect(put.body.members[0].$ref).toEndWith(`/scim/v2/Users/${ana.id}`);
    expect(await ids(scim.patch(path, { op: "remove", path: "members" }))).toEqual([]);
    const circle = await scim.patch(path, { op: "add", path: "members", value: [{ value: id }] });
    expectRefused(circle, 409, "uniqueness", /circle/);
    const unknown = await scim.patch(path, { op: "add", path: "members", value: [{ value: "999999999" }] });
    expectRefused(unknown, 400, "invalidValue", /no User 999999999/);
    const without = await scim.send("GET", `${path}?excludedAttributes=members`);
    expect(without.body).not.toHaveProperty("members");
    expect((await scim.send("DELETE", path)).status).toBe(204);
  });
});

describe.concurrent("filters and pages", () => {
  test("find by the grammar of RFC 7644", async () => {
    const scim = await newScim();
    const ana = await scim.user({ displayName: "Ana Silva", emails: [{ value: "ana@example.com" }], externalId: "A" });
    const bob = await scim.user({ displayName: "Bob 100%", active: false });
    const cases: [string, string[]][] = [
      [`userName eq "${ana.userName}"`, [ana.id]],
      [`USERNAME EQ "${ana.userName.toUpperCase()}"`, [ana.id]],
      ['externalId eq "A"', [ana.id]],
      ['displayName sw "ana" or displayName ew "100%"', [ana.id, bob.id]],
      ['displayName co "%"', [bob.id]],
      ["active eq false", [bob.id]],
      ['active eq "True" and emails pr', [ana.id]],
      ['emails[type eq "work" and value eq "ANA@example.com"]', [ana.id]],
      ['not (displayName sw "Bob") and displayName co "silva"', [ana.id]],
      [`${USER}:userName eq "${bob.userName}"`, [bob.id]],
      [`id eq "${bob.id}"`, [bob.id]],
      ['meta.created lt "2020-01-01T00:00:00Z"', []],
      [`externalId eq null and displayName ne null and displayName ne "Administrator"`, [bob.id]],
      [`displayName eq "'; drop table users; --"`, []],
    ];
    for (const [filter, ids] of cases)
      expect({ filter, ids: await scim.found("/Users", filter) }).toEqual({ filter, ids });
  });

  test("can be sent in a body", async () => {
    const scim = await newScim();
    const { id, userName } = await scim.user();
    const search = { filter: `userName eq "${userName}"`, count: 1, attributes: ["userName"] };
    const { status, body } = await scim.send("POST", "/Users/.search", search);
    expect({ status, body }).toMatchObject({ status: 200, body: { totalResults: 1, Resources: [{ id, userName }] } });
    expect(body.Resources[0]).not.toHaveProperty("active");
    expectRefused(await scim.send("GET", "/Users/.search"), 405, undefined, /POST/);
  });

  test("are refused if they are wrong or too large", async () => {
    const scim = await newScim();
    const wrong = [
      ...[
        "userName",
        "userName eq",
        'userName zz "a"',
        '(userName eq "a"',
        'title eq "a"',
        "active gt true",
        'constructor eq "a"',
      ],
      ...[`${"(".repeat(11)}userName eq "a"${")".repeat(11)}`, Array(21).fill('userName eq "a"').join(" or ")],
      ...[`userName eq "${"x".repeat(2_000)}"`, 'displayName eq "\\u0000"', 'meta.created gt "yesterday"'],
    ];
    for (const filter of wrong) {
      const answer = await scim.send("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expectRefused(answer, 400, "invalidFilter", /^The filter /);
    }
  });

  test("have a place and a length", async () => {
    const scim = await newScim();
    for (let index = 0; index < 4; index++) await scim.user();
    const page = async (query: string) => {
      const { body } = await scim.send("GET", `/Users?${query}`);
      return [body.totalResults, body.startIndex, body.itemsPerPage];
    };
    expect(await page("startIndex=1&count=2")).toEqual([5, 1, 2]);
    expect(await page("startIndex=5&count=2")).toEqual([5, 5, 1]);
    expect(await page("startIndex=0&count=-1")).toEqual([5, 1, 0]);
    expect(await page("count=0")).toEqual([5, 1, 0]);
    for (const query of ["startIndex=x", "count=1e99", "startIndex=99999999999"]) {
      expectRefused(await scim.send("GET", `/Users?${query}`), 400, "invalidValue", /must be a whole number/);
    }
  });
});

test("documents describe the service, its types and schemas", async () => {
  const scim = await newScim();
  const config = (await scim.send("GET", "/ServiceProviderConfig")).body;
  expect(config).toMatchObject({ patch: { supported: true }, bulk: { supported: false }, filter: { maxResults: 200 } });
  for (const path of ["/ResourceTypes", "/Schemas"]) {
    const { body } = await scim.send("GET", path);
    for (const { id } of body.Resources) expect((await scim.send("GET", `${path}/${id}`)).body.id).toBe(id);
  }
  expectRefused(await scim.send("GET", "/Schemas/unknown"), 404, undefined, /./);
  expectRefused(await scim.send("GET", "/Devices"), 404, undefined, /./);
  expectRefused(await scim.send("POST", "/Schemas", {}), 405, undefined, /GET/);
  expectRefused(await scim.send("PUT", "/Users", {}), 405, undefined, /GET or POST/);
  expectRefused(await scim.send("POST", "/Users", {}), 400, "invalidValue", /userName is required/);
  const text = await scim.send("POST", "/Users", {}, { "content-type": "text/plain" });
  expectRefused(text, 415, undefined, /./);
});
