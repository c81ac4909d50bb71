// …/IdentityProvider, and an Application's AuthenticationId that references one.

import { describe, expect, test } from "bun:test";
import { expectError, unique } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { eventsOf, rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const OIDC = { Name: "Example ID", Type: "OpenIDConnect", Issuer: "https://id.example.com", ClientId: "gatehouse" };
const OAUTH2 = {
  Name: "Example Social",
  Type: "OAuth2",
  AuthorizationEndpoint: "https://social.example.com/authorize",
  TokenEndpoint: "https://social.example.com/token",
  UserinfoEndpoint: "https://social.example.com/me",
  ClientId: "gatehouse",
};

describe.concurrent("an identity provider", () => {
  test("is created, read, listed, changed by its Name and deleted; its secret is never returned", async () => {
    const caller = await newTenant();
    const made = await caller.made("IdentityProvider", { ...OIDC, ClientSecret: "a very secret secret" });
    expect(made).toEqual({
      ...OIDC,
      Id: expect.stringMatching(/^\d+$/),
      ExternalId: "",
      MetadataUri: "",
      IdTokenAlg: "",
      EmailsEndpoint: "",
      AuthorizationEndpoint: "",
      TokenEndpoint: "",
      UserinfoEndpoint: "",
      Scopes: ["openid", "profile", "email"],
      Mapping: {
        Name: "name",
        Username: "preferred_username",
        Email: "email",
        EmailVerified: "email_verified",
        GivenName: "given_name",
        FamilyName: "family_name",
        Locale: "locale",
        ZoneInfo: "zoneinfo",
        Picture: "picture",
        MobilePhone: "phone_number",
      },
      TokenEndpointAuthMethod: "",
      AuthorizationParameters: {},
      Provisioning: "LinkOnly",
      AllowedDomains: [],
      AllowedTenants: [],
      RequireVerifiedEmail: false,
      AllowLocal: false,
      SignOut: false,
      Is_Active: false,
      RedirectUri: `${issuer()}/signin/upstream/${made.Id}/callback`,
      PostLogoutRedirectUri: `${issuer()}/signin/upstream/${made.Id}/signed-out`,
      JwksUri: `${issuer()}/signin/upstream/${made.Id}/jwks`,
    });
    const changed = await caller.made("IdentityProvider", { Name: OIDC.Name, ExternalId: "IDP-1", Is_Active: true });
    expect(changed).toEqual({ ...made, ExternalId: "IDP-1", Is_Active: true });
    expect(await caller.made("IdentityProvider", changed)).toEqual(changed);
    expect((await caller.get(`/IdentityProvider/${made.Id}`)).body).toEqual(changed);
    expect((await caller.get("/IdentityProvider")).body).toEqual({ Items: [changed], Next: null, Hidden: 0 });
    expect((await caller.remove(`/IdentityProvider/${made.Id}`)).body).toEqual(changed);
    expectError(await caller.get(`/IdentityProvider/${made.Id}`), 404, "Not Found");
    expect(await eventsOf(caller.tenantId)).toEqual([]);
    const { body: log } = await caller.get("/AuditEvent");
    const kinds = log.Items.map(({ Kind }: { Kind: string }) => Kind).filter((kind: string) =>
      kind.startsWith("Identity"),
    );
    expect(kinds).toEqual(["IdentityProvider.Deleted", "IdentityProvider.Changed", "IdentityProvider.Created"]);
    expect(JSON.stringify(log)).not.toContain("a very secret secret");
  });

  test("keeps its secret encrypted until it is changed or cleared", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("IdentityProvider", { ...OIDC, ClientSecret: "a very secret secret" });
    const stored = async () => {
      const [row] = await rowsOf<{ client_secret: Buffer | null }>("identity_providers", { id: Id });
      return row!.client_secret;
    };
    const sealed = await stored();
    expect(sealed?.toString("latin1")).not.toContain("secret");
    await caller.made("IdentityProvider", { Id, ClientId: "other" });
    expect(await stored()).toEqual(sealed);
    await caller.made("IdentityProvider", { Id, ClientSecret: null });
    expect(await stored()).toBeNull();
  });

  test("of plain OAuth 2.0 has endpoints and names the subject claim", async () => {
    const caller = await newTenant();
    const made = await caller.made("IdentityProvider", { ...OAUTH2, Mapping: { Subject: "id", Name: "login" } });
    expect(made).toMatchObject({ ...OAUTH2, Issuer: "", Scopes: [], Mapping: { Subject: "id", Name: "login" } });
  });

  test("is listed in pages", async () => {
    const caller = await newTenant();
    for (const Name of ["a", "b", "c"]) await caller.made("IdentityProvider", { ...OIDC, Name });
    const first = (await caller.get("/IdentityProvider?Limit=2")).body;
    const second = (await caller.get(`/IdentityProvider?Limit=2&Cursor=${first.Next}`)).body;
    const names = [...first.Items, ...second.Items].map(({ Name }) => Name);
    expect({ names, next: second.Next }).toEqual({ names: ["a", "b", "c"], next: null });
  });

  test.each([
    [{}, "Name is missing. Type is missing. ClientId is missing."],
    [{ ...OIDC, Issuer: "" }, "Issuer is missing."],
    [{ ...OIDC, Issuer: "http://id.example.com" }, "Issuer: The URL must start with https://."],
    [{ ...OIDC, Issuer: "https://id.example.com?x" }, "Issuer: An issuer must have no query (?) and no fragment (#)."],
    [{ ...OIDC, Issuer: "https://u:p@id.example.com" }, "Issuer: The URL must not contain a user name or password"],
    [{ ...OIDC, TokenEndpoint: OAUTH2.TokenEndpoint }, "TokenEndpoint is for Type OAuth2"],
    [{ ...OIDC, Scopes: ["profile"] }, "Scopes must have openid."],
    [{ ...OIDC, Mapping: { Subject: "email" } }, "Mapping.Subject is always sub with OpenIDConnect."],
    [{ ...OAUTH2, UserinfoEndpoint: null }, "UserinfoEndpoint is missing."],
    [{ ...OAUTH2, Issuer: OIDC.Issuer }, "Issuer is for Type OpenIDConnect."],
    [{ ...OAUTH2, TokenEndpoint: "https://x.example/#y" }, "TokenEndpoint: An endpoint must have no fragment (#)."],
    [{ ...OIDC, Type: "SAML" }, "Type must be OpenIDConnect or OAuth2."],
    [{ ...OIDC, Name: " " }, "Name must be a string of 1 to 200 characters."],
    [{ ...OIDC, ClientId: "x".repeat(1_001) }, "ClientId must be a string of 1 to 1000 characters."],
    [{ ...OIDC, Scopes: "openid" }, "Scopes must be a list of at most 50 scopes, each"],
    [{ ...OIDC, Scopes: ["openid", "a b"] }, "Scopes must be a list of at most 50 scopes, each"],
    [{ ...OIDC, Mapping: { Email: "x".repeat(201) } }, "Mapping.Email must be a claim's name"],
    [{ ...OIDC, Mapping: { Password: "x" } }, "Mapping must be an object that names a claim for some of Subject, Name"],
    [{ ...OIDC, Provisioning: "Maybe" }, "Provisioning must be Create or LinkOnly."],
    [{ ...OIDC, AllowLocal: "yes" }, "AllowLocal must be true or false."],
    [{ ...OIDC, RedirectUri: "https://evil.example/" }, "RedirectUri is set by the server and cannot be changed."],
    [{ ...OIDC, Nonsense: 1 }, "Nonsense is not a field of IdentityProvider."],
    [[OIDC], "The body must be one IdentityProvider object."],
  ])("with %j is rejected with an explanation", async (body, says) => {
    const caller = await newTenant();
    const answer = await caller.patch("/IdentityProvider", body);
    expectError(answer, 400, "Bad Input");
    expect(answer.body.Errors.join(" ")).toContain(says);
    expect((await caller.get("/IdentityProvider")).body.Items).toEqual([]);
  });

  test("has a Name and an ExternalId unique within the tenant", async () => {
    const caller = await newTenant();
    const first = await caller.made("IdentityProvider", { ...OIDC, ExternalId: "one" });
    const second = await caller.made("IdentityProvider", { ...OIDC, Name: "Second", ExternalId: "two" });
    const renamed = await caller.patch("/IdentityProvider", { Id: second.Id, Name: first.Name });
    expectError(renamed, 409, "Conflict", /^Name is already used by another IdentityProvider/);
    const both = await caller.patch("/IdentityProvider", { Name: first.Name, ExternalId: "two" });
    expectError(both, 400, "Bad Input", /several IdentityProvider/);
    expectError(await caller.patch("/IdentityProvider", { Id: "1", Name: "x" }), 404, "Not Found");
    const other = await newTenant();
    expect((await other.made("IdentityProvider", { ...OIDC, ExternalId: "one" })).Id).not.toBe(first.Id);
  });

  test("created twice at once is one", async () => {
    const caller = await newTenant();
    const answers = await Promise.all(Array.from({ length: 5 }, () => caller.made("IdentityProvider", OIDC)));
    expect(new Set(answers.map(({ Id }) => Id)).size).toBe(1);
  });

  test("requires the settings scope and a policy", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("IdentityProvider", OIDC);
    const reader = await caller.withScope("Settings:Read");
    expect((await reader.get(`/IdentityProvider/${Id}`)).status).toBe(200);
    expectError(await reader.patch("/IdentityProvider", OIDC), 403, "Permission", /Settings:Update/);
    const stranger = await caller.withScope("AccessManager:Read");
    expectError(await stranger.get("/IdentityProvider"), 403, "Permission", /Settings:Read/);
    const Policy =
      'forbid (principal, action, resource is IdentityProvider) when { resource.Type == "OpenIDConnect" };';
    await caller.made("Policy", { Name: "none", Policy });
    expectError(await caller.get(`/IdentityProvider/${Id}`), 403, "Permission");
    expect((await caller.get("/IdentityProvider")).body.Items).toEqual([]);
    expectError(await caller.patch("/IdentityProvider", { ...OIDC, Name: "new" }), 403, "Permission");
    expect((await caller.patch("/IdentityProvider", OAUTH2)).status).toBe(200);
  });
});

