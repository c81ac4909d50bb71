// TOTP and recovery codes: set-up, use at sign-in, single use, and throttling.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { ok } from "../world/api.ts";
import { answerOf } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import {
  Authenticator,
  alertOf,
  atTheCode,
  codesOf,
  enrolled,
  keyOf,
  newApplication,
  signedIn,
  waitOut,
} from "../world/person.ts";
import { setUsers, tenantOf } from "../world/planted.ts";
import { rowsOf, setRows } from "../world/rows.ts";
import { clientOf } from "../world/tenant.ts";

const WRONG = "The code is wrong or was already used. Enter the next one.";

describe.concurrent("setting up", () => {
  test("shows a QR code and a key, requires a first code and the password, and shows ten recovery codes once", async () => {
    const person = await signedIn();
    const page = await person.visitor.open("/account/second-factor");
    expect(page).toMatchObject({ status: 200, heading: "Set up your authenticator" });
    expect(page.html).toContain('<svg class="qr" role="img"');
    const app = new Authenticator(keyOf(page));
    // On a phone the link opens the app, which lists the account under its organisation.
    const link = new URL(/<a href="(otpauth:[^"]+)"/.exec(page.html)![1]!.replaceAll("&amp;", "&"));
    expect(link.searchParams.get("secret")).toBe(app.key);
    const { name } = await tenantOf(person.client.tenant);
    expect(decodeURIComponent(link.pathname)).toContain(`(${name})`);
    const { password } = person.client.tenant.admin;

    const wrongCode = await person.visitor.submit(page, { password, code: app.wrongCode() });
    expect([wrongCode.status, alertOf(wrongCode), keyOf(wrongCode)]).toEqual([422, WRONG, app.key]);
    const wrongPassword = await person.visitor.submit(page, { password: "guess", code: app.code() });
    expect([wrongPassword.status, alertOf(wrongPassword)]).toEqual([422, "Wrong password."]);

    const done = await person.visitor.submit(page, { password, code: app.code() });
    expect(done).toMatchObject({ status: 200, heading: "Keep your recovery codes" });
    expect(new Set(codesOf(done)).size).toBe(10);
    // The codes are secret, so no proxy may compress them beside other content.
    expect(done.headers.get("cache-control")).toBe("no-store, no-transform");
    expect((await person.account()).html).toContain("10 recovery codes are left");
    expect((await person.visitor.open("/account/second-factor")).heading).toBe("Your account");
  });

  test("a key of one session cannot be confirmed in another", async () => {
    const [one, other] = await Promise.all([signedIn(), signedIn()]);
    const page = await one.visitor.open("/account/second-factor");
    const { password } = other.client.tenant.admin;
    const app = new Authenticator(keyOf(page));
    const proposal = page.forms[0]!.fields.proposal!;
    const view = await other.send("/account/second-factor", { proposal, password, code: app.code() });
    expect(view.heading).toBe("Your account");
    expect(view.html).toContain("Set up an authenticator");
  });

  test("asks for the password in an older session, also when the tenant has come to require a second factor", async () => {
    const person = await signedIn();
    const { tenant } = person.client;
    const longAgo = new Date(Date.now() - 11 * 60_000);
    await setRows("sessions", { tenant_id: tenant.tenantId }, { created_on: longAgo, auth_time: longAgo });
    await (await clientOf(tenant)).made("TenantSettings", { SecondFactor: "Required" });
    const page = await person.visitor.open("/account");
    expect(page.heading).toBe("Set up your authenticator");
    const app = new Authenticator(keyOf(page));
    for (const given of [{}, { password: "guess" }]) {
      const refused = await person.visitor.submit(page, { ...given, code: app.code() });
      expect([refused.status, alertOf(refused)]).toEqual([422, "Wrong password."]);
    }
    const done = await person.visitor.submit(page, { password: tenant.admin.password, code: app.code() });
    expect(done.heading).toBe("Keep your recovery codes");
  });

  test("stores its secret and codes encrypted or hashed", async () => {
    const { person, app, recovery } = await enrolled();
    const { tenantId } = person.client.tenant;
    const rows = await rowsOf<{ secret: Uint8Array }>("totp_secrets", { tenant_id: tenantId });
    expect(Buffer.from(rows[0]!.secret).toString("latin1")).not.toContain(app.key);
    const codes = await rowsOf<{ digest: Uint8Array }>("recovery_codes", { tenant_id: tenantId });
    expect(codes).toHaveLength(10);
    for (const { digest } of codes) {
      const plain = [...recovery, ...recovery.map((code) => code.replace("-", ""))];
      const hashes = plain.map((code) => new Bun.CryptoHasher("sha256").update(code).digest("hex"));
      expect(hashes).not.toContain(Buffer.from(digest).toString("hex"));
    }
  });
});

