// Sign-in at a real second provider, and its effects here.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { ok } from "../world/api.ts";
import { answerOf, carrying, otherClient, SPEC_PATH } from "../world/client.ts";
import {
  addProvider,
  comeBack,
  force,
  idTokenOf,
  linksOf,
  newPerson,
  newRealTenant,
  plainOAuth,
  signIn,
  signInThere,
  startRealProvider,
  toProvider,
} from "../world/provider.ts";
import { eventsOf } from "../world/rows.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

describe.concurrent("a user of an external provider", () => {
  test("signs in by its link, is created as a User with an event, and the application gets a code", async () => {
    const { client, caller } = await newRealTenant(real);
    const person = newPerson(real);
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize({ nonce: "ours" }));
    expect(page.heading).toBe("Sign in");
    expect(linksOf(page).map(({ text }) => text)).toEqual(["Sign in with Example ID"]);
    const location = await toProvider(visitor, page);
    expect(location.origin).toBe(real.issuer);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      response_type: "code",
      scope: "openid profile email",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    const view = await comeBack(visitor, await signInThere(real.visitor(), location, person.login));
    const answer = answerOf(view);
    expect(answer.state).toBe("some state");

    const { claims, accessToken } = await idTokenOf(client, answer.code!);
    expect(claims.sub).toMatch(/^user-\d+$/);
    expect(claims).toMatchObject({ amr: ["fed"], acr: "1", nonce: "ours" });
    const headers = { authorization: `Bearer ${accessToken}` };
    const userinfo = await request("GET", "/oauth2/userinfo", { headers });
    expect(userinfo.body).toMatchObject({ name: "Ana Silva", preferred_username: person.username });

    const id = Number(claims.sub!.replace("user-", ""));
    const { body: user } = await caller.get(`/User/${id}`);
    expect(user).toMatchObject({ Name: "Ana Silva", Username: person.username, Email: person.email, Is_Active: true });
    expect(user.CreatedBy).toMatchObject({ Id: id, Type: "User" });
    expect(Date.parse(user.Last_Login)).toBeGreaterThan(Date.now() - 60_000);
    const events = await eventsOf(caller.tenantId);
    expect(events).toMatchObject([{ type: "Created", recordId: String(id), data: { CreatedBy: { Id: id } } }]);
  });

  test("is the same User next time; changes there are copied here, and a plain sign-in is no event", async () => {
    const { client, caller } = await newRealTenant(real);
    const person = newPerson(real);
    const first = answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
    const again = answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
    const { sub } = (await idTokenOf(client, first.code!)).claims;
    expect((await idTokenOf(client, again.code!)).claims.sub).toBe(sub!);
    expect((await eventsOf(caller.tenantId)).map(({ type }) => type)).toEqual(["Created"]);

    Object.assign(real.people[person.login]!, { name: "Ana Costa", preferred_username: "another name" });
    answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
    const events = await eventsOf(caller.tenantId);
    expect(events).toMatchObject([
      { type: "Created", sequences: [1] },
      { type: "Updated", sequences: [2] },
    ]);
    const id = Number(sub!.replace("user-", ""));
    expect(events[1]!.data).toMatchObject({ Name: "Ana Costa", Username: person.username, ModifiedBy: { Id: id } });
  });

  test.each(["RS256", "ES256", "EdDSA"])("is recognised by an id_token signed with %s", async (alg) => {
    const { client } = await newRealTenant(real, {}, { id_token_signed_response_alg: alg });
    const view = await signIn(new Visitor(), real.visitor(), newPerson(real).login, client.authorize({}, SPEC_PATH));
    expect(answerOf(view).code).toBeString();
  });

  test("signs in by plain OAuth 2.0 and userinfo, according to the mapping", async () => {
    const { client, caller } = await newRealTenant(real, plainOAuth(real));
    const person = newPerson(real);
    const answer = answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
    expect(answer.code).toBeString();
    const { body } = await caller.get(`/User/${person.login}?Name=External_Id`);
    expect(body).toMatchObject({ Name: person.username, Username: "", Email: "" });
  });

  test("with claims that do not fit a User signs in without them", async () => {
    const { client, caller } = await newRealTenant(real);
    const claims = { name: "A\0B", preferred_username: "x".repeat(501), phone_number: { country: 351 } };
    const person = newPerson(real, claims);
    const answer = answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
    const { sub } = (await idTokenOf(client, answer.code!)).claims;
    const { body } = await caller.get(`/User/${sub!.replace("user-", "")}`);
    expect(body).toMatchObject({ Name: "", Username: "", MobilePhone: "", Email: person.email });
  });

  test.each([
    [true, true],
    [true, false],
    [false, true],
  ])("is verified according to its claims: e-mail address %p, number %p", async (email, phone) => {
    const scopes = { Scopes: ["openid", "profile", "email", "phone"] };
    const Mapping = { Email: "email", EmailVerified: "email_verified", MobilePhone: "phone_number" };
    const { client, caller } = await newRealTenant(real, { ...scopes, Mapping });
    const vouched = { email_verified: email, phone_number: "+351912345678", phone_number_verified: phone };
    const person = newPerson(real, vouched);
    const scope = "openid email phone";
    const claims = '{"id_token":{"email_verified":null,"phone_number_verified":null}}';
    const seen = async () => {
      const view = await signIn(new Visitor(), real.visitor(), person.login, client.authorize({ scope, claims }));
      const { claims: told, accessToken } = await idTokenOf(client, answerOf(view).code!);
      const headers = { authorization: `Bearer ${accessToken}` };
      const { sub, ...userinfo } = (await request("GET", "/oauth2/userinfo", { headers })).body;
      expect(told.email_verified).toBe(userinfo.email_verified);
      expect(told.phone_number_verified).toBe(userinfo.phone_number_verified);
      return { id: Number(sub.replace("user-", "")), userinfo };
    };
    const { id, userinfo } = await seen();
    // An unverified address is never taken over.
    const address = email ? { email: person.email, email_verified: true } : {};
    expect(userinfo).toEqual({ ...address, phone_number: "+351912345678", phone_number_verified: phone });

    await ok(caller.patch("/User", { Id: id, Email: "another@example.com", MobilePhone: "+351" }));
    Object.assign(real.people[person.login]!, { email_verified: false, phone_number: undefined });
    const changed = { email: "another@example.com", email_verified: false };
    expect((await seen()).userinfo).toEqual({ ...changed, phone_number: "+351", phone_number_verified: false });
  });

  test("created in two browsers at once is one User", async () => {
    const { client, caller } = await newRealTenant(real);
    const person = newPerson(real);
    const visitors = [new Visitor(), new Visitor(), new Visitor()];
    const backs = await Promise.all(
      visitors.map(async (visitor) => {
        const location = await toProvider(visitor, await visitor.open(client.authorize()));
        return signInThere(real.visitor(), location, person.login);
      }),
    );
    const views = await Promise.all(visitors.map((visitor, index) => comeBack(visitor, backs[index]!)));
    expect(views.map((view) => typeof answerOf(view).code)).toEqual(["string", "string", "string"]);
    expect((await eventsOf(caller.tenantId)).map(({ type }) => type)).toEqual(["Created"]);
  });

  test("is refused if inactive here, with that reason", async () => {
    const { client, caller } = await newRealTenant(real);
    const person = newPerson(real);
    await signIn(new Visitor(), real.visitor(), person.login, client.authorize());
    const { Items } = await ok(caller.get(`/User?Username=${person.username}`));
    await caller.made("User", { Id: Items[0].Id, Is_Active: false });
    const view = await signIn(new Visitor(), real.visitor(), person.login, client.authorize());
    expect(view).toMatchObject({ status: 403, heading: "Sign-in did not work" });
    expect(view.html).toContain("Your account here is not active.");
  });

  test("signs in again there when the application requires it", async () => {
    const { client } = await newRealTenant(real);
    const person = newPerson(real);
    const [visitor, atProvider] = [new Visitor(), real.visitor()];
    const first = answerOf(await signIn(visitor, atProvider, person.login, client.authorize()));
    const begun = (await idTokenOf(client, first.code!)).claims.auth_time as number;
    const page = await visitor.open(client.authorize({ prompt: "login" }));
    const location = await toProvider(visitor, page);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ prompt: "login", max_age: "0" });
    const shown = await atProvider.open(location.pathname + location.search);
    expect(shown.forms[0]!.fields.prompt).toBe("login");
    const answer = answerOf(await comeBack(visitor, await signInThere(atProvider, location, person.login)));
    expect((await idTokenOf(client, answer.code!)).claims.auth_time).toBeGreaterThanOrEqual(begun);
    expect((await visitor.open(client.authorize({ max_age: "3600" }))).location).toBeDefined();
  });

  test("is rejected if the application expects another user", async () => {
    const { client } = await newRealTenant(real);
    const local = await client.token(await client.code(new Visitor()));
    const page = client.authorize({ id_token_hint: local.body.id_token });
    const view = await signIn(new Visitor(), real.visitor(), newPerson(real).login, page);
    expect(view).toMatchObject({ status: 403, heading: "Sign-in did not work" });
    expect(view.html).toContain("requested a different account");
  });
});

