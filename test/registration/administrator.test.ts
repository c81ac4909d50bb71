// A client that registered itself, and later changes by an administrator, which take precedence.

import { describe, expect, test } from "bun:test";
import { CREDENTIALS } from "../../server/identity/oauth/clients/contract.ts";
import { type Answer, ok } from "../world/api.ts";
import {
  at,
  expectUnauthorized,
  initialToken,
  metadata,
  newRegistrar,
  PUBLIC,
  REDIRECT,
  register,
  send,
} from "../world/registrar.ts";
import { newSigner } from "../world/signer.ts";
import { savePolicy } from "../world/tenant.ts";

const SECOND = "https://app.example/second";
const BYE = "https://app.example/bye";

async function registered(
  more: object = {},
  mode: "InitialAccessToken" | "Open" = "InitialAccessToken",
  scopes?: string[],
) {
  const registrar = await newRegistrar(mode, scopes ?? ["openid", "profile", "email"]);
  const by = mode === "Open" ? undefined : await initialToken(registrar);
  const made = await register(registrar, metadata(more), by);
  expect(made.status).toBe(201);
  const { client_id } = made.body;
  let token = made.body.registration_access_token as string;
  return {
    ...{ registrar, made, client_id, admin: registrar.admin },
    token: () => token,
    async put(body: object): Promise<Answer> {
      const answer = await send("PUT", at(made), token, { client_id, ...body });
      token = answer.body.registration_access_token ?? token;
      return answer;
    },
    set: (body: object) => ok(registrar.admin.patch(`/Application/${client_id}/Credentials`, body)),
    credentials: () => ok(registrar.admin.get(`/Application/${client_id}/Credentials`)),
    lastChange: async () => (await ok(registrar.admin.get("/AuditEvent?Kind=Credentials.Changed"))).Items[0],
  };
}

type Client = Awaited<ReturnType<typeof registered>>;

