// A tenant with one of every kind of data, and a client that may do everything except see records that a test hides.

import { ENTITIES } from "../../server/records/entities/registry.ts";
import { type Answer, API, type Api, ok, unique, until } from "./api.ts";
import { readDocument } from "./documented.ts";
import {
  plantConsent,
  plantFormerOutcomes,
  plantImport,
  plantInvitation,
  plantLogouts,
  plantSession,
} from "./planted.ts";
import { addRows, plantAlert, plantMail, rowsOf } from "./rows.ts";
import { newMember, newTenant, request, savePolicy } from "./tenant.ts";

// biome-ignore lint/suspicious/noExplicitAny: records of any kind
export type Item = any;

export interface World {
  admin: Api;
  /** Has every scope, and a policy that permits everything. */
  spy: Api;
  /** Path parameters of lists under a record, by the record's type. */
  ids: Record<string, string | number>;
  /** Reading requests creates new ones; those before this time are stable. */
  madeOn: string;
}

/** An entity, as Entities describes it. */
export interface Described {
  Name: string;
  Fields: { Name: string; Type: string; Filter: boolean }[];
}

const EACH = 5;
/** It makes one record of every kind, on a machine that many tests share. */
export const PATIENCE_MS = 300_000;
const WEBHOOK = { Entities: ENTITIES.map(({ name }) => name), Events: ["Created", "Updated", "Deleted"] };

export async function newWorld(): Promise<World> {
  const admin = await newTenant();
  const spy = await newMember(admin);
  await savePolicy(admin, "Spy", `permit (principal == Client::"${spy.clientId}", action, resource);`);
  const times = Array.from({ length: EACH }, (_, index) => index);
  const connections: Item[] = [];
  for (const index of times) {
    const made = { Name: unique("connection"), URL: `https://receiver.example/${index}`, ...WEBHOOK };
    connections.push(await ok(admin.patch("/WebhookConnection", { ...made, State: "Paused" })));
    const provider = { Name: unique("provider"), Issuer: "https://id.example.com", ClientId: "x" };
    await ok(admin.patch("/IdentityProvider", { ...provider, Type: "OpenIDConnect" }));
    await plantInvitation(admin, { email: `${index}@mail.test` });
    await plantMail(admin.tenantId);
    await plantImport(admin.tenantId);
    await ok(admin.patch("/Role", { Name: unique("role") }));
    await ok(admin.patch("/Api", { Name: unique("api"), Audience: `urn:${Bun.randomUUIDv7()}` }));
  }
  for (const entity of await entitiesOf(admin)) {
    for (const _ of times) await ok(admin.patch(`/${entity.Name}`, newRecord(entity)));
  }
  let redelivery = "";
  for (const { Id } of connections) {
    redelivery = (await ok(send(admin, "POST", "/Redelivery", { ConnectionId: Id, From: "2020-01-01" }))).Id;
    for (const alert of [{}, { kind: "ErrorRate", connection_id: Id }]) {
      await plantAlert(admin.tenantId, { ...alert, ended_on: new Date() });
    }
  }
  const deliveries = await until("what has changed to be held", async () => {
    const held = await rowsOf("deliveries", { connection_id: connections.at(-1).Id });
    return held.length >= EACH * ENTITIES.length && held;
  });
  await plantFormerOutcomes(deliveries, { reason: "503", redelivery_id: redelivery });
  const users = (await ok(admin.get("/User"))).Items;
  const applications = (await ok(admin.get("/Application"))).Items;
  const user = users.at(-1).Id;
  for (const { Id } of applications) {
    if (Id !== admin.clientId && Id !== spy.clientId) await ok(admin.patch(`/Application/${Id}/Credentials`, {}));
    await plantConsent(admin, user, Id);
    await plantSession(admin, user);
  }
  const others = applications.filter(({ Id }: Item) => Id !== admin.clientId && Id !== spy.clientId);
  const registered = await rowsOf("credentials", { application_id: others.map(({ Id }: Item) => Id) });
  const openly = { tenant_id: admin.tenantId, is_open: true };
  await addRows(
    "registered_clients",
    registered.map(({ application_id }) => ({ application_id, ...openly })),
  );
  for (const { Id } of users) await plantConsent(admin, Id, admin.clientId);
  await plantLogouts(admin, admin.clientId, EACH, { state: "Delivered", ended_on: new Date() });
  const by = { created_by_type: "Application", created_by_id: admin.clientId };
  const erasure = { tenant_id: admin.tenantId, deliveries: "Send", state: "Completed", ...by };
  await addRows(
    "erasures",
    times.map((index) => ({ id: Bun.randomUUIDv7(), user_id: index + 1, ...erasure })),
  );
  const { EventId } = (await ok(admin.get("/WebhookEvent?Limit=1"))).Items[0];
  let policy = "";
  for (const index of times) {
    const text = `permit (principal == Client::"0", action, resource) when { context.hour == ${index} };`;
    policy = (await savePolicy(admin, "Versions", text)).Id;
  }
  const key = Bun.randomUUIDv7();
  const [last] = await until("all requests so far to be written down", async () => {
    await ok(admin.get("/Entities", { "x-request-id": key }));
    const { Items } = await ok(admin.get(`/Request?RequestKey=${key}`));
    return Items.length > 0 && Items;
  });
  return {
    admin,
    spy,
    ids: { User: user, WebhookEvent: EventId, Policy: policy, Application: admin.clientId, Redelivery: redelivery },
    madeOn: last.OccurredOn,
  };
}

