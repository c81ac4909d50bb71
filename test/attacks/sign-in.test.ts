// Attacks on users who sign in: session fixation and open redirects. Attacks on forms are in forms.slow.test.ts, those
// through a provider in providers.test.ts.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { answerOf, CALLBACK, carrying, newClient } from "../world/client.ts";
import { atTheCode, enrolled } from "../world/person.ts";
import { linksOf, newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

/** A value planted in the victim's browser, or read from it earlier. */
const PLANTED = "f".repeat(43);

describe.concurrent("session fixation: an earlier cookie is not a session after sign-in", () => {
  async function expectWorthless(cookie: string, address: string): Promise<void> {
    const thief = new Visitor();
    thief.cookies.set("gatehouse-session", cookie);
    expect((await thief.open(address)).heading).toBe("Sign in");
  }

  test("a password", async () => {
    const client = await newClient({ first_party: true });
    const visitor = new Visitor();
    visitor.cookies.set("gatehouse-session", PLANTED);
    const again = client.authorize({ prompt: "login" });
    for (const address of [client.authorize(), again, `/account?client_id=${client.id}`]) {
      const before = visitor.cookies.get("gatehouse-session")!;
      if (address.startsWith("/account")) visitor.cookies.set("gatehouse-session", PLANTED);
      await visitor.submit(await visitor.open(address), client.tenant.admin);
      expect(visitor.cookies.get("gatehouse-session")).not.toBeOneOf([PLANTED, before]);
      if (!address.startsWith("/account")) await expectWorthless(before, client.authorize());
      await expectWorthless(PLANTED, client.authorize());
    }
    expect(answerOf(await visitor.open(client.authorize())).code).toBeString();
  });

  test("a second factor", async () => {
    const { person: owner, app } = await enrolled();
    const { client } = owner;
    const { person, page } = await atTheCode(client);
    const half = person.visitor.cookies.get("gatehouse-session")!;
    expect(answerOf(await person.visitor.submit(page, { code: app.code(1) })).code).toBeString();
    expect(person.visitor.cookies.get("gatehouse-session")).not.toBe(half);
    await expectWorthless(half, client.authorize());
  });

  test("another provider", async () => {
    const { client } = await newRealTenant(real);
    const visitor = new Visitor();
    const { login } = newPerson(real);
    visitor.cookies.set("gatehouse-session", PLANTED);
    await signIn(visitor, real.visitor(), login, client.authorize());
    const first = visitor.cookies.get("gatehouse-session")!;
    expect(first).not.toBe(PLANTED);
    await signIn(visitor, real.visitor(), login, client.authorize({ prompt: "login" }));
    expect(visitor.cookies.get("gatehouse-session")).not.toBe(first);
    for (const cookie of [PLANTED, first]) await expectWorthless(cookie, client.authorize());
    expect(answerOf(await visitor.open(client.authorize())).code).toBeString();
  });
});

describe.concurrent("open redirect: no form and no link of ours leads to another site", () => {
  test.each([
    "https://evil.example/oauth2/authorize?client_id=1",
    "//evil.example/oauth2/authorize?x",
    "/oauth2/authorize/../../evil?x",
    "/\\evil.example?x",
    "/oauth2/token?x",
    "/account?client_id=1",
    "constructor?x",
    "",
  ])("such as %p", async (target) => {
    const { client, provider } = await newRealTenant(real);
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    const view = await visitor.submit(page, { ...client.tenant.admin, request: target });
    expect(view).toMatchObject({ status: 400, location: undefined });
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
    for (const path of [`/signin/upstream/${provider.Id}`, "/signin/local"]) {
      expect(await visitor.open(carrying(path, target))).toMatchObject({ status: 400, location: undefined });
    }
    await client.visit(visitor);
    const { csrf } = (await visitor.open("/account/password")).forms[0]!.fields;
    for (const path of ["/signin/second-factor", "/signin/enrolment", "/consent"]) {
      const sent = await visitor.post(path, { csrf: csrf!, request: target, decision: "allow", code: "000000" });
      expect({ path, status: sent.status, location: sent.location }).toEqual({
        path,
        status: 400,
        location: undefined,
      });
    }
    const account = await visitor.open(`/account?${new URLSearchParams({ done: target })}`);
    expect(account.heading).toBe("Your account");
    const asked = await visitor.open(`/account?${new URLSearchParams({ client_id: target })}`);
    expect(linksOf(asked).length).toBeGreaterThan(1);
    for (const { href } of linksOf(asked)) expect(href).toMatch(/^\/account(\/[a-z-]+)*(\?|$)/);
  });

  test("a form changed to another registered address is checked again", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    const request = page.forms[0]!.fields.request!.replace(encodeURIComponent(CALLBACK), "https%3A%2F%2Fevil.example");
    expect((await visitor.submit(page, { ...client.tenant.admin, request })).status).toBe(404);
    expect((await visitor.post("/signin", {})).status).toBe(400);
    expect((await visitor.open("/signin")).status).toBe(405);
  });

  test("the start of a provider's sign-in checks the application's address again", async () => {
    const { client, provider } = await newRealTenant(real);
    const visitor = new Visitor();
    const evil = client.authorize({ redirect_uri: "https://evil.example/" });
    const begun = await visitor.open(carrying(`/signin/upstream/${provider.Id}`, evil));
    expect(begun).toMatchObject({ status: 404, location: undefined });
  });
});
