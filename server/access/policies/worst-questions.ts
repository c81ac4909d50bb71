// Questions that take long to decide: every type of record, with the longest texts it can have.

import { ACTIONS, type Action } from "../scopes.ts";
import type { Question } from "./engine.ts";
import type { Mentioned } from "./mentions.ts";
import {
  type Attribute,
  type PolicyRecord,
  type ResourceType,
  TEXT_LIMIT,
  toCedarDate,
  toCedarRecord,
} from "./resource-type.ts";

const DATE = "2026-01-01T12:00:00.000Z";

/** One for each action, type of record and type of caller. All texts are of one letter, so that none differs early. */
export function worstQuestions(types: readonly ResourceType[], mentioned: Mentioned): Question[] {
  const callers = ["Application", "User"].flatMap((name) => types.filter((type) => type.name === name));
  const context = {
    scopes: [...ACTIONS],
    ip: { __extn: { fn: "ip", arg: "2001:db8:1111:2222:3333:4444:5555:6666" } },
    time: toCedarDate(DATE),
    ...{ hour: 12, weekday: 4, payload: true },
  };
  return types.flatMap((type) => {
    const attributes = toCedarRecord(type, longestRecord(type), mentioned);
    const resource = { uid: { type: type.name, id: "1" }, attrs: { ...attributes, after: attributes }, parents: [] };
    return callers.flatMap((caller) => {
      const own = toCedarRecord(caller, longestRecord(caller), mentioned);
      const isUser = caller.name === "User";
      const principal = { type: isUser ? "User" : "Client", id: "2" };
      const entity = { uid: principal, attrs: isUser ? { ...own, after: own } : own, parents: [] };
      return actionsOn(type).map((id) => ({
        ...{ principal, action: { type: "Action", id }, resource: resource.uid, context },
        entities: [entity, resource],
      }));
    });
  });
}

function actionsOn({ families }: ResourceType): Action[] {
  return ACTIONS.filter((action) => families.some((family) => action.startsWith(`${family}:`)));
}

function longestRecord({ attributes }: ResourceType): PolicyRecord {
  const value = (type: string, length: number) => {
    if (type === "text") return "a".repeat(length);
    if (type === "texts") return [...ACTIONS];
    if (type === "number") return 1;
    if (type === "dateTime") return DATE;
    const name = "a".repeat(TEXT_LIMIT);
    return type === "reference" ? { Id: 1, ExternalId: name, Name: name, Type: "Application" } : false;
  };
  const longest = (attribute: Attribute) =>
    attribute.type === "record"
      ? longestRecord(attribute.of)
      : value(attribute.type, attribute.maxLength ?? TEXT_LIMIT);
  return Object.fromEntries(attributes.map((attribute) => [attribute.name, longest(attribute)]));
}
