// Endpoints of the API: single ones, and the common set of a resource (list, upsert by PATCH and POST, read, delete).

import type { Fields, InputOf } from "../../platform/http/fields.ts";
import { type Filters, type Parameter, type Parameters, uuidParameter } from "../../platform/http/query.ts";
import {
  type Endpoint as AnyEndpoint,
  type ErrorName,
  type Route,
  type RouteAnswer,
  type RouteCall,
  withPost,
} from "../../platform/http/route.ts";
import type { Declaration, RecordScopes } from "../record.ts";
import type { Permitted } from "./bearer.ts";
import type { Shown, Tagged } from "./gate/shown.ts";
import type { RecordService, ScopeOf } from "./record-service.ts";
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

interface Own {
  description?: string | undefined;
  errors?: ErrorName[];
}

/** The parts that differ from those of most kinds. */
interface Resource<S extends RecordScopes> {
  /** One and several of them, in the middle of a sentence; default: the declared ones. */
  nouns?: readonly [one: string, several: string];
  /** The path's parameter; default: a UUID. */
  id?: Parameter<string> | undefined;
  anyText?: boolean;
  /** The fields that can find a record instead of Id. */
  by?: Parameter<string>;
  body?: Partial<NonNullable<Route["body"]>>;
  /** Default: the declared record. */
  answer?: Pick<RouteAnswer, "schema" | "example">;
  list?: Own;
  save?: Own & {
    answer?: RouteAnswer;
    query?: Parameters;
    handle?(
      caller: Permitted<ScopeOf<S["create"] | S["update"]>>,
      call: Pick<RouteCall<Nothing, Nothing, unknown, Parameters>, "sent" | "conditions" | "query">,
    ): Promise<Shown<object> | Tagged<object>>;
  };
  read?: Own;
  remove?: Own;
}

/** The routes of every kind: its list, PATCH and POST, and reading and deleting one. */
export function resourceRoutes<F extends Fields, S extends RecordScopes, Q extends Filters>(
  kind: Declaration<F, S>,
  service: RecordService<object, InputOf<F>, S, Q>,
  own: Resource<S> = {},
): Route[] {
  const { name, texts, record: schema, example } = kind;
  const scopes = kind.scopes as { [Operation in keyof RecordScopes]: ScopeOf<S[Operation]> };
  const { nouns = kind.nouns, anyText, by, answer = { schema, example } } = own;
  const [noun, several] = nouns;
  const { id = uuidParameter(`The Id of the ${noun}.`, name) } = own;
  const tag = { name, description: texts.group };
  const path = `/${name}`;
  const query = by && { Name: by };
  const one = { tag, path: `${path}/{Id}`, params: { Id: id }, anyText, query, conditions: true };
  return [
    route({
      description: "Contains only records that the caller may read.",
      ...own.list,
      method: "GET",
      path,
      tag,
      id: `list${name}`,
      summary: `List ${several}`,
      scopes: [scopes.read],
      paged: true,
      filters: service.filters,
      anyCase: service.anyCase,
      answer: { description: `A page of ${several}.`, ...answer, list: true },
      errors: ["ServiceBusy", ...(own.list?.errors ?? [])],
      handle: (caller, { filters, paging }) => service.list(caller, filters, paging),
    }),
    ...withPost(
      route({
        description: texts.save ?? upsertOf(kind),
        answer: { description: `The ${noun} after the change.`, ...answer },
        handle: (caller, { input, conditions, sent }) => service.save(caller, input, conditions, sent),
        ...own.save,
        method: "PATCH",
        path,
        tag,
        id: `upsert${name}`,
        summary: `Create or update one ${noun}`,
        scopes: [...new Set([scopes.create, scopes.update])],
        conditions: true,
        body: { ...kind, description: `One ${noun}.`, examples: texts.examples ?? examplesOf(kind), ...own.body },
        errors: ["NotFound", "Conflict", ...(own.save?.errors ?? [])],
      }),
      `post${name}`,
    ),
    route({
      ...one,
      ...own.read,
      method: "GET",
      id: `get${name}`,
      summary: `Read one ${noun}`,
      scopes: [scopes.read],
      answer: { description: `The ${noun}.`, ...answer },
      handle: (caller, { params, query }) => service.read(caller, params.Id, query.Name),
    }),
    route({
      ...one,
      description: texts.remove,
      ...own.remove,
      method: "DELETE",
      id: `delete${name}`,
      summary: `Delete one ${noun}`,
      scopes: [scopes.remove],
      answer: { description: `The ${noun}'s last state.`, ...answer },
      handle: (caller, { params, query, conditions }) => service.remove(caller, params.Id, conditions, query.Name),
    }),
  ];
}

function examplesOf({ name, example, texts }: Pick<Declaration, "name" | "example" | "texts">) {
  const values = new Map<string, unknown>(Object.entries(example));
  const fields = (texts.example ?? ["Name"]).map((one) => [one, values.get(one)]);
  return { [name.toLowerCase()]: Object.fromEntries(fields) };
}

function upsertOf({ nouns: [noun], identifiers, namesOf, texts: { alsoSaved } }: UpsertParts): string {
  const needed = namesOf(({ required }) => required).join(" and ");
  const saved = `Updates the ${noun} with this Id, or without an Id the one with this ${identifiers.join(" or ")}; otherwise creates one, which needs ${needed}.`;
  return [saved, ...(alsoSaved ? [alsoSaved] : [])].join(" ");
}

type UpsertParts = Pick<Declaration, "nouns" | "identifiers" | "namesOf" | "texts">;
