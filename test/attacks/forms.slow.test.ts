// CSRF: every form for people is bound to the browser and the session, and no page can be framed or cached.

import { afterAll, describe, expect, test } from "bun:test";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { composedApp } from "../support/composed-app.ts";
import { ok } from "../world/api.ts";
import { answerOf, newClient, otherClient } from "../world/client.ts";
import { beginDevice, toQuestion } from "../world/device.ts";
import { type ForgedProvider, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { arrived, newAddress } from "../world/mailbox.ts";
import {
  Authenticator,
  enrolled,
  keyOf,
  newApplication,
  Person,
  requireSecondFactor,
  signedIn,
} from "../world/person.ts";
import {
  expectNothing,
  linkingForm,
  newUpstreamTenant,
  onTheWay,
  startLinking,
  toProvider,
} from "../world/provider.ts";
import { rowsOf } from "../world/rows.ts";
import { newPasskeyPage, SecurityKey, withPasskey } from "../world/security-key.ts";
import { clientOf, shared } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

/** A page, and the effect of its form if it is accepted. */
interface Filled {
  visitor: Visitor;
  page: View;
  action: string;
  fields: Record<string, string>;
}

/** Providers that are needed until the form is sent. */
const running: ForgedProvider[] = [];
afterAll(() => Promise.all(running.map((provider) => provider[Symbol.asyncDispose]())));

const GOOD = "correct horse battery staple";

/** Forms by address and purpose. */
const FORMS: Record<string, () => Promise<Filled>> = {
  "/signin: signing in to an application": async () => {
    const client = await newApplication();
    const visitor = new Visitor();
    return filled(visitor, await visitor.open(client.authorize()), client.tenant.admin);
  },
  "/consent: allowing an application": async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    return filled(visitor, page, { decision: "allow" });
  },
  "/consent: allowing a device": async () => {
    const client = await newClient({ grant_types: [DEVICE_GRANT, "authorization_code"] });
    const visitor = new Visitor();
    await client.visit(visitor);
    return filled(visitor, await toQuestion(visitor, await beginDevice(client), client), { decision: "allow" });
  },
  "/device: typing the code of a device": async () => {
    const client = await newClient({ grant_types: [DEVICE_GRANT, "authorization_code"] });
    const visitor = new Visitor();
    await client.visit(visitor);
    return filled(visitor, await visitor.open("/device"), { user_code: (await beginDevice(client)).userCode });
  },
  "/signout: signing out": async () => {
    const { visitor } = await signedIn();
    return filled(visitor, await visitor.open("/oauth2/logout"), {});
  },
  "/signin/link: linking a provider at sign-in": async () => {
    await using provider = await startForgedProvider();
    const { client } = await newUpstreamTenant({ Issuer: provider.issuer, Provisioning: "LinkOnly" });
    const visitor = new Visitor();
    const location = await toProvider(visitor, await visitor.open(client.authorize()));
    return filled(visitor, await visitor.open(sentBack(provider, location)), client.tenant.admin);
  },
  "/account/providers/start: going to a provider to link it": async () => {
    const provider = await startForgedProvider();
    running.push(provider);
    const tenant = await newUpstreamTenant({ Issuer: provider.issuer });
    const person = await signedIn(tenant.client);
    const page = await person.visitor.open("/account");
    return { visitor: person.visitor, page, ...linkingForm(page, tenant)! };
  },
  "/account/providers/link: linking a provider": async () => {
    const { person, page } = await atTheLink();
    return filled(person.visitor, page, { password: person.client.tenant.admin.password });
  },
  "/account/providers/unlink: unlinking a provider": async () => {
    const { person, page } = await atTheLink();
    const linked = await person.visitor.submit(page, { password: person.client.tenant.admin.password });
    const form = linked.forms.find(({ action }) => action === "/account/providers/unlink")!;
    return { visitor: person.visitor, page: linked, ...form };
  },
  "/signin/second-factor: the code at sign-in": async () => {
    const { person: owner, app } = await enrolled();
    const person = new Person(owner.client);
    return filled(person.visitor, await person.signIn(), { code: app.code(1) });
  },
  "/signin/enrolment: setting up at sign-in": async () => {
    const client = await newApplication();
    await requireSecondFactor(client);
    const person = new Person(client);
    const page = await person.signIn();
    return filled(person.visitor, page, { code: new Authenticator(keyOf(page)).code() });
  },
  "/account/second-factor: setting up on the account page": async () => {
    const { visitor, client } = await signedIn();
    const page = await visitor.open("/account/second-factor");
    const { password } = client.tenant.admin;
    return filled(visitor, page, { password, code: new Authenticator(keyOf(page)).code() });
  },
  "/account/password: changing the password": async () => {
    const { visitor, client } = await signedIn();
    const { password } = client.tenant.admin;
    return filled(visitor, await visitor.open("/account/password"), { password, new_password: GOOD });
  },
  "/account/data: downloading one's own data": async () => {
    const { visitor, client } = await signedIn();
    const { password } = client.tenant.admin;
    return filled(visitor, await visitor.open("/account/data"), { password });
  },
  "/account/recovery-codes: new recovery codes": async () => {
    const { person, app } = await enrolled();
    const { password } = person.client.tenant.admin;
    return filled(person.visitor, await person.visitor.open("/account/recovery-codes"), {
      password,
      code: app.code(1),
    });
  },
  "/account/second-factor/remove: removing the second factor": async () => {
    const { person, app } = await enrolled();
    const { password } = person.client.tenant.admin;
    const page = await person.visitor.open("/account/second-factor/remove");
    return filled(person.visitor, page, { password, code: app.code(1) });
  },
  "/account/sessions/end: ending sessions": async () => {
    const person = await signedIn();
    await signedIn(person.client);
    const page = await person.account();
    return { ...filled(person.visitor, page, { session: "others" }), action: "/account/sessions/end" };
  },
  "/account/grants/revoke: revoking consent": async () => {
    const person = await signedIn();
    const client = await otherClient(person.client);
    await client.code(person.visitor);
    return {
      ...filled(person.visitor, await person.account(), { client_id: client.id }),
      action: "/account/grants/revoke",
    };
  },
  "/account/reset: setting a password by a link": async () => {
    const client = await newApplication();
    const admin = await clientOf(client.tenant);
    const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
    const { Url } = (await admin.send("POST", `/User/${user.Id}/PasswordReset`)).body;
    const visitor = new Visitor();
    return filled(visitor, await visitor.open(new URL(Url).pathname + new URL(Url).search), { new_password: GOOD });
  },
  "/signin/forgotten: asking for a password link": async () => {
    const client = await newApplication();
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    const [, href = ""] = /href="(\/signin\/forgotten[^"]*)"/.exec(page.html)!;
    return filled(visitor, await visitor.open(href), { username: client.tenant.admin.username });
  },
  "/signin/sign-up: asking for a link to make an account": async () => {
    const { visitor, page } = await atSignUp();
    return filled(visitor, page, { email: newAddress() });
  },
  "/account/sign-up: making an account by a link": async () => {
    const { visitor, page } = await atSignUp();
    const address = newAddress();
    await visitor.submit(page, { email: address });
    return filled(visitor, await visitor.open(await linkTo(address)), { name: "Ana Silva", new_password: GOOD });
  },
  "/signin/keep: staying signed in": async () => {
    const { person, key } = await withPasskey();
    const admin = await clientOf(person.client.tenant);
    await ok(admin.patch("/TenantSettings", { KeepSignedIn: "Asked" }));
    const visitor = new Visitor();
    const page = await visitor.open(person.client.authorize());
    const form = ofForm(visitor, page, "/signin/passkey", { credential: key.get(page) });
    return filled(visitor, await visitor.post(form.action, form.fields), { keep: "yes" });
  },
  "/signin/passkey: signing in by a passkey": async () => {
    const { person, key } = await withPasskey();
    const visitor = new Visitor();
    const page = await visitor.open(person.client.authorize());
    return ofForm(visitor, page, "/signin/passkey", { credential: key.get(page) });
  },
  "/signin/passkey-factor: a passkey beside a password": async () => {
    const { person, key } = await withPasskey();
    await requireSecondFactor(person.client);
    const other = new Person(person.client);
    const page = await other.signIn();
    return ofForm(other.visitor, page, "/signin/passkey-factor", { credential: key.get(page) });
  },
  "/signin/new-passkey: a passkey that the tenant encourages": async () => {
    const client = await newApplication();
    await ok((await clientOf(client.tenant)).patch("/TenantSettings", { Passkeys: "Encouraged" }));
    const person = new Person(client);
    const page = await person.signIn();
    return ofForm(person.visitor, page, "/signin/new-passkey", { credential: new SecurityKey().create(page) });
  },
  "/account/passkeys/add: the proof before a new passkey": async () => {
    const person = await signedIn();
    return filled(person.visitor, await person.visitor.open("/account/passkeys/add"), {
      password: person.user.password,
    });
  },
  "/account/passkeys: adding a passkey": async () => {
    const person = await signedIn();
    const page = await newPasskeyPage(person);
    return filled(person.visitor, page, { credential: new SecurityKey().create(page) });
  },
  "/account/passkeys/remove: removing a passkey": async () => {
    const { person } = await withPasskey();
    return ofForm(person.visitor, await person.account(), "/account/passkeys/remove", {});
  },
  "/account/address/verify: asking for a mail to verify the address": async () => {
    const { person } = await withAddress(false);
    return ofForm(person.visitor, await person.account(), "/account/address/verify", {});
  },
  "/account/address: confirming an address by a link": async () => {
    const { person, address } = await withAddress(false);
    await person.press("/account/address/verify");
    return filled(person.visitor, await person.visitor.open(await linkTo(address)), {});
  },
  "/account/address/change: asking for a new address": async () => {
    const { person } = await withAddress(true);
    const fields = { address: newAddress(), password: person.user.password };
    return filled(person.visitor, await person.visitor.open("/account/address/change"), fields);
  },
  "/account/not-me: taking an account back": async () => {
    const { person, address } = await withAddress(true);
    await person.send("/account/password", { password: person.user.password, new_password: GOOD });
    const visitor = new Visitor();
    return filled(visitor, await visitor.open(await linkTo(address)), {});
  },
  "/account/invitation: accepting an invitation": async () => {
    const admin = await clientOf((await newApplication()).tenant);
    const address = newAddress();
    await ok(admin.patch("/Invitation", { Email: address, Name: "Ana Silva" }));
    const visitor = new Visitor();
    return filled(visitor, await visitor.open(await linkTo(address)), { new_password: GOOD });
  },
};

