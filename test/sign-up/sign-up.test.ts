// People make their own account, by the tenant's rules.

import { describe, expect, test } from "bun:test";
import { type Api, ok, until } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { answerOf, type Client, issuer } from "../world/client.ts";
import { holdUsers, untilWaiting } from "../world/locks.ts";
import { arrived, mailsTo, newAddress } from "../world/mailbox.ts";
import { alertOf, newApplication, Person } from "../world/person.ts";
import { expire, rowsOf } from "../world/rows.ts";
import { clientOf } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const GOOD = "correct horse battery staple";
const SENT = "Look into your mail";
const FORM = "Make your account";
const pathOf = (link: string) => link.slice(new URL(link).origin.length);
const domainOf = (address: string) => address.slice(address.indexOf("@") + 1);

async function open(settings: Record<string, unknown>): Promise<{ client: Client; admin: Api }> {
  const client = await newApplication();
  const admin = await clientOf(client.tenant);
  await ok(admin.patch("/TenantSettings", settings));
  return { client, admin };
}

/** Presses "Make an account" on the sign-in page. */
async function askPage(client: Client, visitor = new Visitor()): Promise<View> {
  const page = await visitor.open(client.authorize());
  const href = /<a href="([^"]*)">Make an account</.exec(page.html)?.[1];
  if (!href) throw new Error(`No link on the page "${page.heading}".`);
  return visitor.open(href);
}

async function ask(client: Client, email: string, more: Record<string, string> = {}): Promise<View> {
  const visitor = new Visitor();
  return visitor.submit(await askPage(client, visitor), { email, ...more });
}

async function linkFor(client: Client, address: string, count = 1): Promise<string> {
  expect((await ask(client, address)).heading).toBe(SENT);
  return pathOf((await arrived(address, count)).at(-1)!.link);
}

const refusals = async (admin: Api) =>
  (await logOf(admin, "Kind=SignUp.Refused")).map(({ Details }) => (Details as { Reason: string }).Reason);

const refused = (admin: Api, reason: string) =>
  until(`the refusal ${reason}`, async () => (await refusals(admin)).includes(reason));