/** Entities that the API writes by any values: alerts are raised only by the service, and invitations are mails. */
export async function entitiesOf(admin: Pick<Api, "get">): Promise<Described[]> {
  const { Items } = await ok(admin.get("/Entities"));
  return Items.filter(({ Name }: Described) => !["Alert", "AuditEvent", "Invitation"].includes(Name));
}

/** Fields that accept only an address or a date, not any text. */
const SHAPED = new Set(ENTITIES.flatMap(({ fields }) => fields.filter(({ shape }) => shape).map(({ name }) => name)));

/** No other record has any of its texts. */
export function newRecord({ Fields }: Described, word = "hidden"): Item {
  const texts = textsOf({ Fields }).filter((name) => !SHAPED.has(name));
  return Object.fromEntries(texts.map((name) => [name, unique(`${word}-${name.toLowerCase()}`)]));
}

export function textsOf({ Fields }: Pick<Described, "Fields">): string[] {
  return Fields.filter(({ Name, Type }) => Type === "string" && Name !== "Id").map(({ Name }) => Name);
}

export function referencesOf({ Fields }: Pick<Described, "Fields">): string[] {
  return Fields.filter(({ Type }) => Type.startsWith("object (Abstract")).map(({ Name }) => Name);
}

/** Every list of the API: an operation with a Cursor. Its path has no parameters left, and may have a query. */
export async function listsOf({ ids, madeOn }: World): Promise<{ path: string; name: string }[]> {
  const document = await readDocument();
  const lists = Object.entries<Item>(document.paths).filter(([, { get }]) =>
    get?.parameters?.some((parameter: Item) => String(parameter.$ref).endsWith("/Cursor")),
  );
  return lists.map(([path]) => {
    const own = path.replace(API, "");
    const [, type = ""] = own.split("/");
    const filled = own.replace(/\{[^}]+\}/, () => {
      if (ids[type] === undefined) throw new Error(`The world has no ${type} for the list ${own}.`);
      return String(ids[type]);
    });
    const name = own.slice(own.lastIndexOf("/") + 1);
    return { path: name === "Request" ? `${filled}?To=${madeOn}` : filled, name };
  });
}

/** Lists with the visibility of their parent record. */
export const WITHIN_A_RECORD = ["Sessions", "Versions", "Logouts"];

/** The policy name of a list's item; undefined: its parent record decides. */
export function uidOf(name: string, item: Item): { type: string; id: string } | undefined {
  if (WITHIN_A_RECORD.includes(name)) return undefined;
  if (name === "Grants") return { type: "Grant", id: `${item.User.Id}/${item.Application.Id}` };
  if (name === "RegistrationAccessToken") return { type: "Credentials", id: String(item.Application.Id) };
  // Its event decides whether a redelivery's delivery is visible.
  if (name === "Deliveries") return { type: "WebhookEvent", id: item.EventId };
  if (item.ConnectionId && !item.Id) return { type: "WebhookConnection", id: item.ConnectionId };
  // Role::"admin" is the role of its members.
  return { type: name, id: String(name === "Role" ? item.Name : (item.EventId ?? item.Id)) };
}

/** Hides records from the spy, for all or some actions. */
export async function hide(
  { admin, spy }: Pick<World, "admin" | "spy">,
  uids: { type: string; id: string }[],
  actions = "action",
): Promise<void> {
  for (const [type, own] of Map.groupBy(uids, (uid) => uid.type)) {
    const set = own.map(({ id }) => `${type}::"${id}"`).join(", ");
    await savePolicy(
      admin,
      `Hide ${type}`,
      `forbid (principal == Client::"${spy.clientId}", ${actions}, resource is ${type}) when { [${set}].contains(resource) };`,
    );
  }
}

export const READING = 'action in [Action::"AccessManager:Read", Action::"Settings:Read", Action::"Webhooks:Read"]';

/** The list's path with further query parameters. */
export const asked = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

/** All pages of a list. */
export async function pagesOf(
  reader: { get(path: string): Promise<Answer> },
  path: string,
  limit: number,
): Promise<{ Items: Item[]; Next: string | null }[]> {
  const pages: { Items: Item[]; Next: string | null }[] = [];
  for (let next: string | null = ""; next !== null; next = pages.at(-1)!.Next) {
    pages.push(await ok(reader.get(asked(path, `Limit=${limit}&Cursor=${next}`))));
  }
  return pages;
}

/** With a JSON body. */
export function send(
  { token }: Pick<Api, "token">,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const all = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
  return request(method, API + path, { headers: all, body: JSON.stringify(body) });
}

/** A text that no record has. */
export const UNKNOWN = "nobody-has-this";

/** The error without values that differ between requests. */
export function shownOf({ status, body, headers }: Answer, secret: string) {
  const { RequestKey: _, Instance: __, ...rest } = body;
  return { status, etag: headers.get("etag"), body: JSON.parse(JSON.stringify(rest).replaceAll(secret, UNKNOWN)) };
}
