// The account page: linking an account at a provider, unlinking it, and signing in with it.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { logOf } from "../world/audit.ts";
import { answerOf, type Client, carrying } from "../world/client.ts";
import { alertOf, enrolled, Person, statusOf } from "../world/person.ts";
import {
  addProvider,
  comeBack,
  force,
  idTokenOf,
  linkingForm,
  linksOf,
  newPerson,
  newRealTenant,
  signIn,
  signInThere,
  startLinking,
  startRealProvider,
  toProvider,
  type UpstreamTenant,
} from "../world/provider.ts";
import { countOf, eventsOf, setRows } from "../world/rows.ts";
import { type View, Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

const LINK = "/account/providers/link";
const UNLINK = "/account/providers/unlink";

/** The tenant's admin, signed in by password. */
async function newAdmin(fields: Record<string, unknown> = {}): Promise<{ tenant: UpstreamTenant; person: Person }> {
  const tenant = await newRealTenant(real, fields);
  const person = new Person(tenant.client);
  await person.signIn();
  return { tenant, person };
}

/** From the account page by its link to the provider, and back. */
async function wayToLink({ visitor }: Person, tenant: UpstreamTenant, login: string): Promise<View> {
  return comeBack(visitor, await signInThere(real.visitor(), await startLinking(visitor, tenant), login));
}

/** A user created by a provider, without a password. */
async function newcomer({ client }: UpstreamTenant, login = newPerson(real).login): Promise<Person> {
  const person = new Person(client);
  answerOf(await signIn(person.visitor, real.visitor(), login, client.authorize()));
  return person;
}

const subOf = async (client: Client, view: View) => (await idTokenOf(client, answerOf(view).code!)).claims.sub!;
const rowsOf = ({ html }: View) => [...html.matchAll(/<strong>([^<]*)<\/strong><small><span>(as [^<]*)</g)].map(String);

describe.concurrent("linking on the account page", () => {
  test("requires a sign-in there and the password here, shows both accounts, and is no event", async () => {
    const { tenant, person } = await newAdmin();
    const { client, caller, provider } = tenant;
    const there = newPerson(real);
    const account = await person.account();
    expect(linkingForm(account, tenant)).toBeDefined();
    const before = await eventsOf(caller.tenantId);
    const page = await wayToLink(person, tenant, there.login);
    expect(page).toMatchObject({ status: 200, heading: "Link Example ID" });
    expect(page.html).toContain(`<strong>Ana Silva (${there.email})</strong>`);
    expect(page.html).toContain("<strong>Administrator (admin)</strong>");
    const wrong = await person.visitor.submit(page, { password: "wrong" });
    expect({ status: wrong.status, alert: alertOf(wrong) }).toEqual({ status: 422, alert: "Wrong password." });
    expect(rowsOf(await person.account())).toEqual([]);

    const linked = await person.visitor.submit(wrong, { password: client.tenant.admin.password });
    expect(statusOf(linked)).toBe("It is linked. You can now sign in with it.");
    expect(rowsOf(linked)).toHaveLength(1);
    expect(linkingForm(linked, tenant)).toBeUndefined();
    expect(await eventsOf(caller.tenantId)).toEqual(before);
    const mine = await subOf(client, await person.visitor.open(client.authorize()));
    const there2 = await signIn(new Visitor(), real.visitor(), there.login, client.authorize());
    expect(await subOf(client, there2)).toBe(mine);
    // A sign-in without a link causes no event either.
    expect(await eventsOf(caller.tenantId)).toEqual(before);
    const [event] = await logOf(caller, "Kind=Identity.Linked");
    expect(event).toMatchObject({ Actor: event!.Subject, Details: { IdentityProviderId: provider.Id } });
    expect(statusOf(await wayToLink(person, tenant, there.login))).toBe(statusOf(linked));
  });

  test("asks again if the provider or the user has been renamed", async () => {
    const { tenant, person } = await newAdmin();
    const { caller, client, provider } = tenant;
    const page = await wayToLink(person, tenant, newPerson(real).login);
    const { password } = client.tenant.admin;
    await caller.made("IdentityProvider", { Id: provider.Id, Name: "Your Bank" });
    const again = await person.visitor.submit(page, { password });
    expect(again).toMatchObject({ status: 409, heading: "Link Your Bank" });
    expect(alertOf(again)).toContain("have changed since this page was shown");
    await setRows("users", { tenant_id: caller.tenantId, username: "admin" }, { name: "Boss" });
    const third = await person.visitor.submit(again, { password });
    expect(third.status).toBe(409);
    expect(third.html).toContain("<strong>Boss (admin)</strong>");
    expect(rowsOf(await person.account())).toEqual([]);
    expect(statusOf(await person.visitor.submit(third, { password }))).toContain("It is linked.");
  });

  test("requires the second factor of a user who has one", async () => {
    const tenant = await newRealTenant(real);
    const { person, app } = await enrolled(tenant.client);
    const page = await wayToLink(person, tenant, newPerson(real).login);
    const { password } = tenant.client.tenant.admin;
    for (const code of [undefined, app.wrongCode()]) {
      expect((await person.visitor.submit(page, { password, code })).status).toBe(422);
    }
    expect(statusOf(await person.visitor.submit(page, { password, code: app.code(1) }))).toContain("It is linked.");
  });

  test("does not move an account from another user, and says so", async () => {
    const { tenant, person } = await newAdmin();
    const { login } = newPerson(real);
    await newcomer(tenant, login);
    const view = await wayToLink(person, tenant, login);
    expect(view).toMatchObject({ status: 409, heading: "Linking did not work" });
    expect(view.html).toContain("is linked to a different account here");
    expect(linksOf(view).map(({ text }) => text)).toEqual(["Back to your account"]);
    const [event] = await logOf(tenant.caller, "Kind=Identity.LinkFailed");
    expect(event).toMatchObject({ Outcome: "Failure", Actor: event!.Subject, Details: { Reason: "LinkedElsewhere" } });
  });

  test("is rejected for another browser, another tenant's session, and a sign-in begun by an application", async () => {
    const { tenant, person } = await newAdmin({ Provisioning: "LinkOnly" });
    const page = await wayToLink(person, tenant, newPerson(real).login);
    const { link } = page.forms[0]!.fields;
    const { password } = tenant.client.tenant.admin;
    const other = new Person(tenant.client);
    await other.signIn();
    const { csrf } = (await other.visitor.open("/account/password")).forms[0]!.fields;
    expect((await other.visitor.post(LINK, { csrf: csrf!, link: link!, password })).status).toBe(400);
    const atSignIn = await signIn(new Visitor(), real.visitor(), newPerson(real).login, tenant.client.authorize());
    expect(atSignIn.heading).toBe("Link your account");
    const fields = { ...page.forms[0]!.fields, link: atSignIn.forms[0]!.fields.link!, password };
    expect((await person.visitor.post(LINK, fields)).status).toBe(400);
    // The account page's token is invalid for an application's sign-in.
    const { csrf: visitors } = (await person.visitor.open(tenant.client.authorize({ prompt: "login" }))).forms[0]!
      .fields;
    const swapped = { ...tenant.client.tenant.admin, link: link!, csrf: visitors! };
    expect((await person.visitor.post("/signin/link", swapped)).status).toBe(400);

    const stranger = await newRealTenant(real);
    await person.visitor.open("/oauth2/logout").then((sure) => person.visitor.submit(sure));
    await stranger.client.visit(person.visitor);
    const theirs = (await person.visitor.open("/account/password")).forms[0]!.fields.csrf!;
    expect((await person.visitor.post(LINK, { csrf: theirs, link: link!, password })).status).toBe(400);
    const tenants = [tenant.caller.tenantId, stranger.caller.tenantId];
    expect(await countOf("upstream_identities", { tenant_id: tenants })).toBe(0);
  });

  test("requires a session, and an active provider of the tenant", async () => {
    const { tenant, person } = await newAdmin();
    const { caller, provider } = tenant;
    const foreign = await newRealTenant(real);
    const { action, fields } = linkingForm(await person.account(), tenant)!;
    expect((await new Visitor().post(action, fields)).heading).toBe("Which organisation?");
    for (const id of [foreign.provider.Id, "1", "0", "x", ""]) {
      expect((await person.visitor.post(action, { ...fields, provider: id })).status).toBe(404);
    }
    const page = await wayToLink(person, tenant, newPerson(real).login);
    await caller.made("IdentityProvider", { Id: provider.Id, Is_Active: false });
    const late = await person.visitor.submit(page, { password: tenant.client.tenant.admin.password });
    expect(late.status).toBe(404);
    expect((await person.visitor.post(action, fields)).html).toContain("inactive");
    expect(linkingForm(await person.account(), tenant)).toBeUndefined();
  });
});

describe.concurrent("unlinking on the account page", () => {
  test("ends sign-in by it, and the sessions it began in other browsers", async () => {
    const { tenant, person } = await newAdmin();
    const { client, caller } = tenant;
    const { login } = newPerson(real);
    const page = await wayToLink(person, tenant, login);
    await person.visitor.submit(page, { password: client.tenant.admin.password });
    const [byProvider, byPassword] = [await newcomer(tenant, login), new Person(client)];
    await byPassword.signIn();
    const { body } = await client.token(answerOf(await byProvider.visitor.open(client.authorize())).code!);
    expect(body.refresh_token).toBeString();
    const before = await eventsOf(caller.tenantId);
    expect(statusOf(await person.press(UNLINK))).toBe("It is unlinked. You can no longer sign in with it.");
    expect(await Promise.all([person, byProvider, byPassword].map((one) => one.isSignedIn()))).toEqual([
      true,
      false,
      true,
    ]);
    expect((await client.refresh(body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect(await eventsOf(caller.tenantId)).toEqual(before);
    expect(await logOf(caller, "Kind=Identity.Unlinked")).toHaveLength(1);
    const again = await signIn(new Visitor(), real.visitor(), login, client.authorize());
    expect(await subOf(client, again)).not.toBe(await subOf(client, await person.visitor.open(client.authorize())));
  });

  test("never removes the last way to sign in, even in concurrent requests", async () => {
    const tenant = await newRealTenant(real);
    const person = await newcomer(tenant);
    const account = await person.account();
    expect(account.html).toContain("Your only way to sign in");
    expect(account.forms.map(({ action }) => action)).not.toContain(UNLINK);
    const second = await addProvider(tenant.caller, { Name: "Second", Issuer: real.issuer });
    const registered = await real.register(second.RedirectUri);
    await tenant.caller.made("IdentityProvider", { Id: second.Id, ...registered });
    const page = await wayToLink(person, { ...tenant, provider: second }, newPerson(real).login);
    expect(page.forms[0]!.fields).not.toHaveProperty("password");
    expect(statusOf(await person.visitor.submit(page))).toContain("It is linked.");

    const forms = (await person.account()).forms.filter(({ action }) => action === UNLINK);
    const both = await Promise.all(forms.map(({ fields }) => person.visitor.post(UNLINK, fields)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(rowsOf(await person.account())).toHaveLength(1);
    const [left] = forms.filter((_, index) => both[index]!.status === 409);
    const refused = await person.visitor.post(UNLINK, left!.fields);
    expect(refused.html).toContain("This is your only way to sign in.");
  });

  test("does not count inactive or changed providers, and leaves other users' links", async () => {
    const { tenant, person } = await newAdmin();
    const { caller, provider } = tenant;
    const other = await newcomer(tenant);
    const page = await wayToLink(person, tenant, newPerson(real).login);
    const linked = await person.visitor.submit(page, { password: tenant.client.tenant.admin.password });
    const { fields } = linked.forms.find(({ action }) => action === UNLINK)!;
    const second = await addProvider(caller, { Name: "Second", Issuer: real.issuer });
    await caller.made("IdentityProvider", { Id: second.Id, ...(await real.register(second.RedirectUri)) });
    const form = await wayToLink(other, { ...tenant, provider: second }, newPerson(real).login);
    const both = await other.visitor.submit(form);
    const [own] = both.forms.filter(({ action }) => action === UNLINK);
    await other.visitor.post(UNLINK, { ...own!.fields, account: fields.account! });
    expect(rowsOf(await person.account())).toHaveLength(1);
    await caller.made("IdentityProvider", { Id: second.Id, Is_Active: false });
    const view = await other.account();
    expect(view.html).toContain("currently inactive");
    expect(view.html).toContain("Your only way to sign in");
    await caller.made("IdentityProvider", {
      Id: second.Id,
      Is_Active: true,
      Issuer: "https://elsewhere.example",
      ClientSecret: "x",
    });
    expect((await other.account()).html).toContain("Your only way to sign in");
    await caller.made("IdentityProvider", { Id: provider.Id, Is_Active: false });
    expect((await other.visitor.post(UNLINK, own!.fields)).status).toBe(409);
  });
});

describe.concurrent("signing in to the account page by a provider", () => {
  test("accepts a linked account and returns to the page", async () => {
    const { tenant } = await newAdmin();
    const { login } = newPerson(real);
    await newcomer(tenant, login);
    const address = `/account?client_id=${tenant.client.id}`;
    const view = await signIn(new Visitor(), real.visitor(), login, address);
    expect(view.heading).toBe("Your account");
    expect(view.html).toContain("Ana Silva");
  });

  test("links an unknown account to the user's own, as an application's sign-in does", async () => {
    const { tenant } = await newAdmin({ Provisioning: "LinkOnly" });
    const { client } = tenant;
    const visitor = new Visitor();
    const address = `/account/password?client_id=${client.id}`;
    const unknown = await signIn(visitor, real.visitor(), newPerson(real).login, address);
    expect(unknown).toMatchObject({ status: 200, heading: "Link your account" });
    expect((await visitor.submit(unknown, client.tenant.admin)).heading).toBe("Change your password");
    expect(rowsOf(await visitor.open("/account"))).toHaveLength(1);
  });

  test("is rejected for an inactive user", async () => {
    const { tenant } = await newAdmin();
    const { client, caller } = tenant;
    const address = `/account?client_id=${client.id}`;
    const visitor = new Visitor();
    await caller.made("IdentityProvider", { Id: tenant.provider.Id, Provisioning: "Create" });
    const person = newPerson(real);
    await newcomer(tenant, person.login);
    const { body: user } = await caller.get(`/User/${person.username}?Name=Username`);
    await caller.made("User", { Id: user.Id, Is_Active: false });
    const inactive = await signIn(visitor, real.visitor(), person.login, address);
    expect(inactive.html).toContain("Your account here is not active.");
    const reasons = (await logOf(caller, "Kind=SignIn.Failed")).map(({ Details, Subject }) => [
      Details.Reason,
      Subject?.Type,
    ]);
    expect(reasons).toEqual([["InactiveUser", "User"]]);
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });

  test("is the only way if the application requires the provider", async () => {
    const { tenant } = await newAdmin();
    const address = `/account?client_id=${tenant.client.id}`;
    const form = await new Visitor().open(address);
    const other = await addProvider(tenant.caller, { Name: "Other", Issuer: real.issuer });
    await force(tenant);
    const visitor = new Visitor();
    const location = await toProvider(visitor, await visitor.open(address));
    expect(location.origin).toBe(real.issuer);
    const view = await comeBack(visitor, await signInThere(real.visitor(), location, newPerson(real).login));
    expect(view.heading).toBe("Your account");
    const guest = new Visitor();
    const { csrf } = (await guest.open((await newAdmin()).tenant.client.authorize())).forms[0]!.fields;
    const fields = { ...form.forms[0]!.fields, ...tenant.client.tenant.admin, csrf: csrf! };
    expect((await guest.post("/signin", fields)).status).toBe(403);
    const { request } = form.forms[0]!.fields;
    expect((await guest.open(carrying(`/signin/upstream/${other.Id}`, request!))).status).toBe(404);
    expect((await guest.open("/account/sign-in")).status).toBe(400);
  });
});
