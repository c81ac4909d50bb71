// GET User by Id and PATCH Application, compared to a server that only sends the same statements to the same PostgreSQL
// (bench/raw-entities.ts). A PATCH changes one field, and writes its event and a delivery in the same transaction. No
// worker runs, so deliveries stay in the queue.
//
//   bun run bench entities

import { join } from "node:path";
import { createTenant, type NewTenant } from "../server/identity/tenants/index.ts";
import type { Sql } from "../server/platform/db/sql.ts";
import { requestText } from "./load.ts";
import { startOther, startOwnApi } from "./own-api.ts";
import { CONNECTIONS, compare } from "./rounds.ts";

const API = "/Endpoint/rest/api/v1";
/** No receiver listens at this address. Without a worker, nothing is sent. */
const RECEIVER = "127.0.0.1:8443";
/** Records of each kind in each tenant. Every connection changes its own records, so it waits for no lock. */
const RECORDS = CONNECTIONS * 16;

interface Records {
  users: string[];
  applications: string[];
  authorization: string;
}

await using api = await startOwnApi({ EGRESS_ALLOW: RECEIVER });
const { url, pid, databaseUrl, sql, tenant } = api;
const rawTenant = await createTenant(sql, "raw");
await using raw = await startOther<{ url: string }>([process.execPath, join(import.meta.dir, "raw-entities.ts")], {
  DATABASE_URL: databaseUrl,
  TENANT_ID: rawTenant.tenantId,
});

const own = await makeRecords(url, tenant);
const others = await makeRecords(url, rawTenant);
await requireSameAnswer(`${url}${API}/User/${own.users[0]}`, own, `${raw.url}/User/${others.users[0]}`);
const ownSide = { name: "Gatehouse", url, pid };
const rawSide = { name: "raw postgres.js", url: raw.url, pid: raw.pid };

await compare(
  "GET User by Id (aim: 0.6)",
  { ...ownSide, conversations: reads(`${API}/User/`, own) },
  { ...rawSide, conversations: reads("/User/", others) },
);
await compare(
  "PATCH Application, with its event and one delivery (aim: 0.75)",
  { ...ownSide, conversations: changes(`${API}/Application`, own) },
  { ...rawSide, conversations: changes("/Application", others) },
);
await requireSameWork(sql, tenant);
await requireSameWork(sql, rawTenant);

/** Makes users with a department, Applications, and a webhook connection that receives every change of an Application. */
async function makeRecords(base: string, { client }: NewTenant): Promise<Records> {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  const answer = await fetch(`${base}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "*", ...credentials }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const authorization = `Bearer ${access_token}`;
  const make = async (path: string, body: unknown) => {
    const headers = { authorization, "content-type": "application/json" };
    const made = await fetch(base + API + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!made.ok) throw new Error(`${path}: ${made.status} ${await made.text()}`);
    return (await made.json()) as { Id: string }[];
  };
  const numbers = Array.from({ length: RECORDS }, (_, index) => index);
  await make("/Department", { Name: "Sales", ExternalId: "sales" });
  const department = { FieldType: "Name", Value: "Sales" };
  const users = await make(
    "/User",
    numbers.map((number) => ({
      Name: `User ${number}`,
      Username: `user-${number}`,
      Email: `user-${number}@example.com`,
      External_Id: `external-${number}`,
      Is_Active: true,
      Department: department,
    })),
  );
  const applications = await make(
    "/Application",
    numbers.map((number) => ({ Name: `Application ${number}`, ExternalId: `external-${number}`, Is_Active: true })),
  );
  await make("/WebhookConnection", {
    Name: "bench",
    URL: `https://${RECEIVER}/`,
    Secret: "bench",
    Entities: ["Application"],
    Events: ["Updated"],
  });
  return { users: users.map(({ Id }) => Id), applications: applications.map(({ Id }) => Id), authorization };
}

function reads(path: string, { users, authorization }: Records) {
  return conversations(users, (id) => requestText("GET", path + id, { authorization }));
}

function changes(path: string, { applications, authorization }: Records) {
  let number = 0;
  return conversations(applications, (id) => {
    const body = JSON.stringify({ Id: id, Description: `Change ${number++}` });
    return requestText("PATCH", path, { authorization, "content-type": "application/json", body });
  });
}

function conversations(ids: string[], request: (id: string) => string) {
  return Array.from({ length: CONNECTIONS }, (_, index) => {
    const own = ids.filter((_, position) => position % CONNECTIONS === index);
    let turn = 0;
    return { next: () => request(own[turn++ % own.length]!) };
  });
}

/** Both servers must answer the same, or the comparison is invalid. */
async function requireSameAnswer(address: string, { authorization }: Records, rawAddress: string): Promise<void> {
  const fieldsOf = async (answer: Response) => Object.keys((await answer.json()) as object).toSorted();
  const answered = await fieldsOf(await fetch(address, { headers: { authorization } }));
  const sent = await fieldsOf(await fetch(rawAddress));
  if (!Bun.deepEquals(answered, sent)) throw new Error(`A User has ${answered}, but the other side sends ${sent}.`);
}

/** Both servers must write the same rows. */
async function requireSameWork(sql: Sql, { tenantId }: NewTenant): Promise<void> {
  const [row] = await sql<{ events: number; deliveries: number; dispatches: number }[]>`
    select (select count(*) from events where tenant_id = ${tenantId} and event_type = 'Updated') as events,
      (select count(*) from deliveries where tenant_id = ${tenantId}) as deliveries,
      (select count(*) from dispatches join events e on e.id = event_id
        where e.tenant_id = ${tenantId} and e.event_type = 'Updated') as dispatches`;
  const { events, deliveries, dispatches } = row!;
  if (events === 0 || deliveries !== events || dispatches !== events) {
    throw new Error(`${events} events, ${deliveries} deliveries and ${dispatches} dispatches were written.`);
  }
}