describe.concurrent("sign-up", () => {
  test("is off until the tenant opens it", async () => {
    const client = await newApplication();
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    expect(page.html).not.toContain("Make an account");
    const request = page.forms[0]!.fields.request!;
    const carried = Buffer.from(request).toString("base64url");
    expect((await visitor.open(`/signin/sign-up?request=${carried}`)).heading).toBe("Sign in");
    const sent = { request, csrf: page.forms[0]!.fields.csrf!, email: newAddress() };
    expect((await visitor.post("/signin/sign-up", sent)).heading).toBe("Sign in");
  });

  test("by domain makes a User once the link in the mail is used", async () => {
    const address = newAddress();
    const { client, admin } = await open({ SignUp: "Domains", SignUpDomains: [domainOf(address).toUpperCase()] });
    const path = await linkFor(client, address);
    expect(path).toStartWith("/account/sign-up?token=");
    expect((await ok(admin.get(`/User?Email=${address}`))).Items).toEqual([]);

    const visitor = new Visitor();
    const page = await visitor.open(path);
    expect(page).toMatchObject({ status: 200, heading: FORM });
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    await ok(admin.patch("/TenantSettings", { DisplayName: "Acme Ltd" }));
    expect((await visitor.open(path)).html).toContain("<span>Acme Ltd</span>");
    await ok(admin.patch("/TenantSettings", { DisplayName: null }));
    expect((await visitor.open(path)).status).toBe(200);
    const weak = await visitor.submit(page, { name: "Ana Silva", new_password: address });
    expect([weak.status, alertOf(weak)]).toEqual([422, expect.stringMatching(/could be guessed/)]);
    expect(weak.forms[0]!.fields.name).toBe("Ana Silva");
    const nameless = await visitor.submit(weak, { name: " ", new_password: GOOD });
    expect([nameless.status, alertOf(nameless)]).toEqual([422, "Enter your name."]);
    const done = await visitor.submit(weak, { name: "Ana Silva", new_password: GOOD });
    expect(done.heading).toStartWith("Welcome to");
    expect((await visitor.submit(weak, { name: "Eve", new_password: GOOD })).status).toBe(404);
    expect((await visitor.open(path)).status).toBe(404);

    const [user] = (await ok(admin.get(`/User?Email=${address}`))).Items;
    expect(user).toMatchObject({ Name: "Ana Silva", Username: address, EmailVerified: true, Is_Active: true });
    expect(await logOf(admin, "Kind=SignUp.Accepted")).toMatchObject([
      { Details: { Approval: false, Consent: false } },
    ]);
    const person = new Person(client, { username: address, password: GOOD });
    expect(answerOf(await person.signIn()).code).toBeString();
  });

  test("with approval makes an inactive User, raises an alert, and tells the person once an administrator activates it", async () => {
    const { client, admin } = await open({ SignUp: "Approval" });
    const address = newAddress();
    const visitor = new Visitor();
    const page = await visitor.open(await linkFor(client, address));
    const done = await visitor.submit(page, { name: "Ana Silva", new_password: GOOD });
    expect(done.heading).toBe("Almost done");
    const person = new Person(client, { username: address, password: GOOD });
    expect(alertOf(await person.signIn())).toBe("Wrong user name or password.");
    const alerts = async () => (await ok(admin.get("/Alert?State=Open"))).Items as { Kind: string; Reason: string }[];
    await until("the alert", async () => (await alerts()).some(({ Kind }) => Kind === "SignUps"));
    const [user] = (await ok(admin.get(`/User?Email=${address}`))).Items;
    expect(user.Is_Active).toBe(false);
    await ok(admin.patch("/User", { Id: user.Id, Is_Active: true }));
    const [, ready] = await arrived(address, 2);
    expect(ready!.subject).toEndWith("is ready");
    expect(answerOf(await person.signIn()).code).toBeString();
    await until("its end", async () => !(await alerts()).some(({ Kind }) => Kind === "SignUps"));
    await ok(admin.patch("/User", { Id: user.Id, Is_Active: false }));
    await ok(admin.patch("/User", { Id: user.Id, Is_Active: true }));
    expect(await mailsTo(address)).toHaveLength(2);
  });

  test("by invitation sends an open invitation again, and nothing to others", async () => {
    const { client, admin } = await open({ SignUp: "Invited" });
    const address = newAddress();
    const { Id } = await ok(admin.patch("/Invitation", { Email: address, Name: "Ana" }));
    const [first] = await arrived(address);
    const path = await linkFor(client, address, 2);
    expect(path).toStartWith("/account/invitation?token=");
    const page = await new Visitor().open(path);
    expect(page.html).toContain("demo-client");
    // Anyone can ask, so that voids only a link that was asked for.
    const again = await linkFor(client, address, 3);
    const statuses = (...paths: string[]) =>
      Promise.all(paths.map(async (one) => (await new Visitor().open(one)).status));
    expect(await statuses(pathOf(first.link), path, again)).toEqual([200, 404, 200]);
    await ok(admin.send("POST", `/Invitation/${Id}/Resend`));
    const last = pathOf((await arrived(address, 4)).at(-1)!.link);
    expect(await statuses(pathOf(first.link), again, last)).toEqual([404, 404, 200]);
    // Requests leave the rest of an hour's mails to the inviter.
    expect((await ask(client, address)).heading).toBe(SENT);
    await refused(admin, "ManyMails");
    await ok(admin.send("POST", `/Invitation/${Id}/Resend`));
    const newest = pathOf((await arrived(address, 5)).at(-1)!.link);
    expect((await admin.send("POST", `/Invitation/${Id}/Resend`)).status).toBe(429);
    const visitor = new Visitor();
    const form = await visitor.open(newest);
    expect((await visitor.submit(form, { username: "ana", new_password: GOOD })).status).toBe(200);
    expect(await statuses(newest, last)).toEqual([404, 404]);
    const stranger = newAddress();
    expect((await ask(client, stranger)).heading).toBe(SENT);
    await refused(admin, "NotInvited");
    expect(await mailsTo(stranger)).toEqual([]);
  });

  test("asks for consent to the tenant's text, with links to its pages, and records it", async () => {
    const ConsentText = 'I accept the "terms" <b>of Acme</b>.';
    const pages = { TermsUri: "https://acme.example/terms", PrivacyUri: "https://acme.example/privacy" };
    const { client, admin } = await open({ SignUp: "Approval", ConsentText, ...pages });
    const visitor = new Visitor();
    const page = await visitor.open(await linkFor(client, newAddress()));
    expect(page.html).toContain("&lt;b&gt;of Acme&lt;/b&gt;");
    for (const address of Object.values(pages)) expect(page.html).toContain(`href="${address}"`);
    const unchecked = await visitor.submit(page, { name: "Ana", new_password: GOOD, agree: undefined });
    expect([unchecked.status, alertOf(unchecked)]).toEqual([422, "Check the box to continue."]);
    expect((await visitor.submit(unchecked, { name: "Ana", new_password: GOOD, agree: "on" })).heading).toBe(
      "Almost done",
    );
    expect(await logOf(admin, "Kind=SignUp.Accepted")).toMatchObject([{ Details: { Approval: true, Consent: true } }]);
    for (const wrong of ["http://acme.example", "javascript:alert(1)", "acme"]) {
      expect((await admin.patch("/TenantSettings", { TermsUri: wrong })).status).toBe(400);
    }
    expect((await admin.patch("/TenantSettings", { SignUpDomains: ["no domain"] })).status).toBe(400);
  });

  test("gives one answer for every address, and the owner of an account gets a mail that says so", async () => {
    const known = newAddress();
    const { client, admin } = await open({ SignUp: "Domains", SignUpDomains: ["mail.test"] });
    await ok(
      admin.patch("/User", { Name: "Ana", Username: "ana", Email: known, EmailVerified: true, Is_Active: true }),
    );
    await ok(admin.patch("/User", { Name: "Rui", Username: "rui@mail.test", Is_Active: true }));
    const answers: string[] = [];
    for (const email of [known, newAddress(), "ana@elsewhere.test", "rui@mail.test"]) {
      const { status, headers, html } = await ask(client, email);
      answers.push(JSON.stringify([status, headers.get("content-length"), html.replaceAll(/"[\w-]{60,}"/g, "")]));
    }
    expect(new Set(answers).size).toBe(1);
    const [exists] = await arrived(known);
    expect(exists.text).toContain("you already have one");
    expect(exists.link).toBe(`${issuer()}/account?organisation=${client.tenant.tenantId}`);
    await refused(admin, "OtherDomain");
    await until("both", async () => (await refusals(admin)).filter((one) => one === "AccountExists").length === 2);
    // The other address is not verified, so its mail has no name.
    const [unproved] = await arrived("rui@mail.test");
    expect(unproved.text).not.toContain("Rui");
  });

  test("gives a bot nothing: neither for a filled trap, nor for many requests, nor for one address", async () => {
    const { client, admin } = await open({ SignUp: "Approval" });
    const trapped = newAddress();
    expect((await ask(client, trapped, { website: "https://spam.example" })).heading).toBe(SENT);
    const address = newAddress();
    const views: View[] = [];
    for (let one = 0; one < 7; one++) views.push(await ask(client, address));
    expect(views.slice(0, 5).map(({ heading }) => heading)).toEqual(new Array(5).fill(SENT));
    const last = views.at(-1)!;
    expect([last.status, alertOf(last)]).toEqual([429, expect.stringMatching(/^Too many attempts/)]);
    expect(last.forms[0]!.fields.email).toBe(address);
    expect(await arrived(address, 5)).toHaveLength(5);
    expect(await mailsTo(trapped)).toEqual([]);
    const wrong = await ask(client, "ana@mail.test, eve@mail.test");
    expect([wrong.status, alertOf(wrong)]).toEqual([422, expect.stringMatching(/one mail address/)]);
    expect(await rowsOf("sign_ups", { tenant_id: admin.tenantId })).toHaveLength(1);
  });

  test.each<[string, (client: Client, admin: Api, address: string) => Promise<unknown>]>([
    ["another mail was sent", (client, _, address) => linkFor(client, address, 2)],
    ["24 hours have passed", ({ tenant }) => expire("sign_ups", { tenant_id: tenant.tenantId })],
    ["sign-up is closed", (_, admin) => ok(admin.patch("/TenantSettings", { SignUp: "Off" }))],
    ["the domains have changed", (_, admin) => ok(admin.patch("/TenantSettings", { SignUpDomains: ["acme.test"] }))],
  ])("its link is void once %s", async (_, change) => {
    const { client, admin } = await open({ SignUp: "Domains", SignUpDomains: ["mail.test"] });
    const address = newAddress();
    const path = await linkFor(client, address);
    const visitor = new Visitor();
    const page = await visitor.open(path);
    await change(client, admin, address);
    expect((await visitor.submit(page, { name: "Ana", new_password: GOOD })).status).toBe(404);
    expect((await ok(admin.get(`/User?Email=${address}`))).Items).toEqual([]);
  });

  test("follows the rules of the moment at which the User is made", async () => {
    const { client, admin } = await open({ SignUp: "Domains", SignUpDomains: ["mail.test"] });
    const address = newAddress();
    const visitor = new Visitor();
    const page = await visitor.open(await linkFor(client, address));
    const hold = await holdUsers(client.tenant.tenantId);
    const sent = visitor.submit(page, { name: "Ana", new_password: GOOD });
    await untilWaiting(1, ["pg_advisory_xact_lock"]);
    await ok(admin.patch("/TenantSettings", { SignUp: "Approval" }));
    await hold.release();
    expect((await sent).heading).toBe("Almost done");
    expect((await ok(admin.get(`/User?Email=${address}`))).Items).toMatchObject([{ Is_Active: false }]);
  });

  test("a User made meanwhile with the address as user name is not taken over", async () => {
    const { client, admin } = await open({ SignUp: "Approval" });
    const address = newAddress();
    const visitor = new Visitor();
    const page = await visitor.open(await linkFor(client, address));
    await ok(admin.patch("/User", { Name: "Ana", Username: address, Is_Active: true }));
    const taken = await visitor.submit(page, { name: "Eve", new_password: GOOD });
    expect([taken.status, alertOf(taken)]).toEqual([409, expect.stringMatching(/is an account with this address/)]);
    expect((await ok(admin.get(`/User?Username=${encodeURIComponent(address)}`))).Items).toHaveLength(1);
  });
});
