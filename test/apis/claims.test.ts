// Claims beyond the standard ones: of scopes in id_tokens and in an API's tokens, and mapped ones.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { ok } from "../world/api.ts";
import { newScene, type Scene } from "../world/apis.ts";
import { answerOf, type Client, issuer, RFC_TOKEN_PATH } from "../world/client.ts";
import { postAs } from "../world/grants.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const MAPPING = [
  { Claim: "roles", From: "Roles" },
  { Claim: "groups", From: "Roles" },
  { Claim: "department", From: "Department" },
  { Claim: "employee", From: "External_Id" },
  { Claim: "https://example.com/mail", From: "Email" },
  { Claim: "stage", From: "Constant", Value: "test" },
  { Claim: "mobile", From: "MobilePhone" },
  { Claim: "cost_centre", From: "Attribute", Value: "costCentre" },
  { Claim: "remote", From: "Attribute", Value: "isRemote" },
  { Claim: "skills", From: "Attribute", Value: "skills" },
  { Claim: "nothing", From: "Attribute", Value: "constructor" },
];
/** Mapped values of the admin after `arrange`, without MobilePhone. */
const OF_USER = {
  roles: ["admin", "clerk"],
  groups: ["admin", "clerk"],
  department: "Finance",
  employee: "HR-1",
  "https://example.com/mail": "ana@example.com",
  stage: "test",
  cost_centre: "4711",
  remote: false,
  skills: ["Bun", "Cedar"],
};
const SCOPES = ["openid", "profile", "email", "orders:read"];
const PROFILE = { name: "Ana Silva", preferred_username: "admin", email: "ana@example.com", email_verified: false };

async function arrange(): Promise<Scene> {
  const scene = await newScene({ scopes: SCOPES });
  const { admin } = scene;
  const { Id } = (await ok(admin.get("/User?Username=admin"))).Items[0];
  await ok(admin.patch("/Department", { Name: "Finance" }));
  const Department = { FieldType: "Name", Value: "Finance" };
  const Attributes = { costCentre: OF_USER.cost_centre, isRemote: OF_USER.remote, skills: OF_USER.skills };
  const defined = { costCentre: "Text", isRemote: "Boolean", skills: "Texts" };
  const UserAttributes = Object.entries(defined).map(([Name, Type]) => ({ Name, Type }));
  await ok(admin.patch("/TenantSettings", { UserAttributes }));
  const person = { Name: PROFILE.name, Email: PROFILE.email, External_Id: "HR-1", Department, Attributes };
  await ok(admin.patch("/User", { Id, ...person }));
  return scene;
}

const setClient = ({ admin, client }: Scene, changes: object) =>
  ok(admin.patch(`/Application/${client.id}/Credentials`, changes));
const setApi = ({ admin, orders }: Scene, changes: object) => ok(admin.patch("/Api", { Id: orders.id, ...changes }));

async function signIn(client: Client, fields: Record<string, string> = {}) {
  const code = await client.code(new Visitor(), { scope: SCOPES.slice(0, 3).join(" "), ...fields });
  return (await client.token(code)).body;
}
const forOrders = ({ orders }: Scene) => ({ resource: orders.audience, scope: SCOPES.join(" ") });
const userinfo = async (token: string) =>
  (await request("GET", "/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })).body;

describe("IdTokenClaims", () => {
  test("puts the claims of granted scopes into id_tokens, including refreshed and hybrid ones", async () => {
    const scene = await arrange();
    const { client } = scene;
    const without = decodeJwt((await signIn(client)).id_token);
    for (const name of Object.keys(PROFILE)) expect(without).not.toHaveProperty(name);
    await setClient(scene, { IdTokenClaims: true });
    const tokens = await signIn(client);
    expect(decodeJwt(tokens.id_token)).toMatchObject(PROFILE);
    expect(decodeJwt((await client.refresh(tokens.refresh_token)).body.id_token)).toMatchObject(PROFILE);
    const hybrid = { response_type: "code id_token", nonce: "n", scope: "openid email" };
    const answered = decodeJwt(answerOf(await client.visit(new Visitor(), hybrid)).id_token!);
    expect(answered).toMatchObject({ email: PROFILE.email });
    expect(answered).not.toHaveProperty("name");
    expect(decodeJwt(tokens.access_token)).not.toHaveProperty("email");
  });
});

describe("a client's ClaimMapping", () => {
  test("applies to its id_tokens, userinfo and access tokens for the entity API, not to tokens for APIs", async () => {
    const scene = await arrange();
    const { client } = scene;
    await setClient(scene, { ClaimMapping: MAPPING });
    const tokens = await signIn(client);
    const refreshed = (await client.refresh(tokens.refresh_token)).body;
    for (const token of [tokens, refreshed].flatMap(({ access_token, id_token }) => [access_token, id_token])) {
      const claims = decodeJwt(token);
      expect(claims).toMatchObject(OF_USER);
      expect(claims).not.toHaveProperty("mobile");
    }
    expect(await userinfo(tokens.access_token)).toMatchObject({ ...OF_USER, name: PROFILE.name });
    const introspected = await postAs(client.tenant.client, "/oauth2/introspect", { token: tokens.access_token });
    expect(introspected.body).toMatchObject({ active: true, ...OF_USER });
    const claims = decodeJwt((await signIn(client, forOrders(scene))).access_token);
    for (const name of Object.keys(OF_USER)) expect(claims).not.toHaveProperty([name]);
  });

  test("can contain the client's own roles and constants", async () => {
    const scene = await arrange();
    const { admin, client } = scene;
    const ask = async () => {
      const form = { grant_type: "client_credentials", scope: "openid" };
      return decodeJwt((await postAs(client.tenant.client, RFC_TOKEN_PATH, form)).body.access_token);
    };
    await setClient(scene, { GrantTypes: null, ClaimMapping: MAPPING });
    expect(await ask()).toMatchObject({ roles: [], groups: [], stage: "test" });
    await ok(admin.patch("/Role", { Name: "machines", Members: [{ Type: "Application", Id: client.id }] }));
    const claims = await ask();
    expect(claims).toMatchObject({ roles: ["machines"], groups: ["machines"], sub: client.id });
    for (const name of ["department", "employee", "mobile"]) expect(claims).not.toHaveProperty(name);
  });
});

describe("an API's", () => {
  test("ClaimMapping applies to tokens for this API only", async () => {
    const scene = await arrange();
    await setApi(scene, { ClaimMapping: MAPPING });
    const tokens = await signIn(scene.client, forOrders(scene));
    expect(decodeJwt(tokens.access_token)).toMatchObject({ ...OF_USER, aud: scene.orders.audience });
    expect(decodeJwt((await scene.client.refresh(tokens.refresh_token)).body.access_token)).toMatchObject(OF_USER);
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty("roles");
    const own = decodeJwt((await signIn(scene.client)).access_token);
    expect(own.aud).toBe(issuer());
    expect(own).not.toHaveProperty("roles");
  });

  test("IncludeClaims adds the claims that the user has allowed the client", async () => {
    const scene = await arrange();
    const ask = async (scope: string) =>
      decodeJwt((await signIn(scene.client, { ...forOrders(scene), scope })).access_token);
    expect(await ask(SCOPES.join(" "))).not.toHaveProperty("email");
    await setApi(scene, { IncludeClaims: true });
    expect(await ask(SCOPES.join(" "))).toMatchObject({ ...PROFILE, scope: "orders:read" });
    const narrow = await ask("openid email orders:read");
    expect(narrow).toMatchObject({ email: PROFILE.email });
    expect(narrow).not.toHaveProperty("name");
  });
});
