import { expect, test } from "bun:test";
import { connect } from "../../server/platform/db/sql.ts";
import { startVictim } from "../support/victim.ts";
import { type Api, ok, until } from "../world/api.ts";
import { holdTable, waitingSessions } from "../world/locks.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const NAME = "Ana Silva";

const stack = await startVictim();

interface Person {
  api: Api;
  connection: string;
  userId: number;
}

/** A person with three events, whose deliveries are held, and a failed sign-in. */
async function arrange(): Promise<Person> {
  const api = await newTenant(stack);
  const { Id: connection } = await api.connect("https://localhost:9443/", {
    Entities: ["User"],
    Events: ["Created", "Updated"],
    State: "Paused",
  });
  const { Id: userId } = await api.made("User", { Username: "ana", Name: NAME, Is_Active: true });
  for (const Nickname of ["Ani", "Nana"]) await api.made("User", { Id: userId, Nickname });
  const visitor = new Visitor(stack.publicUrl);
  const page = await visitor.open(`/settings?organisation=${api.tenantId}`);
  await visitor.submit(page, { username: "ana", password: "a wrong guess" });
  await until("three to be held", async () => (await api.events("State=Held")).Items.length === 3);
  return { api, connection, userId };
}

/** The person's record, events and deliveries, and what the audit log has. */
async function stateOf({ api, userId }: Person) {
  const { Items } = await api.events(`EventRecord=User&RecordId=${userId}&Limit=200`);
  const events = await Promise.all(Items.map(({ EventId }) => api.event(EventId)));
  const { Items: audited } = await ok(api.get(`/AuditEvent?SubjectType=User&SubjectId=${userId}&Kind=SignIn.Failed`));
  return {
    record: (await api.get(`/User/${userId}`)).body,
    payloads: events.map(({ Payload }) => Payload as unknown),
    deliveries: events.flatMap(({ Deliveries }) => Deliveries.map(({ State }) => State)),
    addresses: audited.map(({ Address }: { Address: string }) => Address),
  };
}

test.each([
  ["the search for events", "erasure_events"],
  ["the final transaction", "personal_keys"],
])("an erasure ends although the worker is killed in %s, and leaves others alone", async (_, table) => {
  const [erased, ...others] = await Promise.all([arrange(), arrange()]);
  const { api, userId } = erased!;
  // A person beside it, of the same tenant.
  const { Id: colleague } = await api.made("User", { Username: "bo", Name: "Bo" });
  await until("four to be held", async () => (await api.events("State=Held")).Items.length === 4);
  others.push({ ...erased!, userId: colleague });
  const before = await Promise.all(others.map(stateOf));
  expect(before[0]).toMatchObject({ record: { Name: NAME }, deliveries: ["Held", "Held", "Held"] });
  expect(before[0]!.addresses).toEqual([expect.stringMatching(/./)]);

  const sql = connect(stack.databaseUrl, "gatehouse test", 2);
  await using lock = await holdTable(table, "share row exclusive", sql);
  const { Id } = await ok(api.call("POST", `/User/${userId}/Erase`, { Deliveries: "Cancel" }));
  await until("the worker to be there", async () =>
    (await waitingSessions(sql)).some((one) => one.application_name === "gatehouse maintenance"),
  );
  process.kill(stack.parts.worker.pid!, "SIGKILL");
  await lock.release();
  await sql.end();

  const { Removed } = await until("the erasure to end", async () => {
    const { body } = await api.get(`/Erasure/${Id}`);
    return body.State === "Completed" && body;
  });
  const { payloads, addresses, record } = await stateOf(erased!);
  expect(record).toMatchObject({ StatusCode: 404 });
  // Created, two times Updated, and Deleted and Erased by the erasure.
  expect(payloads).toEqual([null, null, null, null, null]);
  expect(addresses).toEqual([""]);
  expect(Removed).toMatchObject({ User: 1, Payloads: 5, AuditEvents: 2, PersonalKeys: 1 });
  expect(await Promise.all(others.map(stateOf))).toEqual(before);
  const { Items } = await ok(api.get(`/AuditEvent?Kind=User.Erased`));
  expect(Items).toHaveLength(1);
});
