// RFC 9700, section 2, "Best Practices": the requirements on an authorization server that these do not test: 2.1
// redirect URIs in test/authorize/redirect-uri, test/authorize/par, test/oauth/credentials and test/registration; 2.1.1
// PKCE in test/authorize/code, rfc6749-refusals and test/authorize/request, which also has 2.1.2; 2.4 in test/oauth/rfc-door.

import { beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { DEVICE_GRANT, EXCHANGE_GRANT } from "../../server/identity/oauth/contract.ts";
import { API, type Api, until } from "../world/api.ts";
import { answerOf, CALLBACK, type Client, issuer, newClient, newPkce, RFC_TOKEN_PATH } from "../world/client.ts";
import { DEVICE_PATH } from "../world/device.ts";
import { form, postAs } from "../world/grants.ts";
import { newTenant, request, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { PAR } from "./fapi-client.ts";
import { RelyingParty, USERINFO_PATH, VARIANTS } from "./relying-party.ts";

let party: RelyingParty;
let caller: Api;
beforeAll(async () => {
  [party, caller] = await Promise.all([RelyingParty.start(VARIANTS[0]!), newTenant()]);
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const metadata = async () => (await request("GET", "/.well-known/oauth-authorization-server")).body;

/** A public client, and tokens of its user. */
async function publicClient(): Promise<{ client: Client; tokens: Record<string, string> }> {
  const client = await newClient({ client_type: "public" });
  const { verifier, challenge } = newPkce();
  const code = await client.code(new Visitor(), challenge);
  return { client, tokens: (await client.token(code, { client_secret: undefined, code_verifier: verifier })).body };
}

describe.concurrent("2.1 redirect-based flows", () => {
  test("CSRF: state is returned unchanged or not at all", async () => {
    const state = 'a b&c=d#é☃%41"';
    await party.flow({ state });
    const back = await party.browser.open(party.request({ state: undefined }));
    expect(Object.keys(answerOf(back)).sort()).toEqual(["code", "iss"]);
  });

  test("mix-up: the issuer is in every answer, including errors, and this is advertised (RFC 9207)", async () => {
    expect((await metadata()).authorization_response_iss_parameter_supported).toBe(true);
    for (const fields of [{}, { prompt: "none", max_age: "0" }, { scope: "Color:Read" }]) {
      expect(answerOf(await party.browser.open(party.request(fields))).iss).toBe(issuer());
    }
  });
});

describe.concurrent("2.2.2 refresh tokens of public clients", () => {
  test("are rotated, and reuse revokes all tokens of the grant", async () => {
    const { client, tokens } = await publicClient();
    const withoutSecret = { client_secret: undefined };
    const second = await client.refresh(tokens.refresh_token!, withoutSecret);
    expect(second.body.refresh_token).not.toBe(tokens.refresh_token);
    const third = await client.refresh(second.body.refresh_token, withoutSecret);
    expect(third.status).toBe(200);
    for (const token of [tokens.refresh_token!, second.body.refresh_token, third.body.refresh_token]) {
      expect((await client.refresh(token, withoutSecret)).body.error).toBe("invalid_grant");
    }
    const refused = async () =>
      (await request("GET", USERINFO_PATH, { headers: bearer(second.body.access_token) })).status === 401;
    await until("the access token to be refused", refused);
  });
});

describe.concurrent("2.3 access token privilege restriction", () => {
  test("a token names its audience, its client and its scopes", async () => {
    const { token } = await party.flow({ scope: "openid profile" });
    const { aud, client_id, scope } = decodeJwt(token.body.access_token);
    expect({ aud, client_id, scope }).toEqual({ aud: issuer(), client_id: party.client.id, scope: "openid profile" });
  });

  test("our own resource has one name at both endpoints (RFC 8707)", async () => {
    for (const resource of [issuer(), `${issuer()}/`, issuer() + API]) {
      await party.flow({ resource });
      const fields = { grant_type: "client_credentials", scope: "openid", resource };
      expect((await postAs(caller, RFC_TOKEN_PATH, fields)).status).toBe(200);
    }
  });

  test("a token is limited to its scopes", async () => {
    const { token } = await party.flow({ scope: "openid profile" });
    const answer = await request("GET", `${API}/User`, { headers: bearer(token.body.access_token) });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toContain("insufficient_scope");
  });
});

test.concurrent("2.5 a confidential client is authenticated at every endpoint", async () => {
  const { token } = await party.flow();
  const { code } = answerOf(await party.browser.open(party.request()));
  const forms: [string, Record<string, string>][] = [
    [RFC_TOKEN_PATH, { grant_type: "authorization_code", code: code!, redirect_uri: CALLBACK }],
    [RFC_TOKEN_PATH, { grant_type: "refresh_token", refresh_token: token.body.refresh_token }],
    [RFC_TOKEN_PATH, { grant_type: "client_credentials" }],
    ["/oauth2/revoke", { token: token.body.refresh_token }],
    ["/oauth2/introspect", { token: token.body.access_token }],
    [PAR, { response_type: "code", redirect_uri: CALLBACK }],
    [DEVICE_PATH, { scope: "openid" }],
    [RFC_TOKEN_PATH, { grant_type: DEVICE_GRANT, device_code: "x" }],
    [RFC_TOKEN_PATH, { grant_type: EXCHANGE_GRANT, subject_token: token.body.access_token }],
  ];
  for (const [path, fields] of forms) {
    for (const client_secret of [undefined, "wrong"]) {
      const body = form({ ...fields, client_id: party.client.id, client_secret });
      const answer = await request("POST", path, { body });
      expect([path, answer.status, answer.body.error]).toEqual([path, 401, "invalid_client"]);
    }
  }
  expect((await party.redeem(code!)).status).toBe(200);
});

describe.concurrent("2.6 other recommendations", () => {
  test("both discovery documents have the same metadata", async () => {
    const { body } = await request("GET", "/.well-known/openid-configuration");
    expect(body).toEqual(await metadata());
  });

  test("no other origin can script the authorization endpoint or any page", async () => {
    for (const path of [party.request(), "/oauth2/logout", "/device"]) {
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await fetch(shared().url + path, { method, headers: { origin: "https://spa.example" } });
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
    }
  });
});
