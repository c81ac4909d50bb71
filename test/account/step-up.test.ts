// When a second factor is required: by the tenant, by an application, or by the user's own set-up.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { ok } from "../world/api.ts";
import { answerOf, type Client } from "../world/client.ts";
import {
  Authenticator,
  alertOf,
  codesOf,
  enrolled,
  keyOf,
  newApplication,
  Person,
  requireSecondFactor,
  signedIn,
} from "../world/person.ts";
import { elapse, expire } from "../world/rows.ts";
import { clientOf } from "../world/tenant.ts";
import type { View } from "../world/visitor.ts";

const ESSENTIAL = { claims: '{"id_token":{"acr":{"essential":true,"values":["2"]}}}' };

async function claimsOf(client: Client, view: View) {
  return decodeJwt((await client.token(answerOf(view).code!)).body.id_token);
}

describe.concurrent("where the tenant requires it", () => {
  test("a user without a second factor must set one up at sign-in before reaching the application", async () => {
    const client = await newApplication();
    await requireSecondFactor(client);
    const person = new Person(client);
    const page = await person.signIn();
    expect(page).toMatchObject({ status: 200, heading: "Set up your authenticator" });
    expect(page.html).not.toContain('name="password"');
    expect((await person.visitor.open("/account")).heading).toBe("Set up your authenticator");
    expect(await person.isSignedIn()).toBe(false);

    const app = new Authenticator(keyOf(page));
    const wrong = await person.visitor.submit(page, { code: app.wrongCode() });
    expect([wrong.status, keyOf(wrong)]).toEqual([422, app.key]);
    const codes = await person.visitor.submit(wrong, { code: app.code() });
    expect(codesOf(codes)).toHaveLength(10);
    const onward = /<a class="button" href="([^"]*)"/.exec(codes.html)![1]!.replaceAll("&amp;", "&");
    expect(await claimsOf(client, await person.visitor.open(onward))).toMatchObject({
      acr: "2",
      amr: ["pwd", "otp", "mfa"],
    });
  });

  test("it applies at once to signed-in users, and stops applying when optional again", async () => {
    const person = await signedIn();
    expect(await person.isSignedIn()).toBe(true);
    await requireSecondFactor(person.client);
    expect(await person.isSignedIn()).toBe(false);
    const admin = await clientOf(person.client.tenant);
    await ok(admin.patch("/TenantSettings", { SecondFactor: "Optional" }));
    expect(await ok(admin.get("/TenantSettings"))).toMatchObject({ SecondFactor: "Optional" });
    expect(await person.isSignedIn()).toBe(true);
  });

  test("it applies to this tenant only", async () => {
    const [one, other] = await Promise.all([signedIn(), signedIn()]);
    await requireSecondFactor(one.client);
    expect(await other.isSignedIn()).toBe(true);
    const admin = await clientOf(other.client.tenant);
    expect(await ok(admin.get("/TenantSettings"))).toMatchObject({ SecondFactor: "Optional" });
  });

  test("it can also be set up on the account page", async () => {
    const client = await newApplication();
    await requireSecondFactor(client);
    const person = new Person(client);
    await person.signIn();
    const page = await person.account();
    const codes = await person.visitor.submit(page, { code: new Authenticator(keyOf(page)).code() });
    expect(codesOf(codes)).toHaveLength(10);
    expect((await person.account()).heading).toBe("Your account");
  });
});

describe.concurrent("a session from before the second factor was set up", () => {
  test("is asked for the code only, and keeps its auth_time", async () => {
    const early = await signedIn();
    const { client } = early;
    await expire("sessions", { tenant_id: client.tenant.tenantId }, "auth_time", "1 hour");
    const { app } = await enrolled(client);

    const asked = await early.visitor.open(client.authorize({ acr_values: "2" }));
    expect(asked.heading).toBe("Enter your code");
    const claims = await claimsOf(client, await early.visitor.submit(asked, { code: app.code(1) }));
    expect(claims).toMatchObject({ acr: "2", amr: ["pwd", "otp", "mfa"] });
    expect(Number(claims.auth_time)).toBeLessThan(Date.now() / 1000 - 3_000);
  });

  test("is asked for both after max_age", async () => {
    const early = await signedIn();
    const { client } = early;
    await expire("sessions", { tenant_id: client.tenant.tenantId }, "auth_time", "1 hour");
    const { app } = await enrolled(client);
    const page = await early.visitor.open(client.authorize({ max_age: "60" }));
    expect(page.heading).toBe("Sign in");
    const code = await early.visitor.submit(page, client.tenant.admin);
    expect(code.heading).toBe("Enter your code");
    const claims = await claimsOf(client, await early.visitor.submit(code, { code: app.code(1) }));
    expect(Number(claims.auth_time)).toBeGreaterThan(Date.now() / 1000 - 60);
  });

  test("does not start over when the code comes later than max_age after the password", async () => {
    const { person, app } = await enrolled();
    const { client } = person;
    const page = await person.visitor.open(client.authorize({ max_age: "60", prompt: "login" }));
    const code = await person.visitor.submit(page, client.tenant.admin);
    await elapse("5 minutes", "sessions", { tenant_id: client.tenant.tenantId }, "auth_time");
    expect(answerOf(await person.visitor.submit(code, { code: app.code(1) })).code).toBeString();
  });
});

describe.concurrent("an application that insists on acr 2", () => {
  test("makes a user without one set it up, with the password", async () => {
    const person = await signedIn();
    const { client } = person;
    const page = await person.visitor.open(client.authorize(ESSENTIAL));
    expect(page.heading).toBe("Set up your authenticator");
    const code = new Authenticator(keyOf(page)).code();
    const refused = await person.visitor.submit(page, { password: "guess", code });
    expect([refused.status, alertOf(refused)]).toEqual([422, "Wrong password."]);
    const codes = await person.visitor.submit(page, { password: client.tenant.admin.password, code });
    expect(codesOf(codes)).toHaveLength(10);
    expect(await claimsOf(client, await person.visitor.open(client.authorize(ESSENTIAL)))).toMatchObject({ acr: "2" });
  });

  test("gets interaction_required with prompt=none", async () => {
    const person = await signedIn();
    const view = await person.visitor.open(person.client.authorize({ ...ESSENTIAL, prompt: "none" }));
    expect(answerOf(view)).toMatchObject({ error: "login_required" });
  });

  test("as a voluntary claim gets the acr that there is", async () => {
    const person = await signedIn();
    const view = await person.visitor.open(person.client.authorize({ acr_values: "2" }));
    expect(await claimsOf(person.client, view)).toMatchObject({ acr: "1", amr: ["pwd"] });
  });

  test("asking for acr 1 gets it from a user who has given two factors", async () => {
    const { person } = await enrolled();
    const claims = '{"id_token":{"acr":{"essential":true,"value":"1"}}}';
    const view = await person.visitor.open(person.client.authorize({ claims }));
    expect(await claimsOf(person.client, view)).toMatchObject({ acr: "1" });
  });
});

test.concurrent("an administrator sees and removes a user's lost second factor", async () => {
  const { person } = await enrolled();
  const { client } = person;
  const admin = await clientOf(client.tenant);
  const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
  const path = `/User/${user.Id}/SecondFactor`;
  expect(await ok(admin.get(path))).toEqual({ Type: "TOTP", EnrolledOn: expect.any(String), RecoveryCodes: 10 });
  expect((await admin.remove(path)).status).toBe(200);
  expect((await admin.get(path)).status).toBe(404);
  expect(answerOf(await new Person(client).signIn()).code).toBeString();
});
