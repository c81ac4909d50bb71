// Roles of all Users, and of the Users of an identity provider, which list no members.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { SCOPE_ACTIONS } from "../../server/records/access/scopes.ts";
import { type SecondApi, startSecondApi } from "../support/second-api.ts";
import { type Api, expectError, ok, unique, until } from "../world/api.ts";
import { newApi } from "../world/apis.ts";
import { answerOf, type Client, newClient, otherClient } from "../world/client.ts";
import { postAs } from "../world/grants.ts";
import {
  addProvider,
  newPerson as newPersonThere,
  newRealTenant,
  plainOAuth,
  type RealProvider,
  signIn,
  startRealProvider,
  type UpstreamTenant,
} from "../world/provider.ts";
import { countOf, removeRows, setRows } from "../world/rows.ts";
import { clientOf, newMember, newTenant, roleOf, savePolicy } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

let real: RealProvider;
let second: SecondApi;
beforeAll(async () => {
  [real, second] = await Promise.all([startRealProvider(), startSecondApi()]);
});
afterAll(() => Promise.all([real[Symbol.asyncDispose](), second[Symbol.asyncDispose]()]));

const SCOPES = ["tools:call", "tools:list"];
const scope = `openid ${SCOPES.join(" ")}`;
const NOTICED_MS = 30_000;
const ROLE = { Name: "Everybody", Scopes: SCOPES };

/** A tenant with an API, and a client that may have its scopes. */
async function newScene() {
  const first = await newClient();
  const admin = await clientOf(first.tenant);
  await newApi(admin, "Tools", SCOPES);
  return { admin, client: await withTools(first) };
}

const withTools = (client: Client) =>
  otherClient(client, {
    first_party: true,
    grant_types: ["authorization_code", "refresh_token"],
    scopes: ["openid", "profile", ...SCOPES],
  });

const scopesOf = ({ body }: { body: { access_token: string } }) => String(decodeJwt(body.access_token).scope);
const refusal = async (client: Client) =>
  answerOf(await client.visit(new Visitor(), { scope: SCOPES.join(" ") })).error;

async function saveMapped(admin: Api, client: Client) {
  const ClaimMapping = [{ Claim: "roles", From: "Roles" }];
  await ok(admin.patch(`/Application/${client.id}/Credentials`, { ClaimMapping }));
}

