import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { asTyped, TEXT_LIMIT } from "../../server/platform/text.ts";
import { API, expectError } from "../world/api.ts";
import { plantUser, removePasswords, setUsers } from "../world/planted.ts";
import { removeRows } from "../world/rows.ts";
import { newTenant, request } from "../world/tenant.ts";

const encode = (text: string) => `base64|${Buffer.from(text).toString("base64")}`;

const caller = await newTenant();

const insertUser = (tenantId: string, username: string) =>
  plantUser(
    { tenantId },
    {
      ...{ name: "Ada Example", username, email: "ada@example.com", mobile_phone: "+1 555 0100" },
      ...{ external_id: `x-${Bun.randomUUIDv7()}`, created_on: "2026-01-31T10:20:30.456Z" },
    },
  );

const path = (value: string | number, query = "") => `/User/${value}${query}`;

describe("SPEC.md Endpoints 4: get one User", () => {
  test("a User is read by its Id with all fields", async () => {
    const id = await insertUser(caller.tenantId, "ada");
    const answer = await caller.get(path(id));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      Id: id,
      Name: "Ada Example",
      Username: "ada",
      Email: "ada@example.com",
      MobilePhone: "+1 555 0100",
      External_Id: expect.stringMatching(/^x-/),
      GivenName: "",
      FamilyName: "",
      Locale: "",
      ZoneInfo: "",
      Picture: "",
      MiddleName: "",
      Nickname: "",
      Profile: "",
      Website: "",
      Gender: "",
      BirthDate: "",
      Address: "",
      EmailVerified: false,
      MobilePhoneVerified: false,
      Attributes: {},
      Creation_Date: "2026-01-31T10:20:30.456Z",
      Last_Login: "1900-01-01T12:00:00Z",
      Is_Active: true,
      Department: { Id: 0, ExternalId: "", Name: "", Type: "" },
      ModifiedBy: { Id: 0, ExternalId: "", Name: "", Type: "" },
      CreatedBy: { Id: 0, ExternalId: "", Name: "", Type: "" },
    });
  });

  test("unset fields are empty strings and the default date", async () => {
    const answer = await caller.get(path("admin", "?Name=Username"));
    expect(answer.body).toMatchObject({ MobilePhone: "", External_Id: "", Last_Login: "1900-01-01T12:00:00Z" });
  });

  test.each(["Username", "username", "USERNAME", "uSeRnAmE"])("Name=%s matches the login name", async (name) => {
    const answer = await caller.get(path("admin", `?Name=${name}`));
    expect(answer.body).toMatchObject({ Username: "admin", Name: "Administrator" });
  });

  test.each([
    ["Name", "Ada%20Example"],
    ["Email", "ada@example.com"],
    ["MobilePhone", "+1 555 0100"],
    ["Creation_Date", "2026-01-31T10:20:30.456Z"],
    ["Creation_Date", "2026-01-31T11:20:30.456+01:00"],
    ["Is_Active", "true"],
  ])("any field can be matched: Name=%s", async (name, value) => {
    const own = await newTenant();
    await removePasswords(own);
    await removeRows("users", { tenant_id: own.tenantId });
    const id = await insertUser(own.tenantId, "ada");
    const answer = await own.get(path(encode(decodeURIComponent(value)), `?Name=${name}`));
    expect(answer.body).toMatchObject({ Id: id });
  });

  test("an empty Name is the Id", async () => {
    const id = await insertUser(caller.tenantId, "empty-name");
    expect((await caller.get(path(id, "?Name="))).body.Id).toBe(id);
    expect((await caller.get(path(encode(String(id))))).body.Id).toBe(id);
  });

  test("an unknown Name is Bad Input that lists the fields", async () => {
    const answer = await caller.get(path("admin", "?Name=password"));
    expectError(answer, 400, "Bad Input", /password.*Username/);
    expect(answer.body.Title).toBe("Bad Request");
  });

  test("rule 1: a value that is not matched is 404 Not Found", async () => {
    expectError(await caller.get(path(2_147_483_647)), 404, "Not Found");
    expectError(await caller.get(path("nobody", "?Name=Username")), 404, "Not Found");
    expectError(await caller.get(path(encode("né"), "?Name=Username")), 404, "Not Found");
  });

  test("rules 2 and 3: a value matched by several rows is 400 Multible Rows", async () => {
    await insertUser(caller.tenantId, "twin");
    await insertUser(caller.tenantId, "twin");
    const answer = await caller.get(path("twin", "?Name=Username"));
    expectError(answer, 400, "Multible Rows", /twin/);
    expect(answer.body.Title).toBe("Bad Request");
  });

  test.each([
    ["1.5", "Id"],
    ["abc", "Id"],
    ["2147483648", "Id"],
    ["99999999999999999999", "Id"],
    ["maybe", "Is_Active"],
    ["yesterday", "Last_Login"],
    ["2026-13-01", "Last_Login"],
    ["0000-01-01", "Last_Login"],
    [encode("0001-01-01T00:00:00+01:00"), "Last_Login"],
    [encode("9999-12-31T23:00:00-02:00"), "Last_Login"],
  ])("%s cannot be converted to %s: Bad Input", async (value, name) => {
    expectError(await caller.get(path(value, `?Name=${name}`)), 400, "Bad Input");
  });

  test("a number that is too large or not in its shortest form is rejected with that reason", async () => {
    const { body } = await caller.get(path("admin", "?Name=Username"));
    const cases: [string, RegExp][] = [
      ["2147483648", /^Id is a whole number up to 2147483647; 2147483648 is out of range\.$/],
      ["-2147483648", /-2147483648 is out of range/],
      ["99999999999999999999", /up to 2147483647; 99999999999999999999 is out of range/],
      ["abc", /^Id is a whole number in its shortest form; abc is not\.$/],
      [`0${body.Id}`, /in its shortest form/],
      ["-0", /in its shortest form/],
    ];
    for (const [value, says] of cases) {
      expectError(await caller.get(path(value)), 400, "Bad Input", says);
    }
    const large = await caller.get("/Application/9007199254740992");
    expectError(large, 400, "Bad Input", /up to 9007199254740991/);
    expectError(await caller.remove(path(`0${body.Id}`)), 400, "Bad Input");
  });

  test("the answer follows rule 1 for every possible date", async () => {
    const date = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    await fc.assert(
      fc.asyncProperty(date, async (moment) => {
        expect((await caller.get(path(encode(moment.toISOString()), "?Name=Last_Login"))).status).toBe(404);
      }),
      { numRuns: 30 },
    );
  });
});

