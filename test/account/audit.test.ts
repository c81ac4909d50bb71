// Audit entries of what users and administrators do to a sign-in.

import { expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { kindsOf, logOf } from "../world/audit.ts";
import { otherClient } from "../world/client.ts";
import { atTheCode, enrolled, newApplication, Person, requireSecondFactor, signedIn } from "../world/person.ts";
import { clientOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

test.concurrent("every account action is logged in order, with its actor and without secrets", async () => {
  const { person, app, recovery } = await enrolled();
  const { client } = person;
  const { password } = client.tenant.admin;
  const admin = await clientOf(client.tenant);
  const half = await atTheCode(client);
  await half.person.visitor.submit(half.page, { code: app.wrongCode() });
  await half.person.visitor.submit(half.page, { code: app.code(1) });
  const codes = await person.send("/account/recovery-codes", { password, code: recovery[0]! });
  expect(codes.status).toBe(200);
  await person.press("/account/sessions/end", { session: "others" });
  const other = await otherClient(client);
  await other.code(person.visitor);
  await person.press("/account/grants/revoke", { client_id: other.id });
  await person.send("/account/password", { password, new_password: "correct horse battery" });
  const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
  const { Url } = (await admin.send("POST", `/User/${user.Id}/PasswordReset`)).body;
  const visitor = new Visitor();
  const page = await visitor.open(new URL(Url).pathname + new URL(Url).search);
  await visitor.submit(page, { new_password: "battery staple horse" });
  await admin.remove(`/User/${user.Id}/SecondFactor`);
  await requireSecondFactor(client);

  const { Items } = await ok(admin.get("/AuditEvent?Limit=200"));
  const rows = (Items as { Kind: string; Actor: { Type: string } | null }[]).reverse();
  const told = rows.map(({ Kind, Actor }) => `${Kind} ${Actor?.Type || "nobody"}`);
  const own = told.filter((line) => !line.startsWith("Consent.Given"));
  expect(own).toEqual([
    "SignIn.Succeeded User",
    "SecondFactor.Enrolled User",
    "SecondFactor.Failed nobody",
    "SignIn.Succeeded User",
    "RecoveryCodes.Replaced User",
    "Session.Revoked User",
    "Grant.Revoked User",
    "Password.Changed User",
    "PasswordReset.Created Application",
    "Password.Reset User",
    "SecondFactor.Removed Application",
    "TenantSettings.Changed Application",
  ]);
  const text = JSON.stringify(Items);
  for (const secret of [app.key, recovery[0]!, password, "battery", Url]) expect(text).not.toContain(secret);
});

test.concurrent("a correct password is not logged as a success while a code is required", async () => {
  const { person } = await enrolled();
  const admin = await clientOf(person.client.tenant);
  await atTheCode(person.client);
  expect((await ok(admin.get("/AuditEvent?Kind=SignIn.Succeeded"))).Items).toHaveLength(1);
});

test.concurrent("a sign-in without its code is not logged, even if the browser signs out", async () => {
  const client = await newApplication();
  await requireSecondFactor(client);
  const person = new Person(client);
  await person.signIn();
  const left = await person.visitor.submit(await person.visitor.open("/oauth2/logout"), {});
  expect(left.heading).toBe("Signed out");
  expect(await kindsOf(await clientOf(client.tenant))).toEqual(["TenantSettings.Changed"]);
});

test.concurrent("repeated wrong codes are logged as one SignIn.Throttled", async () => {
  const { person, app } = await enrolled();
  const { person: other, page } = await atTheCode(person.client);
  const guess = async () => (await other.visitor.submit(page, { code: app.wrongCode() })).status;
  const statuses: number[] = [];
  for (let made = 0; made < 8; made++) statuses.push(await guess());
  expect(statuses.slice(-2)).toEqual([429, 429]);
  const reader = await clientOf(person.client.tenant);
  expect(await logOf(reader, "Kind=SignIn.Throttled")).toMatchObject([{ Actor: null, Subject: { Type: "User" } }]);
});

test.concurrent("a wrong current password is logged as a failed sign-in", async () => {
  const person = await signedIn();
  await person.send("/account/password", { password: "guess", new_password: "correct horse battery" });
  const reader = await clientOf(person.client.tenant);
  expect(await logOf(reader, "Kind=SignIn.Failed")).toMatchObject([
    { Actor: null, Subject: { Type: "User" }, Details: { Reason: "WrongPassword" } },
  ]);
});

test.concurrent("HEAD reads settings and a second factor", async () => {
  const { person } = await enrolled();
  const admin = await clientOf(person.client.tenant);
  const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
  for (const path of ["/TenantSettings", `/User/${user.Id}/SecondFactor`]) {
    expect((await admin.send("HEAD", path)).status).toBe(200);
  }
  expect((await admin.get(`/User/${user.Id}/SecondFactor`)).status).toBe(200);
});
