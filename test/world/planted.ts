// Records that requests cannot make in time, or at all: of another time, in great number, or without their rules.

import { digestOf } from "../../server/identity/signin/opaque.ts";
import type { Queries } from "../../server/platform/db/sql.ts";
import { addRows, removeRows, rowsOf, setRows, times, type Values } from "./rows.ts";
import { db } from "./tenant.ts";

interface OfTenant {
  tenantId: string;
}

/** The first User of a tenant. */
export async function adminIdOf({ tenantId }: OfTenant, sql: Queries = db()): Promise<number> {
  const [user] = await rowsOf<{ id: number }>("users", { tenant_id: tenantId, username: "admin" }, sql);
  return user!.id;
}

/** An active User, also with a Username that another has. @returns the Id */
export async function plantUser({ tenantId }: OfTenant, user: Values, password?: string): Promise<number> {
  const [row] = await addRows<{ id: number }>("users", { tenant_id: tenantId, is_active: true, ...user });
  const cheap = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
  if (password) await addRows("passwords", { user_id: row!.id, hash: await Bun.password.hash(password, cheap) });
  return row!.id;
}

/** As Users who sign in by a provider only. */
export async function removePasswords({ tenantId }: OfTenant): Promise<void> {
  const users = await rowsOf<{ id: number }>("users", { tenant_id: tenantId });
  await removeRows("passwords", { user_id: users.map(({ id }) => id) });
}

export async function plantRequest(
  { tenantId, clientId }: OfTenant & { clientId: string },
  sql: Queries = db(),
): Promise<string> {
  const id = Bun.randomUUIDv7();
  const answered = { method: "GET", route: "/Endpoint/rest/api/v1/User", status: 200, duration_ms: 3, omitted: 0 };
  await addRows("requests", { tenant_id: tenantId, id, request_key: id, client_id: clientId, ...answered }, sql);
  return id;
}

/** An import of invitations; by default it has ended. @returns its Id */
export async function plantImport(tenantId: string, sql: Queries = db(), more: Values = {}): Promise<string> {
  const id = Bun.randomUUIDv7();
  const counts = { total: 1, done: 1, invited: 1, client_id: 1, created_by_type: "User", created_by_id: 1 };
  await addRows(
    "invitation_imports",
    { id, tenant_id: tenantId, state: "Completed", ended_on: new Date(), ...counts, ...more },
    sql,
  );
  return id;
}

export async function plantInvitation(
  { tenantId, clientId }: OfTenant & { clientId: string },
  invitation: Values = {},
  sql: Queries = db(),
): Promise<string> {
  const id = Bun.randomUUIDv7();
  const sent = { email: "ana@mail.test", name: "Ana", roles: [], state: "Sent", sequence: 1, client_id: clientId };
  const now = new Date().toISOString();
  const times = { expires_on: new Date(Date.now() + 7 * 86_400_000).toISOString(), created_on: now, modified_on: now };
  await addRows("invitations", { id, tenant_id: tenantId, ...sent, ...times, ...invitation }, sql);
  return id;
}

export async function plantConsent(
  { tenantId }: OfTenant,
  userId: number,
  clientId: string,
  scopes = ["openid"],
): Promise<void> {
  const consent = { tenant_id: tenantId, user_id: userId, client_id: clientId };
  const [given] = await rowsOf<{ scopes: string[] }>("consents", consent);
  await removeRows("consents", consent);
  await addRows("consents", { ...consent, scopes: [...new Set([...(given?.scopes ?? []), ...scopes])] });
}

/** A session that no browser has. @returns its id */
export async function plantSession(
  { tenantId }: OfTenant,
  userId: number,
  session: Values = {},
  sql: Queries = db(),
): Promise<string> {
  const id = Bun.randomUUIDv7();
  const about = { amr: ["pwd"], acr: "1", address: "127.0.0.1", user_agent: "test" };
  const until = { finished_on: new Date(), expires_on: new Date(Date.now() + 86_400_000) };
  const all = { id, tenant_id: tenantId, user_id: userId, digest: digestOf(id), ...about, ...until, ...session };
  await addRows("sessions", all, sql);
  return id;
}

/** The account of a User at a provider. */
export async function plantIdentity({ tenantId }: OfTenant, identity: Values): Promise<void> {
  const all = { tenant_id: tenantId, authority: "https://id.example.com", provisioned: true, ...identity };
  await addRows("upstream_identities", all);
}

/** Logouts of a client, each of a made-up session. They are sent unless they have ended. */
export async function plantLogouts(
  { tenantId }: OfTenant,
  clientId: string,
  count: number,
  logout: Values = {},
  sql: Queries = db(),
): Promise<string[]> {
  const of = { tenant_id: tenantId, client_id: clientId, user_id: 1 };
  const rows = times(count, () => ({ id: Bun.randomUUIDv7(), ...of, sid: crypto.randomUUID(), ...logout }));
  return (await addRows<{ id: string }>("logouts", rows, sql)).map(({ id }) => id);
}

/** Pushed authorization requests that no browser opens. */
export async function plantPushes(
  { tenantId }: OfTenant,
  clientId: string,
  count: number,
  push: Values = {},
): Promise<void> {
  const of = { tenant_id: tenantId, client_id: clientId, parameters: "", expires_on: new Date(Date.now() + 60_000) };
  await addRows(
    "pushed_requests",
    times(count, () => ({ digest: digestOf(crypto.randomUUID()), ...of, ...push })),
  );
}

