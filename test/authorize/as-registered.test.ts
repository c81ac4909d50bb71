// Addresses are registered, compared and answered as they are spelled, in each way to register them.

import { describe, expect, test } from "bun:test";
import { ok, requestAt } from "../world/api.ts";
import { newApplyTenant } from "../world/apply.ts";
import { answerOf, newClient, newPkce, otherClient } from "../world/client.ts";
import { initialToken, newRegistrar, PUBLIC, REGISTER, send } from "../world/registrar.ts";
import { clientOf, request, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const SPELLED = [
  "https://app.example:443/callback",
  "https://App.Example/callback",
  "HTTPS://app.example/callback",
  "HTTPS://APP.EXAMPLE:443/callback?x=%41#".slice(0, -1),
  "http://LocalHost:80/callback",
  "http://[::1]:80/callback",
];
const NATIVE = ["Com.Example.App:/callback", "http://LOCALHOST:80/callback"];
const NORMAL = (uri: string) => new URL(uri).href;

/** Asks with each address as sent, and as it is not registered. */
async function expectExact(client: Awaited<ReturnType<typeof newClient>>, uris: string[]): Promise<void> {
  for (const redirect_uri of uris) {
    const { verifier, challenge } = newPkce();
    const visitor = new Visitor();
    const back = await client.visit(visitor, { redirect_uri, scope: "openid", ...challenge });
    expect([redirect_uri, back.status]).toEqual([redirect_uri, 302]);
    expect(back.headers.get("location")).toStartWith(redirect_uri);
    const { code } = answerOf(back);
    expect((await client.token(code!, { redirect_uri, code_verifier: verifier })).status).toBe(200);
    const other = await visitor.open(client.authorize({ redirect_uri: NORMAL(redirect_uri), ...challenge }));
    expect(uris.includes(NORMAL(redirect_uri)) || other.status).toBe(404);
  }
}

describe.concurrent("addresses with capitals or a default port", () => {
  test("set by an administrator are kept, and answered as they are", async () => {
    const client = await newClient({ first_party: true });
    const admin = await clientOf(client.tenant);
    const fields = { RedirectUris: SPELLED, PostLogoutRedirectUris: SPELLED };
    const saved = await ok(admin.patch(`/Application/${client.id}/Credentials`, fields));
    expect(saved).toMatchObject(fields);
    await expectExact(client, SPELLED);
    for (const uri of SPELLED) {
      const visitor = new Visitor();
      const code = await client.code(visitor, { redirect_uri: uri, scope: "openid" });
      const { body } = await client.token(code, { redirect_uri: uri });
      const bye = (post_logout_redirect_uri: string) =>
        `/oauth2/logout?${new URLSearchParams({ id_token_hint: body.id_token, post_logout_redirect_uri })}`;
      expect((await visitor.open(bye(NORMAL(uri)))).headers.get("location")).not.toBe(NORMAL(uri));
      expect((await new Visitor().open(bye(uri))).headers.get("location")).toBe(uri);
    }
  });

  test("of a native app may also have a scheme in capitals, and any loopback port", async () => {
    const client = await newClient({ first_party: true });
    const admin = await clientOf(client.tenant);
    const other = await otherClient(client, { first_party: true, scopes: ["openid"] });
    const saved = await ok(
      admin.patch(`/Application/${other.id}/Credentials`, { ClientType: "native", RedirectUris: NATIVE }),
    );
    expect(saved.RedirectUris).toEqual(NATIVE);
    const status = async (redirect_uri: string) =>
      (await new Visitor().open(other.authorize({ redirect_uri, ...newPkce().challenge }))).status;
    expect(await Promise.all(NATIVE.map(status))).toEqual([200, 200]);
    expect(await status("http://LOCALHOST:4711/callback")).toBe(200);
    expect(await status("http://localhost:4711/callback")).toBe(404);
    expect(await status("com.example.app:/callback")).toBe(404);
  });

  test.each([undefined, "initial"])("of a client that registers itself (token: %s) are kept", async (token) => {
    const registrar = await newRegistrar(token ? "InitialAccessToken" : "Open", ["openid"]);
    const initial = token && (await initialToken(registrar));
    const uris = { redirect_uris: SPELLED, post_logout_redirect_uris: SPELLED };
    const path = `${REGISTER}/${registrar.tenantId}`;
    const made = await send("POST", path, initial, { ...uris, ...PUBLIC, application_type: "web" });
    expect([made.status, made.body.error_description]).toEqual([201, undefined]);
    expect(made.body).toMatchObject(uris);
    const { client_id, registration_access_token } = made.body;
    const read = await send("GET", new URL(made.body.registration_client_uri).pathname, registration_access_token);
    expect(read.body).toMatchObject(uris);
    const asked = { client_id, response_type: "code", ...newPkce().challenge };
    for (const redirect_uri of SPELLED) {
      const pushed = await request("POST", "/oauth2/par", { body: new URLSearchParams({ ...asked, redirect_uri }) });
      expect([redirect_uri, pushed.status]).toEqual([redirect_uri, 201]);
    }
    const other = new URLSearchParams({ ...asked, redirect_uri: "https://app.example/other" });
    expect((await request("POST", "/oauth2/par", { body: other })).status).toBe(400);
  });

  test("of a file are applied once, and then there is nothing to do", async () => {
    const { apply, api } = await newApplyTenant();
    const { Name } = await ok(api.get("/TenantSettings"));
    const list = (name: string) => `      ${name}:\n${SPELLED.map((uri) => `        - "${uri}"\n`).join("")}`;
    const file = `Tenant: ${Name}\nApplication:\n  - Name: Spelled\n    Credentials:\n${list("RedirectUris")}${list("PostLogoutRedirectUris")}`;
    const first = await apply(file);
    expect([first.code, first.err]).toEqual([0, ""]);
    const { Items } = await ok(api.get("/Application?Name=Spelled"));
    expect(await ok(api.get(`/Application/${Items[0].Id}/Credentials`))).toMatchObject({ RedirectUris: SPELLED });
    expect((await apply(file)).out).toContain("No changes");
  });

  test("let a page call from its origin, which browsers write in the normal form", async () => {
    const client = await newClient();
    const admin = await clientOf(client.tenant);
    const host = `${crypto.randomUUID()}.example`;
    const pages: [uri: string, origin: string][] = [
      [`HTTPS://One-${host.toUpperCase()}:443/cb`, `https://one-${host}`],
      [`https://Two-${host}:8443/cb`, `https://two-${host}:8443`],
    ];
    await ok(admin.patch(`/Application/${client.id}/Credentials`, { RedirectUris: pages.map(([uri]) => uri) }));
    for (const [, origin] of pages) {
      const headers = { origin, "access-control-request-method": "POST" };
      const allowed = async (method: string, more: object) =>
        (await requestAt(shared().url, method, "/oauth2/token", { headers, ...more })).headers.get(
          "access-control-allow-origin",
        );
      expect(await allowed("OPTIONS", {})).toBe(origin);
      expect(await allowed("POST", { body: new URLSearchParams({ client_id: client.id }) })).toBe(origin);
    }
    const other = { origin: `https://one-${host}:8443`, "access-control-request-method": "POST" };
    const answer = await requestAt(shared().url, "OPTIONS", "/oauth2/token", { headers: other });
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
  });

  test.each<[uri: string, field: string]>(
    [
      "https:app.example/cb",
      "https:\\\\app.example/cb",
      "https:///app.example/cb",
      "https://app.example:0443/cb",
      "https://app.example:/cb",
      "https://ap%70.example/cb",
      "https://app.example\\cb",
      "http://127.1/cb",
      "http://[0:0:0:0:0:0:0:1]/cb",
    ].flatMap((uri): [string, string][] => [
      [uri, "RedirectUris"],
      [uri, "PostLogoutRedirectUris"],
    ]),
  )("and no other spelling: %s is refused in %s", async (uri, field) => {
    const client = await newClient();
    const admin = await clientOf(client.tenant);
    const answer = await admin.patch(`/Application/${client.id}/Credentials`, { [field]: [uri] });
    expect(answer.status).toBe(400);
    expect(answer.body.Errors.join()).toMatch(new RegExp(`^${field}: .* its beginning must be`));
  });
});