describe("the path's value", () => {
  test.each([
    "ada@example.com",
    "ada%40example.com",
    "a%20b",
    "a+b",
    "a%2Fb",
    "a/b",
    "a%00",
    "%zz",
    "%",
    "a'b",
    "a;b",
    "a,b",
    "a:b",
    "a*b",
    "base64",
    "base65|YQ==",
    "%C3%A9",
    "é",
    "a|b",
  ])("%s is Bad Input or, without special characters, no match", async (value) => {
    const answer = await caller.get(path(value, "?Name=Username"));
    if (value === "base64") expectError(answer, 404, "Not Found");
    else expectError(answer, 400, "Bad Input", /base64/);
  });

  test("letters, digits and -_.~ are literal", async () => {
    const id = await insertUser(caller.tenantId, "Az09-_.~");
    expect((await caller.get(path("Az09-_.~", "?Name=Username"))).body.Id).toBe(id);
  });

  test.each(["ada@example.com", "with space", "a/b", "ünïcödé ✓", "日本語", "😀", "???>>>", "subjects?_d", "base64|x"])(
    "%s is found in both base64 alphabets, with and without padding, with | or %%7C",
    async (username) => {
      const id = await insertUser(caller.tenantId, username);
      const standard = Buffer.from(username).toString("base64");
      const urlSafe = Buffer.from(username).toString("base64url");
      for (const text of [standard, standard.replace(/=+$/, ""), urlSafe, encodeURIComponent(standard)]) {
        for (const prefix of ["base64|", "base64%7C", "base64%7c"]) {
          const answer = await caller.get(path(prefix + text, "?Name=Username"));
          expect({ prefix, text, id: answer.body.Id }).toEqual({ prefix, text, id });
        }
      }
    },
  );

  test("base64 can contain slashes, even several in a row", async () => {
    // The bytes 3F 3F 3F and EF BF BF have a slash in their base64.
    const username = "???\uffff\uffff?";
    expect(Buffer.from(username).toString("base64")).toMatch(/\/.*\//);
    const id = await insertUser(caller.tenantId, username);
    expect((await caller.get(path(encode(username), "?Name=Username"))).body.Id).toBe(id);
  });

  test.each([
    ["base64|", "empty"],
    ["base64|Y", "a rest of one character"],
    ["base64|Y!==", "no base64"],
    ["base64|YQ===", "too much padding"],
    ["base64|YR==", "bits that mean nothing"],
    ["base64|_w==", "not UTF-8"],
    ["base64|7aCA", "unpaired surrogate"],
    ["base64|AA==", "a NUL"],
  ])("%s (%s) is Bad Input", async (value) => {
    const answer = await caller.get(path(value, "?Name=Username"));
    expectError(answer, 400, "Bad Input");
  });

  test("any text can be looked up in base64", async () => {
    const own = await newTenant();
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .map((value) => asTyped(value, TEXT_LIMIT).text ?? "")
      .filter((value) => value !== "");
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        await setUsers(own, { username: value });
        const answer = await own.get(path(encode(value), "?Name=Username"));
        expect(answer.body.Username).toBe(value);
      }),
      { numRuns: 40 },
    );
  });

  test("any path gets a User or an error record, never a 500", async () => {
    const name = fc.constantFrom("", "?Name=Username", "?Name=Id", "?Name=Last_Login", "?Name=%00", "?Name=__proto__");
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 30 }), name, async (value, query) => {
        const safe = encodeURIComponent(value.toWellFormed());
        const answer = await request("GET", `${API}/User/${safe}${query}`, {
          headers: { authorization: `Bearer ${caller.token}` },
        });
        expect([200, 400, 404]).toContain(answer.status);
      }),
      { numRuns: 60 },
    );
  });
});

test("another tenant's User is 404", async () => {
  const other = await newTenant();
  const id = await insertUser(other.tenantId, "hidden");
  expectError(await caller.get(path(id)), 404, "Not Found");
  expectError(await caller.get(path("hidden", "?Name=Username")), 404, "Not Found");
});

test("a User needs AccessManager:Read", async () => {
  const weak = await caller.withScope("AccessManager:Create, Update");
  const answer = await weak.get(path("admin", "?Name=Username"));
  expectError(answer, 403, "Permission", /AccessManager:Read/);
  expect(answer.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="AccessManager:Read"');
});
