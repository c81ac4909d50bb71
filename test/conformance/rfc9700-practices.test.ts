// RFC 9700, section 2, "Best Practices": one test for each requirement on an authorization server.

import { beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { DEVICE_GRANT, EXCHANGE_GRANT } from "../../server/identity/oauth/contract.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { API, type Api, until } from "../world/api.ts";
import {
  answerOf,
  CALLBACK,
  type Client,
  issuer,
  newClient,
  newPkce,
  otherClient,
  RFC_TOKEN_PATH,
} from "../world/client.ts";
import { DEVICE_PATH } from "../world/device.ts";
import { form, postAs } from "../world/grants.ts";
import { metadata as metadataOf, newRegistrar, PUBLIC, refused, register } from "../world/registrar.ts";
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
  test.each(["https://app.example/callback/", "https://app.example/callbac", "https://app.example:8443/callback"])(
    "redirect URIs are compared exactly: %s is rejected without a redirect",
    async (redirect_uri) => {
      const view = await party.browser.open(party.request({ redirect_uri }));
      expect(view).toMatchObject({ status: 404, location: undefined });
    },
  );

  test.each(["http://app.example/callback", "https://*.app.example/callback", "https://app.example/callback#x"])(
    "redirect URIs without https, with a wildcard or with a fragment are not registered: %s",
    async (uri) => {
      const answer = await caller.patch(`/Application/${caller.clientId}/Credentials`, { RedirectUris: [uri] });
      expect(answer.status).toBe(400);
    },
  );

  test("invalid authorization requests cannot be pushed either, and errors are not redirected", async () => {
    const { client } = party.client.tenant;
    const push = (fields: Record<string, string>) =>
      postAs(client, PAR, { response_type: "code", redirect_uri: CALLBACK, scope: "openid", ...fields });
    for (const redirect_uri of [`${CALLBACK}/`, "https://app.example:8443/callback", "https://evil.example"]) {
      const answer = await push({ redirect_uri });
      expect([answer.status, answer.body.error, answer.headers.get("location")]).toEqual([
        400,
        "invalid_request",
        null,
      ]);
    }
    expect((await push({ response_type: "token" })).body.error).toBe("unsupported_response_type");
    const isPublic = await newClient({ client_type: "public" });
    const body = form({ client_id: isPublic.id, response_type: "code", redirect_uri: CALLBACK, scope: "openid" });
    expect((await request("POST", PAR, { body })).body.error).toBe("invalid_request");
  });

  test("metadata that administrators cannot save cannot be registered either", async () => {
    const registrar = await newRegistrar("Open");
    for (const uri of ["http://app.example/callback", "https://*.app.example/callback", "https://app.example/#x"]) {
      refused(await register(registrar, metadataOf({ redirect_uris: [uri], ...PUBLIC })), "invalid_redirect_uri");
    }
    for (const grant of ["password", "implicit"]) {
      const asked = metadataOf({ ...PUBLIC, grant_types: [grant] });
      refused(await register(registrar, asked), "invalid_client_metadata");
    }
  });

  test("the port is ignored for native apps on loopback only", async () => {
    const redirect_uris = ["http://127.0.0.1/callback"];
    const [native, web] = [
      await newClient({ client_type: "native", redirect_uris }),
      await newClient({ client_type: "public", redirect_uris }),
    ];
    const fields = { redirect_uri: "http://127.0.0.1:49152/callback", ...newPkce().challenge };
    expect((await new Visitor().open(native.authorize(fields))).heading).toBe("Sign in");
    expect((await new Visitor().open(web.authorize(fields))).status).toBe(404);
  });

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

describe.concurrent("2.1.1 authorization code grant", () => {
  test.each(["public", "native"] as const)("a %s client must use PKCE", async (client_type) => {
    const client = await newClient({ client_type });
    expect(answerOf(await new Visitor().open(client.authorize())).error).toBe("invalid_request");
  });

  test("PKCE is supported, by a method that does not expose the verifier, and advertised", async () => {
    expect((await metadata()).code_challenge_methods_supported).toEqual(["S256"]);
    const plain = { code_challenge: newPkce().verifier, code_challenge_method: "plain" };
    expect(await party.error(plain)).toBe("invalid_request");
  });

  test("a code with a challenge needs its verifier, also for a confidential client", async () => {
    const { code } = answerOf(await party.browser.open(party.request(newPkce().challenge)));
    for (const verifier of [undefined, newPkce().verifier]) {
      expect((await party.redeem(code!, verifier)).body.error).toBe("invalid_grant");
    }
  });

  test("downgrade: a verifier is rejected if there was no challenge", async () => {
    const { code } = answerOf(await party.browser.open(party.request()));
    expect((await party.redeem(code!, newPkce().verifier)).body.error).toBe("invalid_grant");
  });
});

test.concurrent("2.1.2 implicit grant: no access token comes from the authorization endpoint", async () => {
  for (const response_type of ["token", "id_token token", "code token", "code id_token token"]) {
    const answer = answerOf(await party.browser.open(party.request({ response_type })));
    expect(answer.error).toBe("unsupported_response_type");
    expect(answer).not.toHaveProperty("access_token");
  }
  const { response_types_supported, grant_types_supported } = await metadata();
  expect(response_types_supported.join(" ")).not.toMatch(/\btoken\b/);
  expect(grant_types_supported).not.toContain("implicit");
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

  test("are bound to their client and to the consent", async () => {
    const { client, tokens } = await publicClient();
    const other = await otherClient(client, { client_type: "public" });
    const stolen = await other.refresh(tokens.refresh_token!, { client_secret: undefined });
    expect(stolen.body.error).toBe("invalid_grant");
    const widened = await client.refresh(tokens.refresh_token!, { client_secret: undefined, scope: "email" });
    expect(widened.body.error).toBe("invalid_scope");
  });
});

describe.concurrent("2.3 access token privilege restriction", () => {
  test("a token names its audience, its client and its scopes", async () => {
    const { token } = await party.flow({ scope: "openid profile" });
    const { aud, client_id, scope } = decodeJwt(token.body.access_token);
    expect({ aud, client_id, scope }).toEqual({ aud: issuer(), client_id: party.client.id, scope: "openid profile" });
  });

  test("a token for another audience is rejected, though signed with the same key", async () => {
    await using other = startPrivateApp({ publicUrl: "https://other.example" });
    const { token } = await party.flow();
    const status = async (url: string) =>
      (await fetch(url + USERINFO_PATH, { headers: bearer(token.body.access_token) })).status;
    expect(await status(shared().url)).toBe(200);
    expect(await status(other.url)).toBe(401);
  });

  test("a foreign resource is rejected; ours has one name at both endpoints (RFC 8707)", async () => {
    expect(await party.error({ resource: "https://other.example" })).toBe("invalid_target");
    const ask = (resource: string) =>
      postAs(caller, RFC_TOKEN_PATH, { grant_type: "client_credentials", scope: "openid", resource });
    expect((await ask("https://other.example")).body.error).toBe("invalid_target");
    for (const resource of [issuer(), `${issuer()}/`, issuer() + API]) {
      await party.flow({ resource });
      expect((await ask(resource)).status).toBe(200);
    }
  });

  test("a token is limited to its scopes", async () => {
    const { token } = await party.flow({ scope: "openid profile" });
    const answer = await request("GET", `${API}/User`, { headers: bearer(token.body.access_token) });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toContain("insufficient_scope");
  });
});

test.concurrent("2.4 there is no password grant", async () => {
  const { admin } = party.client.tenant;
  const fields = { grant_type: "password", ...admin };
  const { clientId, clientSecret } = party.client.tenant.client;
  const answer = await postAs({ ...caller, clientId, clientSecret }, RFC_TOKEN_PATH, fields);
  expect([answer.status, answer.body.error]).toEqual([400, "unsupported_grant_type"]);
  expect((await metadata()).grant_types_supported).not.toContain("password");
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

  test("a client cannot choose its client_id", async () => {
    for (const Id of ["user-1", "999999999", "https://evil.example"]) {
      const answer = await caller.patch("/Application", { Id, Name: "Impostor" });
      expect([400, 404]).toContain(answer.status);
    }
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
