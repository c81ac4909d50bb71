// Two users of one tenant with all that a user can have. Changes of one leave the rows of the other.

import { expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { answerOf, otherClient } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { expectLeft, rowsWith } from "../world/neighbours.ts";
import { codesOf, enrolled, newApplication, Person } from "../world/person.ts";
import { clientOf } from "../world/tenant.ts";

test("changes of one user leave all rows of the other", async () => {
  const client = await newApplication();
  const asking = await otherClient(client);
  const admin = await clientOf(client.tenant);
  const arrange = async () => {
    const user = await newColleague(admin);
    const { Items } = await ok(admin.get(`/User?${new URLSearchParams({ Username: user.username })}`));
    const { Id } = Items[0];
    const { person, app, recovery } = await enrolled(client, user);
    const code = async (of: typeof client, { visitor } = person) =>
      answerOf(await of.goThrough(visitor, await visitor.open(of.authorize()))).code!;
    await ok(client.token(await code(client)));
    await ok(asking.token(await code(asking)));
    await code(client);
    const second = new Person(client, user);
    await second.visitor.submit(await second.signIn(), { code: recovery[0]! });
    await ok(client.token(await code(client, second)));
    await ok(admin.call("POST", `/User/${Id}/PasswordReset`));
    return { Id, person, app };
  };
  const ana = await arrange();
  const bo = await arrange();
  const path = `/User/${ana.Id}`;
  const rowsOf = ({ Id }: typeof ana) => rowsWith(Id, ["user_id"]);
  const { password } = ana.person.user;
  const tables = await expectLeft(
    { own: () => rowsOf(ana), neighbour: () => rowsOf(bo) },
    {
      async "new recovery codes"() {
        expect(
          codesOf(await ana.person.send("/account/recovery-codes", { password, code: ana.app.code(1) })),
        ).toHaveLength(10);
      },
      "the end of other sessions": () => ana.person.press("/account/sessions/end", { session: "others" }),
      "a withdrawn grant": () => ok(admin.remove(`${path}/Grants/${asking.id}`)),
      "a password link": () => ok(admin.call("POST", `${path}/PasswordReset`)),
      "the end of the second factor": () => ok(admin.remove(`${path}/SecondFactor`)),
      "the end of all sessions": () => ok(admin.remove(`${path}/Sessions`)),
      "the removal of the user": () => ok(admin.remove(path)),
    },
  );
  for (const table of [
    "consents",
    "known_devices",
    "password_resets",
    "passwords",
    "recovery_codes",
    "refresh_families",
  ]) {
    expect(tables).toContain(`${table}.user_id`);
  }
  expect(tables).toEqual(expect.arrayContaining(["sessions.user_id", "totp_secrets.user_id"]));
});