/** At the page that asks for an address. */
async function atSignUp(): Promise<{ visitor: Visitor; page: View }> {
  const client = await newApplication();
  await ok((await clientOf(client.tenant)).patch("/TenantSettings", { SignUp: "Approval" }));
  const visitor = new Visitor();
  const { html } = await visitor.open(client.authorize());
  return { visitor, page: await visitor.open(/href="(\/signin\/sign-up[^"]*)"/.exec(html)![1]!) };
}

/** A signed-in person with a mail address. */
async function withAddress(EmailVerified: boolean): Promise<{ person: Person; address: string }> {
  const [person, address] = [await signedIn(), newAddress()];
  const admin = await clientOf(person.client.tenant);
  const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
  await ok(admin.patch("/User", { Id: user.Id, Email: address, EmailVerified }));
  return { person, address };
}

/** The path of the link in the last mail. */
async function linkTo(address: string): Promise<string> {
  const { link } = (await arrived(address)).at(-1)!;
  return link.slice(new URL(link).origin.length);
}

/** One of several forms of a page. */
function ofForm(visitor: Visitor, page: View, action: string, fields: Record<string, string>): Filled {
  const form = page.forms.find((one) => one.action === action)!;
  return { visitor, page, action, fields: { ...form.fields, ...fields } };
}

