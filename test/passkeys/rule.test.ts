// A tenant's rule for passkeys: encouraged, required of all or of a role's users, from a date, of some models.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { type Api, ok } from "../world/api.ts";
import { answerOf, type Client, issuer } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { arrived, newAddress } from "../world/mailbox.ts";
import { alertOf, enrolled, newApplication, Person, signedIn } from "../world/person.ts";
import { elapse, rowsOf, setRows } from "../world/rows.ts";
import { addPasskey, answerWith, SecurityKey, withPasskey } from "../world/security-key.ts";
import { clientOf } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const LATER = new Date(Date.now() + 86_400_000).toISOString();
const BEFORE = new Date(Date.now() - 86_400_000).toISOString();

async function ruled(client: Client, rule: Record<string, unknown>): Promise<Api> {
  const admin = await clientOf(client.tenant);
  await ok(admin.patch("/TenantSettings", rule));
  return admin;
}

async function claimsOf(client: Client, view: View) {
  return decodeJwt((await client.token(answerOf(view).code!)).body.id_token);
}

const newPasskey = (person: Person, page: View, key = new SecurityKey()) => answerWith(person, page, key.create(page));

describe.concurrent("required", () => {
  test("a user without a passkey adds one before anything else, and that is audited and mailed", async () => {
    const client = await newApplication();
    await ruled(client, { Passkeys: "Required" });
    const person = new Person(client);
    const page = await person.signIn();
    expect([page.heading, page.html]).toEqual(["Add a passkey", expect.stringContaining("Your organisation requires")]);
    expect(page.html).not.toContain("Not now");
    expect(await person.isSignedIn()).toBe(false);
    expect((await person.account()).heading).toBe("Add a passkey");
    // Declining is not possible.
    const { fields } = page.forms.find((one) => "credential" in one.fields)!;
    expect((await person.visitor.post("/signin/new-passkey", { ...fields, later: "true" })).heading).toBe(
      "Add a passkey",
    );
    const view = await newPasskey(person, page);
    expect(await claimsOf(client, view)).toMatchObject({ acr: "2", amr: ["pwd", "hwk", "mfa"] });
    expect((await person.account()).heading).toBe("Your account");
    const { tenantId } = client.tenant;
    const [added] = await rowsOf("audit_log", { tenant_id: tenantId, kind: "Passkey.Added" });
    expect(added!.details).toMatchObject({ Required: true });
    expect(await rowsOf("audit_log", { tenant_id: tenantId, kind: "SignIn.Succeeded" })).toHaveLength(1);
  });

  test("a password, with or without a code, is not enough for a user who has one", async () => {
    const { person, key } = await withPasskey();
    await ruled(person.client, { Passkeys: "Required" });
    // The session began with a password.
    expect(await person.isSignedIn()).toBe(false);
    const other = new Person(person.client);
    const page = await other.signIn();
    expect(page.heading).toBe("Use your passkey");
    expect((await other.visitor.open("/account/second-factor")).heading).toBe("Use your passkey");
    const view = await answerWith(other, page, key.get(page));
    expect(await claimsOf(person.client, view)).toMatchObject({ amr: ["pwd", "hwk", "mfa"] });

    const { person: careful, app } = await enrolled();
    await ruled(careful.client, { Passkeys: "Required" });
    const third = new Person(careful.client);
    const code = await third.signIn();
    expect(code.heading).toBe("Enter your code");
    const { fields } = code.forms.find((one) => "code" in one.fields)!;
    // A stolen password is not enough to add a passkey.
    expect((await third.visitor.post("/signin/new-passkey", { ...fields, credential: "{}" })).heading).toBe(
      "Enter your code",
    );
    const asked = await third.visitor.submit(code, { code: app.code(1) });
    expect(asked.heading).toBe("Add a passkey");
    expect(await third.isSignedIn()).toBe(false);
    expect(await claimsOf(careful.client, await newPasskey(third, asked))).toMatchObject({
      amr: ["pwd", "otp", "mfa", "hwk"],
    });
  });

  test("an older session must sign in again before a passkey is added", async () => {
    const person = await signedIn();
    await ruled(person.client, { Passkeys: "Required" });
    await elapse("11 minutes", "sessions", { tenant_id: person.client.tenant.tenantId }, "created_on");
    expect((await person.account()).heading).toBe("Sign in");
  });

  test("recovery by an administrator leads to a new passkey: by its removal, and by a password link", async () => {
    const { person, key } = await withPasskey();
    const admin = await ruled(person.client, { Passkeys: "Required" });
    const { Items: users } = await ok(admin.get("/User?Username=admin"));
    const path = `/User/${users[0].Id}`;
    const finished = await person.visitor.open(person.client.authorize());
    await answerWith(person, finished, key.get(finished));
    const { Url } = await ok(admin.send("POST", `${path}/PasswordReset`));
    const link = new URL(Url);
    const other = new Person(person.client, { ...person.user, password: "a much longer phrase 7" });
    const reset = await other.visitor.open(link.pathname + link.search);
    await other.visitor.submit(reset, { new_password: other.user.password });
    expect((await other.signIn()).heading).toBe("Use your passkey");
    const { Items } = await ok(admin.get(`${path}/Passkeys`));
    await ok(admin.call("DELETE", `${path}/Passkeys/${Items[0].Id}`));
    const page = await other.visitor.open("/account");
    expect(page.heading).toBe("Add a passkey");
    await newPasskey(other, page);
    const { tenantId } = person.client.tenant;
    expect(await rowsOf("audit_log", { tenant_id: tenantId, kind: "Passkey.Removed" })).toHaveLength(1);
    expect(await rowsOf("audit_log", { tenant_id: tenantId, kind: "Passkey.Added" })).toHaveLength(2);
  });

  test("from a date on, and of the users of a role alone", async () => {
    const client = await newApplication();
    const admin = await ruled(client, { PasskeysRequiredFrom: LATER });
    const colleague = new Person(client, (await newColleague(admin)) as Person["user"]);
    const { Items: users } = await ok(admin.get(`/User?Username=${colleague.user.username}`));
    const Members = [{ Type: "User", Id: users[0].Id }];
    const role = await ok(admin.patch("/Role", { Name: "cashier", Members, RequiresPasskey: true }));
    expect(role).toMatchObject({ RequiresPasskey: true });
    expect((await colleague.signIn()).location?.searchParams.has("code")).toBe(true);
    await ok(admin.patch("/TenantSettings", { PasskeysRequiredFrom: BEFORE }));
    expect(await colleague.isSignedIn()).toBe(false);
    expect((await new Person(client).signIn()).location?.searchParams.has("code")).toBe(true);
    expect((await new Person(client, colleague.user).signIn()).heading).toBe("Add a passkey");
    await ok(admin.patch("/TenantSettings", { Passkeys: "Required", PasskeysRequiredFrom: LATER }));
    expect((await new Person(client).signIn()).heading).toBe("Sign in faster next time");
  });

  test("of some models: others neither count nor can be added", async () => {
    const { person, key } = await withPasskey();
    const { client } = person;
    const model = crypto.randomUUID();
    await ruled(client, { Passkeys: "Required", PasskeyModels: [model.toUpperCase()] });
    const other = new Person(client);
    const asked = await other.visitor.open(client.authorize());
    const page = await answerWith(other, asked, key.get(asked));
    expect(page.heading).toBe("Add a passkey");
    const refused = await newPasskey(other, page);
    expect([refused.status, alertOf(refused)]).toEqual([422, expect.stringContaining("only some models")]);
    const view = await newPasskey(other, refused, new SecurityKey({ aaguid: model }));
    expect(view.location?.searchParams.has("code")).toBe(true);
  });
});

