// Endpoints of the API: single ones, and the common set of a resource (list, upsert by PATCH and POST, read, delete).

import type { Fields } from "../../platform/http/fields.ts";
import type { Filters, Parameters } from "../../platform/http/query.ts";
import {
  type Endpoint as AnyEndpoint,
  type Route,
  type RouteAnswer,
  type RouteCall,
  withPost,
} from "../../platform/http/route.ts";
import type { Declaration, RecordScopes } from "../record.ts";
import type { Permitted } from "./bearer.ts";
import type { Shown, Tagged } from "./gate/shown.ts";
import type { Scope } from "./scopes.ts";

type Nothing = Record<never, never>;

/** Its handler runs for callers with its scopes, and returns data that has passed the gate. */
type Endpoint<S extends Scope, P extends Parameters, Q extends Filters, I, A extends Parameters> = AnyEndpoint<
  Permitted<S>,
  S,
  P,
  Q,
  I,
  A,
  Shown<object> | Tagged<object>
>;

export function route<
  S extends Scope,
  P extends Parameters = Nothing,
  Q extends Filters = Nothing,
  I = undefined,
  A extends Parameters = Nothing,
>(endpoint: Endpoint<S, P, Q, I, A>): Route {
  return endpoint;
}

interface Own<S extends Scope, C> {
  description?: string;
  errors?: Endpoint<S, Nothing, Nothing, unknown, Nothing>["errors"];
  handle(caller: Permitted<S>, call: C): ReturnType<Endpoint<S, Nothing, Nothing, unknown, Nothing>["handle"]>;
}

interface Resource<S extends RecordScopes, P extends Parameters, Q extends Filters, I, A extends Parameters> {
  /** One and several of them, in the middle of a sentence; default: the declared ones. */
  nouns?: readonly [one: string, several: string];
  params: P;
  anyText?: boolean;
  query?: A;
  filters: Q;
  filterName?: (given: string) => string | undefined;
  body: NonNullable<Endpoint<Scope, Nothing, Nothing, I, Nothing>["body"]>;
  /** Default: the declared record. */
  answer?: Pick<RouteAnswer, "schema" | "example">;
  list: Own<Of<S["read"]>, RouteCall<Nothing, Q, undefined, Nothing>>;
  save: Own<Of<S["create"] | S["update"]>, RouteCall<Nothing, Nothing, I, Nothing>> & { answer?: RouteAnswer };
  read: Own<Of<S["read"]>, RouteCall<P, Nothing, undefined, A>>;
  remove: Own<Of<S["remove"]>, RouteCall<P, Nothing, undefined, A>>;
}

type Of<S extends string> = Extract<S, Scope>;

export function resourceRoutes<
  F extends Fields,
  S extends RecordScopes,
  P extends Parameters,
  Q extends Filters,
  I,
  A extends Parameters = Nothing,
>(kind: Declaration<F, S>, resource: Resource<S, P, Q, I, A>): Route[] {
  const { name, texts, record: schema, example } = kind;
  const scopes = kind.scopes as { [Operation in keyof RecordScopes]: Of<S[Operation]> };
  const { nouns = kind.nouns, params, anyText, query, filters, filterName, body, list, save, read, remove } = resource;
  const { answer = { schema, example } } = resource;
  const [noun, several] = nouns;
  const tag = { name, description: texts.group };
  const path = `/${name}`;
  const one = { tag, path: `${path}/{Id}`, params, anyText, query, conditions: true };
  return [
    route({
      ...list,
      method: "GET",
      path,
      tag,
      id: `list${name}`,
      summary: `List ${several}`,
      scopes: [scopes.read],
      paged: true,
      filters,
      filterName,
      answer: { description: `A page of ${several}.`, ...answer, list: true },
      errors: ["ServiceBusy", ...(list.errors ?? [])],
    }),
    ...withPost(
      route({
        answer: { description: `The ${noun} after the change.`, ...answer },
        ...save,
        method: "PATCH",
        path,
        tag,
        id: `upsert${name}`,
        summary: `Create or update one ${noun}`,
        scopes: [...new Set([scopes.create, scopes.update])],
        conditions: true,
        body,
        errors: ["NotFound", "Conflict", ...(save.errors ?? [])],
      }),
      `post${name}`,
    ),
    route({
      ...one,
      ...read,
      method: "GET",
      id: `get${name}`,
      summary: `Read one ${noun}`,
      scopes: [scopes.read],
      answer: { description: `The ${noun}.`, ...answer },
    }),
    route({
      ...one,
      ...remove,
      method: "DELETE",
      id: `delete${name}`,
      summary: `Delete one ${noun}`,
      scopes: [scopes.remove],
      answer: { description: `The ${noun}'s last state.`, ...answer },
    }),
  ];
}