describe.concurrent("a role of all users", () => {
  test("gives its scopes to every present and future user, at once, without a row for each", async () => {
    const { admin, client } = await newScene();
    expect(await refusal(client)).toBe("invalid_scope");
    const role = await ok(admin.patch("/Role", { ...ROLE, AllUsers: true }));
    expect(role).toMatchObject({ AllUsers: true, IdentityProviderId: "", Members: [] });
    const tokens = await client.token(await client.code(new Visitor(), { scope }));
    expect(scopesOf(tokens)).toContain("tools:call tools:list");
    expect(await countOf("role_members", { role_id: role.Id })).toBe(0);

    await ok(admin.patch("/Role", { Id: role.Id, AllUsers: false }));
    const later = await client.refresh(tokens.body.refresh_token);
    expect(later.body.scope ?? scopesOf(later)).not.toContain("tools:call");
    expect(await refusal(client)).toBe("invalid_scope");
    await ok(admin.remove(`/Role/${role.Id}`));
  });

  test("ends as a membership ends: introspection reports tokens without its scopes as inactive or narrower", async () => {
    const { admin, client } = await newScene();
    const reported = async (isListed: boolean) => {
      const Members = isListed ? [{ Type: "User", Id: (await ok(admin.get("/User?Username=admin"))).Items[0].Id }] : [];
      await ok(admin.patch("/Role", { ...ROLE, AllUsers: !isListed, Members }));
      const { body } = await client.token(await client.code(new Visitor(), { scope }));
      const ask = async () => {
        const { active, scope: now } = (
          await postAs(client.tenant.client, "/oauth2/introspect", { token: body.access_token })
        ).body;
        return { active, scope: now };
      };
      const before = await ask();
      await ok(admin.patch("/Role", { ...ROLE, AllUsers: false, Members: [] }));
      return { before, after: await ask() };
    };
    const listed = await reported(true);
    expect(listed.before).not.toEqual(listed.after);
    expect(await reported(false)).toEqual(listed);
  });

  test("is seen by policies in each process, the policy tester, and the claim of roles", async () => {
    const { admin, client } = await newScene();
    const user = await ok(admin.patch("/User", { Username: unique("user"), Is_Active: true }));
    const { Id } = await ok(admin.patch("/Role", { ...ROLE, AllUsers: true }));
    await savePolicy(admin, "Everybody", `permit (principal in Role::"Everybody", action, resource is Department);`);
    const question = {
      Principal: { Type: "User", Id: String(user.Id) },
      Action: "AccessManager:Read",
      Resource: { Type: "Department", Fields: { Name: "any" } },
      Context: { Scopes: ["AccessManager:Read"] },
    };
    const decision = async () => {
      const body = JSON.stringify(question);
      const answer = admin.send("POST", "/Policy/Evaluate", { headers: { "content-type": "application/json" }, body });
      return (await ok(answer)).Decision;
    };
    expect(await decision()).toBe("Allow");
    await saveMapped(admin, client);
    const { body } = await client.token(await client.code(new Visitor(), { scope: "openid" }));
    expect((decodeJwt(body.id_token).roles as string[]).toSorted()).toEqual(["Everybody", "admin"]);
    await ok(admin.patch("/Role", { Id, AllUsers: false }));
    expect(await decision()).toBe("Deny");
  });

  test("has every User as a record, also one that is created, and no Application", async () => {
    const admin = await newTenant();
    const person = await newMember(admin, "editor");
    const user = await ok(admin.patch("/User", { Username: unique("user") }));
    const seen = (status: number) =>
      until(
        `${status} elsewhere`,
        async () => (await second.get(`/User/${user.Id}`, person.token)).status === status,
        NOTICED_MS,
      );
    await savePolicy(
      admin,
      "Hidden",
      `forbid (principal == Client::"${person.clientId}", action, resource in Role::"All");`,
    );
    await seen(200);
    // A role that is new gives its users something at once.
    await ok(admin.patch("/Role", { Name: "All", AllUsers: true }));
    expect((await person.get(`/User/${user.Id}`)).status).toBe(403);
    await seen(403);
    expect((await ok(person.get("/User?Limit=200"))).Items).toEqual([]);
    expect((await person.patch("/User", { Username: unique("user") })).status).toBe(403);
    expect((await person.get(`/Application/${admin.clientId}`)).status).toBe(200);
    await ok(admin.patch("/Role", { Name: "All", AllUsers: false }));
    expect((await person.get(`/User/${user.Id}`)).status).toBe(200);
    await seen(200);
  });

  test("has no scope of this service, in whatever order it would get one", async () => {
    const admin = await newTenant();
    const provider = await addProvider(admin, { Issuer: "https://id.example.com" });
    for (const given of [{ AllUsers: true }, { IdentityProviderId: provider.Id }]) {
      for (const Scope of SCOPE_ACTIONS) {
        const says = new RegExp(`^Scopes: a role with AllUsers or IdentityProviderId .*not ${Scope}\\.`);
        const refused = await admin.patch("/Role", { Name: unique("role"), Scopes: ["openid", Scope], ...given });
        expectError(refused, 400, "Bad Input", says);
      }
      const role = await ok(admin.patch("/Role", { Name: unique("role"), Scopes: ["openid"], ...given }));
      const later = await admin.patch("/Role", { Id: role.Id, Scopes: ["Settings:Read"] });
      expectError(later, 400, "Bad Input", /^Scopes: /);
      const { Id } = await roleOf(admin, "ops");
      expectError(await admin.patch("/Role", { Id, ...given }), 400, "Bad Input", /^Scopes: /);
    }
  });

  test("is in the audit log", async () => {
    const admin = await newTenant();
    const { Id } = await ok(admin.patch("/Role", { Name: "All", AllUsers: true }));
    await ok(admin.patch("/Role", { Id, AllUsers: false }));
    const { Items } = await ok(admin.get("/AuditEvent?Limit=10"));
    const kinds = Items.filter(({ Subject }: { Subject: { Id: string } | null }) => Subject?.Id === Id);
    expect(kinds).toMatchObject([
      { Kind: "Role.Changed", Details: { AllUsers: { From: true, To: false } } },
      { Kind: "Role.Created", Details: { AllUsers: true } },
    ]);
  });
});