describe.concurrent("an application with an AuthenticationId", () => {
  test("redirects its users to the provider at once, and accepts no password", async () => {
    const tenant = await newRealTenant(real);
    const { client } = tenant;
    const visitor = new Visitor();
    const form = await visitor.open(client.authorize());
    await force(tenant);
    const view = await visitor.open(client.authorize());
    expect(view).toMatchObject({ status: 303 });
    expect(view.location?.origin).toBe(real.issuer);
    expect((await visitor.submit(form, client.tenant.admin)).status).toBe(403);
    const local = carrying("/signin/local", client.authorize());
    expect((await visitor.open(local)).status).toBe(403);
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
    const back = await signInThere(real.visitor(), view.location!, newPerson(real).login);
    expect(answerOf(await comeBack(visitor, back)).code).toBeString();
    expect(answerOf(await visitor.open(client.authorize({ prompt: "none" }))).code).toBeString();
  });

  test("accepts no session that began with a password or at another provider", async () => {
    const tenant = await newRealTenant(real);
    const elsewhere = await otherClient(tenant.client, { first_party: true });
    await force(tenant);
    const visitor = new Visitor();
    expect(answerOf(await elsewhere.visit(visitor)).code).toBeString();
    expect(answerOf(await visitor.open(tenant.client.authorize({ prompt: "none" }))).error).toBe("login_required");
    expect((await visitor.open(tenant.client.authorize())).location?.origin).toBe(real.issuer);
    await tenant.caller.made("IdentityProvider", { Id: tenant.provider.Id, AllowLocal: true });
    expect(answerOf(await visitor.open(tenant.client.authorize({ prompt: "none" }))).code).toBeString();
  });

  test("accepts no other provider of the tenant, and none of another tenant", async () => {
    const tenant = await newRealTenant(real);
    const other = await addProvider(tenant.caller, { Name: "Other", Issuer: real.issuer });
    const foreign = await newRealTenant(real);
    await force(tenant);
    for (const id of [other.Id, foreign.provider.Id, "1", "0", "x", "99999999999999999"]) {
      const address = carrying(`/signin/upstream/${id}`, tenant.client.authorize());
      expect((await new Visitor().open(address)).status).toBe(404);
    }
  });

  test("says so while its provider is inactive, and accepts the password where allowed", async () => {
    const tenant = await newRealTenant(real, { AllowLocal: true });
    const { client, caller, provider } = tenant;
    await force(tenant);
    await caller.made("IdentityProvider", { Id: provider.Id, Is_Active: false });
    const visitor = new Visitor();
    const view = await visitor.open(client.authorize());
    expect(view).toMatchObject({ status: 403, heading: "Sign-in did not work" });
    expect(view.html).toContain("Sign-in with it is inactive.");
    const links = linksOf(view);
    expect(links.map(({ text }) => text)).toEqual(["Sign in with a password"]);
    const page = await visitor.open(links[0]!.href);
    expect(answerOf(await visitor.submit(page, client.tenant.admin)).code).toBeString();
  });
});
