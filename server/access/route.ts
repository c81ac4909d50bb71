// Endpoints of the API: single ones, and the common set of a resource (list, upsert by PATCH and POST, read, delete).

import type { Filters, Parameters } from "../http/query.ts";
import {
  type Endpoint as AnyEndpoint,
  type Route,
  type RouteAnswer,
  type RouteCall,
  type Tag,
  withPost,
} from "../http/route.ts";
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

export interface Resource<
  R extends Scope,
  W extends Scope,
  D extends Scope,
  P extends Parameters,
  Q extends Filters,
  I,
  A extends Parameters,
> {
  name: string;
  tag: Tag;
  /** One and several of them, in the middle of a sentence. */
  nouns: readonly [one: string, several: string];
  scopes: { read: R; write: readonly W[]; remove: D };
  params: P;
  anyText?: boolean;
  query?: A;
  filters: Q;
  filterName?: (given: string) => string | undefined;
  body: NonNullable<Endpoint<W, Nothing, Nothing, I, Nothing>["body"]>;
  answer: Pick<RouteAnswer, "schema" | "example">;
  list: Own<R, RouteCall<Nothing, Q, undefined, Nothing>>;
  save: Own<W, RouteCall<Nothing, Nothing, I, Nothing>> & { answer?: RouteAnswer };
  read: Own<R, RouteCall<P, Nothing, undefined, A>>;
  remove: Own<D, RouteCall<P, Nothing, undefined, A>>;
}

export function resourceRoutes<
  R extends Scope,
  W extends Scope,
  D extends Scope,
  P extends Parameters,
  Q extends Filters,
  I,
  A extends Parameters = Nothing,
>(resource: Resource<R, W, D, P, Q, I, A>): Route[] {
  const { name, tag, nouns, scopes, answer, params, anyText, query, filters, filterName, body } = resource;
  const [noun, several] = nouns;
  const { list, save, read, remove } = resource;
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
        answer: { description: `The ${noun} as it stands.`, ...answer },
        ...save,
        method: "PATCH",
        path,
        tag,
        id: `upsert${name}`,
        summary: `Update or make one ${noun}`,
        scopes: scopes.write,
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
