// Checks every address field of the OpenAPI document with addresses that no browser or server should open.

import { beforeAll, describe, expect, test } from "bun:test";
import type { Api } from "../world/api.ts";
import { type Json, operationsOf, readDocument, resolve } from "../world/documented.ts";
import { newTenant } from "../world/tenant.ts";

const ADDRESS_FIELD = /(URL|Url|Uri|Uris|Issuer|Endpoint)$/;
const BAD = [
  ...[
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\nscript:alert(1)",
    " javascript:alert(1)",
    "\u0001javascript:1",
  ],
  ...["data:text/html,<script>alert(1)</script>", "vbscript:x", "file:///etc/passwd", "ftp://example.com", "blob:x"],
  ...[
    "//example.com",
    "/path",
    "example.com",
    "https:",
    "https://",
    "http:///",
    "https://a b.example",
    "not an address",
  ],
];

interface AddressField {
  path: string;
  method: string;
  name: string;
  isList: boolean;
}

let fields: AddressField[];
let caller: Api;
beforeAll(async () => {
  const document = await readDocument();
  fields = operationsOf(document).flatMap(({ path, method, operation }) => {
    const body = operation.requestBody?.content["application/json"]?.schema;
    if (!path.startsWith("/Endpoint/") || !body) return [];
    return Object.entries<Json>(propertiesOf(document, body))
      .filter(([name, { readOnly }]) => ADDRESS_FIELD.test(name) && !readOnly)
      .map(([name, { type }]) => ({ path, method, name, isList: [type].flat().includes("array") }));
  });
  caller = await newTenant();
});

/** The properties of an object, or of the objects that a body may contain. */
function propertiesOf(document: Json, schema: Json): Json {
  const { properties, oneOf = [], anyOf = [] } = resolve(document, schema);
  return Object.assign({}, properties, ...[...oneOf, ...anyOf].map((one: Json) => propertiesOf(document, one)));
}

describe("a field for an address", () => {
  test("is found in every resource", () => {
    const names = new Set(fields.map(({ name }) => name));
    const known = [
      "WebSiteURL",
      "URL",
      "RedirectUris",
      "PostLogoutRedirectUris",
      "BackchannelLogoutUri",
      "Issuer",
      "TokenEndpoint",
    ];
    expect([...names]).toEqual(expect.arrayContaining(known));
  });

  test.each(BAD)("rejects %p, and the error names the field", async (address) => {
    for (const { path, method, name, isList } of fields) {
      const at = path.replace("/Endpoint/rest/api/v1", "").replace("{Id}", caller.clientId);
      const body = { [name]: isList ? [address] : address };
      const answer = await caller.send(method.toUpperCase(), at, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect({ at, name, status: answer.status }).toEqual({ at, name, status: 400 });
      expect(answer.body.Type).toBe("/Errors/Bad Input");
      expect(answer.body.Errors.join(" ")).toContain(name);
    }
  });
});

test("a web site is http or https in any case, and is returned as sent", async () => {
  for (const WebSiteURL of ["https://example.com", "http://localhost:8080/?a=b#c", "HTTPS://Example.com/ä", ""]) {
    const { status, body } = await caller.patch("/Application", { Id: caller.clientId, WebSiteURL });
    expect({ status, WebSiteURL: body.WebSiteURL }).toEqual({ status: 200, WebSiteURL });
  }
});
