// Signing in to the account pages and to Settings where an application has its own provider.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { issuer, setCredentials } from "../world/client.ts";
import { beginDevice, typeCode } from "../world/device.ts";
import { Authenticator, codesOf, keyOf, requireSecondFactor } from "../world/person.ts";
import { tenantOf } from "../world/planted.ts";
import {
  addProvider,
  comeBack,
  force,
  linksOf,
  newPerson,
  newRealTenant,
  plainOAuth,
  signIn,
  signInThere,
  startRealProvider,
  toProvider,
  type UpstreamTenant,
} from "../world/provider.ts";
import { type View, Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

const anotherAccount = ({ html }: View) =>
  /href="([^"]*)">Use another account/.exec(html)![1]!.replaceAll("&amp;", "&");

describe.concurrent("the account pages of an application with a provider", () => {
  test("offer that provider and the password if it allows both; otherwise they lead to the provider", async () => {
    const tenant = await newRealTenant(real, { AllowLocal: true });
    await addProvider(tenant.caller, { Name: "Other", Issuer: real.issuer });
    await force(tenant);
    const { client, caller, provider } = tenant;
    const address = `/account?client_id=${client.id}`;
    const visitor = new Visitor();
    const page = await visitor.open(address);
    expect(page).toMatchObject({ status: 200, heading: "Sign in" });
    expect(linksOf(page).map(({ text }) => text)).toEqual([expect.stringContaining(provider.Name)]);
    expect((await visitor.submit(page, client.tenant.admin)).heading).toBe("Your account");
    const there = await signIn(new Visitor(), real.visitor(), newPerson(real).login, address);
    expect(there).toMatchObject({ status: 200, heading: "Your account" });

    await caller.made("IdentityProvider", { Id: provider.Id, AllowLocal: false });
    expect((await new Visitor().open(address)).location?.origin).toBe(real.issuer);
  });
});

describe.concurrent("'Use another account' of a provider that cannot be asked for one", () => {
  const starts: [string, (tenant: UpstreamTenant, visitor: Visitor) => Promise<View>][] = [
    ["the account pages", ({ client }, visitor) => visitor.open(`/account?client_id=${client.id}`)],
    ["Settings", ({ client }, visitor) => visitor.open(`/settings?organisation=${client.tenant.tenantId}`)],
    ["a device", async ({ client }, visitor) => typeCode(visitor, (await beginDevice(client)).userCode)],
  ];

  test.each(starts)("at %s says so, and leads to the provider or back", async (_, start) => {
    const tenant = await newRealTenant(real, plainOAuth(real));
    const { client, caller, provider } = tenant;
    const { settings } = await tenantOf(client.tenant);
    const device = "urn:ietf:params:oauth:grant-type:device_code";
    await setCredentials(client.id, { grant_types: ["authorization_code", "client_credentials", device] });
    await force(tenant);
    await caller.made("Application", { Id: String(settings), AuthenticationId: { Id: provider.Id } });
    await requireSecondFactor(client);
    const { login } = newPerson(real);
    const enter = async (visitor: Visitor) =>
      comeBack(
        visitor,
        await signInThere(real.visitor(), await toProvider(visitor, await start(tenant, visitor)), login),
      );
    const first = new Visitor(issuer());
    const enrolment = await enter(first);
    const codes = await first.submit(enrolment, { code: new Authenticator(keyOf(enrolment)).code() });
    expect(codesOf(codes)).toHaveLength(10);

    const visitor = new Visitor(issuer());
    const asked = await enter(visitor);
    expect(asked.heading).toBe("Enter your code");
    const refused = await visitor.open(anotherAccount(asked));
    expect(refused).toMatchObject({ status: 403, heading: "Sign-in did not work" });
    expect(refused.html).toContain("sign out there first");
    const links = linksOf(refused);
    expect(links.map(({ text }) => text)).toEqual([`Sign in with ${provider.Name}`, "Keep the current account"]);
    expect((await visitor.open(links[1]!.href)).heading).toBe("Enter your code");
    const away = await visitor.open(links[0]!.href);
    const other = await comeBack(visitor, await signInThere(real.visitor(), away.location!, newPerson(real).login));
    expect(other.heading).toBe("Set up your authenticator");
  });
});

describe.concurrent("an error of the sign-in to Settings", () => {
  const requests: [string, Record<string, string>, string][] = [
    ["login_required", { prompt: "none" }, "The user must sign in."],
    ["invalid_request", { prompt: "none login" }, "prompt"],
    ["invalid_scope", { scope: "nothing" }, "scope"],
  ];

  test.each(requests)("%s is a page with the reason and a way on", async (_, fields, reason) => {
    const { client } = await newRealTenant(real);
    const visitor = new Visitor(issuer());
    await visitor.open(`/settings?organisation=${client.tenant.tenantId}`);
    const { url } = visitor.trail.find((hop) => hop.url.includes("/oauth2/authorize"))!;
    const address = new URL(url);
    for (const [name, value] of Object.entries(fields)) address.searchParams.set(name, value);
    const view = await visitor.open(address.pathname + address.search);
    expect(view).toMatchObject({ status: 400, heading: "Not signed in" });
    expect(view.html).toContain(reason);
    expect(view.html).toContain("Start again");
  });

  test("access_denied by Cancel is one, too", async () => {
    const { client } = await newRealTenant(real);
    const visitor = new Visitor(issuer());
    await visitor.open(`/settings?organisation=${client.tenant.tenantId}`);
    const { url } = visitor.trail.find((hop) => hop.url.includes("/oauth2/authorize"))!;
    const { pathname, search } = new URL(url);
    const page = await visitor.open(`${pathname}${search}&prompt=consent`);
    const consent = await visitor.submit(page, client.tenant.admin);
    const view = await visitor.submit(consent, { decision: "deny" });
    expect(view).toMatchObject({ status: 400, heading: "Not signed in" });
    expect(view.html).toContain("The user denied access.");
  });
});