describe("a field that an administrator has set on a registered client", () => {
  /** For each field of registration: the first value, the administrator's value, and the value in a PUT. */
  const FIELDS: Record<string, { first?: object; set: unknown; tries: object[] }> = {
    RedirectUris: {
      first: { redirect_uris: [REDIRECT, SECOND] },
      set: [REDIRECT],
      tries: [{ redirect_uris: [REDIRECT, SECOND] }, { redirect_uris: ["https://evil.example/"] }],
    },
    PostLogoutRedirectUris: { set: [BYE], tries: [{ post_logout_redirect_uris: [BYE, "https://evil.example/"] }] },
    BackchannelLogoutUri: {
      set: "https://app.example/logout",
      tries: [{ backchannel_logout_uri: "https://evil.example/" }, {}],
    },
    GrantTypes: {
      first: { grant_types: ["authorization_code", "refresh_token", "client_credentials"] },
      set: ["authorization_code"],
      tries: [
        { grant_types: ["authorization_code", "client_credentials"] },
        { grant_types: ["client_credentials"], redirect_uris: [] },
      ],
    },
    ResponseTypes: { set: ["code id_token"], tries: [{ response_types: ["code"] }, {}] },
    Scopes: { set: ["openid"], tries: [{ scope: "openid profile" }, { scope: "email" }, {}] },
    ClientType: { set: "public", tries: [{}, { token_endpoint_auth_method: "client_secret_basic" }] },
    TokenEndpointAuthMethod: {
      set: "client_secret_post",
      tries: [{}, PUBLIC, { token_endpoint_auth_method: "client_secret_basic" }],
    },
    Jwks: { set: "KEYS", tries: [{ jwks_uri: "https://app.example/keys" }, {}] },
    JwksUri: { set: "https://app.example/keys", tries: [{ jwks_uri: "https://evil.example/keys" }, {}] },
    TlsClientAuthName: { set: "SanDns", tries: [{ tls_client_auth_san_uri: "https://evil.example/" }] },
    TlsClientAuthValue: { set: "CN=payroll", tries: [{ tls_client_auth_subject_dn: "CN=evil" }, {}] },
    IdTokenAlg: { set: "ES256", tries: [{}, { id_token_signed_response_alg: "EdDSA" }] },
    UserinfoAlg: { set: "ES256", tries: [{}, { userinfo_signed_response_alg: "EdDSA" }] },
    IntrospectionAlg: { set: "ES256", tries: [{}, { introspection_signed_response_alg: "EdDSA" }] },
    SubjectType: { set: "pairwise", tries: [{}, { subject_type: "public" }] },
    SectorIdentifierUri: { set: "", tries: [] },
    LogoUri: { set: "https://app.example/logo.png", tries: [{}, { logo_uri: "https://evil.example/logo.png" }] },
    PolicyUri: { set: "https://app.example/policy", tries: [{}, { policy_uri: "https://evil.example/" }] },
    TosUri: { set: "https://app.example/tos", tries: [{}, { tos_uri: "https://evil.example/" }] },
    RequirePar: { set: true, tries: [{}, { require_pushed_authorization_requests: false }] },
    RequireSignedRequestObject: { set: true, tries: [{}, { require_signed_request_object: false }] },
    DpopBound: { set: true, tries: [{}, { dpop_bound_access_tokens: false }] },
  };
  /** Registration cannot set these. */
  const OTHERS: Record<string, unknown> = {
    AccessTokenAlg: "ES256",
    AccessTokenType: "JWT",
    LogoutTokenType: "JWT",
    AccessTokenLifetime: 300,
    RefreshTokenLifetime: 3_600,
    IdTokenClaims: true,
    ClaimMapping: [{ Claim: "groups", From: "Roles" }],
    SecurityProfile: "None",
    FirstParty: true,
  };

  test("is one of these fields", () => {
    const known = [...Object.keys(FIELDS), ...Object.keys(OTHERS)];
    expect(Object.keys(CREDENTIALS.field).filter((name) => !known.includes(name))).toEqual([]);
  });

  test.each(Object.keys(FIELDS))("stays, whatever the registration access token's requests send: %s", async (name) => {
    const { first, set, tries } = FIELDS[name]!;
    const { jwk } = await newSigner();
    for (const sent of tries) {
      const client = await registered(first);
      await client.set({ [name]: set === "KEYS" ? { keys: [jwk] } : set });
      const before = await client.credentials();
      const answer = await client.put(metadata(sent));
      expect({ sent, status: answer.status, says: answer.body.error_description }).toMatchObject({ sent, status: 200 });
      expect({ sent, now: (await client.credentials())[name] }).toEqual({ sent, now: before[name] });
    }
  });

  test("does not count if registration cannot express it, or if it stays anyway", async () => {
    const client = await registered();
    for (const [name, value] of Object.entries(OTHERS)) {
      await client.set({ [name]: value });
      expect((await client.put(metadata())).status).toBe(200);
      expect((await client.credentials())[name]).toEqual(value);
    }
  });

  test("can be narrowed by the client, and not widened again", async () => {
    const client = await registered({ redirect_uris: [REDIRECT, SECOND], scope: "openid profile" });
    await client.set({ RedirectUris: [REDIRECT, SECOND, "https://app.example/third"], Scopes: ["openid", "email"] });
    const narrowed = await client.put(metadata({ redirect_uris: [SECOND], scope: "openid" }));
    expect(narrowed.body).toMatchObject({ redirect_uris: [SECOND], scope: "openid" });
    const wide = await client.put(metadata({ redirect_uris: [REDIRECT, SECOND], scope: "openid email" }));
    expect(wide.body).toMatchObject({ redirect_uris: [SECOND], scope: "openid" });
    const { body } = await client.put(metadata({ redirect_uris: [SECOND], dpop_bound_access_tokens: true }));
    expect(body.dpop_bound_access_tokens).toBe(true);
  });

  test("includes its name and its site", async () => {
    const client = await registered({ client_uri: "https://app.example/" });
    const named = { Id: client.client_id, Name: "Payroll of Corp", WebSiteURL: "https://corp.example/" };
    await ok(client.admin.patch("/Application", named));
    const answer = await client.put(
      metadata({ client_name: "Corp single sign-on", client_uri: "https://evil.example/" }),
    );
    expect(answer.body).toMatchObject({ client_name: "Payroll of Corp", client_uri: "https://corp.example/" });
    expect(await ok(client.admin.get(`/Application/${client.client_id}`))).toMatchObject(named);
  });

  test("includes a deleted secret: the client creates no other", async () => {
    const client = await registered();
    const secrets = async () => (await ok(client.admin.get(`/Application/${client.client_id}/Secrets`))).Items;
    await ok(client.admin.send("DELETE", `/Application/${client.client_id}/Secrets/${(await secrets())[0].Id}`));
    const same = await client.put(metadata());
    expect([same.status, same.body.client_secret]).toEqual([200, undefined]);
    await client.put(metadata(PUBLIC));
    expect((await client.put(metadata())).body.client_secret).toBeUndefined();
    expect(await secrets()).toEqual([]);
  });

  test("includes a created secret: the client cannot delete it", async () => {
    const client = await registered();
    await ok(client.admin.call("POST", `/Application/${client.client_id}/Secrets`, { Name: "ours" }));
    await client.put(metadata(PUBLIC));
    expect((await ok(client.admin.get(`/Application/${client.client_id}/Secrets`))).Items).toHaveLength(2);
  });

  test("includes deactivation: its token is rejected", async () => {
    const client = await registered();
    await ok(client.admin.patch("/Application", { Id: client.client_id, Is_Active: false }));
    expectUnauthorized(await client.put(metadata()));
    expectUnauthorized(await send("DELETE", at(client.made), client.token()));
  });
});