describe.concurrent("encouraged", () => {
  test("a passkey is offered after a password, and not again for 30 days", async () => {
    const client = await newApplication();
    await ruled(client, { Passkeys: "Encouraged" });
    const person = new Person(client);
    const page = await person.signIn();
    expect(page.heading).toBe("Sign in faster next time");
    // The application gets its answer without a question.
    expect(await person.isSignedIn()).toBe(true);
    const later = page.forms.find(({ fields }) => "later" in fields)!;
    expect((await person.visitor.post(later.action, later.fields)).location?.searchParams.has("code")).toBe(true);
    expect((await new Person(client).signIn()).location?.searchParams.has("code")).toBe(true);
    await elapse("31 days", "passkey_handles", { tenant_id: client.tenant.tenantId }, "asked_on");
    const again = new Person(client);
    const view = await newPasskey(again, await again.signIn());
    expect(await claimsOf(client, view)).toMatchObject({ acr: "2", amr: ["pwd", "hwk", "mfa"] });
    await elapse("31 days", "passkey_handles", { tenant_id: client.tenant.tenantId }, "asked_on");
    expect((await new Person(client).signIn()).location?.searchParams.has("code")).toBe(true);
  });
});

describe.concurrent("the settings", () => {
  test("have clear errors, and do not lock out the administrator who changes them", async () => {
    const client = await newApplication();
    const admin = await clientOf(client.tenant);
    const refused = await admin.patch("/TenantSettings", {
      Passkeys: "Always",
      PasskeysRequiredFrom: "soon",
      PasskeyModels: ["x"],
    });
    expect(refused.body.Errors).toEqual([
      "Passkeys must be Optional or Encouraged or Required.",
      "PasskeysRequiredFrom must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z, or null.",
      "PasskeyModels must be a list of at most 100 AAGUIDs, such as ee882879-721c-4913-9775-3dfcce97072a.",
    ]);
    expect(await ok(admin.patch("/TenantSettings", { PasskeysRequiredFrom: "2026-01-31" }))).toMatchObject({
      Passkeys: "Optional",
      PasskeysRequiredFrom: "2026-01-31T00:00:00.000Z",
      PasskeyModels: [],
    });
  });
});

