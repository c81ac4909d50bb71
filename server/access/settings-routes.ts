// The routes of Policy and Role.

import type { Contract } from "../http/contract.ts";
import type { Fields, InputOf, RecordOf } from "../http/fields.ts";
import { textFilter, uuidParameter } from "../http/inputs.ts";
import { type Route, route, withPost } from "../http/route.ts";
import type { SettingsService } from "./settings-service.ts";

export interface SettingsRoutes<F extends Fields> {
  contract: Contract<F>;
  service: SettingsService<RecordOf<F>, InputOf<F>>;
  /** In the middle of a sentence. */
  noun: string;
  description: string;
  /** A body that makes one. */
  example: Record<string, unknown>;
}

export function settingsRoutes<F extends Fields>(kind: SettingsRoutes<F>): Route[] {
  const { contract, service, noun, description, example } = kind;
  const { name } = contract;
  const path = `/${name}`;
  const tag = { name, description };
  const answer = { schema: contract.record, example: contract.example };
  const one = { tag, path: `${path}/{Id}`, params: { Id: uuidParameter(`The Id of the ${noun}.`, name) } };
  const needs = contract.namesOf(({ required }) => required).join(" and ");
  const lockOut = "Refused with 409 when its caller could not make the change again afterwards.";
  return [
    route({
      method: "GET",
      path,
      tag,
      id: `list${name}`,
      summary: `List ${name} records`,
      description: "Without those that the caller may not read.",
      scopes: ["Settings:Read"],
      paged: true,
      filters: { Name: textFilter(`The ${noun} of this Name.`) },
      answer: { description: "A page of records.", ...answer, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters, paging }) => service.list(caller, { name: filters.Name }, paging),
    }),
    ...withPost(
      route({
        method: "PATCH",
        path,
        tag,
        id: `upsert${name}`,
        summary: `Update or make one ${noun}`,
        description:
          `The ${noun} that Id, or without it Name, points at is updated; else a new one is made, which needs ` +
          `${needs}. ${lockOut}`,
        scopes: ["Settings:Update"],
        conditions: true,
        body: { ...contract, description: `One ${noun}.`, examples: { [noun]: example } },
        answer: { description: `The ${noun} as it stands.`, ...answer },
        errors: ["NotFound", "Conflict"],
        handle: (caller, { input, conditions, sent }) => service.save(caller, input, conditions, sent),
      }),
      `post${name}`,
    ),
    route({
      ...one,
      method: "GET",
      id: `get${name}`,
      summary: `Read one ${noun}`,
      scopes: ["Settings:Read"],
      conditions: true,
      answer: { description: `The ${noun}.`, ...answer },
      handle: (caller, { params }) => service.read(caller, params.Id),
    }),
    route({
      ...one,
      method: "DELETE",
      id: `delete${name}`,
      summary: `Delete one ${noun}`,
      description: lockOut,
      scopes: ["Settings:Update"],
      conditions: true,
      answer: { description: "Its last state.", ...answer },
      errors: ["Conflict"],
      handle: (caller, { params, conditions }) => service.remove(caller, params.Id, conditions),
    }),
  ];
}