/** Device codes that no device polls for. */
export async function plantDeviceCodes({ tenantId }: OfTenant, clientId: string, count: number): Promise<void> {
  const of = { tenant_id: tenantId, client_id: clientId, scopes: [], resources: [], interval_seconds: 5 };
  const codeOf = () => ({ digest: digestOf(crypto.randomUUID()), user_code: crypto.randomUUID() });
  await addRows(
    "device_codes",
    times(count, () => ({ ...codeOf(), ...of, expires_on: new Date(Date.now() + 60_000) })),
  );
}

export interface PlantedEvent {
  id: string;
  position: string;
}

/** A change of an Application at this time, by the clock of a process. */
export async function plantEvent(
  { tenantId }: OfTenant,
  at: Date | number,
  event: Values = {},
  payload = "{}",
  sql: Queries = db(),
): Promise<PlantedEvent> {
  const of = { tenant_id: tenantId, event_record: "Application", event_type: "Updated", record_id: "1" };
  const id = Bun.randomUUIDv7("hex", +at);
  const [row] = await addRows<PlantedEvent>("events", { id, occurred_on: new Date(+at), ...of, ...event }, sql);
  await addRows("payloads", { event_id: row!.id, payload }, sql);
  return row!;
}

/** By which deliveries of one record wait for each other, as PostgreSQL's record_key(). */
export const recordKey = (type: string, id: string): string =>
  new Bun.CryptoHasher("md5").update(`${type} ${id}`).digest("hex");

/** Deliveries of an event that no worker sends. @returns their ids */
export async function plantDeliveries(
  { tenantId }: OfTenant,
  { id, position }: PlantedEvent,
  connectionId: string,
  delivery: Values,
  count = 1,
): Promise<string[]> {
  const of = { tenant_id: tenantId, event_id: id, position, connection_id: connectionId, part: 1 };
  const rows = times(count, () => ({ id: crypto.randomUUID(), ...of, ...delivery }));
  return (await addRows<{ id: string }>("deliveries", rows)).map(({ id }) => id);
}

interface Delivery {
  id: string;
  tenant_id: string;
  event_id: string;
  connection_id: string;
  changed_on: Date;
}

/** Former outcomes of deliveries, as after a redelivery. */
export async function plantFormerOutcomes(of: Delivery[], outcome: Values = {}, sql: Queries = db()): Promise<void> {
  const rows = of.map(({ id, tenant_id, event_id, connection_id, changed_on }) => ({
    ...{ delivery_id: id, tenant_id, event_id, connection_id, state: "Exhausted", reached_on: changed_on },
    ...outcome,
  }));
  await addRows("former_outcomes", rows, sql);
}

/** Tokens of a client's tenant, counted in an earlier hour. */
export async function plantIssued(
  { tenantId }: OfTenant,
  issued: { hoursAgo: number; grant: string; count: number }[],
  sql: Queries = db(),
): Promise<void> {
  const hour = 3_600_000 * Math.floor(Date.now() / 3_600_000);
  const rows = issued.map(({ hoursAgo, grant, count }) => ({
    ...{ tenant_id: tenantId, hour: new Date(hour - hoursAgo * 3_600_000), grant_type: grant, count },
  }));
  await addRows("issued_tokens", rows, sql);
}

/** Sizes on earlier days, smaller each day. */
export async function plantFormerTotals({ tenantId }: OfTenant, days: number): Promise<void> {
  const today = await rowsOf<{ day: Date; bytes: number }>("kept_totals", { tenant_id: tenantId });
  const of = (total: { day: Date; bytes: number }) =>
    times(days, (n) => ({
      ...total,
      day: new Date(+total.day - (n + 1) * 86_400_000),
      bytes: Math.floor((total.bytes * (days + 4 - n)) / (days + 5)),
    }));
  await addRows("kept_totals", today.flatMap(of));
}

/** As if the partition of that time had been removed. */
export async function plantRemoval(table: string, at: Date): Promise<void> {
  const removal = { parent: table, starts_on: new Date(86_400_000 * Math.floor(+at / 86_400_000)) };
  const former = await rowsOf("removals", removal);
  if (former.length === 0) await addRows("removals", removal);
}

/** Scopes beside the client's own, without the API's rules. */
export async function plantScopes(clientId: string, scopes: string[], sql: Queries = db()): Promise<void> {
  await setRows("credentials", { application_id: clientId }, { scopes: sql`scopes || ${scopes}::text[]` }, sql);
}

/** Users with random Usernames. @returns their Ids */
export async function plantUsers({ tenantId }: OfTenant, count: number, sql: Queries): Promise<number[]> {
  const rows = times(count, () => ({ tenant_id: tenantId, username: crypto.randomUUID() }));
  return (await addRows<{ id: number }>("users", rows, sql)).map(({ id }) => id);
}

/** Columns of a tenant's Users, without the API's rules and without an event. */
export async function setUsers({ tenantId }: OfTenant, values: Values): Promise<void> {
  await setRows("users", { tenant_id: tenantId }, values);
}

/** The tenant's name, and the Id of the Application of Settings. */
export async function tenantOf({ tenantId }: OfTenant): Promise<{ name: string; settings: string }> {
  const [row] = await rowsOf<{ name: string; settings_client_id: number }>("tenants", { id: tenantId });
  return { name: row!.name, settings: String(row!.settings_client_id) };
}