describe("administrators' additions to a registered client end with a log row when the client changes", () => {
  const CHANGES: Record<string, (keys: object) => object> = {
    "its redirect URIs": () => ({ redirect_uris: [REDIRECT, "https://evil.example/"] }),
    "its addresses after sign-out": () => ({ post_logout_redirect_uris: [BYE] }),
    "where it is told of sign-outs": () => ({ backchannel_logout_uri: "https://evil.example/" }),
    "how it proves itself": () => PUBLIC,
    "how it sends its secret": () => ({ token_endpoint_auth_method: "client_secret_post" }),
    "its keys": (keys) => ({ jwks: { keys: [keys] } }),
    "the address of its keys": () => ({ jwks_uri: "https://app.example/keys" }),
    "the name in its certificate": () => ({ tls_client_auth_subject_dn: "CN=evil" }),
  };

  test.each(Object.keys(CHANGES))("%s", async (what) => {
    const { jwk } = await newSigner();
    const client = await registered({}, "Open");
    const ClaimMapping = [{ Claim: "groups", From: "Roles" }];
    const Scopes = ["openid", "email", "AccessManager:Read", "Settings:Update"];
    await client.set({ FirstParty: true, Scopes, ClaimMapping });
    expect((await client.put(metadata())).body.scope).toContain("Settings:Update");
    expect(await client.credentials()).toMatchObject({ FirstParty: true, ClaimMapping });
    const answer = await client.put(metadata(CHANGES[what]!(jwk)));
    expect(answer.status).toBe(200);
    expect(answer.body.scope).toBe("openid email");
    expect(await client.credentials()).toMatchObject({
      ...{ FirstParty: false, Scopes: ["openid", "email"], ClaimMapping: [] },
    });
    expect(await client.lastChange()).toMatchObject({
      Actor: { Type: "Application", Id: client.client_id },
      Details: {
        FirstParty: { From: true, To: false },
        Scopes: { Added: [], Removed: ["AccessManager:Read", "Settings:Update"] },
      },
    });
    const again = await client.put(metadata({ scope: "openid AccessManager:Read" }));
    expect(again.body.scope).toBe("openid");
  });

  test("but not if the client is in a role, named by a policy or an API's own", async () => {
    const escaped = (id: number) => [...String(id)].map((digit) => `\\u{3${digit}}`).join("");
    const texts = [
      (id: number) => `permit(principal == Client::"${id}", action, resource);`,
      (id: number) => `permit(principal == Client::"${escaped(id)}", action, resource);`,
      (id: number) => `permit(principal is Client, action, resource) when { principal.Id == ${id} };`,
      (id: number) => `permit(principal is Client, action, resource) when { [7, ${id}].contains(principal["Id"]) };`,
      (id: number) =>
        `permit(principal, action, resource) when { principal in [ Client // this one\n :: "${escaped(id)}"] };`,
    ];
    for (const trust of ["Role", ...texts, "Api"] as const) {
      const client = await registered({}, "Open");
      const Id = Number(client.client_id);
      const role = { Name: "Robots", Members: [{ Type: "Application", Id }], Scopes: [] };
      const api = {
        Name: "Orders",
        Audience: `https://orders.example/${Bun.randomUUIDv7()}`,
        ApplicationId: client.client_id,
      };
      if (typeof trust === "function") await savePolicy(client.admin, "Payroll reads", trust(Id));
      else await ok(client.admin.patch(`/${trust}`, trust === "Role" ? role : api));
      const answer = await client.put(metadata({ redirect_uris: ["https://evil.example/"], ...PUBLIC }));
      expect(answer.body).toMatchObject({
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: "client_secret_basic",
      });
      expect((await client.credentials()).RedirectUris).toEqual([REDIRECT]);
      expect((await send("DELETE", at(client.made), client.token())).status).toBe(403);
    }
  });

  test("and a client changed by an administrator cannot delete itself", async () => {
    const changes: ((client: Client) => Promise<unknown>)[] = [
      (client) => client.set({ FirstParty: true }),
      (client) => client.set({ RequirePar: true }),
      (client) => ok(client.admin.patch("/Application", { Id: client.client_id, Name: "Ours" })),
    ];
    for (const change of changes) {
      const client = await registered();
      await change(client);
      const answer = await send("DELETE", at(client.made), client.token());
      expect([answer.status, answer.body.error]).toEqual([403, "access_denied"]);
      expect((await client.admin.get(`/Application/${client.client_id}`)).status).toBe(200);
    }
  });
});

