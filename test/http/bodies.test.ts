// Bodies are parsed strictly at every door: ambiguous and unreadable ones are rejected with the door's error.

import { describe, expect, test } from "bun:test";
import { ENDPOINTS } from "../../server/identity/oauth/endpoints.ts";
import { MAX_FIELDS } from "../../server/platform/http/body.ts";
import { type Answer, API } from "../world/api.ts";
import { form } from "../world/grants.ts";
import { newRegistrar, REGISTER } from "../world/registrar.ts";
import { newTenant, request, shared } from "../world/tenant.ts";

const FORM = "application/x-www-form-urlencoded";

/** Each endpoint that accepts a form from a client, with valid fields. */
const FORMS = ENDPOINTS.filter((one) => one.kind === "form").map(({ path, door }) => ({ path, door }));

/** The door's own error record, without any part of the body. */
function expectRefused(answer: Answer, door: string, status: number, says: RegExp): void {
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  const { error, error_description, StatusCode } = answer.body;
  expect({ status: answer.status, error_description }).toEqual({
    ...{ status, error_description: expect.stringMatching(says) },
  });
  if (door === "spec") expect(StatusCode).toBe(status);
  else expect(error).toBe("invalid_request");
}

const TWO_CHARSETS = [
  "; charset=utf-8; charset=utf-16",
  ";charset=UTF-8;charset=UTF-8",
  '; charset=""; Charset="ascii"',
];

describe.each(FORMS)("a form at $path", ({ path, door }) => {
  const of = async () => {
    const { clientId, clientSecret } = await newTenant();
    return form({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }).toString();
  };
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    request("POST", path, { body, headers: { "content-type": FORM, ...headers } });

  test.each(["gzip", "deflate", "br", "zstd", "x-gzip", "gzip, identity"])("is rejected as %s", async (coding) => {
    const bytes = Bun.gzipSync(Buffer.from(await of()));
    const answer = await post(bytes, { "content-encoding": coding });
    expectRefused(answer, door, 415, /Content-Encoding/);
    expect(answer.headers.get("accept-encoding")).toBe("identity");
  });

  test.each(["identity", "Identity"])("is accepted as %s", async (coding) => {
    const answer = await post(await of(), { "content-encoding": coding });
    expect(JSON.stringify(answer.body)).not.toContain("Content-Encoding");
  });

  test.each(["iso-8859-2", "UTF-16", '"windows-1251"', "utf-8 x", "utf 16"])("is rejected in %s", async (charset) => {
    const answer = await post(await of(), { "content-type": `${FORM}; charset=${charset}` });
    expectRefused(answer, door, door === "spec" ? 415 : 400, /UTF-8/);
  });

  test.each(TWO_CHARSETS)("is rejected with two charsets, such as%s", async (charsets) => {
    const answer = await post(await of(), { "content-type": FORM + charsets });
    expectRefused(answer, door, 400, /more than one charset/);
  });

  test.each(["utf-8", '"UTF-8"', "US-ASCII", "ISO-8859-1", '"windows-1252"'])("is accepted in %s", async (charset) => {
    const answer = await post(await of(), { "content-type": `${FORM}; charset=${charset}` });
    expect(JSON.stringify(answer.body)).not.toContain("charset");
  });

  // Apache HttpClient 4 names ISO-8859-1, and encodes in ASCII.
  test.each(["ISO-8859-1", "latin1"])("in %s is rejected with a character beyond ASCII", async (charset) => {
    const answer = await post(`${await of()}&state=é`, { "content-type": `${FORM}; charset=${charset}` });
    expectRefused(answer, door, door === "spec" ? 415 : 400, /UTF-8/);
  });

  test.each(["state=%E9", "state=%", "state=%zz", "state=%C3", "%FF=1"])("is rejected with %s in it", async (part) => {
    expectRefused(await post(`${await of()}&${part}`), door, 400, /percent-encoded UTF-8/);
  });

  test("is rejected with a repeated field, even with the same value", async () => {
    for (const name of ["client_id", "grant_type", "unknown"])
      expectRefused(await post(`${await of()}&${name}=1&${name}=1`), door, 400, new RegExp(`${name} is repeated`));
  });

  test("is rejected with too many fields; a query, too", async () => {
    const fields = "&a".repeat(MAX_FIELDS);
    expectRefused(await post((await of()) + fields), door, 400, /more than 1000 fields/);
    const answer = await request("POST", `${path}?${fields}`, { body: await of(), headers: { "content-type": FORM } });
    expectRefused(answer, door, 400, /more than 1000 parameters/);
  });

  test.each(["application/json", "text/plain", "multipart/form-data; boundary=x", ""])(
    "is rejected as %p",
    async (type) => {
      const answer = await post(JSON.stringify({ grant_type: "client_credentials" }), { "content-type": type });
      expectRefused(answer, door, door === "spec" ? 415 : 400, /x-www-form-urlencoded/);
    },
  );
});

