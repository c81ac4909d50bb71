// Webhook events of users' own actions: only changes of a User.

import { expect, test } from "bun:test";
import type { Api } from "../world/api.ts";
import { Authenticator, keyOf, newApplication, Person } from "../world/person.ts";
import { eventsOf } from "../world/rows.ts";
import { clientOf } from "../world/tenant.ts";

async function adminOf(caller: Api): Promise<Record<string, unknown>> {
  return (await caller.get("/User/admin?Name=Username")).body;
}

test.concurrent("a sign-in changes Last_Login without an event", async () => {
  const client = await newApplication();
  const caller = await clientOf(client.tenant);
  const [before, events] = [await adminOf(caller), await eventsOf(client.tenant.tenantId)];
  await new Person(client).signIn();
  const after = await adminOf(caller);
  expect(after.Last_Login).not.toBe(before.Last_Login);
  expect({ ...after, Last_Login: "" }).toEqual({ ...before, Last_Login: "" });
  expect(await eventsOf(client.tenant.tenantId)).toEqual(events);
});

test.concurrent("changes of a password, a second factor or sessions cause no event", async () => {
  const client = await newApplication();
  const caller = await clientOf(client.tenant);
  const { password } = client.tenant.admin;
  const [person, other] = [new Person(client), new Person(client)];
  await Promise.all([person.signIn(), other.signIn()]);
  const [before, events] = [await adminOf(caller), await eventsOf(client.tenant.tenantId)];
  await person.press("/account/sessions/end", { session: "others" });
  const page = await person.visitor.open("/account/second-factor");
  await person.visitor.submit(page, { password, code: new Authenticator(keyOf(page)).code() });
  const changed = await person.send("/account/password", { password, new_password: "correct horse battery staple" });
  expect(changed.heading).toBe("Your account");
  // The code has raised the session's level, which is a sign-in of its own.
  expect(await adminOf(caller)).toEqual({ ...before, Last_Login: expect.any(String) });
  expect(await eventsOf(client.tenant.tenantId)).toEqual(events);
});
