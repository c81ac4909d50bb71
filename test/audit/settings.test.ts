// Changes of credentials, policies, roles and connections: each is in the log with its transaction, or not at all.

import { describe, expect, test } from "bun:test";
import { API, type Api, ok } from "../world/api.ts";
import { byClient, fromHere, kindsOf, logOf, textOf } from "../world/audit.ts";
import { newClient } from "../world/client.ts";
import { clientOf, newMember, newTenant, request, roleOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const POLICY = 'permit (principal == Client::"the gardener", action, resource);';

async function newApplication(caller: Api): Promise<string> {
  return (await caller.made("Application", { Name: "Payroll" })).Id;
}

const settings = (application: string, part: "Credentials" | "Secrets") => `/Application/${application}/${part}`;

describe.concurrent("an Application's credentials", () => {
  test("are logged with the names of changed fields, and with values only of harmless ones", async () => {
    const caller = await newTenant();
    const application = await newApplication(caller);
    const path = settings(application, "Credentials");
    const first = { Scopes: ["openid", "email"], RedirectUris: ["https://secret-project.example/callback"] };
    await ok(caller.patch(path, first));
    await ok(caller.patch(path, { ...first, Scopes: ["openid"], FirstParty: true }));
    await ok(caller.patch(path, { Scopes: ["openid"], FirstParty: true }));

    const about = {
      Kind: "Credentials.Changed",
      Subject: { Type: "Application", Id: application },
      Outcome: "Success",
    };
    expect(await logOf(caller)).toMatchObject([
      {
        ...about,
        ...byClient(caller),
        Details: {
          Changed: ["Scopes", "FirstParty"],
          Scopes: { Added: [], Removed: ["email"] },
          FirstParty: { From: false, To: true },
        },
      },
      {
        ...about,
        ...byClient(caller),
        Details: { Changed: ["RedirectUris", "Scopes"], Scopes: { Added: ["email"], Removed: ["profile", "name"] } },
      },
    ]);
    expect(await textOf(caller.tenantId)).not.toContain("secret-project");
  });

  test("have a row for each secret created or deleted, without the secret", async () => {
    const caller = await newTenant();
    const application = await newApplication(caller);
    const path = settings(application, "Secrets");
    const made = await ok(caller.send("POST", path));
    await ok(caller.remove(`${path}/${made.Id}`));
    const about = { Subject: { Type: "Application", Id: application }, Details: { SecretId: made.Id } };
    expect(await logOf(caller)).toMatchObject([
      { Kind: "Secret.Deleted", ...about, ...byClient(caller) },
      { Kind: "Secret.Created", ...about, ...byClient(caller) },
    ]);
    const text = await textOf(caller.tenantId);
    for (const value of [made.Secret, caller.clientSecret, caller.token]) expect(text).not.toContain(value);
  });
});

describe.concurrent("changes of how users sign in", () => {
  test("include an Application whose users will sign in elsewhere", async () => {
    const caller = await newTenant();
    const Id = await newApplication(caller);
    const endpoints = { Issuer: "https://id.example.com", ClientId: "x" };
    const provider = await caller.made("IdentityProvider", { Name: "ID", Type: "OpenIDConnect", ...endpoints });
    await caller.made("Application", { Id, AuthenticationId: { Id: provider.Id } });
    await caller.made("Application", { Id, AuthenticationId: { Id: provider.Id }, Description: "x" });
    await ok(caller.patch("/Application", [{ Id, AuthenticationId: null }]));
    const about = { Subject: { Type: "Application", Id }, ...byClient(caller) };
    const Changed = ["AuthenticationId"];
    expect(await logOf(caller, "Kind=Credentials.Changed")).toMatchObject([
      { ...about, Details: { Changed, AuthenticationId: { From: provider.Id, To: null } } },
      { ...about, Details: { Changed, AuthenticationId: { From: null, To: provider.Id } } },
    ]);
  });

  test("include a User with a new Username, without the Username", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("User", { Username: "ana.silva", Is_Active: true });
    await caller.made("User", { Id, Name: "Ana" });
    await caller.made("User", { Id, Username: "ana.costa" });
    expect(await logOf(caller)).toMatchObject([
      { Kind: "Credentials.Changed", Subject: { Type: "User", Id: String(Id) }, Details: { Changed: ["Username"] } },
    ]);
    expect(await textOf(caller.tenantId)).not.toContain("ana.");
  });

  test("include a deleted Application or User that had credentials", async () => {
    const caller = await newTenant();
    const [{ Id: admin }] = (await ok(caller.get("/User?Username=admin"))).Items;
    const [client, none] = [await newApplication(caller), await caller.made("Application", { Name: "No client" })];
    await ok(caller.send("POST", settings(client, "Secrets")));
    const nobody = await caller.made("User", { Name: "Nobody" });
    for (const path of [`/Application/${client}`, `/Application/${none.Id}`, `/User/${admin}`, `/User/${nobody.Id}`]) {
      await ok(caller.remove(path));
    }
    expect(await logOf(caller, "Kind=Credentials.Deleted")).toMatchObject([
      { Subject: { Type: "User", Id: String(admin) }, ...byClient(caller) },
      { Subject: { Type: "Application", Id: client }, ...byClient(caller) },
    ]);
  });
});

