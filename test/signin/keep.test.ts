// "Keep me signed in", by choice of the tenant: the session outlives the browser, however the user has signed in.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { ok } from "../world/api.ts";
import { answerOf, type Client } from "../world/client.ts";
import { enrolled, newApplication, Person } from "../world/person.ts";
import { newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
import { elapse } from "../world/rows.ts";
import { answerWith, withPasskey } from "../world/security-key.ts";
import { clientOf } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

const SEVEN_DAYS = 7 * 24 * 3_600;
const QUESTION = "Stay signed in?";
const BOX = 'name="keep"';

async function choose({ tenant }: Pick<Client, "tenant">, KeepSignedIn: string): Promise<void> {
  await ok((await clientOf(tenant)).patch("/TenantSettings", { KeepSignedIn }));
}

/** The Max-Age of the last session cookie; undefined: it ends with the browser. */
function lifetimeOf({ trail }: Visitor): number | undefined {
  const cookie = trail
    .flatMap(({ headers }) => headers.getSetCookie())
    .findLast((one) => /gatehouse-session/.test(one));
  const age = /max-age=(\d+)/i.exec(cookie ?? "")?.[1];
  return age === undefined ? undefined : Number(age);
}

const isKept = (visitor: Visitor) => (lifetimeOf(visitor) ?? 0) > SEVEN_DAYS - 600;

/** Answers the question after a sign-in. */
function answer(visitor: Visitor, page: View, keep: "yes" | "no"): Promise<View> {
  expect(page.heading).toBe(QUESTION);
  return visitor.submit(page, { keep });
}

async function pause({ client: { tenant } }: Person): Promise<void> {
  await elapse("9 hours", "sessions", { tenant_id: tenant.tenantId }, "last_seen");
}

describe.concurrent("a session", () => {
  test("ends with the browser and by a pause of 8 hours, unless the tenant has chosen otherwise", async () => {
    const person = new Person(await newApplication());
    const page = await person.visitor.open(person.client.authorize());
    expect(page.html).not.toContain(BOX);
    const { username, password } = person.user;
    await person.visitor.submit(page, { username, password, keep: "on" });
    expect(lifetimeOf(person.visitor)).toBeUndefined();
    await pause(person);
    expect(await person.isSignedIn()).toBe(false);
  });

  test.each([true, false])("is kept by the user's choice at the sign-in: %p", async (wanted) => {
    const person = new Person(await newApplication());
    await choose(person.client, "Asked");
    const page = await person.visitor.open(person.client.authorize());
    expect(page.html).toContain(BOX);
    const { username, password } = person.user;
    const keep = wanted ? "on" : undefined;
    const wrong = await person.visitor.submit(page, { username, password: "a slip", keep });
    expect(/name="keep"[^>]*checked/.test(wrong.html)).toBe(wanted);
    expect(answerOf(await person.visitor.submit(wrong, { username, password, keep })).code).toBeString();
    expect(isKept(person.visitor)).toBe(wanted);
    await pause(person);
    expect(await person.isSignedIn()).toBe(wanted);
    expect((await person.account()).heading).toBe(wanted ? "Your account" : "Which organisation?");
    await elapse("7 days", "sessions", { tenant_id: person.client.tenant.tenantId });
    expect(await person.isSignedIn()).toBe(false);
  });

  test("is always kept if the tenant says so, and keeps its end after a second factor", async () => {
    const { person: first, app } = await enrolled();
    const { client } = first;
    await choose(client, "Always");
    const person = new Person(client);
    const code = await person.signIn();
    expect(code.html).not.toContain(BOX);
    await elapse("1 day", "sessions", { tenant_id: client.tenant.tenantId });
    expect(answerOf(await person.visitor.submit(code, { code: app.code(1) })).code).toBeString();
    expect(lifetimeOf(person.visitor)).toBeWithin(SEVEN_DAYS - 86_400 - 600, SEVEN_DAYS - 86_400 + 1);
    await pause(person);
    expect(await person.isSignedIn()).toBe(true);
  });

  test.each(["yes", "no"] as const)("is asked about after a passkey, which has no box: %s", async (wanted) => {
    const { person: owner, key } = await withPasskey();
    await choose(owner.client, "Asked");
    const person = new Person(owner.client);
    const page = await person.visitor.open(owner.client.authorize());
    const question = await answerWith(person, page, key.get(page));
    // An application that cannot show a page is not refused because of the question.
    expect(await person.isSignedIn()).toBe(true);
    const stale = await person.visitor.submit(question, { keep: wanted, csrf: "" });
    expect(stale).toMatchObject({ status: 403, heading: QUESTION });
    expect(answerOf(await answer(person.visitor, stale, wanted)).code).toBeString();
    expect(isKept(person.visitor)).toBe(wanted === "yes");
    expect(answerOf(await person.visitor.open(owner.client.authorize())).code).toBeString();
    await pause(person);
    expect(await person.isSignedIn()).toBe(wanted === "yes");
  });

  test("is asked about after a sign-in at a provider, and at the account pages of a typed organisation", async () => {
    const { client } = await newRealTenant(real);
    await choose(client, "Asked");
    const visitor = new Visitor();
    const question = await signIn(visitor, real.visitor(), newPerson(real).login, client.authorize());
    expect(answerOf(await answer(visitor, question, "yes")).code).toBeString();
    expect(isKept(visitor)).toBe(true);

    const other = new Visitor();
    const page = await other.open(`/account?organisation=${client.tenant.tenantId}`);
    expect(page.html).not.toContain(BOX);
    const { username, password } = client.tenant.admin;
    const asked = await other.submit(page, { username, password });
    expect((await answer(other, asked, "yes")).heading).toBe("Your account");
    expect(isKept(other)).toBe(true);
  });
});
