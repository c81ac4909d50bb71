// …/Application/{Id}/Credentials and …/Application/{Id}/Secrets.

import { describe, expect, test } from "bun:test";
import { type Api, expectError } from "../world/api.ts";
import { askToken, formOf } from "../world/grants.ts";
import { newTenant } from "../world/tenant.ts";
import { newApplication } from "./application.ts";

const DEFAULTS = {
  RedirectUris: [],
  PostLogoutRedirectUris: [],
  BackchannelLogoutUri: "",
  GrantTypes: ["authorization_code", "client_credentials", "refresh_token"],
  ResponseTypes: ["code", "code id_token"],
  Scopes: ["openid", "profile", "name"],
  ClientType: "confidential",
  TokenEndpointAuthMethod: "",
  Jwks: null,
  JwksUri: "",
  TlsClientAuthName: "SubjectDn",
  TlsClientAuthValue: "",
  AccessTokenAlg: "ES256",
  AccessTokenType: "at+jwt",
  LogoutTokenType: "logout+jwt",
  AccessTokenLifetime: null,
  RefreshTokenLifetime: null,
  IdTokenAlg: "RS256",
  UserinfoAlg: "",
  IntrospectionAlg: "",
  IdTokenClaims: false,
  ClaimMapping: [],
  SubjectType: "public",
  SectorIdentifierUri: "",
  LogoUri: "",
  PolicyUri: "",
  TosUri: "",
  RequirePar: false,
  RequireSignedRequestObject: false,
  DpopBound: false,
  SecurityProfile: "None",
  FirstParty: false,
};
const ED25519 = { kty: "OKP", crv: "Ed25519", kid: "1", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };

const client = await newTenant();

