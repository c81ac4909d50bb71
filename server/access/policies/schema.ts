// The Cedar schema that policies are checked against, made from the types of records there are.

import type { SchemaJson } from "@cedar-policy/cedar-wasm/nodejs";
import { ACTIONS } from "../scopes.ts";
import { cedarAttributes, commonTypeOf, type ResourceType } from "./resource-type.ts";

/** A Client is an Application that calls, with that record's attributes. */
export const CLIENT_RECORD = "Application";
const PRINCIPALS = ["Client", "User"];
/** Records that can be members of a role. */
export const ROLE_MEMBERS = ["User", CLIENT_RECORD];

/** What every action's context holds; permissions.ts fills it. */
const CONTEXT = {
  type: "Record",
  attributes: {
    scopes: { type: "Set", element: { type: "String" } },
    ip: { type: "Extension", name: "ipaddr" },
    time: { type: "Extension", name: "datetime" },
    hour: { type: "Long" },
    weekday: { type: "Long" },
    payload: { type: "Boolean" },
  },
} as const;

/**
 * `resource.after` is the record as the action would leave it: the record itself where the action changes nothing.
 * It stands on the resource, for Cedar types a context by its action alone, and an action is on records of every type.
 */
export function cedarSchema(types: readonly ResourceType[]): SchemaJson<string> {
  const entityTypes: SchemaJson<string>[string]["entityTypes"] = { Role: {} };
  const commonTypes: NonNullable<SchemaJson<string>[string]["commonTypes"]> = {};
  for (const type of types) {
    if (Object.hasOwn(entityTypes, type.name) && type.name !== "Role") {
      throw new Error(`Two types of records are called ${type.name}.`);
    }
    const attributes = cedarAttributes(type);
    if (Object.hasOwn(attributes, "after")) throw new Error(`${type.name}.after has a name that policies need.`);
    commonTypes[commonTypeOf(type)] = { type: "Record", attributes };
    entityTypes[type.name] = {
      memberOfTypes: ROLE_MEMBERS.includes(type.name) ? ["Role"] : [],
      shape: { type: "Record", attributes: { ...attributes, after: { type: commonTypeOf(type) } } },
    };
    if (type.name === CLIENT_RECORD) {
      entityTypes.Client = { memberOfTypes: ["Role"], shape: { type: "Record", attributes } };
    }
  }
  const actions = ACTIONS.map((action) => {
    const resourceTypes = types.filter(({ families }) => families.some((family) => action.startsWith(`${family}:`)));
    const appliesTo = {
      principalTypes: PRINCIPALS,
      resourceTypes: resourceTypes.map((type) => type.name),
      context: CONTEXT,
    };
    return [action, { appliesTo }];
  });
  return { "": { entityTypes, commonTypes, actions: Object.fromEntries(actions) } };
}
