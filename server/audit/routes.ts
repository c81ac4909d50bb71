// GET AuditEvent: the audit log, as it is read. Nothing changes it.

import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import { BadInput, NotFound } from "../errors.ts";
import { requireMethod } from "../http/method.ts";
import { isUuid, readPaging, toPage } from "../http/paging.ts";
import { API_PATH } from "../http/paths.ts";
import { type Query, readMoment, readQuery, readWord } from "../http/query.ts";
import { toRecordId } from "../http/record-id.ts";
import { requestUrl } from "../http/request-url.ts";
import { AUDIT_KINDS } from "./kinds.ts";
import { AUDIT_RESOURCE_TYPE } from "./resource-type.ts";
import { type AuditEvent, type AuditFilter, findAuditEvent, listAuditEvents } from "./store.ts";

export const ACTOR_TYPES = ["User", "Application"] as const;
export const SUBJECT_TYPES = [
  "User",
  "Application",
  "Policy",
  "Role",
  "IdentityProvider",
  "WebhookConnection",
  "WebhookEvent",
] as const;

const RESOURCE = AUDIT_RESOURCE_TYPE.name;
const FILTERS = ["Kind", "ActorType", "ActorId", "SubjectType", "SubjectId", "From", "To"];

export function auditController(sql: Sql, authenticate: Authenticate) {
  const path = `${API_PATH}/AuditEvent`;

  async function list({ tenantId, permissions }: Caller, parameters: URLSearchParams): Promise<Response> {
    const query = readQuery(parameters, FILTERS);
    const { limit, after } = readPaging(query);
    const rows = await listAuditEvents(sql, tenantId, readFilter(query), limit, after);
    const { Items, Next } = toPage(rows, limit, (row) => row.id, toRecord);
    return Response.json({
      Items: Items.filter((record) => permissions.allows("Settings:Read", RESOURCE, record)),
      Next,
    });
  }

  async function read({ tenantId, permissions }: Caller, id: string): Promise<Response> {
    const event = isUuid(id) ? await findAuditEvent(sql, tenantId, id) : undefined;
    if (!event) throw new NotFound("There is no AuditEvent with this Id.");
    const record = toRecord(event);
    permissions.require("Settings:Read", RESOURCE, record);
    return Response.json(record);
  }

  async function reader(request: Request): Promise<Caller> {
    const caller = await authenticate(request);
    requireMethod(request, "GET");
    requireScopes(caller, "Settings:Read");
    return caller;
  }

  return new Elysia()
    .all(path, async ({ request }) => list(await reader(request), requestUrl(request).searchParams), { parse: "none" })
    .all(`${path}/:id`, async ({ request, params }) => read(await reader(request), params.id), { parse: "none" });
}

function toRecord(event: AuditEvent) {
  return {
    Id: event.id,
    OccurredOn: event.occurredOn.toISOString(),
    Kind: event.kind,
    Outcome: event.outcome,
    Actor: reference(event.actorType, event.actorId),
    ClientId: event.clientId === null ? null : String(event.clientId),
    Address: event.address,
    UserAgent: event.userAgent,
    Subject: reference(event.subjectType, event.subjectId),
    Details: event.details,
    RequestKey: event.requestKey,
  };
}

/** Ids are text here: a Policy's is no number. */
function reference(type: string | null, id: string | number | null) {
  return type === null ? null : { Type: type, Id: String(id) };
}

function readFilter(query: Query): AuditFilter {
  const actorId = readId(query, "ActorId", "ActorType", (text) => toRecordId(text) !== undefined);
  return {
    kind: readWord(query, "Kind", AUDIT_KINDS),
    actor: typed(readWord(query, "ActorType", ACTOR_TYPES), actorId === undefined ? undefined : Number(actorId)),
    subject: typed(
      readWord(query, "SubjectType", SUBJECT_TYPES),
      readId(query, "SubjectId", "SubjectType", (text) => toRecordId(text) !== undefined || isUuid(text)),
    ),
    from: readMoment(query, "From"),
    to: readMoment(query, "To"),
  };
}

/** Without its type an Id says nothing: a User and an Application may have the same. */
function readId(query: Query, name: string, typeName: string, isId: (text: string) => boolean): string | undefined {
  const given = query.get(name);
  if (!given) return undefined;
  if (!isId(given)) throw new BadInput(`${name} must be a record's Id.`);
  if (!query.get(typeName)) throw new BadInput(`${name} needs ${typeName} beside it.`);
  return given.toLowerCase();
}

function typed<Type, Id>(type: Type | undefined, id: Id | undefined) {
  return type === undefined ? undefined : { type, id };
}