describe("Credentials", () => {
  test("of a new Application are the defaults", async () => {
    const { status, body } = await (await newApplication(client)).read();
    expect(status).toBe(200);
    expect(body).toEqual(DEFAULTS);
  });

  test("are changed field by field; null resets one", async () => {
    const app = await newApplication(client);
    const whole = {
      RedirectUris: ["https://app.example.com/cb", "https://app.example.com/cb?x=1"],
      PostLogoutRedirectUris: ["https://app.example.com/bye"],
      BackchannelLogoutUri: "https://app.example.com/backchannel",
      GrantTypes: ["authorization_code", "refresh_token"],
      ResponseTypes: ["code"],
      Scopes: ["openid", "email"],
      ClientType: "public",
      TokenEndpointAuthMethod: "none",
      Jwks: { keys: [ED25519] },
      JwksUri: "",
      TlsClientAuthName: "SanDns",
      TlsClientAuthValue: "app.example.com",
      AccessTokenAlg: "RS256",
      AccessTokenType: "JWT",
      LogoutTokenType: "JWT",
      AccessTokenLifetime: 300,
      RefreshTokenLifetime: 31_536_000,
      IdTokenAlg: "ES256",
      UserinfoAlg: "EdDSA",
      IntrospectionAlg: "ES256",
      IdTokenClaims: true,
      ClaimMapping: [
        { Claim: "groups", From: "Roles" },
        { Claim: "https://example.com/stage", From: "Constant", Value: "test" },
      ],
      SubjectType: "pairwise",
      SectorIdentifierUri: "",
      LogoUri: "https://app.example.com/logo.png",
      PolicyUri: "https://app.example.com/privacy",
      TosUri: "https://app.example.com/terms",
      RequirePar: true,
      RequireSignedRequestObject: true,
      DpopBound: true,
      SecurityProfile: "None",
      FirstParty: true,
    };
    expect((await app.change(whole)).body).toEqual(whole);
    expect((await app.change({ Scopes: ["openid", "openid"] })).body).toEqual({ ...whole, Scopes: ["openid"] });
    expect((await app.change({})).body).toEqual({ ...whole, Scopes: ["openid"] });
    const clear = Object.fromEntries(Object.keys(whole).map((name) => [name, null]));
    expect((await app.change(clear)).body).toEqual(DEFAULTS);
    expect((await app.read()).body).toEqual(DEFAULTS);
  });

  test("make an Application a client that gets tokens", async () => {
    const app = await newApplication(client);
    await app.change({ GrantTypes: ["client_credentials"], Scopes: ["AccessManager:Read"] });
    const { body } = await app.makeSecret();
    const answer = await askToken(formOf({ clientId: app.id, clientSecret: body.Secret }, { scope: "*" }));
    expect(answer.status).toBe(200);
    expect(answer.body.refresh_token).toBeUndefined();
  });

  test.each<[unknown, RegExp]>([
    [[], /one Credentials object/],
    ["x", /one Credentials object/],
    [{ Color: 1 }, /Color is not a field/],
    [{ __proto__x: 1 }, /not a field/],
    [{ RedirectUris: "https://app.example.com" }, /RedirectUris must be a list/],
    [{ RedirectUris: [1] }, /RedirectUris must be a list/],
    [{ RedirectUris: Array(51).fill("https://app.example.com/") }, /at most 50/],
    [{ RedirectUris: [`https://app.example.com/${"x".repeat(2_000)}`] }, /at most 2000 characters/],
    [
      { RedirectUris: ["1", "2", "3", "4", "5", "6"].map((n) => `https://app.example.com/${n.repeat(1_700)}`) },
      /10000/,
    ],
    [{ GrantTypes: ["password"] }, /GrantTypes must be a list of authorization_code/],
    [{ Scopes: ["openid", "Color:Read"] }, /Scopes: there is no scope Color:Read/],
    [{ Scopes: ["open id"] }, /Scopes must be a list of openid/],
    [{ Scopes: ["*"] }, /Scopes must be a list of openid/],
    [{ ClientType: "secret" }, /ClientType must be one of/],
    [{ AccessTokenAlg: "none" }, /AccessTokenAlg must be one of RS256, ES256, EdDSA/],
    [{ AccessTokenAlg: "HS256" }, /AccessTokenAlg must be one of RS256, ES256, EdDSA/],
    [{ LogoutTokenType: "none" }, /LogoutTokenType must be one of logout\+jwt, JWT, or empty/],
    [{ AccessTokenType: "jwt" }, /AccessTokenType must be one of at\+jwt, JWT/],
    [{ AccessTokenLifetime: 59 }, /AccessTokenLifetime must be a whole number of seconds from 60 to 86400/],
    [{ AccessTokenLifetime: 86_401 }, /AccessTokenLifetime must be a whole number of seconds from 60 to 86400/],
    [{ AccessTokenLifetime: "300" }, /AccessTokenLifetime must be a whole number/],
    [{ RefreshTokenLifetime: 59 }, /RefreshTokenLifetime must be a whole number of seconds from 60 to 31536000/],
    [{ RefreshTokenLifetime: 31_536_001 }, /RefreshTokenLifetime must be a whole number of seconds/],
    [{ IdTokenClaims: "yes" }, /IdTokenClaims must be true or false/],
    [{ ClaimMapping: {} }, /ClaimMapping must be a list/],
    [{ ClaimMapping: [null] }, /ClaimMapping\[0\] must be/],
    [{ ClaimMapping: [{ Claim: "x", From: "Roles", Color: 1 }] }, /ClaimMapping\[0\] must be/],
    [{ ClaimMapping: [{ Claim: "a b", From: "Roles" }] }, /ClaimMapping\[0\]\.Claim must have/],
    [{ ClaimMapping: [{ Claim: "", From: "Roles" }] }, /ClaimMapping\[0\]\.Claim must have/],
    [{ ClaimMapping: [{ Claim: "x", From: "Password" }] }, /ClaimMapping\[0\]\.From must be Roles or/],
    [{ ClaimMapping: [{ Claim: "x" }] }, /ClaimMapping\[0\]\.From must be Roles or/],
    [{ ClaimMapping: [{ Claim: "x", From: "Constant" }] }, /ClaimMapping\[0\]\.Value must be/],
    [{ ClaimMapping: [{ Claim: "x", From: "Constant", Value: "x".repeat(1_001) }] }, /ClaimMapping\[0\]\.Value/],
    [{ ClaimMapping: [{ Claim: "x", From: "Constant", Value: true }] }, /ClaimMapping\[0\]\.Value must be/],
    [{ ClaimMapping: [{ Claim: "x", From: "Roles", Value: "y" }] }, /ClaimMapping\[0\]\.Value is only for/],
    [{ ClaimMapping: Array(51).fill({ Claim: "x", From: "Roles" }) }, /at most 50/],
    [
      {
        ClaimMapping: [
          { Claim: "x", From: "Roles" },
          { Claim: "x", From: "Name" },
        ],
      },
      /ClaimMapping\[1\]\.Claim occurs twice/,
    ],
    [
      {
        ClaimMapping: ["a", "b", "c"].map((Claim) => ({ Claim, From: "Attribute", Value: "notes" })),
      },
      /ClaimMapping\[2\]: at most 2 claims can have this source/,
    ],
    ...["sub", "aud", "tenant", "client_id", "email", "phone_number", "email_verified", "__proto__"].map(
      (Claim): [unknown, RegExp] => [
        { ClaimMapping: [{ Claim, From: "Constant", Value: "x" }] },
        /ClaimMapping\[0\]\.Claim is a reserved claim/,
      ],
    ),
    [{ IdTokenAlg: "HS256" }, /IdTokenAlg must be one of RS256, ES256, EdDSA/],
    [{ FirstParty: "yes" }, /FirstParty must be true or false/],
    [{ ClientType: "public", GrantTypes: ["client_credentials"] }, /client_credentials/],
    [{ ClientType: "native", GrantTypes: ["client_credentials"] }, /client_credentials/],
  ])("%j is Bad Input, and changes nothing", async (changes, says) => {
    const app = await newApplication(client);
    expectError(await app.change(changes), 400, "Bad Input", says);
    expect((await app.read()).body).toEqual(DEFAULTS);
  });

  test("all invalid fields are named", async () => {
    const answer = await (await newApplication(client)).change({ Scopes: 1, FirstParty: 1, X: 1, GrantTypes: [] });
    expect(answer.body.Errors).toHaveLength(3);
  });
});

