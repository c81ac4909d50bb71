// Fills the demo tenant with users, departments, applications and connections with a week of deliveries. Existing
// records are kept.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Demo } from "../server/appliance/embedded/demo.ts";
import { PROJECT_ROOT } from "../server/platform/config/config.ts";
import { connect } from "../server/platform/db/sql.ts";
import { type Api, ok, signIn } from "../test/world/api.ts";
import { fill } from "../test/world/rows.ts";
import { roleOf } from "../test/world/tenant.ts";
import { Visitor } from "../test/world/visitor.ts";
import { DEPARTMENTS, PASSWORD, PEOPLE, type Person } from "./people.ts";

const APPLICATIONS = ["Payroll", "Support desk", "Stock", "Intranet"];
const CONNECTIONS = ["Billing", "CRM", "Search index"];
const RECEIVER = "https://localhost:8443";
const WEEK_MS = 7 * 86_400_000;
const EVENTS = 2_000;
/** One in this many events is Exhausted at every receiver. */
const FAILING = 60;

export async function seed(demo: Demo, say: (text: string) => void): Promise<void> {
  const api = await signIn(demo.publicUrl, demo);
  await ok(
    api.patch(
      "/Department",
      DEPARTMENTS.map((Name) => ({ Name })),
    ),
  );
  await ok(
    api.patch(
      "/Application",
      APPLICATIONS.map((Name) => ({ Name, Is_Active: true })),
    ),
  );
  for (const person of PEOPLE) await addPerson(api, demo.publicUrl, person);
  say(`People        ${PEOPLE.map(({ username }) => username).join(", ")}, with the password "${PASSWORD}"`);

  const { Items } = await ok(api.get("/WebhookConnection?Limit=200"));
  const missing = CONNECTIONS.filter((name) => !Items.some((one: { Name: string }) => one.Name === name));
  if (missing.length < CONNECTIONS.length) return;
  const made = await Promise.all(
    CONNECTIONS.map((Name, index) => api.connect(`${RECEIVER}/${index + 1}`, { Name, Entities: ["Application"] })),
  );
  const { databaseUrl } = JSON.parse(
    readFileSync(resolve(PROJECT_ROOT, process.env.DATA_DIR || ".gatehouse", "running.json"), "utf8"),
  ) as { databaseUrl: string };
  const sql = connect(databaseUrl, "gatehouse seed", 1);
  await fill(sql, {
    tenantId: demo.tenantId,
    connectionIds: made.map(({ Id }) => Id),
    events: EVENTS,
    spanMs: WEEK_MS,
    stateOf: (event) => (event % FAILING === 0 ? "Exhausted" : "Delivered"),
  });
  await sql.end();
  say(`Deliveries    ${EVENTS} events of a week, to ${CONNECTIONS.join(", ")}`);
}

async function addPerson(api: Api, origin: string, { username, name, department, role }: Person): Promise<void> {
  const { Items } = await ok(api.get(`/User?Username=${username}`));
  if (Items.length > 0) return;
  const Email = `${username}@example.com`;
  const user = {
    Username: username,
    Name: name,
    Email,
    Is_Active: true,
    Department: { FieldType: "Name", Value: department },
  };
  const { Id } = await ok(api.patch("/User", user));
  const { Url } = await ok(api.send("POST", `/User/${Id}/PasswordReset`));
  const visitor = new Visitor(origin);
  const page = await visitor.open(new URL(Url).pathname + new URL(Url).search);
  await visitor.submit(page, { new_password: PASSWORD });
  if (!role) return;
  const { Members } = await roleOf(api, role);
  await ok(api.patch("/Role", { Name: role, Members: [...Members, { Type: "User", Id }] }));
}
