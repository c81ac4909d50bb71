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
import { startReceiver } from "../world/receiver.ts";
import { setting } from "../world/tenant.ts";

const DAYS = 12;
const DATA_DIR = setting("GATEHOUSE_TEST_DATA_DIR");

test("a database of 0.1.0 keeps its activity and its audit log, and what was open is delivered", async () => {
  await using database = await newEmptyDatabase();
  await using namespace = await newNamespace();
  await using receiver = startReceiver(200, { dataDir: DATA_DIR });
  const { sql } = database;
  await makeSchemaOf010(sql);
  const MASTER_KEY = newMasterKey();
  // The code of today makes the tenant, and writes columns that roles got later.
  await sql`alter table roles add column all_users boolean, add column identity_provider_id bigint`;
  const tenant = await createTenant(sql, "acme", { password: "x", hash: "x" });
  await sql`alter table roles drop column all_users, drop column identity_provider_id`;
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
  const [keys] = await sql<{ users: number[]; sessions: number }[]>`
    select array(select user_id from personal_keys where tenant_id = ${tenantId}) as users,
      (select count(*) from sessions where user_id = ${kept}) as sessions`;
  expect(keys).toEqual({ users: expect.arrayContaining([kept]), sessions: 1 });
  expect(keys!.users).not.toContain(deleted);
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
    await tx`insert into migrations (name, digest) values (${name}, ${digest})`;
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
  await sql`
    insert into webhook_connections (id, tenant_id, name, url, entities, events, api_key, order_by, state)
    values (${connectionId}, ${tenantId}, 'ours', ${url}, '{Application}', '{Created,Updated}', ${apiKey as Buffer}, 'None',
      'Active')`;
  await sql`
    insert into events (id, tenant_id, event_record, event_type, record_id, sequences, payload, occurred_on, recorded_on)
    select made.id, ${tenantId}, 'Application', 'Updated', '1001', array[day],
      format('{"TenantId":"%s","EventType":"Updated","EventId":"%s","Version":"1.0","Timestamp":"%s","EventRecord":"Application",'
        '"EventResponse":"Object","Data":{"Id":"1001","Name":"Gate %s"}}', ${tenantId}::text, made.id,
        to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), day), at, at
    from generate_series(1, ${DAYS}::int) as day, lateral (
      select uuidv7(make_interval(days => day - ${DAYS}::int, secs => -60)) as id
    ) as made, lateral (select uuid_extract_timestamp(made.id) as at) as time
    order by day`;
  await sql`
    insert into deliveries (id, tenant_id, event_id, connection_id, position, part, record, state, reason, attempts,
      attempt_started_on, retry_on, changed_on)
    select gen_random_uuid(), ${tenantId}, id, ${connectionId}, position, 1, record_key('Application', record_id),
      case sequences[1] when ${DAYS} then 'Pending' when ${DAYS - 1} then 'Retrying' when 3 then 'Exhausted'
        else 'Delivered' end,
      case sequences[1] when ${DAYS - 1} then '503' when 3 then '503' end,
      case sequences[1] when ${DAYS} then 0 when 3 then 3 else 1 end, null,
      case sequences[1] when ${DAYS - 1} then now() end, recorded_on
    from events order by position`;
  await sql`
    insert into attempts (delivery_id, number, started_on, duration_ms, status_code, response_headers, response_body,
      failed_to)
    select id, number, changed_on, 20, case state when 'Delivered' then 200 else 503 end, 'server: old', 'Answer ' || number,
      case state when 'Delivered' then null else connection_id end
    from deliveries, generate_series(1, attempts) as number`;
  await sql`insert into dispatches (tenant_id, event_id, part) select tenant_id, event_id, 1 from deliveries where state = 'Pending'`;
  // The trigger keeps the previous outcome.
  await sql`update deliveries set state = 'Pending', redelivered_after = '{3}' where state = 'Exhausted'`;
  await sql`update deliveries set state = 'Delivered', reason = null where redelivered_after = '{3}'`;
  await sql`
    insert into audit_log (tenant_id, id, occurred_on, kind, outcome, address, user_agent, details, request_key)
    select ${tenantId}, uuidv7(make_interval(days => -40 * n)), now() - make_interval(days => 40 * n), 'SignOut', 'Success',
      '127.0.0.1', '', '{}', '' from generate_series(0, 2) as n`;
}

/** A User with a session, and a deleted one with an entry in the audit log. */
async function fillUsers010(sql: Sql, tenantId: string): Promise<{ kept: number; deleted: number }> {
  const rows = await sql<{ id: number }[]>`
    insert into users (tenant_id, name, username, email, is_active)
    select ${tenantId}, name, name, name || '@example.com', true from unnest(array['mary', 'john']) name returning id`;
  const [kept, deleted] = rows.map(({ id }) => id) as [number, number];
  await sql`
    insert into sessions (id, tenant_id, user_id, digest, amr, acr, address, user_agent, finished_on, expires_on)
    select gen_random_uuid(), ${tenantId}, id, sha256(id::text::bytea), '{pwd}', '1', '198.51.100.7', 'Old Browser', now(),
      now() + interval '1 day' from users where id = any (${[kept, deleted]})`;
  await sql`
    insert into audit_log (tenant_id, id, kind, outcome, actor_type, actor_id, subject_type, subject_id, address, user_agent,
      details, request_key)
    select ${tenantId}, uuidv7(), 'SignIn.Succeeded', 'Success', 'User', id, 'User', id, '198.51.100.7', 'Old Browser', '{}', ''
    from unnest(${[kept, deleted]}::int[]) id`;
  await sql`delete from users where id = ${deleted}`;
  return { kept, deleted };
}

interface OldEvent {
  id: string;
  payload: Record<string, unknown>;
  sequence: string;
  deliveries: { state: string; attempts: unknown[] }[];
}

/** Newest first. */
function activityOf010(sql: Sql): Promise<OldEvent[]> {
  return sql<OldEvent[]>`
    select e.id, e.payload::json as payload, e.sequences[1]::text as sequence, (
      select json_agg(json_build_object('state', d.state, 'attempts', (
        select coalesce(json_agg(json_build_array(a.number, a.status_code, a.response_body) order by a.number), '[]')
        from attempts a where a.delivery_id = d.id)))
      from deliveries d where d.event_id = e.id) as deliveries
    from events e order by e.id desc`.then((rows) => [...rows]);
}
