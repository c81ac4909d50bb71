// Optional settings of a provider: extra parameters, a key instead of a secret, and signing out there.

import { describe, expect, test } from "bun:test";
import { decodeProtectedHeader } from "jose";
import { digestOf } from "../../server/identity/signin/opaque.ts";
import { MAX_OPEN } from "../../server/identity/signin/upstream/round-trips.ts";
import { ok } from "../world/api.ts";
import { answerOf, setCredentials } from "../world/client.ts";
import { type Behaviour, type ForgedProvider, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { newUpstreamTenant, toProvider, type UpstreamTenant } from "../world/provider.ts";
import { addRows, rowsOf, times } from "../world/rows.ts";
import { type View, Visitor } from "../world/visitor.ts";

interface Begun extends AsyncDisposable {
  forged: ForgedProvider;
  tenant: UpstreamTenant;
  visitor: Visitor;
  signIn(fields?: Record<string, string>): Promise<View>;
}

async function begin(fields: Record<string, unknown> = {}, behaviour: Behaviour = {}): Promise<Begun> {
  const forged = await startForgedProvider(behaviour);
  const tenant = await newUpstreamTenant({ Issuer: forged.issuer, ...fields });
  const visitor = new Visitor();
  return {
    ...{ forged, tenant, visitor },
    async signIn(request = {}) {
      const location = await toProvider(visitor, await visitor.open(tenant.client.authorize(request)));
      return visitor.open(sentBack(forged, location));
    },
    [Symbol.asyncDispose]: () => forged[Symbol.asyncDispose](),
  };
}

describe.concurrent("additional parameters", () => {
  test("are in each authorization request, and never replace the protocol's", async () => {
    const AuthorizationParameters = {
      domain_hint: "example.com",
      audience: "https://api/?a=b&c",
      prompt: "select_account",
    };
    await using begun = await begin({ AuthorizationParameters });
    expect(begun.tenant.provider).toMatchObject({ AuthorizationParameters });
    expect(answerOf(await begun.signIn()).code).toBeString();
    expect(Object.fromEntries(begun.forged.asked)).toMatchObject(AuthorizationParameters);
    expect(answerOf(await begun.signIn({ prompt: "login" })).code).toBeString();
    expect(begun.forged.asked.getAll("prompt")).toEqual(["login"]);
    const { caller, provider } = begun.tenant;
    const { body } = await caller.patch("/IdentityProvider", { Id: provider.Id, AuthorizationParameters: null });
    expect(body.AuthorizationParameters).toEqual({});
  });

  test.each<[unknown, string]>([
    ...["client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge", "request", "max_age"]
      .concat(
        "client_secret",
        "code_challenge_method",
        "request_uri",
        "login_hint",
        "id_token_hint",
        "client_assertion",
      )
      .map((name): [unknown, string] => [{ [name]: "x" }, `${name} is set by Gatehouse itself`]),
    [{ prompt: "none" }, "prompt=none"],
    [{ response_mode: "fragment" }, "response_mode must be"],
    [{ hd: "" }, "hd must be a string"],
    [{ hd: 1 }, "hd must be a string"],
    [{ hd: ["a"] }, "hd must be a string"],
    [{ hd: "x".repeat(1_001) }, "hd must be a string"],
    [{ "a b": "x" }, "A name begins with a letter"],
    [{ "": "x" }, "A name begins with a letter"],
    [JSON.parse('{"__proto__": "x"}'), "A name begins with a letter"],
    [Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p${at}`, "x"])), "at most 20"],
    ["hd=example.com", "must be an object"],
    [["hd"], "must be an object"],
  ])("are rejected: %p", async (AuthorizationParameters, says) => {
    await using begun = await begin();
    const { caller, provider } = begun.tenant;
    const answer = await caller.patch("/IdentityProvider", { Id: provider.Id, AuthorizationParameters });
    expect(answer.status).toBe(400);
    expect(answer.body.Errors.join()).toContain(says);
  });
});

describe.concurrent("a key in place of a secret (private_key_jwt)", () => {
  const byKey = { TokenEndpointAuthMethod: "private_key_jwt" };
  const jwksOf = ({ provider }: UpstreamTenant) => new URL(String(provider.JwksUri));

  test("signs users in at a provider that reads the published key", async () => {
    await using begun = await begin(byKey);
    begun.forged.behaviour.takes = jwksOf(begun.tenant);
    expect(answerOf(await begun.signIn()).code).toBeString();
    const { body } = await begun.tenant.caller.send("POST", `/IdentityProvider/${begun.tenant.provider.Id}/Test`);
    expect(body.Checks[2].Message).toContain("our key");
    const response = await fetch(jwksOf(begun.tenant));
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    const { keys } = (await response.json()) as { keys: object[] };
    expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([["e", "kid", "kty", "n", "use"]]);
    const [stored] = await rowsOf("identity_providers", { id: begun.tenant.provider.Id });
    expect(Buffer.from(stored!.client_key).toString("latin1")).not.toContain("kty");
  });

  test("signs with PS256 where only that is accepted, and reports when neither algorithm is", async () => {
    const only = (alg: string) => ({ token_endpoint_auth_signing_alg_values_supported: [alg] });
    await using begun = await begin(byKey, { metadata: only("PS256") });
    begun.forged.behaviour.takes = jwksOf(begun.tenant);
    expect(answerOf(await begun.signIn()).code).toBeString();
    const { form } = begun.forged.calls.findLast(({ path }) => path === "/token")!;
    expect(decodeProtectedHeader(String(form.client_assertion)).alg).toBe("PS256");
    begun.forged.behaviour.metadata = only("ES256");
    const { body } = await begun.tenant.caller.send("POST", `/IdentityProvider/${begun.tenant.provider.Id}/Test`);
    expect(body.Checks.at(-1)).toMatchObject({ Name: "Client", Outcome: "Failed" });
  });

  test("is unique per provider, stays while used, and is replaced after its removal", async () => {
    await using one = await begin(byKey);
    const { caller, provider } = one.tenant;
    const kidOf = async (address: URL) =>
      ((await (await fetch(address)).json()) as { keys: { kid: string }[] }).keys[0]!.kid;
    const other = await caller.made("IdentityProvider", {
      ...byKey,
      Name: "Other",
      Type: "OpenIDConnect",
      ClientId: "x",
      Issuer: "https://id.example.com",
    });
    const first = await kidOf(jwksOf(one.tenant));
    expect(await kidOf(new URL(other.JwksUri))).not.toBe(first);
    await caller.patch("/IdentityProvider", { Id: provider.Id, Name: "Another name" });
    expect(await kidOf(jwksOf(one.tenant))).toBe(first);
    await caller.patch("/IdentityProvider", { Id: provider.Id, TokenEndpointAuthMethod: "" });
    const none = await (await fetch(jwksOf(one.tenant))).text();
    expect(none).toBe('{"keys":[]}');
    await caller.patch("/IdentityProvider", { Id: provider.Id, ...byKey });
    expect(await kidOf(jwksOf(one.tenant))).not.toBe(first);
    for (const id of ["0", "x", "999999999", "9".repeat(30)]) {
      const answer = await fetch(new URL(`/signin/upstream/${id}/jwks`, jwksOf(one.tenant)));
      expect([answer.status, await answer.text()]).toEqual([200, none]);
    }
  });
});

describe.concurrent("signing out at the provider too", () => {
  const AFTER = "https://app.example/bye";

  async function beginSignOut(fields: Record<string, unknown> = {}, behaviour: Behaviour = {}) {
    const begun = await begin({ SignOut: true, ...fields }, behaviour);
    const { issuer } = begun.forged;
    begun.forged.behaviour.metadata ??= { end_session_endpoint: `${issuer}/bye?own=1` };
    const { client } = begun.tenant;
    await setCredentials(client.id, { post_logout_redirect_uris: [AFTER] });
    const { code } = answerOf(await begun.signIn());
    const { body } = await client.token(code!);
    const logout = (fields: Record<string, string> = {}) =>
      `/oauth2/logout?${new URLSearchParams({ id_token_hint: body.id_token, ...fields })}`;
    return { ...begun, logout };
  }

  test("redirects there with the provider's id_token, and on to the application", async () => {
    await using begun = await beginSignOut();
    const { visitor, forged, tenant, logout } = begun;
    const kept = await rowsOf("sessions", { tenant_id: tenant.caller.tenantId });
    expect(kept.map((row) => Buffer.from(row.id_token_hint).toString("latin1")).join()).not.toContain("eyJ");
    const there = (await visitor.open(logout({ post_logout_redirect_uri: AFTER, state: "s 1" }))).location!;
    expect(there.origin + there.pathname).toBe(`${forged.issuer}/bye`);
    const sent = Object.fromEntries(there.searchParams);
    expect(sent).toMatchObject({ own: "1", client_id: "gatehouse", id_token_hint: expect.stringMatching(/^eyJ/) });
    expect(sent.post_logout_redirect_uri).toBe(String(tenant.provider.PostLogoutRedirectUri));
    // The session here ends at once, whether or not the browser returns.
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
    expect(await rowsOf("sessions", { tenant_id: tenant.caller.tenantId })).toHaveLength(0);
    const back = new URL(sent.post_logout_redirect_uri!);
    const path = `${back.pathname}?${new URLSearchParams({ state: sent.state! })}`;
    // A second browser is not redirected by it, and this one only once.
    expect((await new Visitor().open(path)).location).toBeUndefined();
    expect((await visitor.open(path)).location?.href).toBe(`${AFTER}?state=s+1`);
    expect(await visitor.open(path)).toMatchObject({ status: 200, heading: "Signed out", location: undefined });
  });

  test("keeps the query of the provider's address", async () => {
    const endpoint = "https://id.example/bye?sig=a%2Fb+c~(1)&empty=&lone&redirect=https://x.example/?a=b";
    await using begun = await beginSignOut({}, { metadata: { end_session_endpoint: endpoint } });
    const there = (await begun.visitor.open(begun.logout({}))).location!;
    expect(there.href).toStartWith(`${endpoint}&`);
    expect(there.searchParams.get("client_id")).toBe("gatehouse");
  });

  test("by the page's button continues by itself, and ends on a page of ours without an application", async () => {
    await using begun = await beginSignOut();
    const { visitor, forged } = begun;
    const page = await visitor.submit(await visitor.open("/oauth2/logout"));
    expect(page).toMatchObject({ status: 200, heading: "Signed out" });
    const there = new URL(page.headers.get("refresh")!.replace(/^0; url=/, ""));
    expect(there.href).toStartWith(`${forged.issuer}/bye?own=1&`);
    expect(page.html).toContain(`<a href="${there.href.replaceAll("&", "&amp;")}"`);
    const state = there.searchParams.get("state")!;
    const { pathname } = new URL(there.searchParams.get("post_logout_redirect_uri")!);
    expect(await visitor.open(`${pathname}?state=${state}`)).toMatchObject({ status: 200, heading: "Signed out" });
  });

  test("cannot be used as a sign-in's callback, nor the reverse", async () => {
    await using begun = await beginSignOut();
    const { visitor, logout, tenant, forged } = begun;
    const there = (await visitor.open(logout())).location!;
    const state = there.searchParams.get("state")!;
    const { pathname } = new URL(String(tenant.provider.RedirectUri));
    expect((await visitor.open(`${pathname}?code=x&state=${state}`)).status).toBe(400);
    const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
    const signedOut = new URL(String(tenant.provider.PostLogoutRedirectUri)).pathname;
    const { search } = new URL(sentBack(forged, location), "https://any.example");
    expect(await visitor.open(signedOut + search)).toMatchObject({ heading: "Signed out", location: undefined });
  });

  test("sends no id_token to a provider that replaced another", async () => {
    await using begun = await beginSignOut();
    const { visitor, tenant, logout, forged } = begun;
    await using other = await startForgedProvider();
    other.behaviour.metadata = { end_session_endpoint: `${other.issuer}/bye` };
    const Id = tenant.provider.Id;
    await ok(tenant.caller.patch("/IdentityProvider", { Id, Issuer: other.issuer, ClientSecret: "another" }));
    const there = (await visitor.open(logout())).location!;
    expect(there.href).toStartWith(`${other.issuer}/bye?`);
    expect(there.href).not.toContain(forged.issuer);
    expect(there.searchParams.has("id_token_hint")).toBe(false);
  });

  test("uses no sign-in's place, and is skipped when there is none", async () => {
    await using begun = await beginSignOut();
    const { visitor, tenant, logout } = begun;
    const { tenantId } = tenant.caller;
    const there = (await visitor.open(logout())).location!;
    const back = new URL(String(tenant.provider.PostLogoutRedirectUri)).pathname;
    await visitor.open(`${back}?state=${there.searchParams.get("state")}`);
    expect(await rowsOf("upstream_attempts", { tenant_id: tenantId })).toHaveLength(0);
    expect(answerOf(await begun.signIn()).code).toBeString();
    await toProvider(visitor, await visitor.open(tenant.client.authorize({ prompt: "login" })));
    const [open] = await rowsOf("upstream_attempts", { tenant_id: tenantId });
    const others = times(MAX_OPEN.address - 1, () => ({ ...open, digest: digestOf(crypto.randomUUID()) }));
    await addRows("upstream_attempts", others);
    const { location } = await visitor.open(logout({ post_logout_redirect_uri: AFTER }));
    expect(location?.href).toBe(AFTER);
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });

  test.each<[string, Record<string, unknown>, Behaviour]>([
    ["was not chosen", { SignOut: false }, {}],
    ["is not there", {}, { metadata: {} }],
    ["is not an https address", {}, { metadata: { end_session_endpoint: "javascript:alert(1)" } }],
  ])("if it %s, the user is signed out here only", async (_, fields, behaviour) => {
    await using begun = await beginSignOut(fields, behaviour);
    const { visitor, logout, tenant } = begun;
    const { location } = await visitor.open(logout({ post_logout_redirect_uri: AFTER }));
    expect(location?.href).toBe(AFTER);
    expect(await rowsOf("sessions", { tenant_id: tenant.caller.tenantId })).toHaveLength(0);
    const { body } = await tenant.caller.send("POST", `/IdentityProvider/${tenant.provider.Id}/Test`);
    const told = body.Checks.filter(({ Name }: { Name: string }) => Name === "SignOut");
    expect(told).toMatchObject(fields.SignOut === false ? [] : [{ Outcome: "Failed" }]);
  });

  test("stores an id_token only if requested, and none after a password sign-in", async () => {
    await using begun = await begin();
    expect(answerOf(await begun.signIn()).code).toBeString();
    const kept = await rowsOf("sessions", { tenant_id: begun.tenant.caller.tenantId });
    expect(kept.map((row) => row.id_token_hint)).toEqual([null]);
  });

  test("is for OpenID Connect only", async () => {
    await using begun = await begin();
    const { caller } = begun.tenant;
    const endpoint = "https://social.example.com/x";
    const answer = await caller.patch("/IdentityProvider", {
      ...{ Name: "Social", Type: "OAuth2", ClientId: "x", SignOut: true },
      ...{ AuthorizationEndpoint: endpoint, TokenEndpoint: endpoint, UserinfoEndpoint: endpoint },
    });
    expect([answer.status, answer.body.Errors]).toEqual([400, ["SignOut is for Type OpenIDConnect."]]);
  });
});
