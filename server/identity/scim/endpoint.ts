// The routes of /scim/v2 (RFC 7644 3.2).

import { Elysia } from "elysia";
import type { Sql } from "../../platform/db/sql.ts";
import { BadInput, MethodNotAllowed, NotFound } from "../../platform/errors.ts";
import { isObject, readJson } from "../../platform/http/body.ts";
import { readConditions } from "../../platform/http/conditions.ts";
import { asApiError } from "../../platform/http/error-record.ts";
import type { LogFailure } from "../../platform/http/failure-log.ts";
import { requestUrl } from "../../platform/http/request.ts";
import type { Caller, EntityService } from "../../records/index.ts";
import { createScimAuthenticate, type ScimBearers } from "./bearer.ts";
import { documentAt, isDocument, MAX_RESULTS } from "./documents.ts";
import { MEDIA_TYPE, ScimError, scimAnswer, scimRefusal } from "./errors.ts";
import { createResources, type ScimResource, type ScimResources } from "./resources.ts";

const BASE = "/scim/v2";
const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const SEARCH = ".search";
const DEFAULT_COUNT = 100;
const MAX_START = 10_000_000;

interface ScimDependencies extends ScimBearers {
  sql: Sql;
  publicUrl: string;
  of(name: string): EntityService;
  onFailure: LogFailure;
}

interface Kind {
  address: string;
  resources: ScimResources;
}

interface Asked {
  request: Request;
  caller: Caller;
  id: string | undefined;
  query: URLSearchParams;
}

export function createController(deps: ScimDependencies) {
  const { sql, publicUrl, of, onFailure } = deps;
  const authenticate = createScimAuthenticate(deps);
  const base = publicUrl + BASE;
  const kinds = new Map<string, Kind>([
    ["users", { address: `${base}/Users`, resources: createResources(sql, "User", of) }],
    ["groups", { address: `${base}/Groups`, resources: createResources(sql, "Group", of) }],
  ]);

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams: query } = requestUrl(request);
    const [kind = "", id, ...others] = pathname.slice(BASE.length + 1).split("/");
    const caller = await authenticate(request);
    if (isDocument(kind) && request.method !== "GET") throw new MethodNotAllowed(["GET"]);
    const document = others.length === 0 ? documentAt(base, kind, id) : undefined;
    if (document) return scimAnswer(document);
    if (kind === SEARCH && id === undefined) return listAt([...kinds.values()], caller, await searchIn(request));
    const found = kinds.get(kind.toLowerCase());
    if (!found || others.length > 0 || id === "") throw new NotFound("There is no such resource.");
    if (id === SEARCH) return listAt([found], caller, await searchIn(request));
    return resourceAt(found, { request, caller, id, query });
  }

  const handle = async ({ request }: { request: Request }) => {
    try {
      return await answer(request);
    } catch (error) {
      if (asApiError(error).status >= 500) onFailure(error, request);
      return scimRefusal(error);
    }
  };
  return new Elysia().all(`${BASE}/*`, handle, { parse: "none" });
}

async function resourceAt(kind: Kind, asked: Asked): Promise<Response> {
  const { address, resources } = kind;
  const { request, caller, id, query } = asked;
  const { method, headers } = request;
  const shown = ({ record, etag }: ScimResource, status = 200) => {
    const location = `${address}/${record.id}`;
    const whole = located(record, location, etag);
    return scimAnswer(projected(whole, query), { status, headers: { location, ...(etag && { etag }) } });
  };
  const sent = () => readJson(request, undefined, mediaTypeOf(headers));
  if (id === undefined) {
    if (method === "GET") return listAt([kind], caller, query);
    if (method === "POST") return shown(await resources.create(caller, await sent()), 201);
    throw new MethodNotAllowed(["GET", "POST"]);
  }
  const conditions = readConditions(headers);
  switch (method) {
    case "GET":
      return shown(await resources.read(caller, id));
    case "PUT":
      return shown(await resources.replace(caller, id, await sent(), conditions));
    case "PATCH":
      return shown(await resources.patch(caller, id, await sent(), conditions));
    case "DELETE":
      await resources.remove(caller, id, conditions);
      return new Response(null, { status: 204 });
    default:
      throw new MethodNotAllowed(["GET", "PUT", "PATCH", "DELETE"]);
  }
}

