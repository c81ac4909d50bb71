// Audit entries of sign-ins at a provider.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { logOf } from "../world/audit.ts";
import { answerOf } from "../world/client.ts";
import { type Behaviour, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import {
  newPerson,
  newRealTenant,
  newUpstreamTenant,
  signIn,
  startRealProvider,
  toProvider,
} from "../world/provider.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

describe.concurrent("the audit log says why a sign-in at a provider failed", () => {
  test.each<[string, Behaviour, Record<string, string | undefined>, string]>([
    [
      "ProviderUnavailable",
      { answers: { "/token": () => new Response("a secret", { status: 503 }) } },
      {},
      "an endpoint answered 503",
    ],
    [
      "ProviderMisconfigured",
      { answers: { "/token": () => Response.json({ error: "invalid_client" }, { status: 401 }) } },
      {},
      "the token endpoint answered 401 invalid_client",
    ],
    [
      "ProviderUntrusted",
      { idToken: { iss: "https://evil.example" } },
      {},
      'unexpected JWT "iss" (issuer) claim value (OAUTH_JWT_CLAIM_COMPARISON_FAILED)',
    ],
    [
      "ProviderDeclined",
      {},
      { code: undefined, error: "access_denied", error_description: "a secret" },
      "the authorization endpoint answered access_denied",
    ],
  ])("%s", async (reason, behaviour, more, detail) => {
    await using provider = await startForgedProvider(behaviour);
    const { client, caller, provider: own } = await newUpstreamTenant({ Issuer: provider.issuer });
    const visitor = new Visitor();
    const location = await toProvider(visitor, await visitor.open(client.authorize()));
    await visitor.open(sentBack(provider, location, more));
    const [event, ...others] = await logOf(caller, "Kind=SignIn.Failed");
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      Outcome: "Failure",
      Actor: null,
      ClientId: client.id,
      Subject: { Type: "IdentityProvider", Id: own.Id },
      Details: { Reason: reason, IdentityProviderId: own.Id, Detail: detail },
    });
    expect(JSON.stringify(event)).not.toMatch(/evil|a secret/);
    expect(await logOf(caller, `SubjectType=IdentityProvider&SubjectId=${own.Id}`)).toHaveLength(2);
  });

  test("InactiveUser and NotTheUserAskedFor have the user as subject", async () => {
    const { client, caller, provider } = await newRealTenant(real);
    const person = newPerson(real);
    const hint = (await client.token(await client.code(new Visitor()))).body.id_token;
    await signIn(new Visitor(), real.visitor(), person.login, client.authorize({ id_token_hint: hint }));
    const { body: user } = await caller.get(`/User/${person.username}?Name=Username`);
    await caller.made("User", { Id: user.Id, Is_Active: false });
    await signIn(new Visitor(), real.visitor(), person.login, client.authorize());
    const failures = await logOf(caller, "Kind=SignIn.Failed");
    expect(failures.map(({ Details }) => Details)).toEqual([
      { Reason: "InactiveUser", IdentityProviderId: provider.Id },
      { Reason: "NotTheUserAskedFor", IdentityProviderId: provider.Id },
    ]);
    for (const { Subject } of failures) expect(Subject).toEqual({ Type: "User", Id: String(user.Id) });
  });
});

test.concurrent("a successful sign-in names its provider", async () => {
  const { client, caller, provider } = await newRealTenant(real);
  answerOf(await signIn(new Visitor(), real.visitor(), newPerson(real).login, client.authorize()));
  const [event] = await logOf(caller, "Kind=SignIn.Succeeded");
  expect(event!.Details).toEqual({ Amr: ["fed"], Acr: "1", IdentityProviderId: provider.Id });
});
