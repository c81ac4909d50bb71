// A database of 0.1.0 with data, migrated and used.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { migrate } from "../../server/platform/db/migrate.ts";
import type { Sql } from "../../server/platform/db/sql.ts";
import { createVault } from "../../server/platform/vault.ts";
import { createConnectionSeals } from "../../server/webhooks/secrets.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { newNamespace } from "../support/namespace.ts";
import { ROOT } from "../support/pages.ts";
import { startProcess } from "../support/process.ts";
import { signIn, until } from "../world/api.ts";
import { plantSession, recordKey } from "../world/planted.ts";
import { withColumns } from "../world/postgresql.ts";
import { startReceiver } from "../world/receiver.ts";
import { addRows, countOf, removeRows, rowsOf, setRows, times } from "../world/rows.ts";
import { setting } from "../world/tenant.ts";

const DAYS = 12;
const DAY_MS = 86_400_000;
const DATA_DIR = setting("GATEHOUSE_TEST_DATA_DIR");

test("a database of 0.1.0 keeps its activity and its audit log, and what was open is delivered", async () => {
  await using database = await newEmptyDatabase();
  await using namespace = await newNamespace();
  await using receiver = startReceiver(200, { dataDir: DATA_DIR });
  const { sql } = database;
  await makeSchemaOf010(sql);
  const MASTER_KEY = newMasterKey();
  // The code of today makes the tenant, and writes columns that these tables got later.
  const later = {
    roles: { all_users: "boolean", identity_provider_id: "bigint", requires_passkey: "boolean" },
    role_members: { group_id: "bigint" },
  };
  const tenant = await withColumns(later, sql, () => createTenant(sql, "acme", { password: "x", hash: "x" }));
  const { tenantId } = tenant;
  const apiKey = createConnectionSeals(createVault(MASTER_KEY)).apiKey.seal("key");
  const connectionId = Bun.randomUUIDv7();
  await fill010(sql, { tenantId, connectionId, url: receiver.url, apiKey });
  const before = await activityOf010(sql);
  const { kept, deleted } = await fillUsers010(sql, tenantId);

  expect(await migrate(database.url)).toEqual(expect.arrayContaining(["002-partitions.sql"]));
  expect(await migrate(database.url)).toEqual([]);

  await namespace.addSearchAttributes();
  const env = {
    DATABASE_URL: database.url,
    MASTER_KEY,
    PORT: "0",
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: namespace.name,
    EGRESS_ALLOW: "127.0.0.0/8",
    EGRESS_CA_FILE: `${DATA_DIR}/receiver/ca.pem`,
    WEBHOOK_RECONCILE_INTERVAL: "1s",
  };
  await using api = startProcess("server/serve.ts", env);
  const { port } = await api.said((message) => message === "api ready");
  const client = await signIn(`http://127.0.0.1:${port}`, tenant);
  const { Items } = await client.events("Limit=200");
  const after = await Promise.all(Items.map(({ EventId }) => client.event(EventId)));
  const shown: unknown = after.map((event) => ({
    id: event.EventId,
    payload: event.Payload,
    sequence: event.Sequence,
    deliveries: event.Deliveries.map(({ State, Attempts }) => ({
      state: State,
      attempts: Attempts.map(({ Number: number, StatusCode, Response }) => [number, StatusCode, Response.Body]),
    })),
  }));
  expect(shown).toEqual(before);
  const { body: audit } = await client.call("GET", "/AuditEvent?Kind=SignOut");
  expect(audit.Items).toHaveLength(3);

  // Users, their sessions, and traces of a deleted one.
  expect(await client.get(`/User/${kept}`)).toMatchObject({ status: 200, body: { Username: "mary" } });
  expect(await client.get(`/User/${deleted}`)).toMatchObject({ status: 404 });
  const keys = await rowsOf<{ user_id: number }>("personal_keys", { tenant_id: tenantId }, sql);
  const withKeys = keys.map(({ user_id }) => user_id);
  expect([withKeys.includes(kept), withKeys.includes(deleted)]).toEqual([true, false]);
  expect(await countOf("sessions", { user_id: kept }, sql)).toBe(1);
  const { body: ofDeleted } = await client.get(`/AuditEvent?SubjectType=User&SubjectId=${deleted}`);
  expect(ofDeleted.Items).toMatchObject([{ Kind: "SignIn.Succeeded" }]);

  await using worker = startProcess("activities/worker.ts", env);
  await worker.said((message) => message === "worker ready");
  // One Pending with an outbox row, one Retrying without its workflow.
  await until("both to be delivered", () => receiver.calls.length === 2);
  await client.change({ Name: "Gate" });
  await until("a new one", () => receiver.calls.length === 3);
  // A delivery from days ago is sent again.
  expect(await client.redeliver(before[3]!.id)).toMatchObject({ status: 200 });
  await until("it again", () => receiver.calls.length === 4);
  expect<unknown>(receiver.calls[3]!.payload).toEqual(before[3]!.payload);
  const failed = [...api.lines, ...worker.lines].filter(({ level }) => Number(level) >= 50);
  expect(failed).toEqual([]);
});

/** As `bun run migrate` of 0.1.0 did. */
async function makeSchemaOf010(sql: Sql): Promise<void> {
  const name = "001-schema.sql";
  const text = await Bun.file(join(ROOT, "server/platform/db/migrations", name)).text();
  const digest = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  await sql.begin(async (tx) => {
    await tx`create table migrations (name text primary key, digest text, applied_on timestamptz not null default now())`;
    await tx.unsafe(text);
    await addRows("migrations", { name, digest }, tx);
  });
}

interface Filled {
  tenantId: string;
  connectionId: string;
  url: string;
  apiKey: Uint8Array;
}

