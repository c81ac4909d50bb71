// Applications that require a new sign-in, and providers that do not support one.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { answerOf } from "../world/client.ts";
import { force, linksOf, newPerson, newRealTenant, plainOAuth, signIn, startRealProvider } from "../world/provider.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

const ANEW = [{ prompt: "login" }, { max_age: "0" }, { max_age: "3600" }];

describe.concurrent("a provider by plain OAuth 2.0", () => {
  test("required by an application cannot re-authenticate its user, and the application gets an error", async () => {
    const tenant = await newRealTenant(real, plainOAuth(real));
    await force(tenant);
    const { client } = tenant;
    const visitor = new Visitor();
    const { login } = newPerson(real);
    for (const fields of ANEW) {
      expect(answerOf(await visitor.open(client.authorize(fields)))).toMatchObject({ error: "login_required" });
    }
    expect(answerOf(await signIn(visitor, real.visitor(), login, client.authorize())).code).toBeString();
    expect(answerOf(await visitor.open(client.authorize())).code).toBeString();
    // The time of the redirect is not the time of the user's sign-in there.
    for (const fields of ANEW) {
      expect(answerOf(await visitor.open(client.authorize(fields)))).toMatchObject({ error: "login_required" });
    }
  });

  test("is then not offered, and the password is asked for", async () => {
    const { client, provider } = await newRealTenant(real, plainOAuth(real));
    const visitor = new Visitor();
    const names = async (fields = {}) => linksOf(await visitor.open(client.authorize(fields))).map(({ text }) => text);
    expect((await names()).join()).toContain(provider.Name);
    for (const fields of ANEW) expect(await names(fields)).toEqual([]);
    const page = await visitor.open(client.authorize({ max_age: "3600" }));
    expect(answerOf(await visitor.submit(page, client.tenant.admin)).code).toBeString();
    expect(answerOf(await visitor.open(client.authorize({ max_age: "3600" }))).code).toBeString();
  });
});

test("a provider that sent no auth_time is asked for it once it matters", async () => {
  const { client } = await newRealTenant(real);
  const visitor = new Visitor();
  const atProvider = real.visitor();
  const { login } = newPerson(real);
  expect(answerOf(await signIn(visitor, atProvider, login, client.authorize())).code).toBeString();
  expect((await visitor.open(client.authorize({ max_age: "3600" }))).heading).toBe("Sign in");
  const again = await signIn(visitor, atProvider, login, client.authorize({ max_age: "3600" }));
  expect(answerOf(again).code).toBeString();
  expect(answerOf(await visitor.open(client.authorize({ max_age: "3600" }))).code).toBeString();
});