describe("registration that is switched off", () => {
  test.each(["InitialAccessToken", "Open"] as const)("disables all its tokens (%s before)", async (mode) => {
    const client = await registered({}, mode);
    const initial = await initialToken(client.registrar);
    await ok(client.admin.patch("/TenantSettings", { ClientRegistration: "Off" }));
    expectUnauthorized(await send("GET", at(client.made), client.token()));
    expectUnauthorized(await client.put(metadata({ redirect_uris: ["https://evil.example/"] })));
    expectUnauthorized(await send("DELETE", at(client.made), client.token()));
    for (const token of [initial, undefined]) expectUnauthorized(await register(client.registrar, metadata(), token));
    expect((await client.credentials()).RedirectUris).toEqual([REDIRECT]);
    await ok(client.admin.patch("/TenantSettings", { ClientRegistration: mode }));
    expect((await send("GET", at(client.made), client.token())).status).toBe(200);
  });
});

describe("registration access tokens", () => {
  const of = ({ client_id }: Pick<Client, "client_id">) => `/Application/${client_id}/RegistrationAccessToken`;

  test("are listed for administrators with client, dates and last use, without the token", async () => {
    const client = await registered({ client_name: "Wages" }, "Open");
    await client.set({ FirstParty: true });
    const { body } = await register(
      client.registrar,
      metadata({ client_name: "Wiki" }),
      await initialToken(client.registrar),
    );
    const { Items } = await ok(client.admin.get("/RegistrationAccessToken"));
    const row = {
      RegisteredOn: expect.any(String),
      MadeOn: expect.any(String),
      LastUsedOn: null,
      AdministratorSet: [],
    };
    expect(Items).toEqual([
      { ...row, Application: expect.objectContaining({ Name: "Wages" }), Open: true, AdministratorSet: ["FirstParty"] },
      { ...row, Application: expect.objectContaining({ Id: Number(body.client_id), Name: "Wiki" }), Open: false },
    ]);
    await send("GET", at(client.made), client.token());
    expect((await ok(client.admin.get(of(client)))).LastUsedOn).toBeString();
    const page = await ok(client.admin.get("/RegistrationAccessToken?Limit=1"));
    expect(page.Items).toHaveLength(1);
    expect((await ok(client.admin.get(`/RegistrationAccessToken?Cursor=${page.Next}`))).Items).toHaveLength(1);
  });

  test("are replaced by an administrator: the former one is rejected, the new one works", async () => {
    const client = await registered();
    const { Token } = await ok(client.admin.call("POST", of(client), undefined));
    expectUnauthorized(await send("GET", at(client.made), client.token()));
    expect((await send("GET", at(client.made), Token)).status).toBe(200);
    const [row] = (await ok(client.admin.get("/AuditEvent?Kind=RegistrationAccessToken.Created"))).Items;
    expect(row).toMatchObject({ Subject: { Type: "Application", Id: client.client_id } });
    expect(JSON.stringify(row)).not.toContain(Token);
  });

  test("are revoked by an administrator: the client keeps working, and can no longer change itself", async () => {
    const client = await registered();
    expect(await ok(client.admin.send("DELETE", of(client)))).toMatchObject({ MadeOn: null });
    for (const answer of [
      await send("GET", at(client.made), client.token()),
      await client.put(metadata()),
      await send("DELETE", at(client.made), client.token()),
    ]) {
      expectUnauthorized(answer);
    }
    expect((await client.credentials()).RedirectUris).toEqual([REDIRECT]);
    expect((await client.admin.send("DELETE", of(client))).status).toBe(404);
    const { Token } = await ok(client.admin.call("POST", of(client), undefined));
    expect((await send("GET", at(client.made), Token)).status).toBe(200);
  });

  test("belong to registered clients only, and require Settings scopes", async () => {
    const client = await registered();
    const other = await registered();
    const byHand = await ok(client.admin.patch("/Application", { Name: "By hand" }));
    for (const path of [of({ client_id: byHand.Id }), of(other), of({ client_id: "999999999" })]) {
      for (const method of ["GET", "POST", "DELETE"] as const) {
        expect({ path, method, status: (await client.admin.call(method, path, undefined)).status }).toEqual({
          path,
          method,
          status: 404,
        });
      }
    }
    const reader = await client.admin.withScope("Settings:Read");
    expect((await reader.get(of(client))).status).toBe(200);
    expect((await reader.call("POST", of(client), undefined)).status).toBe(403);
    expect((await reader.send("DELETE", of(client))).status).toBe(403);
  });
});
