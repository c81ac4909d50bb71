// Attacks through a provider: on the callback, on existing accounts, and on our own network. Wrong messages of a
// provider are tested in test/identity-providers/misbehaving.test.ts.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { composedApp } from "../support/composed-app.ts";
import { unique } from "../world/api.ts";
import { answerOf, carrying } from "../world/client.ts";
import { type Behaviour, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import {
  addProvider,
  expectNothing,
  idTokenOf,
  newPerson,
  newRealTenant,
  newUpstreamTenant,
  onTheWay,
  signIn,
  startLinking,
  startRealProvider,
  toProvider,
} from "../world/provider.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

describe.concurrent("login CSRF: the attacker's callback in the victim's browser", () => {
  test("completes no sign-in, whether or not the victim had started one", async () => {
    const { tenant, visitor, back } = await onTheWay();
    const victim = new Visitor();
    expectNothing(await victim.open(back), victim);
    await toProvider(victim, await victim.open(tenant.client.authorize()));
    expectNothing(await victim.open(back), victim);
    expect(answerOf(await visitor.open(back)).code).toBeString();
  });

  test("links nothing to the victim's account, even if the victim is signed in", async () => {
    const { tenant, provider } = await onTheWay();
    const { client } = tenant;
    const [attacker, victim] = [new Visitor(), new Visitor()];
    await client.visit(victim);
    const made = sentBack(provider, await toProvider(attacker, await attacker.open(client.authorize())));
    await attacker.open(made);
    const view = await victim.open(sentBack(provider, await startLinking(attacker, tenant)));
    expect(view).toMatchObject({ status: 400, location: undefined });
    // The attacker has signed in at the provider in the victim's browser. The victim's own attempt ends before the
    // password.
    const refused = await victim.open(sentBack(provider, await startLinking(victim, tenant)));
    expect(refused).toMatchObject({ status: 409, heading: "Linking did not work" });
    const linked = await rowsOf("upstream_identities", { tenant_id: tenant.caller.tenantId, provisioned: false });
    expect(linked).toHaveLength(0);
  });
});

describe.concurrent("code injection", () => {
  test("a code issued to another browser is rejected in the attacker's", async () => {
    const { tenant, provider, visitor, location } = await onTheWay();
    const attacker = new Visitor();
    const theirs = await toProvider(attacker, await attacker.open(tenant.client.authorize()));
    // The provider compares the code with the challenge of the victim's browser.
    const back = sentBack(provider, location);
    const injected = back.replace(location.searchParams.get("state")!, theirs.searchParams.get("state")!);
    const view = await attacker.open(injected);
    expect(view).toMatchObject({ status: 502, heading: "Sign-in did not work" });
    expect(attacker.cookies.has("gatehouse-session")).toBe(false);
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });

  test("also at a provider without PKCE, because the nonce differs", async () => {
    await using provider = await startForgedProvider();
    const { client } = await newUpstreamTenant({ Issuer: provider.issuer });
    const [victim, attacker] = [new Visitor(), new Visitor()];
    const stolen = await toProvider(victim, await victim.open(client.authorize()));
    const own = await toProvider(attacker, await attacker.open(client.authorize()));
    const back = sentBack(provider, own);
    provider.asked = new URLSearchParams({
      code_challenge: own.searchParams.get("code_challenge")!,
      nonce: stolen.searchParams.get("nonce")!,
    });
    expect(await attacker.open(back)).toMatchObject({ status: 502, heading: "Sign-in did not work" });
    expect(attacker.cookies.has("gatehouse-session")).toBe(false);
  });
});

describe.concurrent("mix-up", () => {
  test("one provider's answer is rejected at the other's callback, and the code is sent to neither", async () => {
    const { tenant, visitor, provider, back } = await onTheWay();
    const honest = await addProvider(tenant.caller, { Name: "Honest", Issuer: provider.issuer });
    const before = provider.calls.length;
    expectNothing(await visitor.open(back.replace(`/${tenant.provider.Id}/`, `/${honest.Id}/`)), visitor);
    expect(provider.calls).toHaveLength(before);
  });

  test("an answer that names another issuer is rejected", async () => {
    const { visitor, provider, back } = await onTheWay();
    const before = provider.calls.length;
    const view = await visitor.open(`${back}&iss=${encodeURIComponent(real.issuer)}`);
    expect(view).toMatchObject({ status: 502, heading: "Sign-in did not work" });
    expect(provider.calls.slice(before).map(({ path }) => path)).not.toContain("/token");
  });
});

describe.concurrent("account takeover", () => {
  test("an e-mail address that the provider has not verified matches no user and is not stored", async () => {
    const { client, caller } = await newRealTenant(real);
    const admin = await caller.made("User", { Username: "admin", Email: "boss@example.com" });
    for (const email_verified of [false, undefined]) {
      const person = newPerson(real, { email: "boss@example.com", email_verified });
      const answer = answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
      const { sub } = (await idTokenOf(client, answer.code!)).claims;
      expect(sub).not.toBe(`user-${admin.Id}`);
      const { body } = await caller.get(`/User/${person.username}?Name=Username`);
      expect(body.Email).toBe("");
    }
  });

  test("nor does such an address in another field", async () => {
    const Mapping = { Username: "email", Name: "name" };
    const { client, caller } = await newRealTenant(real, { Mapping });
    await caller.made("User", { Username: "boss@example.com" });
    const person = newPerson(real, { email: "boss@example.com", email_verified: false });
    const answer = answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
    const { sub } = (await idTokenOf(client, answer.code!)).claims;
    const { body } = await caller.get(`/User/${sub!.replace("user-", "")}`);
    expect(body).toMatchObject({ Name: "Ana Silva", Username: "", Email: "" });
  });

  test("a verified one requires the account's password", async () => {
    const { client, caller } = await newRealTenant(real);
    await caller.made("User", { Username: "admin", Email: "boss@example.com" });
    const person = newPerson(real, { email: "boss@example.com" });
    const visitor = new Visitor();
    const view = await signIn(visitor, real.visitor(), person.login, client.authorize());
    expect(view.heading).toBe("Link your account");
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });

  test("the same subject at another provider, or after a change of issuer, matches no user", async () => {
    const [own, evil] = [await startForgedProvider(), await startForgedProvider()];
    const { client, caller, provider } = await newUpstreamTenant({ Issuer: own.issuer });
    const through = async (at: typeof own, id: string) => {
      const visitor = new Visitor();
      const { location } = await visitor.open(carrying(`/signin/upstream/${id}`, client.authorize()));
      const { code } = answerOf(await visitor.open(sentBack(at, location!)));
      return (await idTokenOf(client, code!)).claims.sub!;
    };
    const owner = await through(own, provider.Id);
    const other = await addProvider(caller, { Name: "Evil", Issuer: evil.issuer });
    expect(await through(evil, other.Id)).not.toBe(owner);
    await caller.made("IdentityProvider", { Id: provider.Id, Issuer: evil.issuer });
    expect(await through(evil, provider.Id)).not.toBe(owner);
    await caller.made("IdentityProvider", { Id: provider.Id, Issuer: own.issuer });
    expect(await through(own, provider.Id)).toBe(owner);
  });
});

describe.concurrent("SSRF by an issuer's address", () => {
  test.each([
    "https://169.254.169.254/latest",
    "https://10.0.0.1",
    "https://[fd00::1]",
    "https://192.168.1.1:8443",
    "https://0xa9fea9fe",
    "https://[::ffff:169.254.169.254]",
  ])("%p, a private address, is rejected when saved", async (url) => {
    const caller = await newTenant();
    const named = { Name: unique("inside"), ClientId: "gatehouse" };
    const endpoints = { AuthorizationEndpoint: real.issuer, TokenEndpoint: real.issuer, UserinfoEndpoint: url };
    for (const body of [
      { ...named, Type: "OpenIDConnect", Issuer: url },
      { ...named, Type: "OAuth2", ...endpoints },
    ]) {
      const answer = await caller.patch("/IdentityProvider", body);
      expect(answer.status).toBe(400);
      expect(answer.body.Errors.join(" ")).toMatch(
        /is not an address of the public internet .* EGRESS_ALLOW|may not be reached: .* EGRESS_DENY/,
      );
    }
  });

  test("a name that resolves to a private address gets no connection, whatever was saved", async () => {
    await using canary = await startForgedProvider();
    const { client, provider } = await newUpstreamTenant({ Issuer: canary.issuer });
    // A Gatehouse with an empty EGRESS_ALLOW.
    const strict = composedApp();
    const url = `http://localhost${carrying(`/signin/upstream/${provider.Id}`, client.authorize())}`;
    const response = await strict.handle(new Request(url));
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("does not match this service");
    expect(canary.calls).toEqual([]);
  });

  test.each<[string, Behaviour]>([
    ["keys inside the network", { metadata: { jwks_uri: "https://169.254.169.254/jwks" } }],
    ["a token endpoint inside the network", { metadata: { token_endpoint: "https://10.0.0.1/token" } }],
    ["userinfo inside the network", { metadata: { userinfo_endpoint: "https://[fd00::1]/me" } }],
    ["a redirect to there", { answers: { "/token": () => Response.redirect("https://169.254.169.254/") } }],
    [
      "userinfo that is redirected to there",
      { answers: { "/me": () => Response.redirect("https://169.254.169.254/") } },
    ],
  ])("metadata with %s let no sign-in complete", async (_, behaviour) => {
    await using provider = await startForgedProvider(behaviour);
    const { client } = await newUpstreamTenant({ Issuer: provider.issuer });
    const visitor = new Visitor();
    const location = await toProvider(visitor, await visitor.open(client.authorize()));
    const view = await visitor.open(sentBack(provider, location));
    expect(view).toMatchObject({ status: 502, heading: "Sign-in did not work" });
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });
});