describe.concurrent("settings", () => {
  test("include policies created, changed and deleted, without their text", async () => {
    const caller = await newTenant();
    const { Id } = await ok(caller.patch("/Policy", { Name: "For Ana", Policy: POLICY }));
    await ok(caller.patch("/Policy", { Id, Description: "ana@example.com asked for it" }));
    await ok(caller.patch("/Policy", { Id, Description: "ana@example.com asked for it" }));
    await ok(caller.remove(`/Policy/${Id}`));
    const about = { Subject: { Type: "Policy", Id }, ...byClient(caller) };
    expect((await logOf(caller)).reverse()).toMatchObject([
      { Kind: "Policy.Created", ...about, Details: {} },
      { Kind: "Policy.Changed", ...about, Details: { Changed: ["Description"] } },
      { Kind: "Policy.Deleted", ...about, Details: {} },
    ]);
    const text = await textOf(caller.tenantId);
    for (const value of ["gardener", "Ana", "ana@example.com"]) expect(text).not.toContain(value);
  });

  test("include roles, with members added and removed", async () => {
    const caller = await newTenant();
    const [ana, ivo] = [await caller.made("User", { Username: "ana" }), await caller.made("User", { Username: "ivo" })];
    const member = (user: { Id: number }) => ({ Type: "User", Id: user.Id });
    const { Id } = await ok(
      caller.patch("/Role", { Name: "clerks", Scopes: ["Settings:Read"], Members: [member(ana)] }),
    );
    await ok(caller.patch("/Role", { Name: "clerks", Members: [member(ivo)] }));
    await ok(caller.remove(`/Role/${Id}`));
    const about = { Subject: { Type: "Role", Id }, ...byClient(caller) };
    expect((await logOf(caller)).reverse()).toMatchObject([
      { Kind: "Role.Created", ...about, Details: { Scopes: ["Settings:Read"], Members: [member(ana)] } },
      {
        Kind: "Role.Changed",
        ...about,
        Details: { Changed: ["Members"], Members: { Added: [member(ivo)], Removed: [member(ana)] } },
      },
      { Kind: "Role.Deleted", ...about, Details: { Scopes: ["Settings:Read"], Members: [member(ivo)] } },
    ]);
    expect(await textOf(caller.tenantId)).not.toMatch(/ana|ivo|clerks/);
  });

  test("include connections, without address or secret", async () => {
    const caller = await newTenant();
    const fields = { Name: "hooks", URL: "https://hooks.example/tenant-7", Entities: ["User"], Events: ["Created"] };
    const [first, second] = ["first secret of a person", "second secret of a person"];
    const made = await ok(caller.patch("/WebhookConnection", { ...fields, Secret: first }));
    await ok(caller.patch("/WebhookConnection", { Id: made.Id, Secret: second, State: "Paused" }));
    await ok(caller.patch("/WebhookConnection", { Id: made.Id, State: "Paused", URL: fields.URL }));
    await ok(caller.patch("/WebhookConnection", { Id: made.Id, Secret: null }));
    await ok(caller.patch("/WebhookConnection", { Id: made.Id, Secret: null }));
    await ok(caller.remove(`/WebhookConnection/${made.Id}`));
    const about = { Subject: { Type: "WebhookConnection", Id: made.Id }, ...byClient(caller) };
    expect((await logOf(caller)).reverse()).toMatchObject([
      { Kind: "WebhookConnection.Created", ...about, Details: { Entities: ["User"], State: "Active" } },
      {
        Kind: "WebhookConnection.Changed",
        ...about,
        Details: { Changed: ["Secret", "State"], State: { From: "Active", To: "Paused" } },
      },
      { Kind: "WebhookConnection.Changed", ...about, Details: { Changed: ["Secret"] } },
      { Kind: "WebhookConnection.Deleted", ...about },
    ]);
    const text = await textOf(caller.tenantId);
    for (const value of [first, second, made.ApiKey, "hooks.example"]) expect(text).not.toContain(value);
  });
});

