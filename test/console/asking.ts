// For each path of Settings that confirms an action: its form, and a change that invalidates it.

import { expect } from "bun:test";
import { type Api, requestAt, signIn, until } from "../world/api.ts";
import { type Client, otherClient } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { enrolled, newApplication, signedIn } from "../world/person.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant, shared } from "../world/tenant.ts";
import { cancelledImport } from "./asking-import.ts";

/** A form that asks for confirmation, and its existing record. */
export interface Asking {
  api: Api;
  /** The user; default: the tenant's administrator. */
  by?: { username: string; password: string };
  /** The page of the form, or of the button that opens it. */
  page: string;
  /** Input sent before the form appears. */
  first?: Record<string, string>;
  action: string;
  /** Input beside the question. */
  typed?: Record<string, string>;
  /** Distinguishes it from others with the same action. */
  fields?: Record<string, string>;
  /** Changes the data that the form shows; undefined: the data can only change by being deleted. */
  change?(): Promise<unknown>;
  /** Whether the action was done. */
  isDone(): Promise<boolean>;
}

export const named = (Name: string) => ({ Name });
export const made = (api: Api, kind: string, body: object) => api.made(kind, { ...body }) as Promise<{ Id: string }>;
export const isGone = async (api: Api, path: string) => (await api.get(path)).status === 404;

/** Deletion of a record, which is renamed before the click. */
function deletion(area: string, kind: string, body: Record<string, unknown>, change: object = named("Renamed")) {
  return async (): Promise<Asking> => {
    const api = await newTenant();
    const { Id } = await made(api, kind, body);
    const page = `/settings/${area}/${Id}/delete`;
    return {
      ...{ api, page, action: page },
      change: () => made(api, kind, { Id, ...change }),
      isDone: () => isGone(api, `/${kind}/${Id}`),
    };
  };
}

function deactivation(area: string, kind: string, body: object) {
  return async (): Promise<Asking> => {
    const api = await newTenant();
    const { Id } = await made(api, kind, { ...body, Is_Active: true });
    const page = `/settings/${area}/${Id}`;
    return {
      ...{ api, page, action: `${page}/deactivate` },
      change: () => made(api, kind, { Id, Name: "Renamed" }),
      isDone: async () => (await api.get(`/${kind}/${Id}`)).body.Is_Active === false,
    };
  };
}

async function inRole(kind: "User" | "Application") {
  const api = await newTenant();
  const { Id } = await made(api, kind, kind === "User" ? { Name: "Ana", Username: "ana" } : named("Payroll"));
  const role = await made(api, "Role", { Name: "clerks", Members: [{ Type: kind, Id: Number(Id) }] });
  return {
    ...{ api, Id, role },
    change: () => made(api, kind, { Id, Name: "Renamed" }),
    isDone: async () => (await api.get(`/Role/${role.Id}`)).body.Members.length === 0,
  };
}

function leaving(kind: "User" | "Application") {
  return async (): Promise<Asking> => {
    const { Id, role, ...rest } = await inRole(kind);
    const page = `/settings/${kind.toLowerCase()}s/${Id}`;
    return { ...rest, page, action: `${page}/roles/remove`, fields: { Role: role.Id } };
  };
}

async function ofAdmin(client: Client) {
  const api = await signIn(shared().url, client.tenant);
  const { Id } = (await api.get("/User?Username=admin")).body.Items[0];
  return {
    api,
    id: String(Id),
    page: `/settings/users/${Id}`,
    rename: () => made(api, "User", { Id, Name: "Renamed" }),
  };
}