describe.concurrent("at sign-in", () => {
  test("the code comes after the password, and the id_token says so", async () => {
    const { person: owner, app } = await enrolled();
    const { person, page } = await atTheCode(owner.client);
    expect(page).toMatchObject({ status: 200, heading: "Enter your code" });
    const before = person.visitor.cookies.get("gatehouse-session");
    const code = answerOf(await person.visitor.submit(page, { code: app.code(1) })).code!;
    expect(person.visitor.cookies.get("gatehouse-session")).not.toBe(before);
    const { body } = await owner.client.token(code);
    expect(decodeJwt(body.id_token)).toMatchObject({ acr: "2", amr: ["pwd", "otp", "mfa"] });
    const refreshed = await owner.client.refresh(body.refresh_token);
    expect(decodeJwt(refreshed.body.id_token)).toMatchObject({ acr: "2", amr: ["pwd", "otp", "mfa"] });
  });

  test("a session without the code is valid for nothing else", async () => {
    const { person: owner, app } = await enrolled();
    const { person } = await atTheCode(owner.client);
    expect(await person.isSignedIn()).toBe(false);
    for (const path of ["/account", "/account/password", "/account/second-factor", "/account/second-factor/remove"]) {
      expect((await person.visitor.open(path)).heading).toBe("Enter your code");
    }
    const page = await person.visitor.open("/account/password");
    expect((await person.visitor.submit(page, { code: app.code(1) })).heading).toBe("Change your password");
    expect(await person.isSignedIn()).toBe(true);
  });

  test("a session without the code is not listed", async () => {
    const { person, app } = await enrolled();
    const { client } = person;
    const admin = await clientOf(client.tenant);
    const [{ Id }] = (await ok(admin.get("/User?Username=admin"))).Items;
    const listed = async () => [
      (await ok(admin.get(`/User/${Id}/Sessions`))).Items.length,
      (await person.account()).html.match(/ · signed in /g)?.length,
    ];
    expect(await listed()).toEqual([1, 1]);
    const stopped = await atTheCode(client);
    await atTheCode(client);
    expect(await listed()).toEqual([1, 1]);
    await stopped.person.visitor.submit(stopped.page, { code: app.code(1) });
    expect(await listed()).toEqual([2, 2]);
  });

  test("an older session stays listed, though it must now give a second factor", async () => {
    const client = await newApplication();
    const admin = await clientOf(client.tenant);
    const before = await signedIn(client);
    await enrolled(client);
    const [{ Id }] = (await ok(admin.get("/User?Username=admin"))).Items;
    expect((await ok(admin.get(`/User/${Id}/Sessions`))).Items).toHaveLength(2);
    expect(await before.isSignedIn()).toBe(false);
  });

  test("Last_Login and the known browser are set only after the code", async () => {
    const { person: owner } = await enrolled();
    const { tenantId } = owner.client.tenant;
    await setUsers({ tenantId }, { last_login: null });
    const { person } = await atTheCode(owner.client);
    expect(person.visitor.cookies.has("gatehouse-device")).toBe(false);
    const [user] = await rowsOf("users", { tenant_id: tenantId });
    expect(user!.last_login).toBeNull();
  });

  test("a code is accepted once, including the code of the set-up", async () => {
    const { person: owner, app } = await enrolled();
    const first = await atTheCode(owner.client);
    const replay = await first.person.visitor.submit(first.page, { code: app.code() });
    expect([replay.status, alertOf(replay)]).toEqual([422, WRONG]);
    const next = app.code(1);
    expect(answerOf(await first.person.visitor.submit(first.page, { code: next })).code).toBeString();
    const second = await atTheCode(owner.client);
    expect((await second.person.visitor.submit(second.page, { code: next })).status).toBe(422);
  });

  test("one code sent by many browsers at once signs one in", async () => {
    const { person: owner, app } = await enrolled();
    const all = await Promise.all([1, 2, 3, 4].map(() => atTheCode(owner.client)));
    const code = app.code(1);
    const views = await Promise.all(all.map(({ person, page }) => person.visitor.submit(page, { code })));
    expect(views.filter((view) => view.location).length).toBe(1);
  });

  test("a clock may differ by one step", async () => {
    const { person: owner, app } = await enrolled();
    await setRows("totp_secrets", { tenant_id: owner.client.tenant.tenantId }, { last_step: 0 });
    const late = await atTheCode(owner.client);
    expect((await late.person.visitor.submit(late.page, { code: app.code(-3) })).status).toBe(422);
    expect((await late.person.visitor.submit(late.page, { code: app.code(4) })).status).toBe(422);
    expect((await late.person.visitor.submit(late.page, { code: app.code(1) })).location).toBeDefined();
  });

  test("a recovery code is accepted once, in any common spelling", async () => {
    const { person: owner, recovery } = await enrolled();
    const typed = ` ${recovery[0]!.toLowerCase().replace("-", " ")} `;
    const { person, page } = await atTheCode(owner.client);
    const code = answerOf(await person.visitor.submit(page, { code: typed })).code!;
    expect(decodeJwt((await owner.client.token(code)).body.id_token)).toMatchObject({ acr: "2" });
    const again = await atTheCode(owner.client);
    expect((await again.person.visitor.submit(again.page, { code: typed })).status).toBe(422);
    expect((await again.person.visitor.submit(again.page, { code: recovery[1]! })).location).toBeDefined();
    expect((await owner.account()).html).toContain("8 recovery codes are left");
  });

  test("malformed codes are rejected", async () => {
    const { person: owner } = await enrolled();
    const { person, page } = await atTheCode(owner.client);
    for (const code of ["", "12345", "1234567", "١٢٣٤٥٦", "'; drop table", "x".repeat(5_000)]) {
      const view = await person.visitor.submit(page, { code });
      expect({ code, status: [422, 429].includes(view.status) }).toEqual({ code, status: true });
    }
  });

  test("guesses are throttled, and so is a correct code while throttled", async () => {
    const { person: owner, app } = await enrolled();
    await waitOut(owner.client);
    const { person, page } = await atTheCode(owner.client);
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++) {
      statuses.push((await person.visitor.submit(page, { code: app.wrongCode() })).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 422]);
    const blocked = await person.visitor.submit(page, { code: app.code(1) });
    expect(blocked.status).toBe(429);
    expect(alertOf(blocked)).toMatch(/^Too many attempts\. Try again in \d+ seconds?\.$/);
    expect(blocked.headers.get("retry-after")).toMatch(/^([1-9]|10)$/);
    // The owner's own browser is counted separately.
    owner.visitor.cookies.delete("gatehouse-session");
    const owners = await owner.visitor.submit(await owner.signIn(), { code: app.code(1) });
    expect(answerOf(owners).code).toBeString();
  });
});

