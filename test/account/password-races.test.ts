// A one-time link overrides everything in progress with the former password.

import { describe, expect, test } from "bun:test";
import type { Transaction } from "../../server/platform/db/sql.ts";
import { ok, until } from "../world/api.ts";
import { answerOf, type Client } from "../world/client.ts";
import { newApplication, Person, signedIn } from "../world/person.ts";
import { newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
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

/** Runs `act` while other transactions wait for the rows that `lock` has locked. */
async function holding<T>(lock: (tx: Transaction) => Promise<unknown>, act: () => Promise<T>): Promise<T> {
  return db().begin(async (tx) => {
    await lock(tx);
    return act();
  }) as Promise<T>;
}

/** Waits until this number of matching statements wait for a row. */
function untilWaiting(statement: string, count: number): Promise<unknown> {
  return until(`${count} waiting: ${statement}`, async () => {
    const rows = await db()`
      select from pg_stat_activity
      where wait_event_type = 'Lock' and query like ${`%${statement}%`} and pid <> pg_backend_pid()`;
    return rows.length >= count;
  });
}

// In sequence, because each holds one of the two connections and queries by the other.
describe("while a link sets a new password", () => {
  test("a sign-in with the former password, already verified, gets no session", async () => {
    const client = await newApplication();
    const { userId, reset } = await atTheLink(client);
    const person = new Person(client);
    const signingIn = await holding(
      (tx) => tx`select from users where id = ${userId} for no key update`,
      async () => {
        const sent = person.signIn();
        await untilWaiting("set last_login", 1);
        expect((await reset()).heading).toBe("Your password is set");
        return { sent };
      },
    );
    expect((await signingIn.sent).status).toBe(409);
    expect(await person.isSignedIn()).toBe(false);
    expect(answerOf(await new Person(client).signIn(NEW)).code).toBeString();
  });

  test("an account at a provider is not linked by the former password", async () => {
    await using real = await startRealProvider();
    const { client, caller } = await newRealTenant(real, { Provisioning: "LinkOnly" });
    const { userId, reset } = await atTheLink(client);
    const visitor = new Visitor();
    const page = await signIn(visitor, real.visitor(), newPerson(real).login, client.authorize());
    const linking = await holding(
      (tx) => tx`select from users where id = ${userId} for no key update`,
      async () => {
        const sent = visitor.submit(page, client.tenant.admin);
        await untilWaiting("set last_login", 1);
        expect((await reset()).heading).toBe("Your password is set");
        return { sent };
      },
    );
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
    const both = await holding(
      (tx) => tx`select from passwords where user_id = ${userId} for no key update`,
      async () => {
        const first = reset();
        await untilWaiting("insert into passwords", 1);
        const second = person.send("/account/password", { password, new_password: "a third good one" });
        await untilWaiting("insert into passwords", 2);
        return { first, second };
      },
    );
    expect((await both.first).heading).toBe("Your password is set");
    expect((await both.second).status).toBe(409);
    expect(answerOf(await new Person(client).signIn(NEW)).code).toBeString();
  });
});
