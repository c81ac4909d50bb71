// One endpoint of the API, declared once: how it is called, by whom, what it takes and answers, and what does the work.
// Routing, checks and the OpenAPI document come from the declaration.

import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { MethodNotAllowed } from "../errors.ts";
import { isWithoutBody, readJson, requireJson } from "./body.ts";
import { type Conditions, etagOf, isNotModified, readConditions, UNCONDITIONAL } from "./conditions.ts";
import type { Body } from "./contract.ts";
import {
  type Asked,
  type Filters,
  firstPage,
  type Parameters,
  readAsked,
  readParameter,
  requireKnown,
  type Values,
} from "./query.ts";
import { API_PATH, requestUrl } from "./request.ts";

/** The errors that an endpoint may name, as the OpenAPI document calls them. */
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
  | "UnsupportedMediaType"
  | "TooManyRequests"
  | "ServiceBusy"
  | "DatabaseAway"
  | "InternalServerError";

export interface Tag {
  name: string;
  description: string;
}

/** What is there when the handler begins: all of it has been checked. */
export interface RouteCall<P, Q, I, A> extends Asked<Q> {
  request: Request;
  params: Values<P>;
  query: Values<A>;
  conditions: Conditions;
  input: I;
  /** What the input was read from. */
  sent: unknown;
}

/** `C` is who may call it, `R` what it may answer: server/access says which. */
export interface Endpoint<C, S extends string, P extends Parameters, Q extends Filters, I, A extends Parameters, R> {
  method: "GET" | "PATCH" | "POST" | "DELETE";
  /** Below API_PATH, with its parameters as `{Id}`. */
  path: string;
  /** What the access token must carry, all of them. */
  scopes: readonly S[];
  /** The operation's, in the OpenAPI document. */
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  params?: P;
  /** The path's last parameter is all that follows, slashes included, as it was sent. */
  anyText?: boolean;
  /** In the query of what is no list; "" if it is absent. */
  query?: A;
  filters?: Q;
  /** The filter that a name is another spelling of. */
  filterName?: (given: string) => string | undefined;
  /** Takes Limit and Cursor. */
  paged?: boolean;
  /** Takes If-Match and If-None-Match; the handler answers a record with its version. */
  conditions?: boolean;
  body?: Body<I> & {
    description: string;
    examples: Record<string, unknown>;
    /** A request without one is as good as one without fields. */
    optional?: boolean;
  };
  answer: RouteAnswer;
  /** Beside those that come of all the rest. */
  errors?: ErrorName[];
  handle(caller: C, call: RouteCall<P, Q, I, A>): Promise<R | Response>;
}

export interface RouteAnswer {
  description: string;
  schema: TSchema;
  example?: unknown;
  /** Several, by name. */
  examples?: Record<string, unknown>;
  /** A page of them. */
  list?: boolean;
  /** A file of one of these media types, each of whose lines is what the schema says. */
  files?: readonly string[];
  headers?: Record<string, string>;
}

/** One whose types are its own business. */
// biome-ignore lint/suspicious/noExplicitAny: what a handler takes was checked where it was declared.
export type Route = Endpoint<any, any, any, any, any, any, any>;

/** The same as PATCH by POST, for clients that have no PATCH */
export function withPost(patch: Route, id: string): Route[] {
  return [patch, { ...patch, method: "POST", id, summary: "The same as PATCH", description: undefined }];
}

/** Who calls, and what they may ask for. */
export interface RouteGuard<C> {
  /** @throws Unauthorized */
  authenticate(request: Request): Promise<C>;
  /** @throws Permission */
  permit(caller: C, scopes: readonly string[]): C;
}

/** All methods of a path are one route of the router, so that the others are 405 (RFC 9110 15.5.6). */
export function controllerOf<C>(routes: readonly Route[], door: RouteGuard<C>) {
  const controller = new Elysia();
  const paths = Map.groupBy(routes, ({ path }) => path);
  for (const [path, methods] of paths) {
    // A path that ends in a slash comes here too: it has an empty text after it.
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
    // Elysia reads no body: that comes after the scopes.
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
  { authenticate, permit }: RouteGuard<C>,
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
  const parameters = isList || endpoint.query ? requestUrl(request).searchParams : undefined;
  const asked = isList ? readAsked(filters ?? {}, parameters!, endpoint.filterName) : NOTHING_ASKED;
  if (endpoint.query) requireKnown(parameters!, Object.keys(endpoint.query));
  const query = readAll(endpoint.query, (name) => readParameter(parameters!, name));
  const params = readAll(endpoint.params, (name, index) => texts[routerName(name, index)] ?? "");
  const sent = hasBody ? await readJson(request) : body && {};
  const input = body?.parse(sent);
  const result = await endpoint.handle(permitted, { request, params, query, ...asked, conditions, input, sent });
  if (result instanceof Response) return result;
  const isTagged = endpoint.conditions && !Array.isArray(result);
  if (!isTagged) return Response.json(result, { headers: endpoint.answer.headers });
  return answerTagged(result as Tagged, method === "GET" ? conditions : UNCONDITIONAL);
}

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
  /** What its entity tag is made of; undefined if it has none. */
  version: object | undefined;
}

/** The record with its entity tag; 304 if If-None-Match names it. @throws PreconditionFailed */
function answerTagged({ record, version }: Tagged, conditions: Conditions): Response {
  const headers = version && { etag: etagOf(version) };
  if (version === undefined || !isNotModified(conditions, version)) return Response.json(record, { headers });
  return new Response(null, { status: 304, headers });
}

function routerPath(path: string): string {
  let index = 0;
  return path.replace(/\{(\w+)\}/g, (_, name) => `:${routerName(name, index++)}`);
}

/** The router wants one name for what stands at the same place in several paths. */
function routerName(name: string, index: number): string {
  return index === 0 ? "id" : name.charAt(0).toLowerCase() + name.slice(1);
}