/** The resources of these kinds, one kind after the other. */
async function listAt(kinds: readonly Kind[], caller: Caller, query: URLSearchParams): Promise<Response> {
  const filter = query.get("filter") ?? undefined;
  // RFC 7644 3.4.2.4: lower values count as the lowest.
  const first = Math.max(1, numberIn(query, "startIndex", 1, MAX_START));
  const count = Math.max(0, Math.min(MAX_RESULTS, numberIn(query, "count", DEFAULT_COUNT, MAX_START)));
  const found: object[] = [];
  let total = 0;
  for (const { address, resources } of kinds) {
    const startIndex = Math.max(1, first - total);
    const { Items, Total } = await resources.list(caller, { filter, startIndex, count: count - found.length });
    total += Total;
    found.push(...Items.map((record) => projected(located(record, `${address}/${record.id}`, undefined), query)));
  }
  return scimAnswer({
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex: first,
    itemsPerPage: found.length,
    Resources: found,
  });
}

/** RFC 7644 3.4.3: a list by POST, for filters that addresses should not have. */
async function searchIn(request: Request): Promise<URLSearchParams> {
  if (request.method !== "POST") throw new MethodNotAllowed(["POST"]);
  const body = await readJson(request, undefined, mediaTypeOf(request.headers));
  const given = Object.entries(isObject(body) ? body : {}).filter(([name]) => name !== "schemas");
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

function numberIn(query: URLSearchParams, name: string, standard: number, max: number): number {
  const text = query.get(name);
  if (text === null) return standard;
  const number = Number(text);
  if (text.length <= 20 && Number.isSafeInteger(number) && number <= max) return number;
  throw new ScimError("invalidValue", `${name} must be a whole number of at most ${max}.`);
}

/** Clients send either (RFC 7644 3.1). */
const mediaTypeOf = (headers: Headers) =>
  headers.get("content-type")?.toLowerCase().startsWith(MEDIA_TYPE) ? MEDIA_TYPE : "application/json";

function located(record: Record<string, unknown>, location: string, version: string | undefined) {
  const root = location.slice(0, location.lastIndexOf("/", location.lastIndexOf("/") - 1));
  const members = record.members as { value: string; type: string }[] | undefined;
  const linked = members?.map((one) => ({ ...one, $ref: `${root}/${one.type}s/${one.value}` }));
  return {
    ...record,
    ...(linked && { members: linked }),
    meta: { ...(record.meta as object), location, ...(version && { version }) },
  };
}

const ALWAYS = ["schemas", "id"];
const MAX_NAMES = 2_000;

/** RFC 7644 3.9, by the names of whole attributes. */
function projected(record: Record<string, unknown>, query: URLSearchParams): Record<string, unknown> {
  const [only, without] = ["attributes", "excludedAttributes"].map((name) => {
    const text = query.get(name) ?? "";
    if (text.length > MAX_NAMES)
      throw new BadInput(`${name} has ${text.length} characters; the limit is ${MAX_NAMES}.`);
    return new Set(
      text
        .toLowerCase()
        .split(",")
        .map((one) => one.trim().split(".")[0]!)
        .filter(Boolean),
    );
  });
  if (only!.size === 0 && without!.size === 0) return record;
  const isKept = (name: string) =>
    ALWAYS.includes(name) || (only!.size > 0 ? only!.has(name.toLowerCase()) : !without!.has(name.toLowerCase()));
  return Object.fromEntries(Object.entries(record).filter(([name]) => isKept(name)));
}
