// The user's own mail address: verified and changed by links in mails, and taken back after a change by someone else.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { ok, unique } from "../world/api.ts";
import { answerOf, type Client } from "../world/client.ts";
import { arrived, mailsTo, newAddress } from "../world/mailbox.ts";
import { alertOf, newApplication, Person, signedIn, statusOf } from "../world/person.ts";
import { eventsOf, rowsOf, setRows } from "../world/rows.ts";
import { clientOf, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const GOOD = "correct horse battery staple";
const CHANGE = "/account/address/change";
const VERIFY = "/account/address/verify";

async function setAddress(client: Client, Email: string, EmailVerified: boolean): Promise<void> {
  const admin = await clientOf(client.tenant);
  const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
  await ok(admin.patch("/User", { Id: user.Id, Email, EmailVerified }));
}

async function own(client: Client): Promise<{ Email: string; EmailVerified: boolean }> {
  const admin = await clientOf(client.tenant);
  const [{ Email, EmailVerified }] = (await ok(admin.get("/User?Username=admin"))).Items;
  return { Email, EmailVerified };
}

const pathOf = (link: string) => link.slice(new URL(link).origin.length);

/** Opens the last mail's link in the person's browser and presses its button. */
async function confirm(person: Person, address: string, count = 1) {
  const mails = await arrived(address, count);
  return person.visitor.submit(await person.visitor.open(pathOf(mails.at(-1)!.link)));
}

describe.concurrent("a mail address", () => {
  test("is verified by the link of a mail: only the button uses it up, once", async () => {
    const person = await signedIn();
    const { client } = person;
    const address = newAddress();
    await setAddress(client, address, false);
    expect((await person.account()).html).toContain("not verified");
    expect(statusOf(await person.press(VERIFY))).toMatch(/^A mail with a link is on its way/);
    const [mail] = await arrived(address);
    const page = await person.visitor.open(pathOf(mail.link));
    expect(page).toMatchObject({ status: 200, heading: "Confirm your address" });
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(await own(client)).toEqual({ Email: address, EmailVerified: false });

    expect(statusOf(await person.visitor.submit(page))).toBe("Your mail address is verified.");
    expect(await own(client)).toEqual({ Email: address, EmailVerified: true });
    expect((await person.visitor.submit(page)).status).toBe(404);
    const code = await client.code(person.visitor, { scope: "openid email" });
    const { access_token } = (await client.token(code)).body;
    const headers = { authorization: `Bearer ${access_token}` };
    const info = await request("GET", "/oauth2/userinfo", { headers });
    expect(info.body).toMatchObject({ email: address, email_verified: true });
    expect((await eventsOf(client.tenant.tenantId)).length).toBeGreaterThan(0);
  });

  test("changes once the new one is confirmed, and the former one gets a mail", async () => {
    const person = await signedIn();
    const { client } = person;
    const { password } = client.tenant.admin;
    const [former, next] = [newAddress(), newAddress()];
    await setAddress(client, former, true);
    const wrong = await person.send(CHANGE, { address: next, password: "a guess" });
    expect([wrong.status, alertOf(wrong)]).toEqual([422, "Wrong password."]);
    expect(wrong.forms[0]!.fields.address).toBe(next);
    for (const address of [
      "",
      "ana",
      "a@b.example, c@d.example",
      "a@b.example\r\nBcc: c@d.example",
      `"a" <b@c.example>`,
    ]) {
      const view = await person.send(CHANGE, { address, password });
      expect([address, view.status]).toEqual([address, 422]);
    }
    await person.send(CHANGE, { address: next, password });
    expect(await own(client)).toEqual({ Email: former, EmailVerified: true });
    expect(statusOf(await confirm(person, next))).toBe("Your mail address is verified.");
    expect(await own(client)).toEqual({ Email: next, EmailVerified: true });
    const [told] = await arrived(former);
    expect(told.link).toContain("/account/not-me?token=");
    expect(await mailsTo(next)).toHaveLength(1);
  });

  test("of someone else is not verified by its owner's click", async () => {
    const [attacker, client] = [await signedIn(), await newApplication()];
    const address = newAddress();
    const { password } = attacker.client.tenant.admin;
    await attacker.send(CHANGE, { address, password });
    const [mail] = await arrived(address);
    const owner = await signedIn(client);
    const asked = await owner.visitor.open(pathOf(mail.link));
    expect(asked.heading).toBe("Another organisation");
    const stranger = new Visitor();
    expect((await stranger.open(pathOf(mail.link))).heading).toBe("Sign in");
    // A colleague of the same organisation.
    const admin = await clientOf(attacker.client.tenant);
    const Username = unique("ana");
    const user = await ok(admin.patch("/User", { Username, Is_Active: true }));
    const { Url } = await ok(admin.send("POST", `/User/${user.Id}/PasswordReset`));
    const visitor = new Visitor();
    await visitor.submit(await visitor.open(pathOf(Url)), { new_password: GOOD });
    const colleague = await signedIn(attacker.client, { username: Username, password: GOOD });
    expect((await colleague.visitor.open(pathOf(mail.link))).status).toBe(404);
    expect(await own(attacker.client)).toEqual({ Email: "", EmailVerified: false });
  });

  test("link continues after the sign-in that it asks for", async () => {
    const person = await signedIn();
    const { client } = person;
    const address = newAddress();
    await setAddress(client, address, false);
    await person.press(VERIFY);
    const [mail] = await arrived(address);
    const phone = new Visitor();
    const door = await phone.open(pathOf(mail.link));
    expect(door.heading).toBe("Sign in");
    const page = await phone.submit(door, client.tenant.admin);
    expect(page.heading).toBe("Confirm your address");
    await phone.submit(page);
    expect(await own(client)).toEqual({ Email: address, EmailVerified: true });
  });

  test("link is void after a newer one, another address or a deactivation", async () => {
    const person = await signedIn();
    const { client } = person;
    const { password, username } = client.tenant.admin;
    expect(username).toBe("admin");
    const addresses = [newAddress(), newAddress(), newAddress()];
    await person.send(CHANGE, { address: addresses[0], password });
    const [first] = await arrived(addresses[0]!);
    await person.send(CHANGE, { address: addresses[1], password });
    const [second] = await arrived(addresses[1]!);
    expect((await person.visitor.open(pathOf(first.link))).status).toBe(404);
    expect((await person.visitor.open(pathOf(second.link))).status).toBe(200);
    await setAddress(client, newAddress(), true);
    expect((await person.visitor.open(pathOf(second.link))).status).toBe(404);
    await person.send(CHANGE, { address: addresses[2], password });
    const [third] = await arrived(addresses[2]!);
    await setRows("users", { tenant_id: client.tenant.tenantId }, { is_active: false });
    await setRows("users", { tenant_id: client.tenant.tenantId }, { is_active: true });
    expect((await (await signedIn(client)).visitor.open(pathOf(third.link))).status).toBe(404);
  });

  test("gets at most five links an hour", async () => {
    const person = await signedIn();
    const address = newAddress();
    await setAddress(person.client, address, false);
    for (let count = 0; count < 5; count++) await person.press(VERIFY);
    expect(statusOf(await person.press(VERIFY))).toMatch(/^Your address has had many mails/);
    await arrived(address, 5);
  });

  test("of strangers get at most ten links an hour by one user", async () => {
    const person = await signedIn();
    const { password } = person.user;
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) {
      statuses.push((await person.send(CHANGE, { address: newAddress(), password })).status);
    }
    expect(statuses).toEqual([...new Array(10).fill(200), 429]);
    const { tenantId } = person.client.tenant;
    expect(await rowsOf("mails", { tenant_id: tenantId, kind: "VerifyAddress" })).toHaveLength(10);
  });
});

