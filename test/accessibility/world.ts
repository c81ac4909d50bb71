// A tenant with content on every page of Settings.

import type { TenantId } from "../../server/platform/ids.ts";
import { type Api, ok, signIn, until } from "../world/api.ts";
import { newApi } from "../world/apis.ts";
import { Client, newClient, otherClient } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { HOSTILE } from "../world/hostile.ts";
import { enrolled } from "../world/person.ts";
import { plantImport, plantRequest } from "../world/planted.ts";
import type { RealProvider } from "../world/provider.ts";
import type { Receiver } from "../world/receiver.ts";
import { fill, plantAlert, plantMail } from "../world/rows.ts";
import { db, shared } from "../world/tenant.ts";

const DAY_MS = 86_400_000;

/** The receivers and the provider, which outlive the tenant. */
export interface Parts {
  receiver: Receiver;
  provider: RealProvider;
  /** A receiver that answers nothing. */
  hanging: Receiver;
}

/** Ids of records by the first part of their path after /settings/, and others by name. */
export type Ids = Record<string, string>;

/** @returns the client whose admin opens the pages, and the ids */
export async function newWorld({ receiver, provider, hanging }: Parts): Promise<{ client: Client; ids: Ids }> {
  const client = await newClient({ first_party: true });
  const api = await signIn(shared().url, client.tenant);
  const made = async (name: string, fields: object) => String((await api.made(name, fields as never)).Id);
  const first = async (list: string) => (await ok(api.get(`/${list}`))).Items[0];

  // One connection with a day of deliveries, one that fails, and one whose first post is in flight.
  const settings = { Name: "Directory", Secret: "a secret of mine" };
  const { Id: webhooks } = await api.connect(receiver.url, settings);
  await api.connect("https://localhost:9443/refuses", { Events: ["Created"] });
  const filling = { tenantId: api.tenantId as TenantId, connectionIds: [webhooks], spanMs: DAY_MS };
  await fill(db(), { ...filling, events: 2_000, stateOf: (n) => (n % 100 === 0 ? "Exhausted" : "Delivered") });
  const { Id } = await api.change({ Name: "Front door" });
  await api.settledEvent();
  await api.remove(`/Application/${Id}`);
  const { EventId: activity } = await api.settledEvent();
  await api.connect(hanging.url, { Name: "Archive", Entities: ["Department"], TimeoutMs: 30_000 });
  const departments = await newDepartments(made);
  const { EventId: openEvent } = await api.newestEvent();
  const alerts = await plantAlert(api.tenantId);

  const users = await newPeople(client, departments, made);
  const { providers, applications, secret } = await newApplications(api, provider, made);
  const scopes = ["orders:read", `https://${"long-".repeat(12)}example.com/orders:write`, "<b>billing</b>"];
  const { id: apis } = await newApi(api, "Orders", scopes, { ApplicationId: api.clientId });
  const Description = `</p><script>alert(1)</script> ${"long".repeat(40)}`;
  const { id: hostileApi } = await newApi(api, HOSTILE, [], { Scopes: [{ Name: "hostile:read", Description }] });
  return {
    client,
    ids: {
      ...{ webhooks, activity, openEvent, alerts, departments, users, applications, secret, apis, hostileApi },
      ...{ "identity-providers": providers.openid, oauth2: providers.oauth2 },
      mail: await plantMail(api.tenantId),
      requests: await plantRequest(api),
      erasures: await newErasure(api, made),
      redeliveries: (await api.replay({ ConnectionId: webhooks, From: new Date(Date.now() - 60_000) })).Id,
      invitations: await made("Invitation", { Email: "ana@mail.test", Name: "Ana" }),
      "invitation-imports": await plantImport(api.tenantId),
      roles: (await first("Role?Name=editor")).Id,
      policies: (await first("Policy?Name=Auditors")).Id,
      "audit-log": (await first("AuditEvent?Kind=Role.Changed")).Id,
    },
  };
}

/** @returns one that has ended, with a certificate */
async function newErasure(api: Api, made: Make): Promise<string> {
  const erased = await made("User", { Name: "Gone", Username: "gone" });
  const { Id } = await ok(api.call("POST", `/User/${erased}/Erase`, { Deliveries: "Cancel" }));
  await until("the erasure to end", async () => (await ok(api.get(`/Erasure/${Id}`))).State === "Completed");
  return Id;
}

type Make = (name: string, fields: object) => Promise<string>;

/** @returns a department with a parent and a child */
async function newDepartments(made: Make): Promise<string> {
  const company = await made("Department", { Name: "Northwind", ExternalId: "NW", Is_Active: true });
  const finance = await made("Department", {
    Name: "Finance",
    ExternalId: "FIN",
    Description: "Books and payments.\nAlso insurance.",
    Is_Active: true,
    ParentId: { Id: Number(company) },
  });
  await made("Department", { Name: "Payroll", ParentId: { Id: Number(finance) } });
  return finance;
}

/** @returns a user with a role, an authenticator app, a session and grants to applications; makes twelve other users */
async function newPeople(client: Client, department: string, made: Make): Promise<string> {
  const api = await signIn(shared().url, client.tenant);
  const colleague = await newColleague(api, "editor");
  const { Id } = (await ok(api.get(`/User?Username=${encodeURIComponent(colleague.username)}`))).Items[0];
  await made("User", {
    ...{ Id, Username: "ana", Name: "Ana Silva", Email: "ana@example.com", MobilePhone: "+351 912 345 678" },
    ...{ External_Id: "HR-1042", Department: { Id: Number(department) } },
  });
  const ana = new Client({ ...client.tenant, admin: { ...colleague, username: "ana" } });
  const { person } = await enrolled(ana);
  await (await otherClient(ana)).visit(person.visitor);
  const others = Array.from({ length: 12 }, (_, index) => ({
    Name: `Bo Number ${index + 1}`,
    Username: `user${index + 1}`,
    Email: `user${index + 1}@example.com`,
    Is_Active: index % 7 !== 0,
  }));
  await ok(api.patch("/User", others));
  return String(Id);
}

async function newApplications(api: Api, provider: RealProvider, made: Make) {
  const fields = { ClientId: "gatehouse", Is_Active: true };
  const openid = { ...fields, Name: "Staff directory", Type: "OpenIDConnect", Issuer: provider.issuer };
  const oauth2 = {
    ...fields,
    Name: HOSTILE,
    Type: "OAuth2",
    AuthorizationEndpoint: `${provider.issuer}/auth`,
    TokenEndpoint: `${provider.issuer}/token`,
    UserinfoEndpoint: `${provider.issuer}/me`,
    Mapping: { Subject: "id", Name: "login" },
  };
  const providers = { openid: await made("IdentityProvider", openid), oauth2: await made("IdentityProvider", oauth2) };
  await made("Application", { Name: HOSTILE, Description: "Pays people.\nOn time." });
  const applications = await made("Application", {
    Name: "Payroll",
    ApplicationKey: "payroll",
    WebSiteURL: "https://payroll.example.com",
    Description: "Pays people on time",
    AuthenticationId: { Id: providers.openid },
    Is_Active: true,
  });
  const credentials = {
    GrantTypes: ["authorization_code", "client_credentials"],
    Scopes: ["openid", "profile", "AccessManager:Read"],
    RedirectUris: ["https://payroll.example.com/back", `https://payroll.example.com/${"long/".repeat(40)}`],
  };
  await ok(api.patch(`/Application/${applications}/Credentials`, credentials));
  const { Id: secret } = await ok(api.call("POST", `/Application/${applications}/Secrets`));
  return { providers, applications, secret: String(secret) };
}
