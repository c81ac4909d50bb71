// Filters of webhook connections: one Cedar expression about a record, its state before, and the changed fields.

import type { SchemaJson, TypeOfAttribute } from "@cedar-policy/cedar-wasm/nodejs";
import { type Attribute, cedarAttributes, type ResourceType } from "./resource-type.ts";

export const FILTER_LIMIT = 1_000;

/** The attributes that a filter reads, by kind of record. Stored with it, so that a change needs no declarations. */
export type FilterReads = Record<string, Attribute[]>;

/** Set by each change, so they are neither changed fields nor part of the record before. */
export const STAMPS: readonly string[] = ["ModifiedOn", "ModifiedBy"];

/** On lines of its own, so a comment ends there. */
export const filterPolicy = (expression: string) => `permit (principal, action, resource) when {\n${expression}\n};`;

/** An action for each kind of record, because Cedar types a context by its action. */
export function filterSchema(types: readonly ResourceType[]): SchemaJson<string> {
  const entityTypes: SchemaJson<string>[string]["entityTypes"] = { Receiver: {} };
  const actions: SchemaJson<string>[string]["actions"] = {};
  for (const type of types) {
    const attributes = cedarAttributes(type);
    const before = Object.fromEntries(Object.entries(attributes).filter(([name]) => !STAMPS.includes(name)));
    const context: Record<string, TypeOfAttribute<string>> = {
      event: { type: "String" },
      changed: { type: "Set", element: { type: "String" } },
      before: { type: "Record", attributes: before, required: false },
    };
    entityTypes[type.name] = { shape: { type: "Record", attributes } };
    actions[type.name] = {
      appliesTo: {
        principalTypes: ["Receiver"],
        resourceTypes: [type.name],
        context: { type: "Record", attributes: context },
      },
    };
  }
  return { "": { entityTypes, actions } };
}
