import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Answer, cases, expectError } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";

const URL_OK = "https://hooks.example.com/in";
const FIELDS = { URL: URL_OK, Entities: ["Application"], Events: ["Created", "Updated", "Deleted"] };

const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 255).toString("base64")}`;

const caller = await newTenant();

const upsert = (body: unknown, by = caller) => by.patch("/WebhookConnection", body);
const refused = (answer: Answer, says: RegExp) => expectError(answer, 400, "Bad Input", says);

describe("invalid values", () => {
  test.each([
    ["http://hooks.example.com/in", /https/],
    ["ftp://hooks.example.com/in", /https/],
    ["javascript:alert(1)", /https/],
    ["hooks.example.com/in", /cannot be read|https/],
    ["/in", /cannot be read/],
    ["https://", /cannot be read/],
    ["https://user@hooks.example.com/", /user name/],
    ["https://user:hunter2@hooks.example.com/", /user name/],
    ["https://:hunter2@hooks.example.com/", /user name/],
    ["https://hooks.example.com:22/", /port 22/],
    ["https://hooks.example.com:25/", /port 25/],
    ["https://hooks.example.com:0/", /port 0/],
    ["https://hooks.example.com:99999/", /cannot be read/],
    ["https://10.0.0.1/", /EGRESS_ALLOW/],
    ["https://192.168.1.1:8443/", /192\.168\.1\.1:8443.*EGRESS_ALLOW/],
    ["https://169.254.169.254/latest/meta-data/", /EGRESS_DENY/],
    ["https://0x0a000001/", /EGRESS_ALLOW/],
    ["https://[fd00::1]/", /EGRESS_ALLOW/],
    ["https://[::ffff:10.0.0.1]/", /EGRESS_ALLOW/],
    ["", /URL/],
    [null, /URL/],
    [5, /URL/],
    [`https://hooks.example.com/${"x".repeat(2_000)}`, /2000/],
    ["https://hooks.example.com/\0", /URL/],
    ["https://hooks.example.com/?ApiKey=hunter2&ApiKey=other", /several ApiKey/],
    ["https://hooks.example.com/?ApiKey=hunter2%20", /visible ASCII/],
    [`https://hooks.example.com/?ApiKey=${"x".repeat(201)}`, /1 to 200/],
  ])("URL %p", async (url, says) => {
    const answer = await upsert({ ...FIELDS, URL: url });
    refused(answer, says);
    expect(JSON.stringify(answer.body)).not.toContain("hunter2");
  });

  test.each(cases(null, "Application", [], ["application"], ["Application", "Color"], [5], [["Application"]], {}))(
    "Entities %j",
    async (Entities) => {
      refused(await upsert({ ...FIELDS, Entities }), /Entities.*Application/);
    },
  );

  test.each(cases(null, "Created", [], ["created"], ["Created", "Read"], [null], {}))("Events %j", async (Events) => {
    refused(await upsert({ ...FIELDS, Events }), /Events.*Created, Updated, Deleted/);
  });

  test.each([
    [{ Secret: 5 }, /Secret/],
    [{ Secret: "x".repeat(501) }, /Secret/],
    [{ Secret: "hunter2\0" }, /Secret/],
    [{ Secret: "whsec_" }, /whsec_/],
    [{ Secret: "whsec_!!not base64" }, /base64 of 24 to 64 bytes/],
    [{ Secret: whsec(23) }, /24 to 64/],
    [{ Secret: whsec(65) }, /24 to 64/],
    [{ Secret: whsec(32).replace("=", "") }, /base64/],
    [{ Secret: whsec(32).replace("_", "_ ") }, /base64/],
    [{ URL: `${URL_OK}?ApiKey=mine`, ApiKey: "hunter2" }, /contains an ApiKey that differs/],
    [{ ApiKey: "" }, /ApiKey/],
    [{ ApiKey: null }, /ApiKey/],
    [{ ApiKey: "with space" }, /ApiKey/],
    [{ ApiKey: "hunter2é" }, /ApiKey/],
    [{ ApiKey: "x".repeat(201) }, /ApiKey/],
    [{ State: "Held" }, /State/],
    [{ State: "active" }, /State/],
    [{ State: null }, /State/],
    [{ Description: 5 }, /Description/],
    [{ Description: "x".repeat(1_001) }, /at most 1000/],
    [{ TimeoutMs: "100" }, /TimeoutMs/],
    [{ TimeoutMs: 99 }, /from 100 to 30000/],
    [{ TimeoutMs: 30_001 }, /from 100 to 30000/],
    [{ TimeoutMs: 1000.5 }, /TimeoutMs/],
    [{ Order: "record" }, /Order must be None or Record/],
    [{ Order: null }, /Order/],
    [{ RatePerSecond: 0 }, /RatePerSecond must be a whole number of posts from 1 to 1000, or null/],
    [{ RatePerSecond: 1_001 }, /from 1 to 1000/],
    [{ RatePerSecond: 1.5 }, /RatePerSecond/],
    [{ MaxInFlight: 65 }, /MaxInFlight must be a whole number of posts from 1 to 64, or null/],
    [{ MaxInFlight: "4" }, /MaxInFlight/],
    [{ HoldAfter: 0 }, /HoldAfter must be a whole number of deliveries from 1 to 1000, or null/],
    [{ Headers: ["X-Env"] }, /Headers must be an object/],
    [{ Headers: "X-Env: hunter2" }, /Headers must be an object/],
    [{ Headers: { "X Env": "hunter2" } }, /X Env must be a header name/],
    [{ Headers: { "": "hunter2" } }, /must be a header name/],
    [{ Headers: { "X-Env": "" } }, /X-Env must have visible ASCII/],
    [{ Headers: { "X-Env": " hunter2" } }, /X-Env must have visible ASCII/],
    [{ Headers: { "X-Env": "hunter2\r\nX-Signature: 0" } }, /X-Env must have visible ASCII/],
    [{ Headers: { "X-Env": "hunter2é" } }, /X-Env must have visible ASCII/],
    [{ Headers: { "X-Env": 5 } }, /X-Env must have visible ASCII/],
    [{ Headers: { "X-Env": null } }, /X-Env is null, which keeps a stored value/],
    [{ Headers: { "x-env": "hunter2", "X-Env": "prod" } }, /repeated/],
    [{ Headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, "x"])) }, /at most 20/],
    [{ Headers: { "X-Long": "x".repeat(3_995) } }, /at most 4000 characters/],
    [{ Name: 5 }, /Name/],
    [{ Name: "x".repeat(201) }, /Name/],
    [{ Id: "1" }, /Id/],
    [{ Id: 5 }, /Id/],
    [{ Color: "red" }, /Color is not a field/],
    [{ url: URL_OK }, /url is not a field/],
    [{ constructor: 1 }, /constructor/],
  ])("%j", async (fields, says) => {
    const answer = await upsert({ ...FIELDS, ...fields });
    refused(answer, says);
    expect(JSON.stringify(answer.body)).not.toContain("hunter2");
  });

  test.each([
    ...["Host", "content-type", "Content-Length", "Content-Encoding", "X-Signature", "x-signature", "webhook-id"],
    ...["Webhook-Signature", "User-Agent", "Accept-Encoding", "Connection", "Transfer-Encoding", "Upgrade", "Expect"],
    ...["Proxy-Authorization", "traceparent"],
  ])("the header %s", async (name) => {
    const answer = await upsert({ ...FIELDS, Headers: { [name]: "hunter2" } });
    refused(answer, new RegExp(`Headers: ${name} cannot be set`));
    expect(JSON.stringify(answer.body)).not.toContain("hunter2");
  });

  test("all missing and wrong fields are named at once", async () => {
    refused(await upsert({}), /URL is missing[\s\S]*Entities is missing[\s\S]*Events is missing/);
    refused(await upsert({ URL: 5, Entities: 5, Events: 5, Color: 5 }), /URL[\s\S]*Entities[\s\S]*Events[\s\S]*Color/);
    refused(await upsert([FIELDS]), /one WebhookConnection object/);
  });

  test("any JSON body is answered with 200 or an error record", async () => {
    const own = await newTenant();
    const names = fc.constantFrom(
      ...Object.keys(FIELDS),
      "Id",
      "Name",
      "Secret",
      "ApiKey",
      "State",
      "__proto__",
      "x",
      "Headers",
      "TimeoutMs",
      "Order",
      "RatePerSecond",
      "MaxInFlight",
      "Description",
    );
    const value = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.webUrl(), fc.string({ unit: "binary" }), fc.uuid());
    const body = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(names, value),
      fc.dictionary(names, value).map((some) => ({ ...FIELDS, ...some })),
    );
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const { status } = await upsert(sent, own);
        expect([200, 400, 404, 409]).toContain(status);
      }),
      { numRuns: 150 },
    );
  });
});
