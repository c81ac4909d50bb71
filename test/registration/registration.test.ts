// Applications that register themselves (RFC 7591), and read, change and delete themselves (RFC 7592).

import { beforeAll, describe, expect, test } from "bun:test";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { MAX_INITIAL_TOKENS } from "../../server/identity/oauth/registration/initial-tokens.ts";
import { ok, until } from "../world/api.ts";
import { answerOf, Client } from "../world/client.ts";
import { expectRfcError } from "../world/grants.ts";
import { holdTable, untilWaiting } from "../world/locks.ts";
import {
  at,
  expectUnauthorized,
  initialToken,
  metadata,
  newRegistrar,
  PUBLIC,
  REDIRECT,
  REGISTER,
  type Registrar,
  refused,
  register,
  send,
} from "../world/registrar.ts";
import { eventsOf, expire } from "../world/rows.ts";
import { newSigner } from "../world/signer.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

describe("registration", () => {
  test("is off until a tenant enables it; then discovery names its endpoint", async () => {
    const registrar = await newRegistrar("Off");
    expectUnauthorized(await register(registrar, metadata()));
    expectUnauthorized(await register(registrar, metadata(), await initialToken(registrar)));
    await ok(registrar.admin.patch("/TenantSettings", { ClientRegistration: "InitialAccessToken" }));
    expectUnauthorized(await register(registrar, metadata()));
    for (const path of ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]) {
      await until("discovery to name it", async () => {
        const { issuer, registration_endpoint } = (await request("GET", path)).body;
        return registration_endpoint === `${issuer}${REGISTER}`;
      });
    }
  });

  test("with an initial access token creates a client that people sign in to with its metadata", async () => {
    const registrar = await newRegistrar("InitialAccessToken");
    const token = await initialToken(registrar, { Name: "CI" });
    const sent = metadata({ grant_types: ["authorization_code", "refresh_token"], scope: "openid email unknown" });
    const made = await register(registrar, { ...sent, logo_uri: "x" }, token, REGISTER);
    expect(made.status).toBe(201);
    expect(made.headers.get("cache-control")).toContain("no-store");
    const { client_id, client_secret, registration_access_token, registration_client_uri, ...told } = made.body;
    expect(told).toEqual({
      client_id_issued_at: expect.any(Number),
      client_secret_expires_at: 0,
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_basic",
      application_type: "web",
      id_token_signed_response_alg: "RS256",
      authorization_signed_response_alg: "RS256",
      require_pushed_authorization_requests: false,
      require_signed_request_object: false,
      dpop_bound_access_tokens: false,
      scope: "openid email",
      subject_type: "public",
      client_name: "Payroll",
    });
    const read = await send("GET", at(made), registration_access_token);
    const { client_secret_expires_at: _, ...readable } = told;
    expect(read.body).toEqual({ client_id, registration_access_token, registration_client_uri, ...readable });
    const { username, password } = registrar;
    const admin = { username, password };
    const tenant = { tenantId: registrar.tenantId as never, admin };
    const client = new Client({
      ...tenant,
      client: { clientId: client_id, clientSecret: client_secret, redirectUris: [REDIRECT] },
    });
    const visitor = new Visitor();
    const asked = client.authorize({ scope: "openid email", redirect_uri: REDIRECT });
    const first = await visitor.submit(await visitor.open(asked), admin);
    expect(first.heading).toBe("Allow access");
    const { code } = answerOf(await client.goThrough(visitor, first));
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString("base64");
    const form = new URLSearchParams({ grant_type: "authorization_code", code: code!, redirect_uri: REDIRECT });
    const granted = await request("POST", "/oauth2/token", {
      body: form,
      headers: { authorization: `Basic ${basic}` },
    });
    expect(granted.body).toMatchObject({ scope: "openid email", refresh_token: expect.any(String) });
    // The use was consumed.
    expectUnauthorized(await register(registrar, metadata(), token));
    const { Items } = await ok(registrar.admin.get("/AuditEvent?Kind=Client.Registered"));
    expect(Items[0]).toMatchObject({ Subject: { Type: "Application", Id: client_id }, Actor: null });
    const created = (await eventsOf(registrar.tenantId)).find(({ recordId }) => String(recordId) === client_id);
    expect(created?.type).toBe("Created");
  });

  test("accepts keys, and clients without a secret", async () => {
    const registrar = await newRegistrar("InitialAccessToken");
    const token = await initialToken(registrar, { Uses: 3 });
    const { jwk } = await newSigner();
    const keyed = await register(
      registrar,
      metadata({ token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [jwk] } }),
      token,
    );
    expect(keyed.body).toMatchObject({
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [{ kid: jwk.kid }] },
    });
    expect(keyed.body.client_secret).toBeUndefined();
    const native = await register(registrar, { ...PUBLIC, redirect_uris: ["http://127.0.0.1/callback"] }, token);
    expect(native.body).toMatchObject({ application_type: "native", client_name: "Registered application" });
    const page = await register(registrar, metadata(PUBLIC), token);
    expect(page.body).toMatchObject({ application_type: "web", token_endpoint_auth_method: "none" });
    expect([native, page].map(({ body }) => body.client_secret)).toEqual([undefined, undefined]);
  });

  test("sets the algorithm of its signed answers to that of its id_tokens (JARM 3), whatever it requests", async () => {
    const registrar = await newRegistrar("InitialAccessToken");
    const token = await initialToken(registrar, { Uses: 3 });
    const asked = (alg: string) => metadata({ authorization_signed_response_alg: alg });
    const alone = await register(registrar, asked("ES256"), token);
    expect(alone.body).toMatchObject({ authorization_signed_response_alg: "RS256", client_id: expect.any(String) });
    const both = { ...asked("ES256"), id_token_signed_response_alg: "ES256" };
    const { status, body } = await register(registrar, both, token);
    expect([status, body.authorization_signed_response_alg]).toEqual([201, "ES256"]);
  });

  test("has a maximum number of valid initial access tokens, each within its limits", async () => {
    const registrar = await newRegistrar("InitialAccessToken");
    const make = (body: object) => registrar.admin.call("POST", "/RegistrationToken", body);
    for (const body of [{ Uses: 0 }, { Uses: 1_001 }, { Lifetime: 59 }, { Lifetime: 7_776_001 }, { Token: "x" }]) {
      expect({ body, status: (await make(body)).status }).toEqual({ body, status: 400 });
    }
    for (let made = 0; made < MAX_INITIAL_TOKENS - 1; made++) expect((await make({})).status).toBe(200);
    // Each must see the others: they begin together, before any has ended.
    const { release } = await holdTable("registration_tokens", "share");
    const last = [make({}), make({}), make({})];
    await untilWaiting(3, ["insert into registration_tokens", "for no key update"]);
    await release();
    expect((await Promise.all(last)).map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  test("gets a different name if an Application has the requested one", async () => {
    const registrar = await newRegistrar("Open");
    await ok(registrar.admin.patch("/Application", { Name: "Payroll" }));
    const made = await register(registrar, metadata());
    expect(made.body.client_name).toMatch(/^Payroll [\da-f-]{36}$/);
    const token = made.body.registration_access_token;
    expect((await send("GET", at(made), token)).body.client_name).toBe(made.body.client_name);
    const changed = await send("PUT", at(made), token, { ...metadata(), client_id: made.body.client_id });
    expect(changed.body.client_name).toBe(made.body.client_name);
  });
});

describe("a client is rejected with", () => {
  let registrar: Registrar;
  let token: string;
  beforeAll(async () => {
    registrar = await newRegistrar("InitialAccessToken");
    token = await initialToken(registrar, { Uses: 1 });
  });

  test.each<[string, object, RegExp]>([
    ["a script", { redirect_uris: ["javascript:alert(1)"] }, /private-use scheme/],
    ["data", { redirect_uris: ["data:text/html,x"] }, /private-use scheme/],
    ["http", { redirect_uris: ["http://app.example/callback"] }, /must begin with https/],
    ["a fragment", { redirect_uris: [`${REDIRECT}#x`] }, /fragment/],
    ["a wildcard", { redirect_uris: ["https://*.example/"] }, /exact/],
    ["a script for a native one", { ...PUBLIC, application_type: "native", redirect_uris: ["javascript:a"] }, /scheme/],
    ["data for one that seems native", { ...PUBLIC, redirect_uris: ["data:text/html,x"] }, /scheme/],
    ["no address", { redirect_uris: undefined }, /redirect_uris is missing/],
    ["an address that is none", { redirect_uris: "https://app.example" }, /redirect_uris must be a list/],
    ["a foreign address after sign-out", { post_logout_redirect_uris: ["javascript:a"] }, /post_logout_redirect_uris/],
  ])("%s as redirect URI: invalid_redirect_uri", async (_, more, says) => {
    refused(await register(registrar, metadata(more), token), "invalid_redirect_uri", says);
  });

  test.each<[string, unknown, RegExp]>([
    ["an inward jwks_uri", metadata({ jwks_uri: "https://10.0.0.1/keys" }), /jwks_uri: .*EGRESS_ALLOW/],
    ["an inward logout", metadata({ backchannel_logout_uri: "https://10.0.0.1/" }), /backchannel_logout_uri: /],
    ["http for its keys", metadata({ jwks_uri: "http://app.example/keys" }), /jwks_uri/],
    ["keys in two places", metadata({ jwks_uri: "https://app.example/k", jwks: { keys: [] } }), /jwks/],
    ["a grant that there is not", metadata({ grant_types: ["implicit"] }), /grant_types must be a list/],
    ["the grant of passwords", metadata({ grant_types: ["password"] }), /grant_types must be a list/],
    ["another method", metadata({ token_endpoint_auth_method: "tls_client_auth" }), /needs MTLS_URL/],
    [
      "a key to sign by that it has not",
      metadata({ token_endpoint_auth_method: "private_key_jwt" }),
      /jwks or jwks_uri/,
    ],
    ["an alg that is no text", metadata({ id_token_signed_response_alg: 7 }), /id_token_signed_response_alg must/],
    [
      "a response without its grant",
      { grant_types: ["client_credentials"], response_types: ["code"] },
      /authorization_code/,
    ],
    ["another response", metadata({ response_types: ["token"] }), /response_types must be/],
    ["a scope that is no text", metadata({ scope: ["openid"] }), /scope must be a string/],
    ["grants that are no list", metadata({ grant_types: "authorization_code" }), /grant_types must be a list/],
    ["a method that is no text", metadata({ token_endpoint_auth_method: 7 }), /token_endpoint_auth_method must be/],
    ["a type that is no text", metadata({ application_type: 7 }), /application_type must be/],
    [
      "a host's subjects, by a device that has not shown the host to be its own",
      metadata({ subject_type: "pairwise", grant_types: ["authorization_code", DEVICE_GRANT] }),
      /only from an administrator/,
    ],
    ["a name with a zero-width space", metadata({ client_name: "Payroll\u200b" }), /invisible/],
    ["a name that turns the text", metadata({ client_name: "Pay\u202ellor" }), /invisible/],
    ["a name of two lines", metadata({ client_name: "Payroll\nAccounts" }), /invisible/],
    ["a long name", metadata({ client_name: "n".repeat(101) }), /client_name must/],
    ["a script for its site", metadata({ client_uri: "javascript:alert(1)" }), /client_uri must/],
    ["a list", [], /JSON object/],
    ["null", null, /JSON object/],
  ])("%s: invalid_client_metadata", async (_, body, says) => {
    refused(await register(registrar, body, token), "invalid_client_metadata", says);
  });

  test("too large a body, no JSON, or a form", async () => {
    const large = await register(registrar, metadata({ contacts: ["x".repeat(70_000)] }), token);
    expect(large.status).toBe(413);
    refused(await register(registrar, "{", token), "invalid_request");
    const body = new URLSearchParams({ redirect_uris: REDIRECT });
    const form = await request("POST", REGISTER, { body, headers: { authorization: `Bearer ${token}` } });
    expectRfcError(form, 400, "invalid_request");
    expect((await send("GET", REGISTER, token)).status).toBe(405);
  });

  test("a token that is used up, deleted, expired, of another tenant, or unknown; none of this counts as a use", async () => {
    const other = await newRegistrar("InitialAccessToken");
    const foreign = await initialToken(other, { Uses: 10 });
    expectUnauthorized(await register(registrar, metadata(), foreign));
    expectUnauthorized(await register(registrar, metadata(), "x"));
    const [one] = (await ok(other.admin.get("/RegistrationToken"))).Items;
    expect(one).toMatchObject({ UsesLeft: 10 });
    expect(one.Token).toBeUndefined();
    await ok(other.admin.send("DELETE", `/RegistrationToken/${one.Id}`));
    expectUnauthorized(await register(other, metadata(), foreign));
    const late = await initialToken(other);
    await expire("registration_tokens", { tenant_id: other.tenantId });
    expectUnauthorized(await register(other, metadata(), late));
    // The rejections above have consumed no use.
    const both = await Promise.all([1, 2].map(() => register(registrar, metadata(), token)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
  });
});

describe("a registered client", () => {
  async function registered(more: object = {}, scopes?: string[]) {
    const registrar = await newRegistrar("InitialAccessToken", scopes);
    const made = await register(registrar, metadata(more), await initialToken(registrar));
    expect(made.status).toBe(201);
    const { client_id, registration_access_token: token } = made.body;
    const put = (body: object, by = token) => send("PUT", at(made), by, { client_id, ...body });
    return { registrar, made, client_id, token, put };
  }

  test("changes all its metadata, and gets a new token each time", async () => {
    const { registrar, made, token, put, client_id } = await registered({ client_uri: "https://app.example/" });
    const changed = await put(metadata({ client_name: "Wages", dpop_bound_access_tokens: true }));
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ client_name: "Wages", dpop_bound_access_tokens: true });
    expect(changed.body.client_uri).toBeUndefined();
    // Its secret stays valid.
    expect(changed.body.client_secret).toBeUndefined();
    const next = changed.body.registration_access_token;
    expect(next).not.toBe(token);
    expectUnauthorized(await send("GET", at(made), token));
    expectUnauthorized(await put(metadata(), token));
    expect((await send("GET", at(made), next)).body.client_name).toBe("Wages");
    expect(await ok(registrar.admin.get(`/Application/${client_id}`))).toMatchObject({ Name: "Wages", WebSiteURL: "" });
    const { Items } = await ok(registrar.admin.get("/AuditEvent?Kind=Credentials.Changed"));
    expect(Items[0]).toMatchObject({
      Actor: { Type: "Application", Id: client_id },
      Details: { Changed: ["DpopBound"] },
    });
  });

  test("gains no scopes by a change, and keeps those an administrator added", async () => {
    const { registrar, put, client_id } = await registered({ scope: "openid" }, ["openid", "email"]);
    const more = await put(metadata({ scope: "openid AccessManager:Read" }));
    expect(more.body.scope).toBe("openid");
    await ok(
      registrar.admin.patch(`/Application/${client_id}/Credentials`, { Scopes: ["openid", "AccessManager:Read"] }),
    );
    const kept = await put(metadata(), more.body.registration_access_token);
    expect(kept.body.scope).toBe("openid AccessManager:Read");
    const fewer = await put(metadata({ scope: "openid" }), kept.body.registration_access_token);
    expect(fewer.body.scope).toBe("openid");
    const again = await put(metadata({ scope: "AccessManager:Read" }), fewer.body.registration_access_token);
    expect(again.body.scope).toBe("openid");
  });

  test("changes its authentication method: secrets are created and deleted with it", async () => {
    const { registrar, put, client_id } = await registered();
    const secrets = async () => (await ok(registrar.admin.get(`/Application/${client_id}/Secrets`))).Items.length;
    expect(await secrets()).toBe(1);
    const bare = await put(metadata(PUBLIC));
    expect([bare.body.client_secret, await secrets()]).toEqual([undefined, 0]);
    const back = await put(metadata(), bare.body.registration_access_token);
    expect([back.body.client_secret.length, await secrets()]).toEqual([43, 1]);
    const { client_secret, registration_access_token: by } = back.body;
    refused(await put(metadata({ client_secret: "other" }), by), "invalid_client_metadata", /client_secret/);
    expect((await put(metadata({ client_secret }), by)).status).toBe(200);
  });

  test("must send its client_id, and no server-set members", async () => {
    const { put, made, token } = await registered();
    refused(await put({ ...metadata(), client_id: "1" }), "invalid_client_metadata", /client_id/);
    refused(await put({ ...metadata(), registration_access_token: token }), "invalid_request", /cannot be changed/);
    refused(await put({ ...metadata(), redirect_uris: ["javascript:a"] }), "invalid_redirect_uri");
    // A rejection changes nothing, and its token stays valid.
    expect((await send("GET", at(made), token)).status).toBe(200);
  });

  test("cannot read, change or delete the registration of another client, with the same error as for a missing one", async () => {
    const [mine, theirs] = [await registered(), await registered()];
    for (const path of [at(theirs.made), "/oauth2/clients/999999999", "/oauth2/clients/x"]) {
      for (const method of ["GET", "DELETE"]) expectUnauthorized(await send(method, path, mine.token));
      expectUnauthorized(await send("PUT", path, mine.token, { ...metadata(), client_id: theirs.client_id }));
      expectUnauthorized(await send("GET", path, undefined));
    }
    const initial = await initialToken(theirs.registrar);
    expectUnauthorized(await send("GET", at(theirs.made), initial));
    expectUnauthorized(await send("POST", REGISTER, theirs.token, metadata()));
    await ok(theirs.registrar.admin.patch("/Application", { Id: theirs.client_id, Is_Active: false }));
    expectUnauthorized(await send("GET", at(theirs.made), theirs.token));
  });

  test("deletes itself with the current token only, also in concurrent requests", async () => {
    for (let round = 0; round < 5; round++) {
      const { registrar, made, token, client_id, put } = await registered();
      const [change, ...removals] = await Promise.all([
        put(metadata()),
        ...[1, 2, 3].map(() => send("DELETE", at(made), token)),
      ]);
      const done = [change, ...removals].filter(({ status }) => status < 300);
      expect(done).toHaveLength(1);
      for (const answer of [change, ...removals]) if (answer !== done[0]) expectUnauthorized(answer);
      const isThere = (await registrar.admin.get(`/Application/${client_id}`)).status === 200;
      expect(isThere).toBe(change.status === 200);
    }
  });

  test("deletes itself, and its tokens become invalid", async () => {
    const { registrar, made, token, client_id } = await registered(
      { grant_types: ["client_credentials"], redirect_uris: [] },
      ["AccessManager:Read"],
    );
    const grant = new URLSearchParams({ grant_type: "client_credentials", scope: "AccessManager:Read" });
    const basic = Buffer.from(`${client_id}:${made.body.client_secret}`).toString("base64");
    const headers = { authorization: `Basic ${basic}` };
    const granted = await request("POST", "/oauth2/token", { body: grant, headers });
    expect(granted.status).toBe(200);
    expect((await send("DELETE", at(made), token)).status).toBe(204);
    expectUnauthorized(await send("DELETE", at(made), token));
    expectRfcError(await request("POST", "/oauth2/token", { body: grant, headers }), 401, "invalid_client");
    await until("its token to be refused", async () => {
      const use = { headers: { authorization: `Bearer ${granted.body.access_token}` } };
      return (await request("GET", "/Endpoint/rest/api/v1/User", use)).status === 401;
    });
    expect((await registrar.admin.get(`/Application/${client_id}`)).status).toBe(404);
  });
});
