// Changing and setting passwords, and rejecting common ones.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { ok, unique } from "../world/api.ts";
import { answerOf } from "../world/client.ts";
import { alertOf, enrolled, newApplication, Person, signedIn, statusOf } from "../world/person.ts";
import { removePasswords } from "../world/planted.ts";
import { eventsOf, expire, rowsOf } from "../world/rows.ts";
import { clientOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const GOOD = "correct horse battery staple";
/** 256 characters of two code units, in no order. */
const PICTURES = Array.from({ length: 256 }, (_, at) => String.fromCodePoint(0x1f400 + ((at * 89) % 256))).join("");
const PATH = "/account/password";

describe.concurrent("changing the password", () => {
  test("ends every other session with its tokens and codes, and says so", async () => {
    const person = await signedIn();
    const { client } = person;
    const { password } = client.tenant.admin;
    const other = await signedIn(client);
    const tokens = (await client.token(await client.code(other.visitor))).body;
    const waiting = await client.code(other.visitor);
    const own = (await client.token(await client.code(person.visitor))).body;

    const done = await person.send(PATH, { password, new_password: GOOD });
    expect(statusOf(done)).toBe("Your password is changed. You are signed out everywhere else.");
    expect(await other.isSignedIn()).toBe(false);
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await client.token(waiting)).body).toMatchObject({ error: "invalid_grant" });
    expect(await person.isSignedIn()).toBe(true);
    expect((await client.refresh(own.refresh_token)).status).toBe(200);

    expect((await new Person(client).signIn(password)).status).toBe(422);
    expect(answerOf(await new Person(client).signIn(GOOD)).code).toBeString();
  });

  test("is not a change of the User's record and causes no event", async () => {
    const person = await signedIn();
    const { tenantId, admin } = person.client.tenant;
    await person.send(PATH, { password: admin.password, new_password: GOOD });
    expect(await eventsOf(tenantId)).toEqual([]);
  });

  test("rejects short, overlong, common and personal passwords, and keeps the old one", async () => {
    const person = await signedIn();
    const { password } = person.client.tenant.admin;
    const page = await person.visitor.open(PATH);
    const bad: [string, RegExp][] = [
      ["", /at least 8 characters/],
      ["x7!kQ2z", /at least 8 characters/],
      ["ab ".repeat(86).slice(0, 257), /at most 256 characters/],
      ["password1", /could be guessed in less than a second/],
      ["PASSWORD1", /could be guessed in/],
      ["gatehouse", /contains the name of this service/],
      ["Administrator2026!", /could be guessed in/],
    ];
    for (const [new_password, says] of bad) {
      const view = await person.visitor.submit(page, { password, new_password });
      expect(view).toMatchObject({ status: 422, heading: "Change your password" });
      expect(alertOf(view)).toMatch(says);
      expect(view.html).not.toContain(`value="${new_password}"`);
    }
    expect(answerOf(await new Person(person.client).signIn(password)).code).toBeString();
  });

  test("accepts any other password, whatever its characters", async () => {
    const person = await signedIn();
    let { password } = person.client.tenant.admin;
    for (const new_password of ["a h c w e q g z", "loudlypurplekettle", "пароль из слов", PICTURES]) {
      const view = await person.send(PATH, { password, new_password });
      expect({ new_password, heading: view.heading }).toEqual({ new_password, heading: "Your account" });
      password = new_password;
    }
    expect(answerOf(await new Person(person.client).signIn(password)).code).toBeString();
  });

  test("treats different compositions of the same characters as one password", async () => {
    const person = await signedIn();
    const { password } = person.client.tenant.admin;
    await person.send(PATH, { password, new_password: "café au lait, señor".normalize("NFD") });
    expect(answerOf(await new Person(person.client).signIn("café au lait, señor".normalize("NFC"))).code).toBeString();
  });

  test("requires the old one, and guesses are throttled", async () => {
    const person = await signedIn();
    const page = await person.visitor.open(PATH);
    const guess = (password: string) => person.visitor.submit(page, { password, new_password: GOOD });
    const first = await guess("a guess");
    expect([first.status, alertOf(first)]).toEqual([422, "Wrong password."]);
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) statuses.push((await guess("a guess")).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    expect((await guess(person.client.tenant.admin.password)).status).toBe(429);
  });

  test("is not offered to a user without a password", async () => {
    const person = await signedIn();
    await removePasswords(person.client.tenant);
    expect((await person.account()).html).not.toContain(PATH);
    expect((await person.visitor.open(PATH)).heading).toBe("Your account");
  });
});

/** The response of POST …/PasswordReset, and the path of its link. */
async function linkFor(client: Awaited<ReturnType<typeof newApplication>>, username = "admin") {
  const admin = await clientOf(client.tenant);
  const [user] = (await ok(admin.get(`/User?Username=${username}`))).Items;
  const answer = await admin.send("POST", `/User/${user.Id}/PasswordReset`);
  expect(answer.status).toBe(200);
  const { Url, ExpiresOn } = answer.body;
  return { path: Url.slice(new URL(Url).origin.length) as string, url: Url as string, expiresOn: ExpiresOn, answer };
}

