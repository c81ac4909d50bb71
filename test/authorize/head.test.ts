// HEAD at the pages of browsers (RFC 9110 9.3.2): the same headers as GET, without effects.

import { describe, expect, test } from "bun:test";
import { answerOf, newClient, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { countOf } from "../world/rows.ts";
import { Visitor } from "../world/visitor.ts";

/** As the visitor's browser would send it. */
function head(visitor: Visitor, path: string): Promise<Response> {
  const cookie = visitor.cookieHeader;
  return fetch(visitor.origin + path, { method: "HEAD", headers: { cookie }, redirect: "manual" });
}

describe.concurrent("HEAD", () => {
  test.each([SPEC_PATH, RFC_PATH])("of %s issues no code", async (path) => {
    const client = await newClient({ first_party: true });
    const visitor = new Visitor();
    await client.code(visitor);
    const answer = await head(visitor, client.authorize({}, path));
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: "" });
    expect(answer.headers.get("content-type")).toStartWith("text/html");
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await countOf("authorization_codes", { tenant_id: client.tenant.tenantId })).toBe(1);
    expect(answerOf(await visitor.open(client.authorize({ prompt: "none" }))).code).toBeString();
  });

  test("reports a client's error as GET does", async () => {
    const client = await newClient();
    const answer = await head(new Visitor(), client.authorize({ response_type: "token" }));
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toContain("error=unsupported_response_type");
    expect((await head(new Visitor(), client.authorize({ redirect_uri: "https://evil.example" }))).status).toBe(404);
  });

  test("of the logout endpoint ends no session", async () => {
    const client = await newClient({ first_party: true });
    const visitor = new Visitor();
    const { id_token } = (await client.token(await client.code(visitor))).body;
    expect((await head(visitor, `/oauth2/logout?id_token_hint=${id_token}`)).status).toBe(200);
    expect(answerOf(await visitor.open(client.authorize({ prompt: "none" }))).code).toBeString();
  });

  test("of the account pages is answered; their form actions accept POST only", async () => {
    for (const path of ["/account", "/account/password", "/account/reset?token=x"]) {
      const visitor = new Visitor();
      const { status } = await head(visitor, path);
      await visitor.open(path);
      expect({ path, status }).toEqual({ path, status: visitor.trail[0]!.status });
    }
    const form = await head(new Visitor(), "/signin");
    expect([form.status, form.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
