import { expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { TOKEN_PATH } from "../world/api.ts";
import { answerOf, CALLBACK, issuer, newClient, newPkce, SPEC_PATH } from "../world/client.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

test.concurrent("SPEC.md's door: sign in, allow, code, token, and a refreshed token", async () => {
  const client = await newClient();
  const visitor = new Visitor();
  const signIn = await visitor.open(client.authorize({ scope: undefined, nonce: "n-1" }, SPEC_PATH));
  expect(signIn).toMatchObject({ status: 200, heading: "Sign in" });
  expect(signIn.html).toContain("demo-client");

  const consent = await visitor.submit(signIn, client.tenant.admin);
  expect(consent).toMatchObject({ status: 200, heading: "Allow access" });

  const back = await visitor.submit(consent, { decision: "allow" });
  expect(back.status).toBe(302);
  expect(back.location!.href).toStartWith(`${CALLBACK}?`);
  const { code, ...rest } = answerOf(back);
  expect(rest).toEqual({ state: "some state", nonce: "n-1" });

  const answer = await client.token(code!, { redirect_uri: undefined }, TOKEN_PATH);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    token_type: "Bearer",
    expires_in: 3600,
    access_token: expect.any(String),
    id_token: expect.any(String),
    refresh_token: expect.any(String),
  });
  expect(decodeJwt(answer.body.access_token)).toMatchObject({ scope: "openid profile name", client_id: client.id });
  expect(decodeJwt(answer.body.id_token)).toMatchObject({
    aud: client.id,
    nonce: "n-1",
    acr: "1",
    amr: ["pwd"],
    auth_time: expect.any(Number),
    at_hash: expect.any(String),
  });

  const refreshed = await client.refresh(answer.body.refresh_token, {}, TOKEN_PATH);
  expect(refreshed.status).toBe(200);
  expect(refreshed.body.id_token).toBeString();
});

test.concurrent("the RFC door: PKCE, `iss`, userinfo, logout", async () => {
  const client = await newClient({ post_logout_redirect_uris: ["https://app.example/bye"] });
  const visitor = new Visitor();
  const { verifier, challenge } = newPkce();
  const back = await client.visit(visitor, { scope: "openid profile email", nonce: "n-2", ...challenge });
  const { code, ...rest } = answerOf(back);
  expect(rest).toEqual({ state: "some state", iss: issuer() });

  const answer = await client.token(code!, { code_verifier: verifier });
  expect(answer.status).toBe(200);
  expect(answer.body.scope).toBe("openid profile email");
  const authorization = `Bearer ${answer.body.access_token}`;
  const userinfo = await request("GET", "/oauth2/userinfo", { headers: { authorization } });
  expect(userinfo.body).toEqual({
    sub: decodeJwt(answer.body.id_token).sub,
    name: "Administrator",
    preferred_username: "admin",
    updated_at: expect.any(Number),
  });

  const query = new URLSearchParams({
    id_token_hint: answer.body.id_token,
    post_logout_redirect_uri: "https://app.example/bye",
    state: "s&t",
  });
  const bye = await visitor.open(`/oauth2/logout?${query}`);
  expect(bye.location!.href).toBe("https://app.example/bye?state=s%26t");
  expect((await visitor.open(client.authorize())).heading).toBe("Sign in");
});