describe("a redirect URI", () => {
  const set = async (uri: string, ClientType: string, field = "RedirectUris") =>
    (await newApplication(client)).change({ ClientType, [field]: [uri] });

  test.each([
    ["https://app.example.com", "confidential"],
    ["https://app.example.com:8443/cb?x=%20y", "public"],
    ["https://app.example.com/Cb/", "native"],
    ["http://127.0.0.1/cb", "native"],
    ["http://[::1]:7000/cb", "native"],
    ["http://localhost:7000/cb", "native"],
    ["http://127.0.0.1/cb", "confidential"],
    ["http://localhost/cb", "public"],
    ["com.example.app:/callback", "native"],
  ])("%s is valid for a %s client", async (uri, type) => {
    for (const field of ["RedirectUris", "PostLogoutRedirectUris"]) {
      const answer = await set(uri, type, field);
      expect(answer.body[field]).toEqual([uri]);
    }
  });

  test.each([
    ["http://app.example.com/cb", "native", /https/],
    ["http://localhost.example.com/cb", "native", /https/],
    ["https://app.example.com/cb#part", "confidential", /fragment/],
    ["https://app.example.com/cb#", "confidential", /fragment/],
    ["https://user:word@app.example.com/cb", "confidential", /user name/],
    ["https://*.example.com/cb", "confidential", /absolute|exact/],
    ["https://app.example.com/*", "confidential", /exact/],
    ["https:app.example.com", "confidential", /its beginning must be https:\/\/app.example.com, in capitals or not/],
    ["https:\\\\app.example.com/cb", "confidential", /its beginning must be/],
    ["https://app.example.com/a b", "confidential", /absolute/],
    ["https://app.example.com/ä", "confidential", /absolute/],
    ["/cb", "confidential", /absolute/],
    ["", "confidential", /absolute/],
    ["com.example.app:/callback", "confidential", /private-use schemes/],
    ["myapp:/callback", "native", /private-use scheme/],
    ["javascript:alert(1)", "native", /private-use scheme/],
    ["data:text/html,x", "native", /private-use scheme/],
    ["ftp://app.example.com/", "public", /https/],
  ])("%s is invalid for a %s client", async (uri, type, says) => {
    for (const field of ["RedirectUris", "PostLogoutRedirectUris"]) {
      const answer = await set(uri, type, field);
      expect(answer.status).toBe(400);
      expect(answer.body.Errors.join()).toMatch(says);
      expect(answer.body.Errors.join()).toMatch(new RegExp(`^${field}`));
    }
  });

  test("that only this type may have prevents a change of the type", async () => {
    const app = await newApplication(client);
    await app.change({ ClientType: "native", RedirectUris: ["com.example.app:/callback"] });
    const answer = await app.change({ ClientType: "public" });
    expectError(answer, 400, "Bad Input", /^RedirectUris: com.example.app/);
    expect((await app.change({ ClientType: "public", RedirectUris: [] })).status).toBe(200);
  });
});