describe.concurrent("a role of an identity provider's users", () => {
  const enter = async ({ client }: Pick<UpstreamTenant, "client">, login: string) =>
    answerOf(await signIn(new Visitor(), real.visitor(), login, client.authorize({ scope })));

  async function arrange(fields: Record<string, unknown> = {}) {
    const tenant = await newRealTenant(real, fields);
    const { caller, provider } = tenant;
    await newApi(caller, "Tools", SCOPES);
    const client = await withTools(tenant.client);
    const role = await ok(caller.patch("/Role", { ...ROLE, IdentityProviderId: provider.Id }));
    return { ...tenant, client, role };
  }

  test.each([
    ["OpenID Connect", () => ({})],
    ["OAuth 2.0", () => plainOAuth(real)],
  ])("by %s has a user from the first sign-in, which makes the user, until the link is deleted", async (_, fields) => {
    const scene = await arrange(fields());
    const { caller, client, role, provider } = scene;
    const person = newPersonThere(real);
    const { code } = await enter(scene, person.login);
    const tokens = await client.token(code!);
    expect(scopesOf(tokens)).toContain("tools:call tools:list");
    // The administrator has a password and no link.
    expect(await refusal(client)).toBe("invalid_scope");

    const userId = decodeJwt(tokens.body.access_token).sub!.replace("user-", "");
    await savePolicy(caller, "Hidden", `forbid (principal, action, resource is User in Role::"${role.Name}");`);
    expect((await caller.get(`/User/${userId}`)).status).toBe(403);
    const { Items } = await ok(caller.get("/Policy?Name=Hidden"));
    await ok(caller.remove(`/Policy/${Items[0].Id}`));

    const links = (await ok(caller.get(`/User/${userId}/Identities`))).Items;
    expect(links).toHaveLength(1);
    await removeRows("upstream_identities", { user_id: userId });
    const later = await client.refresh(tokens.body.refresh_token);
    expect(JSON.stringify(later.body.scope ?? later.body)).not.toContain("tools:call");
    // The provider cannot be deleted while the role names it.
    const kept = await caller.remove(`/IdentityProvider/${provider.Id}`);
    expectError(kept, 409, "Conflict", /Role \(IdentityProviderId\)/);
    await ok(caller.patch("/Role", { Id: role.Id, IdentityProviderId: "" }));
    await ok(caller.remove(`/IdentityProvider/${provider.Id}`));
  });

  test("has only users that the provider's sign-in made, if it has rules for them, and none while it is off", async () => {
    const { caller, client, provider, role } = await arrange();
    const { code } = await enter({ client }, newPersonThere(real).login);
    const userId = decodeJwt((await client.token(code!)).body.access_token).sub!.replace("user-", "");
    await savePolicy(caller, "Hidden", `forbid (principal, action, resource is User in Role::"${role.Name}");`);
    const isIn = async () => (await caller.get(`/User/${userId}`)).status === 403;
    const change = (fields: object) => ok(caller.patch("/IdentityProvider", { Id: provider.Id, ...fields }));
    await change({ AllowedDomains: ["example.com"] });
    expect(await isIn()).toBe(true);
    await setRows("upstream_identities", { user_id: userId }, { provisioned: false });
    await change({ AllowedDomains: [] });
    expect(await isIn()).toBe(true);
    for (const rule of [{ AllowedDomains: ["example.com"] }, { RequireVerifiedEmail: true }, { Is_Active: false }]) {
      await change(rule);
      await until(`a change of ${Object.keys(rule)} to be heard`, async () => !(await isIn()));
      await change({ AllowedDomains: [], RequireVerifiedEmail: false, Is_Active: true });
      await until("the change back to be heard", isIn);
    }
  });

  test("has no user of the service that the provider's record named before", async () => {
    const scene = await arrange();
    const { caller, client, provider, role } = scene;
    const { code } = await enter(scene, newPersonThere(real).login);
    const tokens = await client.token(code!);
    expect(scopesOf(tokens)).toContain("tools:call");
    const userId = decodeJwt(tokens.body.access_token).sub!.replace("user-", "");
    await ok(
      caller.patch("/IdentityProvider", { Id: provider.Id, Issuer: "https://id.example.com", ClientSecret: "s" }),
    );
    const hidden = `forbid (principal, action, resource is User in Role::"${role.Name}");`;
    await savePolicy(caller, "Hidden", hidden);
    expect((await caller.get(`/User/${userId}`)).status).toBe(200);
    const later = await client.refresh(tokens.body.refresh_token);
    expect(JSON.stringify(later.body.scope ?? later.body)).not.toContain("tools:call");
  });

  test("needs a provider of the tenant", async () => {
    const [admin, stranger] = [await newTenant(), await newTenant()];
    const foreign = await addProvider(stranger, { Issuer: "https://id.example.com" });
    for (const [IdentityProviderId, says] of [
      [foreign.Id, `there is no IdentityProvider ${foreign.Id}\\.`],
      ["999999", "there is no IdentityProvider 999999\\."],
      ["x", "must be an IdentityProvider's Id, or empty\\."],
      [7, "must be an IdentityProvider's Id, or empty\\."],
    ] as const) {
      const refused = await admin.patch("/Role", { Name: "r", IdentityProviderId });
      expectError(refused, 400, "Bad Input", new RegExp(`^IdentityProviderId:? ${says}$`));
    }
    expect(await roleOf(admin, "r")).toBeUndefined();
  });
});