const LOGOUT_PATH = "/oauth2/logout";
const PAGES = ["/signin", "/signin/link", "/signin/upstream/1/callback", "/consent", "/signout", "/device"];

test.concurrent.each(
  [...FORMS, ...ENDPOINTS.filter(({ kind }) => kind === "page")].map(({ path }) => path).concat(PAGES),
)("a chunked form that is too large is answered before its end, at %s", async (path) => {
  const end = new AbortController();
  const endless = new ReadableStream({
    async pull(controller) {
      if (end.signal.aborted) return controller.close();
      controller.enqueue(Buffer.from("a".repeat(32 * 1024)));
      await Bun.sleep(1);
    },
  });
  const headers = { "content-type": FORM };
  const { status } = await fetch(shared().url + path, { method: "POST", body: endless, headers, redirect: "manual" });
  end.abort();
  // A logout that is too long still signs out.
  expect(status).toBe(path === LOGOUT_PATH ? 303 : 413);
});

describe("JSON", () => {
  const DOUBLE = ['{"Name":"a","Name":"b"}', '{"Name":"a","N\\u0061me":"b"}', '[{"Name":"a"},{"Name":"b","Name":"b"}]'];
  const BROKEN = ['{"Name":"a"} x', '{"Name":"a"}{"Name":"b"}', '{"Name":"a",}', "{'Name':1}", '{"Name":"a"'];

  test.each([...DOUBLE, ...BROKEN])("at the entity API is rejected as %s", async (body) => {
    const caller = await newTenant();
    const headers = { authorization: `Bearer ${caller.token}`, "content-type": "application/json" };
    const answer = await request("PATCH", `${API}/Department`, { body, headers });
    expect({ status: answer.status, Type: answer.body.Type }).toEqual({ status: 400, Type: "/Errors/Bad Input" });
    expect(answer.body.Errors[0]).toMatch(/is repeated in the body's JSON|not valid JSON/);
  });

  test("can repeat a member name in different objects, and as a value", async () => {
    const caller = await newTenant();
    const sent = [{ Name: "Name", Department: undefined }, { Name: "a:{}" }];
    expect((await caller.patch("/Department", sent)).status).toBe(200);
  });

  test.each(["gzip", "br"])("is rejected as %s", async (coding) => {
    const caller = await newTenant();
    const headers = { authorization: `Bearer ${caller.token}`, "content-type": "application/json" };
    const answer = await request("PATCH", `${API}/Department`, {
      ...{ body: Bun.gzipSync(Buffer.from('{"Name":"a"}')), headers: { ...headers, "content-encoding": coding } },
    });
    expect({ status: answer.status, Type: answer.body.Type }).toEqual({
      ...{ status: 415, Type: "/Errors/Unsupported Media Type" },
    });
    expect(answer.headers.get("accept-encoding")).toBe("identity");
  });

  test("at registration is validated as strictly", async () => {
    const { tenantId } = await newRegistrar("Open");
    const headers = { "content-type": "application/json" };
    const post = (body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
      request("POST", `${REGISTER}/${tenantId}`, { body, headers: { ...headers, ...more } });
    expectRefused(await post('{"redirect_uris":[],"redirect_uris":[]}'), "rfc", 400, /repeated/);
    expectRefused(await post('{"redirect_uris":[]} '.repeat(2)), "rfc", 400, /not valid JSON/);
    const packed = await post(Bun.gzipSync(Buffer.from("{}")), { "content-encoding": "gzip" });
    expectRefused(packed, "rfc", 415, /Content-Encoding/);
  });
});