describe.concurrent("an Application's AuthenticationId", () => {
  test("references a provider by Id, ExternalId or Name, and keeps it", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("IdentityProvider", { ...OIDC, ExternalId: "IDP-1" });
    const Name = unique("app");
    for (const AuthenticationId of [
      { Id },
      { ExternalId: "IDP-1" },
      { FieldType: "Name", Value: OIDC.Name },
      { Id, Type: "IdentityProvider" },
    ]) {
      const record = await caller.made("Application", { Name, AuthenticationId });
      expect(record).not.toHaveProperty("AuthenticationId");
      const found = await caller.get(`/Application?AuthenticationId=${Id}`);
      expect(found.body.Items).toMatchObject([{ Name }]);
      const held = await caller.remove(`/IdentityProvider/${Id}`);
      expectError(held, 409, "Conflict", /referenced by Application/);
      await caller.made("Application", { Name, AuthenticationId: null });
    }
    expect((await caller.remove(`/IdentityProvider/${Id}`)).status).toBe(200);
  });

  test("references nothing else, and no missing provider", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("IdentityProvider", OIDC);
    for (const AuthenticationId of [
      { Id: "1" },
      { ExternalId: "none" },
      { Id, Type: "User" },
      { Id: caller.clientId },
    ]) {
      const answer = await caller.patch("/Application", { Name: unique("app"), AuthenticationId });
      expectError(answer, 400, "Bad Input", /^AuthenticationId points at/);
    }
  });
});
