// The declaration of an API endpoint: method, path, scopes, input, output and handler. Routing, validation and the
// OpenAPI document derive from it.

import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { MethodNotAllowed } from "../errors.ts";
import { isWithoutBody, readJson, requireJson } from "./body.ts";
import { type Conditions, etagOf, isNotModified, readConditions, UNCONDITIONAL } from "./conditions.ts";
import type { Body } from "./contract.ts";
import {
  type Asked,
  explainingPlus,
  type Filters,
  firstPage,
  type Parameters,
  readAsked,
  readParameter,
  requireKnown,
  type Values,
} from "./query.ts";
import { API_PATH, requestUrl } from "./request.ts";

export type ErrorName =
  | "BadInput"
  | "MultipleRows"
  | "Unauthorized"
  | "Permission"
  | "NotFound"
  | "MethodNotAllowed"
  | "Conflict"
  | "PreconditionFailed"
  | "PayloadTooLarge"
  | "KeyReused"
  | "UnsupportedMediaType"
  | "TooManyRequests"
  | "ServiceBusy"
  | "DatabaseAway"
  | "InternalServerError";

export interface Tag {
  name: string;
  description: string;
}

/** The validated request, as the handler receives it. */
export interface RouteCall<P, Q, I, A> extends Asked<Q> {
  request: Request;
  params: Values<P>;
  query: Values<A>;
  conditions: Conditions;
  input: I;
  /** The original body. */
  sent: unknown;
}

/** `C` is the caller, `R` the response: see server/records/access. */
export interface Endpoint<C, S extends string, P extends Parameters, Q extends Filters, I, A extends Parameters, R> {
  method: "GET" | "PATCH" | "POST" | "DELETE";
  /** Below API_PATH, with parameters as `{Id}`. */
  path: string;
  scopes: readonly S[];
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  params?: P;
  /** The last path parameter is the whole remaining path, unchanged. */
  anyText?: boolean;
  /** Query parameters outside lists; "" if absent. */
  query?: A;
  filters?: Q;
  /** Names of filters are case-insensitive. */
  anyCase?: boolean | undefined;
  paged?: boolean;
  /** Supports If-Match and If-None-Match; the handler returns a record with its version. */
  conditions?: boolean;
  body?: Body<I> & {
    description: string;
    examples: Record<string, unknown>;
    /** A missing body means one without fields. */
    optional?: boolean;
  };
  answer: RouteAnswer;
  /** Errors beyond those implied by the declaration. */
  errors?: ErrorName[];
  handle(caller: C, call: RouteCall<P, Q, I, A>): Promise<R | Response>;
}

export interface RouteAnswer {
  description: string;
  schema: TSchema;
  example?: unknown;
  examples?: Record<string, unknown>;
  list?: boolean;
  /** A file of one of these media types with one record per line. */
  files?: readonly string[];
  headers?: Record<string, string>;
}

/** A route with its types erased. */
// biome-ignore lint/suspicious/noExplicitAny: the declaration checked the handler's input.
export type Route = Endpoint<any, any, any, any, any, any, any>;

/** The same as PATCH by POST, for clients that have no PATCH */
export function withPost(patch: Route, id: string): Route[] {
  return [patch, { ...patch, method: "POST", id, summary: "The same as PATCH", description: undefined }];
}

export interface RouteGuard<C> {
  /** @throws Unauthorized */
  authenticate(request: Request): Promise<C>;
  /** @throws Permission */
  permit(caller: C, scopes: readonly string[]): C;
  /** Carries out a request with an Idempotency-Key, or repeats its answer. @throws KeyReused, Conflict */
  once(caller: C, call: KeyedCall, run: (by: C) => Promise<Response>): Promise<Response>;
}

/** A request with an Idempotency-Key. */
export interface KeyedCall {
  key: string;
  /** The kind of record that the answer shows, for most routes. */
  kind: string;
  /** Its method, target, conditions and body. */
  parts: unknown[];
}