async function granted(of: "User" | "Application"): Promise<Asking> {
  const owner = await signedIn();
  const client = await otherClient(owner.client);
  await client.code(owner.visitor);
  const { api, id, page, rename } = await ofAdmin(owner.client);
  const other = await api.get(`/Application/${client.id}`);
  const isDone = async () => (await api.get(`/User/${id}/Grants/${client.id}`)).status !== 200 && !(await has());
  const has = async () =>
    (await api.get(`/User/${id}/Grants`)).body.Items.some((one: { Application: { Id: number } }) => {
      return one.Application.Id === Number(client.id);
    });
  if (of === "Application") {
    const applications = `/settings/applications/${client.id}`;
    return {
      api,
      page: `${applications}/grants`,
      action: `${applications}/grants/revoke`,
      fields: { id },
      change: rename,
      isDone,
    };
  }
  const change = () => made(api, "Application", { Id: other.body.Id, Name: "Renamed" });
  return { api, page, action: `${page}/grant/revoke`, fields: { id: String(client.id) }, change, isDone };
}

async function registered() {
  const api = await newTenant();
  await api.call("PATCH", "/TenantSettings", { ClientRegistration: "InitialAccessToken" });
  const { body } = await api.call<{ Token: string }>("POST", "/RegistrationToken", {});
  const { body: client } = await requestAt(shared().url, "POST", "/oauth2/register", {
    headers: { authorization: `Bearer ${body.Token}`, "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: ["https://app.example/callback"], client_name: "Wiki" }),
  });
  const page = `/settings/applications/${client.client_id}`;
  const madeOn = async () => (await api.get(`/Application/${client.client_id}/RegistrationAccessToken`)).body.MadeOn;
  return {
    ...{ api, page, before: await madeOn(), madeOn },
    change: () => made(api, "Application", { Id: client.client_id, Name: "Renamed" }),
  };
}

/** A connection with this number of exhausted deliveries. */
export async function exhausted(count: number, fields: object = {}) {
  const api = await newTenant();
  const receiver = startReceiver(() => 500);
  const { Id } = await api.connect(receiver.url, fields);
  const change = async (index: number) => {
    await api.change({ ExternalId: `gate ${index}`, Name: `Gate ${index}` });
    return (await api.settledEvent()).EventId;
  };
  const events: string[] = [];
  for (let index = 1; index <= count; index++) events.push(await change(index));
  return { api, receiver, Id, events, change };
}

/** An erasure that waits for deliveries, which a paused connection holds. */
export async function waitingErasure() {
  const api = await newTenant();
  const { Id: connection } = await api.connect("https://localhost:9443/", { Entities: ["User"], State: "Paused" });
  const { Id: userId } = await made(api, "User", { Name: "Ana", Username: "ana" });
  const { body } = await api.call<{ Id: string }>("POST", `/User/${userId}/Erase`, { Deliveries: "Send" });
  await until("the erasure to wait", async () => (await api.get(`/Erasure/${body.Id}`)).body.Waiting > 0);
  return { api, connection, userId, Id: body.Id };
}

export const redeliveriesOf = async (api: Api) => (await api.get("/Redelivery?Kind=Replay")).body.Items;

/** By the form's path, as registered. */
export const ASKING: Record<string, () => Promise<Asking>> = {
  "/settings/applications/:id/delete": deletion("applications", "Application", named("Payroll")),
  "/settings/departments/:id/delete": deletion("departments", "Department", named("Finance")),
  "/settings/groups/:id/delete": deletion("groups", "Group", named("Clerks")),
  "/settings/users/:id/delete": deletion("users", "User", { Name: "Ana", Username: "ana" }),
  "/settings/roles/:id/delete": deletion("roles", "Role", named("clerks"), {
    Members: [{ Type: "Application", Id: 1 }].slice(1),
    Scopes: ["Webhooks:Read"],
  }),
  "/settings/policies/:id/delete": deletion(
    "policies",
    "Policy",
    { Name: "extra", Policy: "permit (principal, action, resource is Application);" },
    { Policy: 'forbid (principal in Role::"nobody", action, resource is Application);' },
  ),
  "/settings/apis/:id/delete": deletion("apis", "Api", { Name: "Orders", Audience: "urn:orders:asking" }),
  "/settings/identity-providers/:id/delete": deletion("identity-providers", "IdentityProvider", {
    ...{ Name: "University", Type: "OpenIDConnect", Issuer: "https://localhost:9443", ClientId: "gatehouse" },
  }),
  "/settings/webhooks/:id/delete": deletion("webhooks", "WebhookConnection", {
    ...{ URL: "https://localhost:9443/", Entities: ["Department"], Events: ["Updated"] },
  }),
  "/settings/invitations/:id/delete": async () => {
    const api = await newTenant();
    const { Id } = await made(api, "Invitation", { Email: "ana@mail.test", Name: "Ana" });
    const page = `/settings/invitations/${Id}`;
    return {
      ...{ api, page: `${page}/delete`, action: `${page}/delete` },
      change: () => made(api, "Invitation", { Id, Name: "Renamed" }),
      isDone: async () => (await api.get(`/Invitation/${Id}`)).body.State === "Revoked",
    };
  },
  "/settings/invitation-imports/:id/cancel": cancelledImport,
  "/settings/users/:id/deactivate": deactivation("users", "User", { Name: "Ana", Username: "ana" }),
  "/settings/applications/:id/deactivate": deactivation("applications", "Application", named("Payroll")),
  "/settings/users/:id/roles/remove": leaving("User"),
  "/settings/applications/:id/roles/remove": leaving("Application"),
  "/settings/roles/:id/members/remove": async () => {
    const { Id, role, ...rest } = await inRole("User");
    const page = `/settings/roles/${role.Id}`;
    return { ...rest, page, action: `${page}/members/remove`, fields: { Id: String(Id) } };
  },
  "/settings/groups/:id/members/remove": async () => {
    const api = await newTenant();
    const ana = await made(api, "User", { Name: "Ana", Username: "ana" });
    const { Id } = await made(api, "Group", { Name: "Clerks", Members: [{ Type: "User", Id: Number(ana.Id) }] });
    const page = `/settings/groups/${Id}`;
    return {
      ...{ api, page, action: `${page}/members/remove`, fields: { Id: String(ana.Id) } },
      change: () => made(api, "User", { Id: ana.Id, Name: "Renamed" }),
      isDone: async () => (await api.get(`/Group/${Id}`)).body.Members.length === 0,
    };
  },
  "/settings/users/:id/session/end": async () => {
    const { client } = await signedIn();
    const { api, id, page } = await ofAdmin(client);
    const sessions = async () =>
      (await api.get(`/User/${id}/Sessions`)).body.Items.map((one: { Id: string }) => one.Id);
    const [session] = await sessions();
    const isDone = async () => !(await sessions()).includes(session);
    return { api, page, action: `${page}/session/end`, fields: { session }, isDone };
  },
  "/settings/users/:id/sessions/end": async () => {
    const { client } = await signedIn();
    const { api, id } = await ofAdmin(client);
    const ana = await made(api, "User", { Name: "Ana", Username: "ana" });
    const page = `/settings/users/${ana.Id}/sessions/end`;
    const audited = async () =>
      (await api.get(`/AuditEvent?Kind=Session.Revoked&SubjectId=${ana.Id}&SubjectType=User`)).body.Items.length > 0;
    expect(id).not.toBe(String(ana.Id));
    const change = () => made(api, "User", { Id: ana.Id, Name: "Renamed" });
    return { api, page, action: page, change, isDone: audited };
  },
  "/settings/users/:id/second-factor/remove": async () => {
    const client = await newApplication();
    const { person } = await enrolled(client);
    const { api, id, page } = await ofAdmin(person.client);
    const own = `${page}/second-factor/remove`;
    const change = () => made(api, "User", { Id: id, Name: "Renamed" });
    const by = await newColleague(api, "admin");
    return { api, by, page: own, action: own, change, isDone: () => isGone(api, `/User/${id}/SecondFactor`) };
  },
  "/settings/users/:id/identity/unlink": async () => {
    const api = await newTenant();
    const provider = await made(api, "IdentityProvider", {
      ...{ Name: "University", Type: "OpenIDConnect", Issuer: "https://localhost:9443", ClientId: "gatehouse" },
    });
    const { Id } = await made(api, "User", { Name: "Ana", Username: "ana" });
    await api.call("POST", `/User/${Id}/Identities`, { IdentityProviderId: String(provider.Id), Subject: "1" });
    const page = `/settings/users/${Id}`;
    return {
      ...{ api, page, action: `${page}/identity/unlink` },
      change: () => made(api, "IdentityProvider", { Id: provider.Id, Name: "Renamed" }),
      isDone: async () => (await api.get(`/User/${Id}/Identities`)).body.Items.length === 0,
    };
  },
  "/settings/users/:id/erase": async () => {
    const api = await newTenant();
    const { Id } = await made(api, "User", { Name: "Ana", Username: "ana" });
    const page = `/settings/users/${Id}/erase`;
    return {
      ...{ api, page, action: page, typed: { Username: "ana", Deliveries: "Send" } },
      change: () => made(api, "User", { Id, Name: "Renamed" }),
      isDone: () => isGone(api, `/User/${Id}`),
    };
  },
  "/settings/erasures/:id/cancel": async () => {
    const { api, Id } = await waitingErasure();
    const page = `/settings/erasures/${Id}`;
    const isDone = async () => (await api.get(`/Erasure/${Id}`)).body.Deliveries === "Cancel";
    return { api, page, action: `${page}/cancel`, isDone };
  },
  "/settings/users/:id/grant/revoke": () => granted("User"),
  "/settings/applications/:id/grants/revoke": () => granted("Application"),
  "/settings/applications/:id/secrets/:secret/delete": async () => {
    const api = await newTenant();
    const { Id } = await made(api, "Application", named("Payroll"));
    const { body } = await api.call<{ Id: string }>("POST", `/Application/${Id}/Secrets`, {});
    const page = `/settings/applications/${Id}/secrets/${body.Id}/delete`;
    return {
      ...{ api, page, action: page },
      change: () => made(api, "Application", { Id, Name: "Renamed" }),
      isDone: async () => (await api.get(`/Application/${Id}/Secrets`)).body.Items.length === 0,
    };
  },
  "/settings/applications/:id/registration-token": async () => {
    const { page, madeOn, before, ...rest } = await registered();
    const isDone = async () => (await madeOn()) !== before;
    return { ...rest, page: `${page}/credentials`, action: `${page}/registration-token`, isDone };
  },
  "/settings/applications/:id/registration-token/revoke": async () => {
    const { page, madeOn, before: _, ...rest } = await registered();
    return {
      ...rest,
      page: `${page}/credentials`,
      action: `${page}/registration-token/revoke`,
      isDone: async () => (await madeOn()) === null,
    };
  },
  "/settings/registration-tokens/delete": async () => {
    const api = await newTenant();
    await api.call("POST", "/RegistrationToken", named("CI"));
    const isDone = async () => (await api.get("/RegistrationToken")).body.Items.length === 0;
    return { api, page: "/settings/registration-tokens", action: "/settings/registration-tokens/delete", isDone };
  },
  "/settings/policies/:id/versions/restore": async () => {
    const api = await newTenant();
    const texts = ["Application", "Department", "User"].map(
      (type) => `permit (principal, action, resource is ${type});`,
    );
    const { Id } = await made(api, "Policy", { Name: "extra", Policy: texts[0] });
    await made(api, "Policy", { Id, Policy: texts[1] });
    const page = `/settings/policies/${Id}/versions`;
    return {
      ...{ api, page: `${page}?Number=1`, action: `${page}/restore` },
      change: () => made(api, "Policy", { Id, Policy: texts[2] }),
      isDone: async () => (await api.get(`/Policy/${Id}`)).body.Policy === texts[0],
    };
  },
  "/settings/policies/:id/compared": async () => {
    const api = await newTenant();
    const { Id } = await made(api, "Policy", {
      Name: "extra",
      Policy: "permit (principal, action, resource is User);",
    });
    const Policy = 'forbid (principal, action == Action::"AccessManager:Delete", resource is User);';
    return {
      ...{ api, page: `/settings/policies/try?Id=${Id}`, first: { Policy, ask: "changes" } },
      action: `/settings/policies/${Id}/compared`,
      change: () => made(api, "Policy", { Name: "another", Policy }),
      isDone: async () => (await api.get(`/Policy/${Id}`)).body.Policy.trim() === Policy,
    };
  },
  "/settings/policies/add/compared": async () => {
    const api = await newTenant();
    const Policy = 'forbid (principal, action == Action::"AccessManager:Delete", resource is User);';
    return {
      ...{ api, page: "/settings/policies/try", first: { Policy, ask: "changes", Name: "extra", Description: "" } },
      action: "/settings/policies/add/compared",
      change: () => made(api, "Policy", { Name: "another", Policy }),
      isDone: async () => (await api.get("/Policy?Name=extra")).body.Items.length === 1,
    };
  },
  "/settings/webhooks/:id/secret/give-up": async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/", { Secret: "a secret of sixteen and more" });
    const stage = () => api.call("POST", `/WebhookConnection/${Id}/Secret`, {});
    expect((await stage()).status).toBe(200);
    const page = `/settings/webhooks/${Id}/secret`;
    const isDone = async () => (await api.get(`/WebhookConnection/${Id}/Secret`)).body.State === "InForce";
    return { api, page, action: `${page}/give-up`, change: stage, isDone };
  },
  "/settings/webhooks/:id/redeliver/send": async () => {
    const { api, Id, events } = await exhausted(2);
    const page = `/settings/webhooks/${Id}/redeliver`;
    return {
      ...{ api, page, first: { From: "2026-01-01T00:00", States: "Exhausted" }, action: `${page}/send` },
      change: () => api.redeliver(events[0]!),
      isDone: async () => (await redeliveriesOf(api)).length === 1,
    };
  },
  "/settings/webhooks/:id/resume": async () => {
    const { api, Id, events } = await exhausted(2);
    await api.setState(Id, "Paused");
    const page = `/settings/webhooks/${Id}`;
    return {
      ...{ api, page, action: `${page}/resume` },
      change: () => api.redeliver(events[0]!),
      isDone: async () => (await redeliveriesOf(api)).length === 1 && (await api.connection(Id)).State === "Active",
    };
  },
  "/settings/redeliveries/:id/cancel": async () => {
    const { api, Id } = await exhausted(1);
    await api.setState(Id, "Paused");
    const redelivery = await api.replay({ ConnectionId: Id });
    const page = `/settings/redeliveries/${redelivery.Id}`;
    const isDone = async () => (await api.redelivery(redelivery.Id)).State === "Cancelled";
    return { api, page, action: `${page}/cancel`, isDone };
  },
  "/settings/activity/:id/redeliver": async () => {
    const api = await newTenant();
    const receiver = startReceiver(() => 200);
    for (const Name of ["one", "two", "three"]) await api.connect(receiver.url, { Name });
    const { body } = await api.call<{ Id: string }>("POST", "/WebhookConnection", {
      ...{ URL: receiver.url, Name: "four", Entities: ["Application"], Events: ["Created"] },
    });
    await api.change({ Name: "Front door" });
    const { EventId } = await api.settledEvent();
    const page = `/settings/activity/${EventId}`;
    await api.setState(body.Id, "Paused");
    return {
      ...{ api, page, action: `${page}/redeliver` },
      // The connection is then Held, so the delivery cannot be sent again.
      change: () => api.redeliver(EventId, body.Id),
      isDone: async () => (await api.event(EventId)).Deliveries.some(({ Run }) => Run > 1) && receiver.calls.length > 4,
    };
  },
};