describe.concurrent("a rejected change is not logged", () => {
  test("for bad input, an ambiguous look-up or a conflict", async () => {
    const caller = await newTenant();
    const application = await newApplication(caller);
    const { Id } = await ok(caller.patch("/Policy", { Name: "kept", Policy: POLICY }));
    const before = await kindsOf(caller);
    const answers = await Promise.all([
      caller.patch(settings(application, "Credentials"), { RedirectUris: ["http://insecure.example"] }),
      caller.patch(settings("999999999", "Credentials"), { Scopes: [] }),
      caller.remove(`${settings(application, "Secrets")}/${crypto.randomUUID()}`),
      caller.patch("/Policy", { Id, Name: "Editors" }),
      caller.remove(`/WebhookConnection/${crypto.randomUUID()}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 404, 404, 409, 404]);
    expect(await kindsOf(caller)).toEqual(before);
  });

  test("when it would lock its caller out and is rolled back", async () => {
    const caller = await newTenant();
    const admins = await roleOf(caller, "admin");
    expect((await caller.patch("/Role", { Id: admins.Id, Members: [] })).status).toBe(409);
    expect((await caller.remove(`/Role/${admins.Id}`)).status).toBe(409);
    expect(await logOf(caller)).toEqual([]);
  });

  test("when a member is not found after the role was written", async () => {
    const caller = await newTenant();
    const Members = [{ Type: "User", Id: 999999999 }];
    expect((await caller.patch("/Role", { Name: "clerks", Members })).status).toBe(400);
    expect(await logOf(caller)).toEqual([]);
  });

  test("when a policy forbids it", async () => {
    const caller = await newTenant();
    const person = await newMember(caller, "auditor");
    const before = await kindsOf(caller);
    const connection = { URL: "https://hooks.example", Entities: ["User"], Events: ["Created"] };
    expect((await person.patch("/WebhookConnection", connection)).status).toBe(403);
    expect((await person.patch(settings(caller.clientId, "Credentials"), { Scopes: [] })).status).toBe(403);
    expect(await kindsOf(caller)).toEqual(before);
  });
});

test.concurrent("a User's action with its own token has the User as actor and the application as client", async () => {
  const client = await newClient();
  const code = await client.code(new Visitor(), { scope: "openid Settings:Update" });
  const { access_token, refresh_token } = (await client.token(code)).body;
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const own = { "x-request-id": "4bf92f3577b34da6a3ce929d0e0e4736" };
  await ok(
    request("PATCH", `${API}/Role`, { headers: { ...headers, ...own }, body: JSON.stringify({ Name: "clerks" }) }),
  );
  const reader = await clientOf(client.tenant);
  const user = await ok(reader.get("/User/admin?Name=Username"));
  expect(await logOf(reader, "Kind=Role.Created")).toMatchObject([
    { ...fromHere(client.id), Actor: { Type: "User", Id: String(user.Id) }, RequestKey: own["x-request-id"] },
  ]);
  const text = await textOf(reader.tenantId);
  for (const value of [access_token, refresh_token, code]) expect(text).not.toContain(value);
});
