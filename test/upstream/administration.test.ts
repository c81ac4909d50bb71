// An administrator looks at the accounts at providers that a User signs in by, and unlinks one.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { answerOf } from "../authorize/client.ts";
import { Visitor } from "../authorize/visitor.ts";
import { API, expectError, newCaller } from "../entities/client.ts";
import { ok } from "../policies/people.ts";
import { newPerson, type RealProvider, startRealProvider } from "./real-provider.ts";
import { newRealTenant, signIn } from "./tenant.ts";

let real: RealProvider;
beforeAll(async () => {
  real = await startRealProvider();
});
afterAll(() => real[Symbol.asyncDispose]());

test("a linked account is listed, and unlinked with the sessions that it began", async () => {
  const { client, caller, provider } = await newRealTenant(real);
  const person = newPerson(real);
  const visitor = new Visitor();
  const back = await signIn(visitor, real.visitor(), person.login, client.authorize());
  expect(answerOf(back).code).toBeString();
  const made = (await ok(caller.get("/User?Limit=200"))).Items.at(-1);
  const path = `/User/${made.Id}/Identities`;

  const { Items, Next } = await ok(caller.get(path));
  expect(Next).toBeNull();
  expect(Items).toEqual([
    {
      Id: expect.stringMatching(/^[\w-]{43}$/),
      IdentityProvider: { Id: provider.Id, ExternalId: "", Name: provider.Name, Type: "IdentityProvider" },
      Subject: expect.stringMatching(/./),
      LinkedOn: expect.stringMatching(/Z$/),
      Is_Usable: true,
    },
  ]);

  const one = `${path}/${Items[0].Id}`;
  const stranger = await newCaller();
  for (const answer of [await stranger.get(path), await stranger.remove(one)]) expect(answer.status).toBe(404);
  expect((await (await caller.withScope("Settings:Read")).remove(one)).status).toBe(403);
  expect(await ok(caller.remove(one))).toEqual(Items[0]);
  expect((await ok(caller.get(path))).Items).toEqual([]);
  expectError(await caller.remove(one), 404, "Not Found", API + one);
  expect((await visitor.open(client.authorize({ prompt: "none" }))).location!.searchParams.get("error")).toBe(
    "login_required",
  );
  const [event] = (await ok(caller.get("/AuditEvent?Kind=Identity.Unlinked"))).Items;
  expect(event).toMatchObject({
    Actor: { Type: "Application", Id: caller.clientId },
    Subject: { Type: "User", Id: String(made.Id) },
    Details: { IdentityProviderId: provider.Id },
  });
});
