// A provider that is deleted, disabled or moved before, during and after its users' sign-in.

import { describe, expect, test } from "bun:test";
import type { Answer } from "../world/api.ts";
import { answerOf } from "../world/client.ts";
import { type ForgedProvider, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { force, idTokenOf, linksOf, newUpstreamTenant, toProvider, type UpstreamTenant } from "../world/provider.ts";
import { type View, Visitor } from "../world/visitor.ts";

async function begin(fields: Record<string, unknown> = {}) {
  const provider = await startForgedProvider();
  const tenant = await newUpstreamTenant({ Issuer: provider.issuer, ...fields });
  return { provider, tenant, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

async function signIn({ client }: UpstreamTenant, provider: ForgedProvider, visitor: Visitor, fields = {}) {
  const location = await toProvider(visitor, await visitor.open(client.authorize(fields)));
  return visitor.open(sentBack(provider, location));
}

describe.concurrent("a provider that during its response is", () => {
  const ways: [string, string, (tenant: UpstreamTenant) => Promise<Answer>][] = [
    ["deleted", "is inactive", ({ caller, provider }) => caller.remove(`/IdentityProvider/${provider.Id}`)],
    [
      "deactivated",
      "is inactive",
      ({ caller, provider }) => caller.patch("/IdentityProvider", { Id: provider.Id, Is_Active: false }),
    ],
    [
      "changed to a different issuer",
      "does not match this service",
      ({ caller, provider }) =>
        caller.patch("/IdentityProvider", { Id: provider.Id, Issuer: "https://id.example.com" }),
    ],
  ];
  test.each(ways)("%s: no sign-in completes, and a page says why", async (_, says, change) => {
    await using begun = await begin();
    const { provider, tenant } = begun;
    let changed = 0;
    provider.behaviour.answers = {
      "/me": async () => {
        changed = (await change(tenant)).status;
        return Response.json({ sub: "somebody" });
      },
    };
    const visitor = new Visitor();
    const view = await signIn(tenant, provider, visitor);
    expect(changed).toBe(200);
    expect({ heading: view.heading, html: view.html }).toEqual({
      heading: "Sign-in did not work",
      html: expect.stringContaining(says),
    });
    expect(linksOf(view).map(({ text }) => text)).toContain("Sign in another way");
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });
});

test.concurrent("deleting a provider ends its sessions and links, and nothing else", async () => {
  await using begun = await begin();
  const { provider, tenant } = begun;
  const { client, caller } = tenant;
  const local = await client.token(await client.code(new Visitor()));
  const visitor = new Visitor();
  const view: View = await signIn(tenant, provider, visitor);
  const { body } = await client.token(answerOf(view).code!);
  const onItsWay = answerOf(await visitor.open(client.authorize())).code!;

  expect((await caller.remove(`/IdentityProvider/${tenant.provider.Id}`)).status).toBe(200);
  expect((await visitor.open(client.authorize())).heading).toBe("Sign in");
  expect((await client.token(onItsWay)).body.error).toBe("invalid_grant");
  expect((await client.refresh(body.refresh_token)).body.error).toBe("invalid_grant");
  expect((await client.refresh(local.body.refresh_token)).status).toBe(200);
});

describe.concurrent("auth_time with max_age is", () => {
  const ago = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;

  test("when the user signed in there, if earlier", async () => {
    await using begun = await begin();
    const { provider, tenant } = begun;
    await force(tenant);
    const since = ago(3_000);
    provider.behaviour.idToken = { auth_time: since };
    const visitor = new Visitor();
    const { code } = answerOf(await signIn(tenant, provider, visitor, { max_age: "3600" }));
    const { claims } = await idTokenOf(tenant.client, code!);
    expect(Math.abs((claims.auth_time as number) - since)).toBeLessThanOrEqual(30);
    const { origin } = new URL(provider.issuer);
    expect((await visitor.open(tenant.client.authorize({ max_age: "3600" }))).location?.origin).not.toBe(origin);
    // The session is as old as its original sign-in.
    expect((await visitor.open(tenant.client.authorize({ max_age: "2900" }))).location?.origin).toBe(origin);
  });

  test("no cause of a redirect loop if its clock is behind", async () => {
    await using begun = await begin();
    const { provider, tenant } = begun;
    await force(tenant);
    provider.behaviour.idToken = { auth_time: ago(3_601) };
    expect(answerOf(await signIn(tenant, provider, new Visitor(), { max_age: "3600" })).code).toBeString();
    provider.behaviour.idToken = { auth_time: ago(6) };
    expect(answerOf(await signIn(tenant, provider, new Visitor(), { max_age: "5" })).code).toBeString();
  });
});