describe.concurrent("a change that was not the owner's", () => {
  test("is undone by the mail's link: sessions end, and the address and the password are the owner's again", async () => {
    const thief = await signedIn();
    const { client } = thief;
    const { password } = client.tenant.admin;
    const [address, theirs] = [newAddress(), newAddress()];
    await setAddress(client, address, true);
    const tokens = (await client.token(await client.code(thief.visitor))).body;
    await thief.send("/account/password", { password, new_password: GOOD });
    await thief.send(CHANGE, { address: theirs, password: GOOD });
    await confirm(thief, theirs);
    // The thief gets a warning, too: its link must not win.
    await thief.send("/account/password", { password: GOOD, new_password: `${GOOD} 2` });
    const [, , later] = await arrived(theirs, 2).then(([one, two]) => [one, undefined, two]);

    const [, warning] = await arrived(address, 2);
    const owner = new Visitor();
    const page = await owner.open(pathOf(warning!.link));
    expect(page).toMatchObject({ status: 200, heading: "Was this not you?" });
    expect(page.forms).toHaveLength(1);
    expect(await own(client)).toMatchObject({ Email: theirs });
    expect((await owner.submit(page)).heading).toBe("Your account is protected");
    expect((await owner.submit(page)).status).toBe(404);
    expect((await new Visitor().open(pathOf(later!.link))).status).toBe(404);
    expect(await own(client)).toEqual({ Email: address, EmailVerified: true });
    expect(await thief.isSignedIn()).toBe(false);
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await new Person(client).signIn(`${GOOD} 2`)).status).toBe(422);
    const reset = (await arrived(address, 3)).at(-1)!;
    await owner.submit(await owner.open(pathOf(reset.link)), { new_password: "another good passphrase" });
    expect(answerOf(await new Person(client).signIn("another good passphrase")).code).toBeString();
    const admin = await clientOf(client.tenant);
    const { Items } = await ok(admin.get("/AuditEvent?Kind=Account.TakenBack"));
    expect(Items).toHaveLength(1);
  });

  test("is undone with the link that the thief has asked for, although the owner had asked for one before", async () => {
    const person = await signedIn();
    const { client } = person;
    const { password, tenantId } = { ...client.tenant.admin, ...client.tenant };
    const address = newAddress();
    await setAddress(client, address, true);
    await person.send(CHANGE, { address: newAddress(), password });
    await person.send("/account/password", { password, new_password: GOOD });
    await person.send(CHANGE, { address: newAddress(), password: GOOD });
    expect(await rowsOf("mailed_links", { tenant_id: tenantId, purpose: "Address" })).toHaveLength(1);
    const [warning] = await arrived(address);
    const owner = new Visitor();
    await owner.submit(await owner.open(pathOf(warning.link)));
    expect(await rowsOf("mailed_links", { tenant_id: tenantId })).toEqual([]);
  });

  test("cannot be undone after an administrator has set the address, and no unverified address gets a warning", async () => {
    const person = await signedIn();
    const { client } = person;
    const { password } = client.tenant.admin;
    const [address, unverified] = [newAddress(), newAddress()];
    await setAddress(client, address, true);
    await person.send("/account/password", { password, new_password: GOOD });
    const [warning] = await arrived(address);
    await setAddress(client, unverified, false);
    expect((await new Visitor().open(pathOf(warning.link))).status).toBe(404);
    await person.send("/account/password", { password: GOOD, new_password: `${GOOD} 2` });
    const code = await client.code(person.visitor);
    expect(decodeJwt((await client.token(code)).body.id_token).sub).toBeString();
    expect(await mailsTo(unverified)).toEqual([]);
  });
});