describe.concurrent("afterwards", () => {
  test("new recovery codes replace the former ones", async () => {
    const { person, app, recovery } = await enrolled();
    const { password } = person.client.tenant.admin;
    const view = await person.send("/account/recovery-codes", { password, code: app.code(1) });
    const codes = codesOf(view);
    expect(codes).toHaveLength(10);
    const next = await atTheCode(person.client);
    expect((await next.person.visitor.submit(next.page, { code: recovery[0]! })).status).toBe(422);
    expect((await next.person.visitor.submit(next.page, { code: codes[0]! })).location).toBeDefined();
  });

  test("two people of one tenant have their own codes", async () => {
    const ana = await enrolled();
    const { client } = ana.person;
    const bo = await enrolled(client, await newColleague(await clientOf(client.tenant)));
    const left = async ({ person }: typeof ana) =>
      /(\d+) recovery codes? (is|are) left/.exec((await person.account()).html)?.[1];
    expect([await left(ana), await left(bo)]).toEqual(["10", "10"]);
    const next = await atTheCode(client);
    expect((await next.person.visitor.submit(next.page, { code: bo.recovery[0]! })).status).toBe(422);
    expect((await next.person.visitor.submit(next.page, { code: ana.recovery[0]! })).location).toBeDefined();
    expect([await left(ana), await left(bo)]).toEqual(["9", "10"]);
    // New codes are the person's own, too.
    const { password } = bo.person.user;
    await bo.person.send("/account/recovery-codes", { password, code: bo.app.code(1) });
    expect([await left(ana), await left(bo)]).toEqual(["9", "10"]);
  });

  test("it is removed only with both password and code", async () => {
    const { person, app } = await enrolled();
    const { password } = person.client.tenant.admin;
    const path = "/account/second-factor/remove";
    expect((await person.send(path, { password: "guess", code: app.code(1) })).status).toBe(422);
    expect((await person.send(path, { password, code: app.wrongCode() })).status).toBe(422);
    const removed = await person.send(path, { password, code: app.code(1) });
    expect(removed.html).toContain("Your authenticator app is removed.");
    const next = await atTheCode(person.client);
    expect(answerOf(next.page).code).toBeString();
  });
});