describe.concurrent("an application asks only for what is missing", () => {
  const ESSENTIAL = { claims: '{"id_token":{"acr":{"essential":true,"values":["2"]}}}' };

  test("two factors: the passkey beside the password of the session, nothing after a passkey", async () => {
    const { person, key } = await withPasskey();
    const page = await person.visitor.open(person.client.authorize(ESSENTIAL));
    expect(page.heading).toBe("Use your passkey");
    const view = await answerWith(person, page, key.get(page));
    expect(await claimsOf(person.client, view)).toMatchObject({ acr: "2", amr: ["pwd", "hwk", "mfa"] });
    expect((await person.visitor.open(person.client.authorize(ESSENTIAL))).location).toBeDefined();
    // acr_values are a preference.
    expect(
      (await (await signedIn(person.client)).visitor.open(person.client.authorize({ acr_values: "2" }))).location,
    ).toBeDefined();
  });

  test("max_age: one passkey is a new sign-in with two factors", async () => {
    const { person, key } = await withPasskey();
    await elapse("2 minutes", "sessions", { tenant_id: person.client.tenant.tenantId }, "auth_time");
    const asked = { ...ESSENTIAL, max_age: "60" };
    const page = await person.visitor.open(person.client.authorize(asked));
    expect(page.heading).toBe("Sign in");
    const claims = await claimsOf(person.client, await answerWith(person, page, key.get(page)));
    expect(claims).toMatchObject({ acr: "2", amr: ["hwk", "mfa"] });
    expect(Date.now() / 1000 - Number(claims.auth_time)).toBeLessThan(60);
    expect((await person.visitor.open(person.client.authorize({ max_age: "60" }))).location).toBeDefined();
  });
});

test("the overview counts sign-ins by passkey", async () => {
  const { person, key } = await withPasskey();
  await addPasskey(person);
  const other = Object.assign(new Person(person.client), { visitor: new Visitor(issuer()) });
  const page = await other.visitor.open(`/settings?organisation=${person.client.tenant.tenantId}`);
  const settings = await answerWith(other, page, key.get(page));
  expect(settings.html).toMatch(/Sign-ins by passkey, 24 h[^%]*>\s*\d+ %/);
});

test('a mail tells the owner of an added and of a removed passkey; "this was not me" removes recent ones', async () => {
  const person = await signedIn();
  const { client } = person;
  const address = newAddress();
  await setRows("users", { tenant_id: client.tenant.tenantId }, { email: address, email_verified: true });
  const thief = await addPasskey(person);
  const [mail] = await arrived(address);
  expect(mail!.subject).toStartWith("A passkey for ");
  expect(mail!.subject).toEndWith(" was added");
  await person.press("/account/passkeys/remove");
  const subjects = (await arrived(address, 2)).map(({ subject }) => subject);
  expect(subjects.some((one) => one?.endsWith(" was removed"))).toBe(true);
  const key = await addPasskey(person);
  expect(thief.id).not.toBe(key.id);
  const owner = new Person(client);
  const { pathname, search } = new URL(mail!.link);
  const alarm = await owner.visitor.open(pathname + search);
  expect(alarm.html).toContain("Passkeys and accounts elsewhere that were added in the last three days are removed.");
  expect((await owner.visitor.submit(alarm)).heading).toBe("Your account is protected");
  expect(await rowsOf("passkeys", { tenant_id: client.tenant.tenantId })).toEqual([]);
  expect(await person.isSignedIn()).toBe(false);
});
