// How a request is answered: response modes, the hybrid flow, and what each door returns.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { answerOf, CALLBACK, issuer, newClient, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const HYBRID = { response_type: "code id_token", nonce: "n-1" };
const CODE = expect.stringMatching(/^[\w-]{43}$/);

/** OIDC Core 3.3.2.11, for SHA-256. */
const halfHash = (text: string) => createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");

function verified(idToken: string, audience: string) {
  const jwks = createRemoteJWKSet(new URL(`${shared().url}/.well-known/jwks.json`));
  return jwtVerify(idToken, jwks, { issuer: issuer(), audience });
}

describe.concurrent("response_type code", () => {
  test.each([
    [SPEC_PATH, undefined, "?"],
    [SPEC_PATH, "query", "?"],
    [SPEC_PATH, "fragment", "#"],
    [RFC_PATH, undefined, "?"],
    [RFC_PATH, "query", "?"],
    [RFC_PATH, "fragment", "#"],
  ])("%s, response_mode %p: after %s", async (path, response_mode, separator) => {
    const client = await newClient();
    const state = "a b&c=d#é☃%41";
    const back = await client.visit(new Visitor(), { response_mode, nonce: "n-1", state }, path);
    expect(back.status).toBe(302);
    expect(back.location!.href).toStartWith(`${CALLBACK}${separator}code=`);
    const more: Record<string, string> = path === SPEC_PATH ? { nonce: "n-1" } : { iss: issuer() };
    expect(answerOf(back)).toEqual({ code: CODE, state, ...more });
  });

  test("form_post: a form whose button works without script", async () => {
    const client = await newClient();
    const page = await client.visit(new Visitor(), {
      response_mode: "form_post",
      state: '"><script>alert(1)</script>',
    });
    expect(page).toMatchObject({ status: 200, location: undefined });
    expect(page.forms).toEqual([
      { action: CALLBACK, fields: { code: CODE, state: '"><script>alert(1)</script>', iss: issuer() } },
    ]);
    expect(page.html).not.toContain('"><script>');
    expect(page.headers.get("cache-control")).toBe("no-store");
  });
});

describe.concurrent("response_type code id_token", () => {
  test("SPEC.md's door answers code, state and nonce in the query, and no id_token", async () => {
    const client = await newClient();
    for (const nonce of ["n-1", undefined]) {
      const back = await client.visit(new Visitor(), { ...HYBRID, nonce }, SPEC_PATH);
      expect(back.location!.hash).toBe("");
      expect(answerOf(back)).toEqual({ code: CODE, state: "some state", ...(nonce ? { nonce } : {}) });
    }
  });

  test.each([
    [SPEC_PATH, "fragment"],
    [RFC_PATH, undefined],
    [RFC_PATH, "fragment"],
    [RFC_PATH, "form_post"],
  ])("%s, response_mode %p: an id_token with c_hash beside the code", async (path, response_mode) => {
    const client = await newClient();
    const back = await client.visit(new Visitor(), { ...HYBRID, response_mode }, path);
    const answer = response_mode === "form_post" ? back.forms[0]!.fields : answerOf(back);
    expect(back.location?.search ?? "").toBe("");
    expect(answer).toEqual({
      code: CODE,
      id_token: expect.any(String),
      state: "some state",
      ...(path === SPEC_PATH ? { nonce: "n-1" } : { iss: issuer() }),
    });
    const front = await verified(answer.id_token!, client.id);
    expect(front.payload).toMatchObject({ nonce: "n-1", c_hash: halfHash(answer.code!) });
    expect(front.payload).not.toHaveProperty("sid");

    const token = await client.token(answer.code!);
    expect(token.status).toBe(200);
    const back2 = await verified(token.body.id_token, client.id);
    expect(back2.payload).toMatchObject({ sub: front.payload.sub, at_hash: halfHash(token.body.access_token) });
  });
});

describe.concurrent("the granted scopes", () => {
  test("default to the defaults that the client has", async () => {
    const client = await newClient({ scopes: ["profile", "email"] });
    const token = await client.token(await client.code(new Visitor(), { scope: undefined }));
    expect(token.body).toMatchObject({ scope: "profile" });
    expect(token.body.id_token).toBeUndefined();
  });

  test("are all of the client's for *, described on the consent page", async () => {
    const client = await newClient({ scopes: ["openid", "email", "AccessManager:Read"] });
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.open(client.authorize({ scope: "*" })), client.tenant.admin);
    expect(page.html).toContain("see your e-mail address");
    expect(page.html).toContain("read users, applications, departments and groups for you");
    const token = await client.token(answerOf(await client.goThrough(visitor, page)).code!);
    expect(token.body.scope).toBe("openid email AccessManager:Read");
  });

  test("include no offline access for a client without the refresh_token grant", async () => {
    const client = await newClient({ grant_types: ["authorization_code"] });
    const token = await client.token(await client.code(new Visitor()));
    expect(token.status).toBe(200);
    expect(token.body.refresh_token).toBeUndefined();
  });
});