/** A change a day, each delivered; one exhausted and sent again; one retrying; one in the outbox. */
async function fill010(sql: Sql, { tenantId, connectionId, url, apiKey }: Filled): Promise<void> {
  const receiver = { id: connectionId, tenant_id: tenantId, name: "ours", url, api_key: apiKey };
  const sends = { entities: ["Application"], events: ["Created", "Updated"], order_by: "None", state: "Active" };
  await addRows("webhook_connections", { ...receiver, ...sends }, sql);
  const changes = times(DAYS, (index) => changeOf010(tenantId, index + 1));
  const events = await addRows<{ id: string; position: number; recorded_on: Date }>("events", changes, sql);
  const deliveries = events.map(({ id, position, recorded_on }, index) => {
    const { state, attempts, reason } = outcomeOf010(index + 1);
    return {
      ...{ id: crypto.randomUUID(), tenant_id: tenantId, event_id: id, connection_id: connectionId, position, part: 1 },
      ...{ record: recordKey("Application", "1001"), state, reason, attempts, changed_on: recorded_on },
      retry_on: state === "Retrying" ? new Date() : null,
    };
  });
  await addRows("deliveries", deliveries, sql);
  const attempts = deliveries.flatMap(({ id, state, attempts, changed_on }) =>
    times(attempts, (index) => ({
      ...{ delivery_id: id, number: index + 1, started_on: changed_on, duration_ms: 20 },
      ...{ status_code: state === "Delivered" ? 200 : 503, response_headers: "server: old" },
      ...{ response_body: `Answer ${index + 1}`, failed_to: state === "Delivered" ? null : connectionId },
    })),
  );
  await addRows("attempts", attempts, sql);
  const pending = deliveries.filter(({ state }) => state === "Pending");
  await addRows(
    "dispatches",
    pending.map(({ event_id }) => ({ tenant_id: tenantId, event_id, part: 1 })),
    sql,
  );
  // The trigger keeps the previous outcome.
  const again = { redelivered_after: [3] };
  await setRows("deliveries", { state: "Exhausted" }, { state: "Pending", ...again }, sql);
  await setRows("deliveries", { redelivered_after: sql`'{3}'` }, { state: "Delivered", reason: null }, sql);
  const entries = [0, 40, 80].map((days) => entryOf010(tenantId, Date.now() - days * DAY_MS));
  await addRows("audit_log", entries, sql);
}

function changeOf010(tenantId: string, day: number) {
  const at = new Date(Date.now() - (DAYS - day) * DAY_MS - 60_000);
  const id = Bun.randomUUIDv7("hex", at);
  const says = { TenantId: tenantId, EventType: "Updated", EventId: id, Version: "1.0", Timestamp: at.toISOString() };
  const of = { EventRecord: "Application", EventResponse: "Object", Data: { Id: "1001", Name: `Gate ${day}` } };
  return {
    ...{ id, tenant_id: tenantId, event_record: "Application", event_type: "Updated", record_id: "1001" },
    ...{ sequences: [day], payload: JSON.stringify({ ...says, ...of }), occurred_on: at, recorded_on: at },
  };
}

function outcomeOf010(day: number) {
  if (day === DAYS) return { state: "Pending", attempts: 0, reason: null };
  if (day === DAYS - 1) return { state: "Retrying", attempts: 1, reason: "503" };
  return day === 3
    ? { state: "Exhausted", attempts: 3, reason: "503" }
    : { state: "Delivered", attempts: 1, reason: null };
}

function entryOf010(tenantId: string, at: number) {
  const what = {
    kind: "SignOut",
    outcome: "Success",
    address: "127.0.0.1",
    user_agent: "",
    details: {},
    request_key: "",
  };
  return { tenant_id: tenantId, id: Bun.randomUUIDv7("hex", at), occurred_on: new Date(at), ...what };
}

/** A User with a session, and a deleted one with an entry in the audit log. */
async function fillUsers010(sql: Sql, tenantId: string): Promise<{ kept: number; deleted: number }> {
  const people = ["mary", "john"].map((name) => ({
    ...{ tenant_id: tenantId, name, username: name, email: `${name}@example.com`, is_active: true },
  }));
  const [kept, deleted] = (await addRows<{ id: number }>("users", people, sql)).map(({ id }) => id) as [number, number];
  const at = { address: "198.51.100.7", user_agent: "Old Browser" };
  for (const id of [kept, deleted]) {
    await plantSession({ tenantId }, id, at, sql);
    const by = { actor_type: "User", actor_id: id, subject_type: "User", subject_id: String(id) };
    await addRows("audit_log", { ...entryOf010(tenantId, Date.now()), kind: "SignIn.Succeeded", ...by, ...at }, sql);
  }
  await removeRows("users", { id: deleted }, sql);
  return { kept, deleted };
}

interface OldEvent {
  id: string;
  payload: Record<string, unknown>;
  sequence: string;
  deliveries: { state: string; attempts: unknown[] }[];
}

/** Newest first. */
async function activityOf010(sql: Sql): Promise<OldEvent[]> {
  const [events, deliveries, attempts] = await Promise.all(
    ["events", "deliveries", "attempts"].map((table) => rowsOf(table, {}, sql)),
  );
  const attemptsOf = (id: string) => attempts!.filter(({ delivery_id }) => delivery_id === id);
  return events!
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .map(({ id, payload, sequences }) => ({
      ...{ id, payload: JSON.parse(payload), sequence: String(sequences[0]) },
      deliveries: deliveries!
        .filter(({ event_id }) => event_id === id)
        .map((delivery) => ({
          state: delivery.state,
          attempts: attemptsOf(delivery.id)
            .toSorted((a, b) => a.number - b.number)
            .map(({ number, status_code, response_body }) => [number, status_code, response_body]),
        })),
    }));
}
