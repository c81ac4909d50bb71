// A user signed in by a provider still needs the second factor required here.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { type Api, ok } from "../world/api.ts";
import { answerOf } from "../world/client.ts";
import { Authenticator, atTheCode, codesOf, enrolled, keyOf, requireSecondFactor } from "../world/person.ts";
import { force, idTokenOf, newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
import { expire } from "../world/rows.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

async function audited(caller: Api, kind: string) {
  return (await ok(caller.get(`/AuditEvent?Kind=${kind}`))).Items;
}

describe.concurrent("a provider's user whose tenant requires two factors", () => {
  test("sets one up before reaching the application; only then is the sign-in successful", async () => {
    const tenant = await newRealTenant(real);
    const { client, caller } = tenant;
    await force(tenant);
    await requireSecondFactor(client);
    const visitor = new Visitor();
    const page = await signIn(visitor, real.visitor(), newPerson(real).login, client.authorize());
    expect(page).toMatchObject({ status: 200, heading: "Set up your authenticator" });
    expect(page.html).not.toContain('name="password"');
    expect(visitor.cookies.has("gatehouse-device")).toBe(false);
    expect(answerOf(await visitor.open(client.authorize({ prompt: "none" }))).error).toBe("login_required");
    expect(await audited(caller, "SignIn.Succeeded")).toEqual([]);

    const codes = await visitor.submit(page, { code: new Authenticator(keyOf(page)).code() });
    expect(codesOf(codes)).toHaveLength(10);
    expect(visitor.cookies.has("gatehouse-device")).toBe(true);
    const answer = answerOf(await visitor.open(client.authorize({ prompt: "none" })));
    const { claims } = await idTokenOf(client, answer.code!);
    expect(claims).toMatchObject({ acr: "2", amr: ["fed", "otp", "mfa"] });
    expect(await audited(caller, "SignIn.Succeeded")).toMatchObject([
      { Details: { Amr: ["fed", "otp", "mfa"], Acr: "2" } },
    ]);
  });

  test("cannot finish a password sign-in at an application that requires a provider", async () => {
    const tenant = await newRealTenant(real);
    const { client } = tenant;
    const { app } = await enrolled(client);
    const { person, page } = await atTheCode(client);
    await force(tenant);
    const view = await person.visitor.submit(page, { code: app.code(1) });
    expect(view.location?.origin).toBe(real.issuer);
  });
});

describe.concurrent("an account with a second factor", () => {
  test("is linked once the second factor follows the password, and needs it at each sign-in there", async () => {
    const { client, caller, provider } = await newRealTenant(real, { Provisioning: "LinkOnly" });
    const { app, recovery } = await enrolled(client);
    const person = newPerson(real);
    const visitor = new Visitor();
    const form = await signIn(visitor, real.visitor(), person.login, client.authorize());
    const page = await visitor.submit(form, client.tenant.admin);
    expect(page).toMatchObject({ status: 200, heading: "Enter your code" });
    expect((await visitor.submit(page, { code: app.wrongCode() })).status).toBe(422);
    expect(await audited(caller, "Identity.Linked")).toEqual([]);
    const elsewhere = await signIn(new Visitor(), real.visitor(), person.login, client.authorize());
    expect(elsewhere.heading).toBe("Link your account");

    const answer = answerOf(await visitor.submit(page, { code: app.code(1) }));
    const { claims } = await idTokenOf(client, answer.code!);
    expect(claims).toMatchObject({ acr: "2", amr: ["pwd", "fed", "otp", "mfa"] });
    expect(await audited(caller, "Identity.Linked")).toMatchObject([{ Details: { IdentityProviderId: provider.Id } }]);

    const next = new Visitor();
    const asked = await signIn(next, real.visitor(), person.login, client.authorize());
    expect(asked.heading).toBe("Enter your code");
    const again = answerOf(await next.submit(asked, { code: recovery[0] }));
    expect((await idTokenOf(client, again.code!)).claims).toMatchObject({ sub: claims.sub!, acr: "2" });
  });

  test("is not linked by a code that comes too late, which still signs its owner in", async () => {
    const { client, caller } = await newRealTenant(real, { Provisioning: "LinkOnly" });
    const { app } = await enrolled(client);
    const visitor = new Visitor();
    const form = await signIn(visitor, real.visitor(), newPerson(real).login, client.authorize());
    const page = await visitor.submit(form, client.tenant.admin);
    await expire("upstream_attempts", { tenant_id: client.tenant.tenantId });
    expect(answerOf(await visitor.submit(page, { code: app.code(1) })).code).toBeString();
    expect(await audited(caller, "Identity.Linked")).toEqual([]);
  });
});
