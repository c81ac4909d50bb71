// A one-time link overrides everything in progress with the former password.

import { describe, expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { answerOf, type Client } from "../world/client.ts";
import { holdRows, lockRows, untilWaiting } from "../world/locks.ts";
import { newApplication, Person, signedIn } from "../world/person.ts";
import { newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
import { removeRows, type Values } from "../world/rows.ts";
import { answerWith, withPasskey } from "../world/security-key.ts";
import { clientOf, db } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const NEW = "correct horse battery staple";

/** The tenant's admin, on the page of a password link made for them. */
async function atTheLink(client: Client) {
  const caller = await clientOf(client.tenant);
  const [{ Id }] = (await ok(caller.get("/User?Username=admin"))).Items;
  const { Url } = await ok(caller.send("POST", `/User/${Id}/PasswordReset`));
  const visitor = new Visitor();
  const page = await visitor.open(Url.slice(new URL(Url).origin.length));
  return { userId: Id as number, reset: () => visitor.submit(page, { new_password: NEW }) };
}

/** Runs `act` while others wait for these rows. */
async function holding<T>(table: string, where: Values, act: () => Promise<T>): Promise<T> {
  await using _ = await holdRows(table, where, db(), "no key update");
  return await act();
}

// In sequence, because each holds one of the two connections and queries by the other.
describe("while a link sets a new password", () => {
  test("a sign-in with the former password, already verified, gets no session", async () => {
    const client = await newApplication();
    const { userId, reset } = await atTheLink(client);
    const person = new Person(client);
    const signingIn = await holding("users", { id: userId }, async () => {
      const sent = person.signIn();
      await untilWaiting(1, ["set last_login"]);
      expect((await reset()).heading).toBe("Your password is set");
      return { sent };
    });
    expect((await signingIn.sent).status).toBe(409);
    expect(await person.isSignedIn()).toBe(false);
    expect(answerOf(await new Person(client).signIn(NEW)).code).toBeString();
  });

  test("a sign-in with a passkey, already verified, gets no session once the passkey is removed", async () => {
    const { person, key } = await withPasskey();
    const { client } = person;
    const admin = await clientOf(client.tenant);
    const [{ Id }] = (await ok(admin.get("/User?Username=admin"))).Items;
    const [passkey] = (await ok(admin.get(`/User/${Id}/Passkeys`))).Items;
    const other = new Person(client);
    const page = await other.visitor.open(client.authorize());
    const signingIn = await holding("users", { id: Id }, async () => {
      const sent = answerWith(other, page, key.get(page));
      await untilWaiting(1, ["set last_login"]);
      await ok(admin.call("DELETE", `/User/${Id}/Passkeys/${passkey.Id}`));
      return { sent };
    });
    expect((await signingIn.sent).status).toBe(409);
    expect(await other.isSignedIn()).toBe(false);
  });

  test("a sign-in at a provider gets no session once the account there is unlinked", async () => {
    await using real = await startRealProvider();
    const { client, caller } = await newRealTenant(real, { Provisioning: "LinkOnly" });
    const at = newPerson(real);
    const linker = new Visitor();
    const asked = await signIn(linker, real.visitor(), at.login, client.authorize());
    expect(answerOf(await linker.submit(asked, client.tenant.admin)).code).toBeString();
    const [{ Id }] = (await ok(caller.get("/User?Username=admin"))).Items;
    const visitor = new Visitor();
    const signingIn = await db().begin(async (tx) => {
      await lockRows("upstream_identities", { user_id: Id }, tx);
      const sent = signIn(visitor, real.visitor(), at.login, client.authorize());
      await untilWaiting(1, ["upstream_identities"]);
      await removeRows("upstream_identities", { user_id: Id }, tx);
      return { sent };
    });
    expect((await signingIn.sent).status).toBe(409);
    expect((await visitor.open("/account")).heading).not.toBe("Your account");
  });

  test("an account at a provider is not linked by the former password", async () => {
    await using real = await startRealProvider();
    const { client, caller } = await newRealTenant(real, { Provisioning: "LinkOnly" });
    const { userId, reset } = await atTheLink(client);
    const visitor = new Visitor();
    const page = await signIn(visitor, real.visitor(), newPerson(real).login, client.authorize());
    const linking = await holding("users", { id: userId }, async () => {
      const sent = visitor.submit(page, client.tenant.admin);
      await untilWaiting(1, ["set last_login"]);
      expect((await reset()).heading).toBe("Your password is set");
      return { sent };
    });
    expect((await linking.sent).status).toBe(409);
    expect((await ok(caller.get(`/User/${userId}/Identities`))).Items).toEqual([]);
    // Repeats all actions with the new password.
    const again = await visitor.submit(page, { username: client.tenant.admin.username, password: NEW });
    expect(answerOf(again).code).toBeString();
    expect((await ok(caller.get(`/User/${userId}/Identities`))).Items).toBeArrayOfSize(1);
  });

  test("a second change by the former password is rejected", async () => {
    const client = await newApplication();
    const { userId, reset } = await atTheLink(client);
    const person = await signedIn(client);
    const { password } = client.tenant.admin;
    const both = await holding("passwords", { user_id: userId }, async () => {
      const first = reset();
      await untilWaiting(1, ["insert into passwords"]);
      const second = person.send("/account/password", { password, new_password: "a third good one" });
      await untilWaiting(2, ["insert into passwords"]);
      return { first, second };
    });
    expect((await both.first).heading).toBe("Your password is set");
    expect((await both.second).status).toBe(409);
    expect(answerOf(await new Person(client).signIn(NEW)).code).toBeString();
  });
});
