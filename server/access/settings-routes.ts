// The routes of what an administrator sets up: policies, roles, identity providers.

import type { Contract } from "../http/contract.ts";
import type { Fields, InputOf, RecordOf } from "../http/fields.ts";
import { type Parameter, textFilter, uuidParameter } from "../http/inputs.ts";
import { resourceRoutes } from "../http/resource.ts";
import type { Route, Tag } from "../http/route.ts";
import type { SettingsService } from "./settings-service.ts";

/** What keeps an administrator in. */
export const LOCK_OUT = "Refused with 409 when its caller could not make the change again afterwards.";

export interface SettingsRoutes<F extends Fields> {
  contract: Contract<F>;
  service: SettingsService<RecordOf<F>, InputOf<F>>;
  tag: Tag;
  nouns: readonly [one: string, several: string];
  /** Bodies that each make one, by name. */
  examples: Record<string, Record<string, unknown>>;
  /** Unless it is a UUID. */
  id?: Parameter<string>;
  /** What is to be said of each. */
  upsert: string;
  remove: string;
}

export function settingsRoutes<F extends Fields>(kind: SettingsRoutes<F>): Route[] {
  const { contract, service, tag, nouns, examples, id, upsert, remove } = kind;
  const { name, record: schema, example } = contract;
  const [noun] = nouns;
  return resourceRoutes({
    ...{ name, tag, nouns },
    scopes: { read: "Settings:Read", write: ["Settings:Update"], remove: "Settings:Update" },
    params: { Id: id ?? uuidParameter(`The Id of the ${noun}.`, name) },
    filters: { Name: textFilter(`The ${noun} of this Name.`) },
    body: { ...contract, description: `One ${noun}.`, examples },
    answer: { schema, example },
    list: {
      description: "Without those that the caller may not read.",
      handle: (caller, { filters, paging }) => service.list(caller, { name: filters.Name }, paging),
    },
    save: {
      description: upsert,
      handle: (caller, { input, conditions, sent }) => service.save(caller, input, conditions, sent),
    },
    read: { handle: (caller, { params }) => service.read(caller, params.Id) },
    remove: {
      description: remove,
      errors: ["Conflict"],
      handle: (caller, { params, conditions }) => service.remove(caller, params.Id, conditions),
    },
  });
}