describe.concurrent("a one-time link", () => {
  test("sets the password once, and ends every session", async () => {
    const person = await signedIn();
    const { client } = person;
    const tokens = (await client.token(await client.code(person.visitor))).body;
    const { path, expiresOn, answer } = await linkFor(client);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(new Date(expiresOn).getTime() - Date.now()).toBeWithin(3_500_000, 3_610_000);

    const visitor = new Visitor();
    const page = await visitor.open(path);
    expect(page).toMatchObject({ status: 200, heading: "Choose a password" });
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    const short = await visitor.submit(page, { new_password: "short" });
    expect([short.status, alertOf(short)]).toEqual([422, "A password must have at least 8 characters."]);
    const set = await visitor.submit(short, { new_password: GOOD });
    expect(set.heading).toBe("Your password is set");
    expect(set.html).toContain('<a href="/settings">Sign in to Settings</a>');

    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
    expect(await person.isSignedIn()).toBe(false);
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect(answerOf(await new Person(client).signIn(GOOD)).code).toBeString();
    expect((await visitor.submit(page, { new_password: "another good one" })).status).toBe(404);
    expect(await visitor.open(path)).toMatchObject({ status: 404, heading: "Not Found" });
  });

  test("used by two at once sets one password", async () => {
    const { path } = await linkFor(await newApplication());
    const sent = await Promise.all(
      ["first good one", "second good one"].map(async (new_password) => {
        const visitor = new Visitor();
        return visitor.submit(await visitor.open(path), { new_password });
      }),
    );
    expect(sent.map((view) => view.status).sort()).toEqual([200, 404]);
  });

  test("gives a User created by REST the first password", async () => {
    const client = await newApplication();
    const admin = await clientOf(client.tenant);
    const Username = unique("ana");
    await ok(admin.patch("/User", { Username, Is_Active: true }));
    const { path } = await linkFor(client, Username);
    const visitor = new Visitor();
    await visitor.submit(await visitor.open(path), { new_password: GOOD });
    const page = await visitor.open(client.authorize());
    expect(answerOf(await visitor.submit(page, { username: Username, password: GOOD })).code).toBeString();
  });

  test("expires after an hour, and when a new link is made", async () => {
    const client = await newApplication();
    const first = await linkFor(client);
    const second = await linkFor(client);
    expect((await new Visitor().open(first.path)).status).toBe(404);
    expect((await new Visitor().open(second.path)).status).toBe(200);
    await expire("password_resets", { tenant_id: client.tenant.tenantId });
    const late = new Visitor();
    expect((await late.open(second.path)).status).toBe(404);
  });

  test("requires a User of the caller's tenant with a Username", async () => {
    const [client, stranger] = await Promise.all([newApplication(), newApplication()]);
    const [admin, other] = await Promise.all([clientOf(client.tenant), clientOf(stranger.tenant)]);
    const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
    expect((await other.send("POST", `/User/${user.Id}/PasswordReset`)).status).toBe(404);
    expect(await rowsOf("password_resets", { user_id: user.Id })).toHaveLength(0);
    const nameless = await ok(admin.patch("/User", { Name: unique("nameless") }));
    expect((await admin.send("POST", `/User/${nameless.Id}/PasswordReset`)).status).toBe(409);
    const reader = await admin.withScope("Settings:Read");
    expect((await reader.send("POST", `/User/${user.Id}/PasswordReset`)).status).toBe(403);
  });

  test("can be forbidden by a policy to callers who may change other settings", async () => {
    const client = await newApplication();
    const admin = await clientOf(client.tenant);
    const Policy = `forbid (principal, action == Action::"Settings:Update", resource is User) when { resource.Username == "admin" };`;
    await ok(admin.patch("/Policy", { Name: "no resets of the admin", Policy }));
    const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
    expect((await admin.send("POST", `/User/${user.Id}/PasswordReset`)).status).toBe(403);
  });

  test("is not stored in plain text", async () => {
    const client = await newApplication();
    const { url } = await linkFor(client);
    const token = new URL(url).searchParams.get("token")!;
    const [row] = await rowsOf("password_resets", { tenant_id: client.tenant.tenantId });
    expect(Buffer.from(row!.digest).toString("hex")).toBe(new Bun.CryptoHasher("sha256").update(token).digest("hex"));
  });

  test("leaves the second factor unchanged", async () => {
    const { person, app } = await enrolled();
    const { path } = await linkFor(person.client);
    const visitor = new Visitor();
    await visitor.submit(await visitor.open(path), { new_password: GOOD });
    const again = new Person(person.client);
    const page = await again.signIn(GOOD);
    expect(page.heading).toBe("Enter your code");
    const code = answerOf(await again.visitor.submit(page, { code: app.code(1) })).code!;
    expect(decodeJwt((await person.client.token(code)).body.id_token)).toMatchObject({ acr: "2" });
  });
});