/** All methods of a path share one router entry, so unsupported ones get 405 (RFC 9110 15.5.6). */
export function controllerOf<C>(routes: readonly Route[], door: RouteGuard<C>) {
  const controller = new Elysia();
  const paths = Map.groupBy(routes, ({ path }) => path);
  for (const [path, methods] of paths) {
    // A path that ends with a slash also matches, with an empty text after it.
    const below = paths.get(`${path}/{Id}`)?.filter(({ anyText }) => anyText) ?? [];
    const base = API_PATH + path.replace(/\/\{\w+\}$/, "");
    const handle = ({ request, params }: Context) => {
      const { anyText } = methods[0]!;
      if (!anyText && below.length === 0) return answer(methods, door, request, params);
      const { pathname } = requestUrl(request);
      const isBelow = anyText || pathname !== base;
      return answer(anyText ? methods : isBelow ? below : methods, door, request, {
        id: pathname.slice(base.length + 1),
      });
    };
    // The body is read later, after the scopes are checked.
    controller.all(methods[0]!.anyText ? `${base}/*` : API_PATH + routerPath(path), handle, { parse: "none" });
  }
  return controller;
}

interface Context {
  request: Request;
  params: Record<string, string>;
}

const NOTHING_ASKED = { filters: {}, paging: firstPage(1) };

async function answer<C>(
  methods: readonly Route[],
  { authenticate, permit, once }: RouteGuard<C>,
  request: Request,
  texts: Record<string, string>,
): Promise<Response> {
  const caller = await authenticate(request);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const endpoint = methods.find((one) => one.method === method);
  if (!endpoint)
    throw new MethodNotAllowed(methods.flatMap((one) => (one.method === "GET" ? ["GET", "HEAD"] : one.method)));
  const { scopes, filters, paged, body } = endpoint;
  const hasBody = body && !(body.optional && isWithoutBody(request));
  if (hasBody) requireJson(request);
  const permitted = permit(caller, scopes);
  const conditions = endpoint.conditions ? readConditions(request.headers) : UNCONDITIONAL;
  const isList = filters || paged;
  const { searchParams: parameters, search } = requestUrl(request);
  const { asked, query } = explainingPlus(search, () => {
    if (!isList) requireKnown(parameters, Object.keys(endpoint.query ?? {}));
    return {
      asked: isList ? readAsked(filters ?? {}, parameters, endpoint.anyCase) : NOTHING_ASKED,
      query: readAll(endpoint.query, (name) => readParameter(parameters, name)),
    };
  });
  const params = readAll(endpoint.params, (name, index) => texts[routerName(name, index)] ?? "");
  const sent = hasBody ? await readJson(request) : body && {};
  const input = body?.parse(sent);
  const handle = async (by: C) => {
    const result = await endpoint.handle(by, { request, params, query, ...asked, conditions, input, sent });
    if (result instanceof Response) return result;
    const isTagged = endpoint.conditions && !Array.isArray(result);
    if (!isTagged) return Response.json(result, { headers: endpoint.answer.headers });
    return answerTagged(result as Tagged, method === "GET" ? conditions : UNCONDITIONAL);
  };
  const key = KEYED.includes(method) ? request.headers.get(IDEMPOTENCY_KEY) : null;
  if (key === null) return handle(permitted);
  const { pathname } = requestUrl(request);
  const given = [request.headers.get("if-match"), request.headers.get("if-none-match")];
  return once(permitted, { key, kind: endpoint.tag.name, parts: [method, pathname, search, ...given, sent] }, handle);
}

/** The methods that take an Idempotency-Key; others are idempotent. */
export const KEYED: readonly string[] = ["POST", "PATCH"];
export const IDEMPOTENCY_KEY = "Idempotency-Key";

function readAll(
  parameters: Parameters = {},
  textOf: (name: string, index: number) => string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(parameters).map((name, index) => [name, parameters[name]!.read(textOf(name, index))]),
  );
}

interface Tagged {
  record: object;
  /** The values of its entity tag; undefined if it has none. */
  version: object | undefined;
}

/** The record with its entity tag; 304 if If-None-Match matches. @throws PreconditionFailed */
function answerTagged({ record, version }: Tagged, conditions: Conditions): Response {
  const headers = version && { etag: etagOf(version) };
  if (version === undefined || !isNotModified(conditions, version)) return Response.json(record, { headers });
  return new Response(null, { status: 304, headers });
}

function routerPath(path: string): string {
  let index = 0;
  return path.replace(/\{(\w+)\}/g, (_, name) => `:${routerName(name, index++)}`);
}

/** The router requires the same parameter name at the same position of all paths. */
function routerName(name: string, index: number): string {
  return index === 0 ? "id" : name.charAt(0).toLowerCase() + name.slice(1);
}