/** The account page requires the password of a user who signed in at a provider. */
async function atTheLink(): Promise<{ person: Person; page: View }> {
  await using provider = await startForgedProvider();
  const tenant = await newUpstreamTenant({ Issuer: provider.issuer });
  const person = await signedIn(tenant.client);
  return { person, page: await person.visitor.open(sentBack(provider, await startLinking(person.visitor, tenant))) };
}

function filled(visitor: Visitor, page: View, fields: Record<string, string>): Filled {
  const form = page.forms[0]!;
  return { visitor, page, action: form.action, fields: { ...form.fields, ...fields } };
}

describe.concurrent.each(Object.keys(FORMS))("the form of %s", (name) => {
  test("is rejected without its token, with that of a different form, and in another browser; then it is accepted", async () => {
    const { visitor, page, action, fields } = await FORMS[name]!();
    expect(action).toBe(name.split(":")[0]!);
    expectGuarded(page);
    const { csrf, ...rest } = fields;
    const foreign = filled(new Visitor(), await strangersPage(), {}).fields.csrf!;
    const tokens: Record<string, string>[] = [{}, { csrf: "" }, { csrf: foreign }, { csrf: `${csrf!.slice(1)}A` }];
    for (const token of tokens) {
      const view = await visitor.post(action, { ...rest, ...token });
      expect({ token, status: view.status }).toEqual({ token, status: 403 });
      // Forms with typed input are shown again.
      expect(["Forbidden", page.heading]).toContain(view.heading);
    }
    const elsewhere = new Visitor();
    const session = visitor.cookies.get("gatehouse-session");
    if (session) elsewhere.cookies.set("gatehouse-session", session);
    // 400: the browser that began the sign-in to link has its cookie.
    expect((await elsewhere.post(action, fields)).status).toBe(action.endsWith("/link") ? 400 : 403);
    const taken = await visitor.post(action, fields);
    expect({ name, taken: taken.location !== undefined || taken.status === 200 }).toEqual({ name, taken: true });
  });
});

