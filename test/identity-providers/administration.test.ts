// An administrator lists a User's accounts at providers, and unlinks one.

import { expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { expectError, ok } from "../world/api.ts";
import { answerOf } from "../world/client.ts";
import { idTokenOf, newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

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
  const stranger = await newTenant();
  for (const answer of [await stranger.get(path), await stranger.remove(one)]) expect(answer.status).toBe(404);
  expect((await (await caller.withScope("Settings:Read")).remove(one)).status).toBe(403);
  expect(await ok(caller.remove(one))).toEqual(Items[0]);
  expect((await ok(caller.get(path))).Items).toEqual([]);
  expectError(await caller.remove(one), 404, "Not Found");
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

test("a user with a recreated account there learns where to ask for help, and signs in once an administrator links it", async () => {
  const { client, caller, provider } = await newRealTenant(real);
  const person = newPerson(real);
  answerOf(await signIn(new Visitor(), real.visitor(), person.login, client.authorize()));
  const made = (await ok(caller.get("/User?Limit=200"))).Items.at(-1);
  // A different account with the same name and address.
  const again = newPerson(real, { ...real.people[person.login] });
  const page = await signIn(new Visitor(), real.visitor(), again.login, client.authorize());
  expect(page.heading).toBe("Link your account");
  expect(page.html).toContain("Ask an administrator");
  expect(page.html).toContain(`<strong>${again.login}</strong>`);

  const path = `/User/${made.Id}/Identities`;
  const link = (body: unknown, at = path) =>
    caller.send("POST", at, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const good = { IdentityProviderId: provider.Id, Subject: again.login };
  const linked = await ok(link(good));
  expect(linked).toMatchObject({ Subject: again.login, IdentityProvider: { Id: provider.Id }, Is_Usable: true });
  expect(await ok(link(good))).toEqual(linked);
  const former = (await ok(caller.get(path))).Items.find((one: { Subject: string }) => one.Subject === person.login);
  await ok(caller.remove(`${path}/${former.Id}`));

  const back = await signIn(new Visitor(), real.visitor(), again.login, client.authorize());
  const { claims } = await idTokenOf(client, answerOf(back).code!);
  expect(claims.sub).toBe(`user-${made.Id}`);
  const events = (await ok(caller.get("/AuditEvent?Kind=Identity.Linked"))).Items;
  expect(events[0]).toMatchObject({
    Actor: { Type: "Application", Id: caller.clientId },
    Subject: { Type: "User", Id: String(made.Id) },
  });

  const other = await caller.made("User", { Name: "Another" });
  const stranger = await newRealTenant(real);
  const refused: [unknown, string, number, string][] = [
    [good, `/User/${other.Id}/Identities`, 409, "linked to another User"],
    [{ ...good, Subject: "" }, path, 400, "Subject"],
    [{ ...good, Subject: "x".repeat(501) }, path, 400, "Subject"],
    [{ ...good, IdentityProviderId: stranger.provider.Id }, path, 400, "IdentityProviderId"],
    [{ ...good, IdentityProviderId: 1001 }, path, 400, "IdentityProviderId"],
    [{ ...good, More: 1 }, path, 400, "More"],
    [[], path, 400, "one object"],
    [good, "/User/999999999/Identities", 404, "User"],
  ];
  for (const [body, at, status, says] of refused) {
    const answer = await link(body, at);
    expect({ body, status: answer.status }).toEqual({ body, status });
    expect(answer.body.Errors.join(" ")).toContain(says);
  }
  expect(
    (
      await (
        await caller.withScope("Settings:Read")
      ).send("POST", path, { headers: { "content-type": "application/json" }, body: "{}" })
    ).status,
  ).toBe(403);
});
