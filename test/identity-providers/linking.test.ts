// Existing accounts, and users signed in by a provider.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { answerOf } from "../world/client.ts";
import { idTokenOf, newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
import { eventsOf, expire } from "../world/rows.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

describe.concurrent("an existing account", () => {
  const local = { username: "admin" };

  test.each([
    ["user name", { preferred_username: "admin" }],
    ["verified e-mail address", { email: "Boss@Example.com" }],
  ])("with the same %s is not taken over: its owner links it once with its password", async (_, claims) => {
    const { client, caller, provider } = await newRealTenant(real);
    await caller.made("User", { Username: "admin", Email: "boss@example.com" });
    const before = await eventsOf(caller.tenantId);
    const person = newPerson(real, claims);
    const visitor = new Visitor();
    const page = await signIn(visitor, real.visitor(), person.login, client.authorize());
    expect(page).toMatchObject({ status: 200, heading: "Link your account" });
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
    const wrong = await visitor.submit(page, { ...local, password: "wrong" });
    expect(wrong).toMatchObject({ status: 422, heading: "Link your account" });
    expect(wrong.html).toContain("Wrong user name or password.");
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);

    const answer = answerOf(await visitor.submit(wrong, client.tenant.admin));
    const { claims: linked } = await idTokenOf(client, answer.code!);
    expect(linked.amr).toEqual(["pwd", "fed"]);
    const next = answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
    expect((await idTokenOf(client, next.code!)).claims).toMatchObject({ sub: linked.sub!, amr: ["fed"] });
    // The provider's names do not change an account that it did not create.
    expect(await eventsOf(caller.tenantId)).toEqual(before);
    const { body: log } = await caller.get("/AuditEvent?Kind=Identity.Linked");
    expect(log.Items).toMatchObject([{ Subject: { Type: "User" }, Details: { IdentityProviderId: provider.Id } }]);
    expect((await visitor.submit(page, client.tenant.admin)).status).toBe(400);
  });

  test("is required where the provider may only link", async () => {
    const { client, caller } = await newRealTenant(real, { Provisioning: "LinkOnly" });
    const person = newPerson(real);
    const visitor = new Visitor();
    const page = await signIn(visitor, real.visitor(), person.login, client.authorize());
    expect(page.heading).toBe("Link your account");
    expect(page.forms[0]!.fields.username).toBe(person.username);
    expect(await eventsOf(caller.tenantId)).toEqual([]);
    expect(answerOf(await visitor.submit(page, client.tenant.admin)).code).toBeString();
    const next = await signIn(new Visitor(), real.visitor(), person.login, client.authorize());
    expect(answerOf(next).code).toBeString();
  });

  test("is not linked by a page that shows an outdated name: the page is shown again", async () => {
    const { client, caller, provider } = await newRealTenant(real, { Provisioning: "LinkOnly" });
    const visitor = new Visitor();
    const page = await signIn(visitor, real.visitor(), newPerson(real).login, client.authorize());
    await caller.made("IdentityProvider", { Id: provider.Id, Name: "Your Bank" });
    const again = await visitor.submit(page, client.tenant.admin);
    expect(again).toMatchObject({ status: 409, heading: "Link your account", location: undefined });
    expect(again.html).toContain("The accounts have changed since this page was shown.");
    expect(again.html).toContain("Your Bank");
    for (const shown of [undefined, "", page.forms[0]!.fields.shown]) {
      expect((await visitor.submit(again, { ...client.tenant.admin, shown })).status).toBe(409);
    }
    expect((await caller.get("/AuditEvent?Kind=Identity.Linked")).body.Items).toEqual([]);
    expect(answerOf(await visitor.submit(again, client.tenant.admin)).code).toBeString();
  });

  test("is linked only by the browser that was at the provider, in time, and guesses are throttled", async () => {
    const { client } = await newRealTenant(real, { Provisioning: "LinkOnly" });
    const visitor = new Visitor();
    const page = await signIn(visitor, real.visitor(), newPerson(real).login, client.authorize());
    const stranger = new Visitor();
    const theirs = (await stranger.open(client.authorize())).forms[0]!.fields.csrf;
    expect((await stranger.submit(page, { ...client.tenant.admin, csrf: theirs })).status).toBe(400);
    for (const csrf of [undefined, "x", theirs]) {
      expect((await visitor.submit(page, { ...client.tenant.admin, csrf })).status).toBe(403);
    }
    expect((await visitor.submit(page, { ...client.tenant.admin, link: "x" })).status).toBe(400);
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push((await visitor.submit(page, { ...local, password: "wrong" })).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
    await expire("upstream_attempts", { tenant_id: client.tenant.tenantId });
    expect((await visitor.submit(page, client.tenant.admin)).status).toBe(400);
    expect((await visitor.open("/signin/link")).status).toBe(405);
  });
});
