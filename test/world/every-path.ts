// Every path of Settings, and one record of each kind, so a test can request all paths.

import { expect } from "bun:test";
import { composedApp } from "../support/composed-app.ts";
import type { Api } from "./api.ts";
import { plantImport, plantInvitation, plantRequest } from "./planted.ts";
import { plantAlert, plantMail } from "./rows.ts";
import { db } from "./tenant.ts";

/** Paths as registered, such as /settings/webhooks/:id. */
export const PATHS = [...new Set(composedApp().routes.map(({ path }) => path))].filter(
  (path) => path.startsWith("/settings/") && !/^\/settings\/(sign-|signed-|callback|\*)/.test(path),
);

/** Ids by the first part of the path after /settings/. */
export type Ids = Record<string, string>;

/** @param sql the database of its Gatehouse */
export async function arrange(api: Api, sql = db()): Promise<Ids> {
  const made = async (name: string, body: object) => {
    const { status, body: record } = await api.call<{ Id: string | number }>("POST", `/${name}`, body);
    expect({ name, status, record }).toMatchObject({ status: 200 });
    return String(record.Id);
  };
  const first = async (list: string, id = "Id") => {
    const { body } = await api.call<{ Items: Record<string, string>[] }>("GET", `/${list}`);
    return String(body.Items[0]![id]);
  };
  const webhooks = await made("WebhookConnection", {
    URL: "https://localhost:9443/",
    Entities: ["Department"],
    Events: ["Updated"],
  });
  const alerts = await plantAlert(api.tenantId, {}, sql);
  const erased = await made("User", { Name: "Bo", Username: "bo" });
  return {
    webhooks,
    alerts,
    erasures: await made(`User/${erased}/Erase`, { Deliveries: "Cancel" }),
    redeliveries: await made("Redelivery", { ConnectionId: webhooks, From: "2026-01-01" }),
    applications: await made("Application", { Name: "Payroll" }),
    users: await made("User", { Name: "Ana", Username: "ana" }),
    invitations: await plantInvitation(api, {}, sql),
    "invitation-imports": await plantImport(api.tenantId, sql),
    mail: await plantMail(api.tenantId, sql),
    departments: await made("Department", { Name: "Finance" }),
    groups: await made("Group", { Name: "Clerks" }),
    activity: await first("WebhookEvent", "EventId"),
    policies: await first("Policy"),
    roles: await first("Role"),
    apis: await made("Api", { Name: "Orders", Audience: `urn:orders:${Bun.randomUUIDv7()}` }),
    "audit-log": await first("AuditEvent"),
    requests: await plantRequest(api, sql),
    "identity-providers": await made("IdentityProvider", {
      Name: "University",
      Type: "OpenIDConnect",
      Issuer: "https://localhost:9443",
      ClientId: "gatehouse",
    }),
  };
}

/** A second record of each kind, so a filter has something to leave out. */
export async function arrangeTwo(api: Api): Promise<void> {
  await arrange(api);
  const webhooks = { URL: "https://localhost:9443/two", Entities: ["User"], Events: ["Created"], State: "Paused" };
  const provider = { Type: "OpenIDConnect", Issuer: "https://localhost:9443/two", ClientId: "gatehouse" };
  const second = {
    ...{ Application: {}, Department: {}, Group: {}, Role: {}, User: { Username: "two" }, WebhookConnection: webhooks },
    ...{ Api: { Audience: `urn:two:${Bun.randomUUIDv7()}` }, IdentityProvider: provider },
    Invitation: { Email: "two@mail.test" },
  };
  for (const [kind, fields] of Object.entries(second)) {
    const { status, body } = await api.call("POST", `/${kind}`, { Name: "Two", ...fields });
    expect({ kind, status, body }).toMatchObject({ status: 200 });
  }
  await api.connect("https://localhost:9443/", { Name: "One" });
}

export const fill = (path: string, ids: Ids) =>
  path
    .replace(":id", ids[path.split("/")[2]!]!)
    .replace(/:(secret|logout)/, Bun.randomUUIDv7())
    .replace(":type", "OpenIDConnect")
    .replace(":kind", "web");
