import { describe, expect, test } from "bun:test";
import { type Answer, API, cases, expectError, unique } from "../world/api.ts";
import { newTenant, request } from "../world/tenant.ts";

const PATH = `${API}/Application`;
const JSON_TYPE = { "content-type": "application/json" };
const MIB = 1024 * 1024;

const caller = await newTenant();
const reader = await caller.withScope("AccessManager:Read");

const post = (body: BodyInit, headers: Record<string, string> = JSON_TYPE) =>
  caller.send("PATCH", "/Application", { headers, body });

describe("the body", () => {
  test.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
  ])("Content-Type %s is accepted", async (type) => {
    expect((await post(`{"Name":"${unique("typed")}"}`, { "content-type": type })).status).toBe(200);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "text/json", "application/xml"])(
    "Content-Type %s is 415",
    async (type) => {
      expectError(await post("{}", { "content-type": type }), 415, "Unsupported Media Type", /application\/json/);
    },
  );

  test("no Content-Type is 415", async () => {
    expectError(await post(new Blob(["{}"]), {}), 415, "Unsupported Media Type");
  });

  test.each(["", " ", "{", '{"Name":}', "{'Name': 1}", "{}{}", "NaN", "\u0000", '{"Name":"\n"}', "[".repeat(200_000)])(
    "%j is not JSON: 400",
    async (text) => {
      expectError(await post(text), 400, "Bad Input", /JSON/);
    },
  );

  test.each(cases(null, 5, "text", true, [5]))("%j is not an object: 400", async (value) => {
    expectError(await post(JSON.stringify(value)), 400, "Bad Input");
  });

  test.each([
    ["[".repeat(33) + "]".repeat(33), /deeper than 32 levels/],
    [`{"Name":${"[".repeat(500_000)}${"]".repeat(500_000)}}`, /deeper than 32 levels/],
    [`[${"{},".repeat(100_000)}{}]`, /more than 100000 values/],
    [`{${Array.from({ length: 2_001 }, (_, at) => `"${at}":1`)}}`, /more than 2000 members/],
    [`[{"Name":[${Array.from({ length: 2_001 }, () => "1")}]}]`, /more than 2000 members/],
  ])("%.20s… is 400 without a long parse", async (text, words) => {
    expectError(await post(text), 400, "Bad Input", words);
  });

  test("commas and brackets in a text are not counted", async () => {
    const Description = `\\"${"[{,".repeat(1_000)}\\`;
    const { status, body } = await post(JSON.stringify({ Name: unique("brackets"), Description }));
    expect([status, body.Description]).toEqual([200, Description]);
  });

  test("bytes that are not UTF-8 are 400", async () => {
    const bytes = Buffer.concat([Buffer.from('{"Name":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]);
    expectError(await post(bytes), 400, "Bad Input", /UTF-8/);
  });

  test("a byte order mark is ignored", async () => {
    expect((await post(`\ufeff{"Name":"${unique("bom")}"}`)).status).toBe(200);
  });

  test("exactly 1 MiB is accepted", async () => {
    const name = unique("large");
    expect((await post(`{"Name":"${name}"}`.padEnd(MIB))).body.Name).toBe(name);
  });

  test("one byte more than 1 MiB is 413", async () => {
    expectError(await post("{}".padEnd(MIB + 1)), 413, "Payload Too Large", /1048576/);
  });

  test("more than 1 MiB without a Content-Length is 413", async () => {
    const chunks = Array.from({ length: 40 }, () => Buffer.alloc(64 * 1024, " "));
    const body = new ReadableStream({
      pull: (controller) => {
        const chunk = chunks.pop();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
    expectError(await post(body), 413, "Payload Too Large");
  });
});

describe("the method", () => {
  const routes: [string, string[]][] = [
    ["/Application", ["GET", "HEAD", "PATCH", "POST"]],
    ["/Application/1", ["GET", "HEAD", "DELETE"]],
    ["/User/1", ["GET", "HEAD", "DELETE"]],
    ["/Department", ["GET", "HEAD", "PATCH", "POST"]],
    ["/Entities", ["GET", "HEAD"]],
    ["/WebhookConnection", ["GET", "HEAD", "PATCH", "POST"]],
    ["/WebhookConnection/1", ["GET", "HEAD", "DELETE"]],
    ["/Policy", ["GET", "HEAD", "PATCH", "POST"]],
    ["/Role/1", ["GET", "HEAD", "DELETE"]],
    ["/Application/1/Credentials", ["GET", "HEAD", "PATCH", "POST"]],
  ];

  test.each(routes)("%s answers 405 with Allow to any other method", async (path, allowed) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      const answer = await caller.send(method, path);
      const allow = answer.headers.get("allow")?.split(", ");
      if (allow === undefined) {
        expect(answer.status).not.toBe(405);
        continue;
      }
      expectError(answer, 405, "Method Not Allowed");
      expect(allow).toEqual(expect.arrayContaining(allowed));
      expect(allow).not.toContain(method);
    }
  });
});

describe("authentication and scopes", () => {
  const good = { headers: JSON_TYPE, body: "{}" };

  test("without a token: 401 with a Bearer challenge", async () => {
    for (const [method, path] of [
      ["PATCH", "/Application"],
      ["GET", "/User/1"],
      ["GET", "/Entities"],
    ] as const) {
      const answer = await request(method, API + path);
      expectError(answer, 401, "Unauthorized");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test.each(["", "Bearer", "Bearer ", "Basic dXNlcjp3b3Jk", "Bearer a b", "Bearer nonsense", "Token x"])(
    "Authorization: %s is 401",
    async (authorization) => {
      const answer = await request("PATCH", PATH, { headers: { ...JSON_TYPE, authorization }, body: "{}" });
      expectError(answer, 401, "Unauthorized");
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    },
  );

  test.each(["Basic dXNlcjp3b3Jk", "Token x", "Bearer=x"])(
    "Authorization: %s gets a Bearer challenge without an error",
    async (authorization) => {
      const answer = await request("GET", PATH, { headers: { authorization } });
      expectError(answer, 401, "Unauthorized", /only Authorization: Bearer/);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    },
  );

  test("the scheme is case-insensitive", async () => {
    const answer = await request("GET", `${API}/Entities`, { headers: { authorization: `bearer ${caller.token}` } });
    expect(answer.status).toBe(200);
  });

  test.each([
    ["PATCH", "/Application", "AccessManager:Create", "AccessManager:Create AccessManager:Update"],
    ["PATCH", "/Application", "AccessManager:Update", "AccessManager:Create AccessManager:Update"],
    ["POST", "/Application", "AccessManager:Read", "AccessManager:Create AccessManager:Update"],
    ["GET", "/User/1", "AccessManager:Create, Update", "AccessManager:Read"],
    ["GET", "/Application/1", "openid", "AccessManager:Read"],
    ["GET", "/Entities", "Webhooks:Read", "AccessManager:Read"],
    ["GET", "/User", "AccessManager:Delete", "AccessManager:Read"],
    ["PATCH", "/User", "AccessManager:Create", "AccessManager:Create AccessManager:Update"],
    ["DELETE", "/Department/1", "AccessManager:Create, Update", "AccessManager:Delete"],
  ])("%s %s with only %s is 403 and names the required scope", async (method, path, scope, needed) => {
    const weak = await caller.withScope(scope);
    const answer = await weak.send(method, path, method === "GET" ? {} : good);
    expectError(answer, 403, "Permission", /lacks the scope/);
    expect(answer.body.Title).toBe("Forbidden");
    expect(answer.headers.get("www-authenticate")).toBe(`Bearer error="insufficient_scope", scope="${needed}"`);
  });

  test("AccessManager:Create, Update is enough to upsert", async () => {
    const writer = await caller.withScope("AccessManager:Create, Update");
    expect((await writer.patch("/Application", { Name: unique("scoped") })).status).toBe(200);
  });
});

describe("the order of the checks", () => {
  const BAD_BODY = { headers: JSON_TYPE, body: "{" };
  const BAD_TYPE = { headers: { "content-type": "text/plain" }, body: "{" };
  const rows: [string, () => Promise<Answer>, number][] = [
    ["token before method", () => request("PUT", PATH, BAD_TYPE), 401],
    ["method before media type", () => reader.send("PUT", "/Application", BAD_TYPE), 405],
    ["media type before scopes", () => reader.send("PATCH", "/Application", BAD_TYPE), 415],
    ["scopes before the body", () => reader.send("PATCH", "/Application", BAD_BODY), 403],
    ["the body before its size's content", () => caller.send("PATCH", "/Application", BAD_BODY), 400],
    ["token before path", () => request("GET", `${API}/User/a@b`), 401],
    ["fields before the look-up", () => caller.patch("/Application", { Id: "999999999", Color: "red" }), 400],
    [
      "the look-up before uniqueness",
      () => caller.patch("/Application", { Id: "999999999", Name: "demo-client" }),
      404,
    ],
  ];

  test.each(rows)("%s", async (_, call, status) => {
    expect((await call()).status).toBe(status);
  });
});

describe("RequestKey and the path", () => {
  const get = (headers: Record<string, string> = {}) => request("GET", `${API}/nothing`, { headers });

  test("every answer has an X-Request-Id, a new one each", async () => {
    const ok = await caller.get("/Entities");
    const bad = await get();
    const keys = [ok, bad].map((answer) => answer.headers.get("x-request-id"));
    expect(keys).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(keys[0]).not.toBe(keys[1]!);
    expect(bad.body.RequestKey).toBe(keys[1]);
  });

  test.each([
    Bun.randomUUIDv7(),
    crypto.randomUUID().toUpperCase(),
    "4bf92f3577b34da6a3ce929d0e0e4736",
    "a".repeat(64),
  ])("a valid key %s is used", async (key) => {
    expect((await get({ "x-request-id": key })).body.RequestKey).toBe(key);
  });

  test.each([
    "",
    "a b",
    "a".repeat(15),
    "a".repeat(65),
    "zoe-example-com-",
    "+4915112345678901",
    'a"b',
    "<script>",
    "a\tb",
    "é",
    "a,b",
  ])("%j is replaced", async (key) => {
    const answer = await get({ "x-request-id": key });
    expectError(answer, 404, "Not Found");
    expect(answer.body.RequestKey).not.toBe(key);
    expect(answer.body.RequestKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(["/", "/nothing", "/Endpoint", API, `${API}/Color`, `${API}/users/1`, "/oAuth", "/%zz", "/a//b"])(
    "%s is 404 with the error record",
    async (path) => {
      const answer = await request("GET", path);
      expect(answer.status).toBe(404);
      expectError(answer, 404, "Not Found");
    },
  );

  test("Instance is the path without the query", async () => {
    expect((await request("GET", `${API}/nothing?token=secret`)).body.Instance).toBe(`${API}/nothing`);
  });

  test("every answer has X-Content-Type-Options", async () => {
    for (const answer of [await get(), await caller.get("/Entities")]) {
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

test("Entities lists names, fields with their types, and events", async () => {
  const answer = await caller.get("/Entities");
  expect(answer.status).toBe(200);
  expect(answer.body.Next).toBeNull();
  const byName = new Map(answer.body.Items.map((item: { Name: string }) => [item.Name, item]));
  expect([...byName.keys()].sort()).toEqual([
    "Alert",
    "Application",
    "AuditEvent",
    "Department",
    "Group",
    "Invitation",
    "User",
  ]);
  for (const { Name, Events } of answer.body.Items) {
    const all = ["Created", "Updated", "Deleted", ...(Name === "User" ? ["Erased"] : [])];
    expect(Events).toEqual(Name === "AuditEvent" ? ["Created"] : all);
  }
  const fields = (name: string) => (byName.get(name) as { Fields: unknown[] }).Fields;
  expect(fields("Application")).toEqual(
    expect.arrayContaining([
      { Name: "Id", Type: "string", Filter: true },
      { Name: "Name", Type: "string", Filter: true },
      { Name: "Is_Active", Type: "boolean", Filter: true },
      { Name: "ModifiedOn", Type: "string (date-time)", Filter: true },
      { Name: "ApplicationId", Type: "object (AbstractText)", Filter: true },
      { Name: "AuthenticationId", Type: "object (AbstractText)", Filter: true },
      { Name: "ModifiedBy", Type: "object (AbstractLong)", Filter: false },
      { Name: "CreatedBy", Type: "object (AbstractLong)", Filter: false },
    ]),
  );
  expect(fields("User")).toEqual(
    expect.arrayContaining([
      { Name: "Id", Type: "integer (int32)", Filter: true },
      { Name: "Last_Login", Type: "string (date-time)", Filter: true },
      { Name: "Department", Type: "object (AbstractLong)", Filter: true },
    ]),
  );
  for (const { Name, Fields } of answer.body.Items as { Name: string; Fields: { Name: string; Filter: boolean }[] }[]) {
    const refused = (await caller.get(`/${Name}?Colour=red`)).body.Errors[0] as string;
    const words = refused.replace(/^.* Filters are Limit, Cursor, |\.$/g, "").split(", ");
    const filters = words.filter((word) => !["Search", "Sort", "Is_SelfMade"].includes(word));
    // The audit log has more filters than fields, such as From.
    const named =
      Name === "AuditEvent" ? filters.filter((filter) => Fields.some((field) => field.Name === filter)) : filters;
    expect(Fields.flatMap((field) => (field.Filter ? field.Name : [])).sort()).toEqual(named.sort());
  }
});