describe("both", () => {
  const tries = (by: Api, id: string): [string, string, Promise<{ status: number }>][] => [
    ["Settings:Read", "GET Credentials", by.get(`/Application/${id}/Credentials`)],
    ["Settings:Update", "PATCH Credentials", by.patch(`/Application/${id}/Credentials`, {})],
    ["Settings:Read", "GET Secrets", by.get(`/Application/${id}/Secrets`)],
    ["Settings:Update", "POST Secrets", by.send("POST", `/Application/${id}/Secrets`)],
    ["Settings:Update", "DELETE Secrets", by.send("DELETE", `/Application/${id}/Secrets/${Bun.randomUUIDv7()}`)],
  ];

  test("are limited to the tenant: the Application of another tenant is 404", async () => {
    const app = await newApplication(client);
    for (const [, , answer] of tries(await newTenant(), app.id)) expect((await answer).status).toBe(404);
    expect((await app.secrets()).body.Items).toEqual([]);
  });

  test.each(["999999999", "abc", "0", "9".repeat(30), "%00"])("%s is not an Application's Id: 404", async (id) => {
    for (const [, , answer] of tries(client, id)) expect((await answer).status).toBe(404);
  });

  test("require Settings:Read and Settings:Update", async () => {
    const app = await newApplication(client);
    const [reader, writer] = [await client.withScope("Settings:Read"), await client.withScope("Settings:Update")];
    for (const [scope, , answer] of tries(reader, app.id)) {
      expect((await answer).status === 403).toBe(scope === "Settings:Update");
    }
    for (const [scope, , answer] of tries(writer, app.id)) {
      expect((await answer).status === 403).toBe(scope === "Settings:Read");
    }
    const none = await client.withScope("AccessManager:Read AccessManager:Create, Update, Delete");
    for (const [, , answer] of tries(none, app.id)) expect((await answer).status).toBe(403);
  });

  test("reject other methods, media types and callers without a token", async () => {
    const app = await newApplication(client);
    const wrong = await client.send("DELETE", `${app.path}/Credentials`);
    expectError(wrong, 405, "Method Not Allowed");
    expect(wrong.headers.get("allow")).toBe("GET, HEAD, PATCH, POST");
    expect((await client.send("PATCH", `${app.path}/Secrets`)).headers.get("allow")).toBe("GET, HEAD, POST");
    expect((await client.send("GET", `${app.path}/Secrets/x`)).headers.get("allow")).toBe("DELETE");
    expect((await client.send("PATCH", `${app.path}/Credentials`, { body: "{}" })).status).toBe(415);
    const anonymous = await client.send("GET", `${app.path}/Secrets`, { headers: { authorization: "" } });
    expect(anonymous.status).toBe(401);
  });

  test("leave the Application's own path unchanged", async () => {
    const app = await newApplication(client);
    expect((await client.get(app.path)).body.Id).toBe(app.id);
    expect((await client.get(`/Application/base64|${btoa(app.id)}`)).body.Id).toBe(app.id);
  });
});

test("a change with several invalid fields reports all of them", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Wrong" });
  const path = `/Application/${Id}/Credentials`;
  const { status, body } = await api.call<{ Errors: string[] }>("PATCH", path, {
    TokenEndpointAuthMethod: "none",
    RedirectUris: ["http://shop.example.com/back"],
    BackchannelLogoutUri: "http://shop.example.com/logout",
    Scopes: ["openid", "nobody:knows"],
  });
  expect(status).toBe(400);
  expect(body.Errors).toEqual([
    "TokenEndpointAuthMethod is none, which a confidential client cannot have.",
    expect.stringMatching(/^RedirectUris: .* must begin with https/),
    expect.stringMatching(/^BackchannelLogoutUri: /),
    "Scopes: there is no scope nobody:knows.",
  ]);
});