/** A provider's own form is posted here. It has no token of ours; its state replaces the token. */
const OF_A_PROVIDER = "/signin/upstream/:id/callback";
/** Tried in test/invitations/by-provider.test.ts. */
const OF_INVITATIONS = ["/account/invitation/provider", "/account/invitation/provider/accept"];

test.concurrent("a provider's form needs a click, and signs in only the browser that started", async () => {
  const { provider, tenant, visitor, back } = await onTheWay();
  running.push(provider);
  const { tenantId } = tenant.client.tenant;
  const attempts = () => rowsOf("upstream_attempts", { tenant_id: tenantId });
  const { pathname, search } = new URL(back, visitor.origin);
  const posted = async (browser: Visitor, form: string) => {
    const cookie = browser.cookieHeader;
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: provider.issuer, cookie };
    const answer = await fetch(visitor.origin + pathname, { method: "POST", redirect: "manual", body: form, headers });
    expect({ status: answer.status, cookies: answer.headers.getSetCookie() }).toEqual({ status: 303, cookies: [] });
    const on = new URL(answer.headers.get("location")!, visitor.origin);
    expect([on.origin, on.pathname]).toEqual([new URL(visitor.origin).origin, pathname]);
    return on.pathname + on.search;
  };
  const state = new URLSearchParams(search).get("state")!;
  const stranger = await onTheWay();
  running.push(stranger.provider);
  const strangersState = new URL(stranger.back, visitor.origin).searchParams.get("state")!;
  for (const other of ["", `${state.slice(1)}A`, strangersState]) {
    expectNothing(await visitor.open(await posted(visitor, search.slice(1).replace(state, other))), visitor);
  }
  // A login CSRF: the attacker's answer in the victim's browser, which has also visited a provider.
  for (const victim of [new Visitor(), stranger.visitor]) {
    expectNothing(await victim.open(await posted(victim, search.slice(1))), victim);
  }
  expect(await attempts()).toHaveLength(1);
  expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  expect(answerOf(await visitor.open(await posted(visitor, search.slice(1)))).code).toBeString();
  expect(await attempts()).toHaveLength(0);
});

test.concurrent("these are all the forms", async () => {
  const pages = [...new Set(composedApp().routes.map(({ path }) => path))].filter((path) => PAGES.test(path));
  const taking = await Promise.all(
    pages.map(async (path) => {
      const { headers } = await fetch(shared().url + path.replace(":id", "1"), { method: "PUT" });
      return headers.get("allow")?.includes("POST") ? [path] : [];
    }),
  );
  const listed = Object.keys(FORMS).map((name) => name.split(":")[0]!);
  expect(taking.flat().sort()).toEqual([...new Set([...listed, OF_A_PROVIDER, ...OF_INVITATIONS])].sort());
});

/** Pages of sign-in and the account; forms of the console are tested in test/console. */
const PAGES = /^\/(signin|consent|signout|account|device)(\/|$)/;

/** Not framed, not cached, and without content of other sites. */
function expectGuarded({ headers, html }: View): void {
  expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(headers.get("content-security-policy")).not.toContain("unsafe");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("cache-control")).toContain("no-store");
  expect(html).not.toMatch(/\sstyle=|<style|<script(?! src="\/assets\/)|\son[a-z]+=/);
}

const stranger = await signedIn();
const strangersPage = () => stranger.visitor.open("/account/password");

test.concurrent("every form rejects a repeated field, too large a body, and another media type", async () => {
  const { visitor, client } = await signedIn();
  const twice = await visitor.post("/account/password", "csrf=a&csrf=b");
  expect(twice.status).toBe(400);
  expect((await visitor.post("/account/password", { x: "x".repeat(70_000) })).status).toBe(413);
  const json = await fetch(`${visitor.origin}/account/password`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: visitor.cookieHeader },
    body: "{}",
  });
  expect(json.status).toBe(415);
  expect((await fetch(`${visitor.origin}/account/sessions/end`)).status).toBe(405);
  expect(await rowsOf("sessions", { tenant_id: client.tenant.tenantId })).toHaveLength(1);
});
