// Finds the statements that read a record, and the records in it. The schema decides it: equal attribute names of two types are
// different attributes, and a condition that is constant for a type reads nothing of it.

import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";
import { canBeIn, isSameUid, type ResourceType, type Uid } from "./resource-type.ts";

interface Asking extends Uid {
  groups: readonly Uid[];
}

/** A statement that decides about a caller and reads the record. */
export interface Look {
  /** Its place among the tenant's statements. */
  index: number;
  effect: Cedar.Effect;
  /** The contained records that it reads, such as `User` of a WebhookEvent. */
  into: ReadonlySet<string>;
}

/** @returns none: the decision is the same for all records of the type */
export type LooksOf = (caller: Asking, action: string, type: string) => readonly Look[];

/** @param types a statement about an unknown type counts as dependent on records */
export function createLooksOf(
  policies: readonly Cedar.PolicyJson[],
  types: ReadonlyMap<string, ResourceType>,
): LooksOf {
  const known = new Map<string, Applied[]>();

  function appliedTo(callerType: string, action: string, type: string): Applied[] {
    return known.getOrInsertComputed(`${callerType} ${action} ${type}`, () =>
      policies.flatMap((policy, index) => {
        const read = readBy(policy, { callerType, action, type, types });
        return read.truth === false ? [] : [{ index, policy, read }];
      }),
    );
  }

  return (caller, action, type) => {
    const asked = appliedTo(caller.type, action, type).filter(({ policy }) => isBy(policy.principal, caller));
    // A plain permit makes other permits irrelevant.
    const isPermitted = asked.some(({ policy, read }) => policy.effect === "permit" && read.truth === true);
    return asked.flatMap(({ index, policy: { effect }, read: { looks, into } }) =>
      looks && !(isPermitted && effect === "permit") ? [{ index, effect, into }] : [],
    );
  };
}

interface Applied {
  index: number;
  policy: Cedar.PolicyJson;
  read: Part;
}

/** The groups include those that contain others of them. */
function isBy(principal: Cedar.PolicyJson["principal"], { type, id, groups }: Asking): boolean {
  if (principal.op === "is" && principal.entity_type !== type) return false;
  const within = principal.op === "is" ? principal.in : principal;
  if (!within || !("entity" in within)) return true;
  const named = "__entity" in within.entity ? within.entity.__entity : within.entity;
  if (isSameUid(named, { type, id })) return true;
  return principal.op !== "==" && groups.some((one) => isSameUid(one, named));
}

// A statement is evaluated with the types of one kind of request, but without its values.

/** The types of a request. */
interface Kind {
  callerType: string;
  action: string;
  type: string;
  types: ReadonlyMap<string, ResourceType>;
}

interface Part {
  /** Its value in every request of the kind; undefined: it depends on the request. */
  truth?: boolean | undefined;
  /** Whether its value depends on the record. */
  looks: boolean;
  /** The contained records that it depends on. */
  into: ReadonlySet<string>;
  /** Its type, if it is a record or a principal, or their ids in the policy. */
  entity?: string | undefined;
  /** If it is an action. */
  action?: string;
  /** Its attributes, if it is the resource, its `after`, or a contained record. */
  fields?: ResourceType | undefined;
  elements?: Part[];
}

// biome-ignore lint/suspicious/noExplicitAny: Cedar's JSON differs for each operator.
type Json = any;

const NOTHING: Part = { looks: false, into: new Set() };
const constant = (truth: boolean): Part => ({ ...NOTHING, truth });

/** `truth` is true only for a statement that applies to every request in its scope. */
function readBy({ principal, action, resource, conditions }: Cedar.PolicyJson, kind: Kind): Part {
  // `isBy` decides about the principal.
  if ("slot" in principal || "slot" in resource) return { looks: true, into: containedIn(kind.types.get(kind.type)) };
  const scope = [scopeOf("action", action), scopeOf("resource", resource)];
  const asked = conditions.map(({ kind: word, body }) => (word === "when" ? body : { "!": { arg: body } }));
  const all = [...scope, ...asked].reduce((left, right) => ({ "&&": { left, right } }));
  return read(all, kind);
}

/** A part of the statement's scope as a condition. */
function scopeOf(variable: string, scope: Json): Json {
  const left = { Var: variable };
  const value = (entity: Json) => ({ Value: { __entity: entity.__entity ?? entity } });
  switch (scope.op) {
    case "All":
      return { Value: true };
    case "is":
      return { is: { left, entity_type: scope.entity_type, ...(scope.in && { in: value(scope.in.entity) }) } };
    default:
      return {
        [scope.op]: { left, right: scope.entities ? { Set: scope.entities.map(value) } : value(scope.entity) },
      };
  }
}

function read(expression: Json, kind: Kind): Part {
  const [operator, operand] = Object.entries<Json>(expression)[0]!;
  const of = (part: Json) => read(part, kind);
  switch (operator) {
    case "Value":
      return literalOf(operand);
    case "Var":
      return variableOf(operand, kind);
    case "&&":
    case "||": {
      const [left, right] = [of(operand.left), () => of(operand.right)];
      // The constant that decides without the other side.
      const decisive = operator === "||";
      if (left.truth !== undefined) return left.truth === decisive ? left : right();
      return joined([left, right()]);
    }
    case "!": {
      const part = of(operand.arg);
      return { ...part, truth: part.truth === undefined ? undefined : !part.truth };
    }
    case "if-then-else": {
      const condition = of(operand.if);
      if (condition.truth !== undefined) return of(condition.truth ? operand.then : operand.else);
      return joined([condition, of(operand.then), of(operand.else)]);
    }
    case "is": {
      const left = of(operand.left);
      if (left.entity === undefined) return joined([left]);
      if (left.entity !== operand.entity_type) return constant(false);
      return operand.in ? within(left, of(operand.in), kind) : constant(true);
    }
    case "in":
      return within(of(operand.left), of(operand.right), kind);
    case "==":
    case "!=": {
      const [left, right] = [of(operand.left), of(operand.right)];
      const equal = equality(left, right);
      return equal === undefined ? joined([left, right]) : constant(equal === (operator === "=="));
    }
    case "has":
      return hasAttribute(of(operand.left), [operand.attr].flat(), kind);
    case ".":
      return attributeOf(of(operand.left), operand.attr, kind);
    case "Set": {
      const elements = operand.map(of);
      return { ...joined(elements), elements };
    }
    default: {
      const parts = Array.isArray(operand) ? operand : Object.values(operand);
      return joined(parts.filter((part: Json) => typeof part === "object" && part !== null && isNode(part)).map(of));
    }
  }
}

/** A pattern of `like` has parts that are no expressions. */
const isNode = (part: object) => !Array.isArray(part) && Object.keys(part).length === 1;

function literalOf(value: Json): Part {
  if (typeof value === "boolean") return constant(value);
  const { type, id } = value?.__entity ?? {};
  return { ...NOTHING, entity: type, ...(type === "Action" && { action: id }) };
}

function variableOf(name: string, { callerType, action, type, types }: Kind): Part {
  if (name === "resource") return { looks: true, into: NOTHING.into, entity: type, fields: types.get(type) };
  if (name === "principal") return { ...NOTHING, entity: callerType };
  return name === "action" ? { ...NOTHING, entity: "Action", action } : NOTHING;
}

/** The result depends on the parts; a record that is used as a whole depends on all that it contains. */
function joined(parts: readonly Part[]): Part {
  return {
    looks: parts.some(({ looks }) => looks),
    into: new Set(
      parts.flatMap(({ into, entity, fields }) => [...into, ...(entity === undefined ? containedIn(fields) : [])]),
    ),
  };
}

function containedIn(type: ResourceType | undefined): ReadonlySet<string> {
  return new Set(type?.attributes.flatMap(({ name, type: kind }) => (kind === "record" ? [name] : [])));
}

function equality(left: Part, right: Part): boolean | undefined {
  if (left.action !== undefined && right.action !== undefined) return left.action === right.action;
  return left.entity !== undefined && right.entity !== undefined && left.entity !== right.entity ? false : undefined;
}

function within(left: Part, right: Part, { types }: Kind): Part {
  const groups = right.elements ?? [right];
  if (left.action !== undefined && groups.every(({ action }) => action !== undefined)) {
    return constant(groups.some(({ action }) => action === left.action));
  }
  const mayBe = ({ entity }: Part) => {
    if (left.entity === undefined || entity === undefined || entity === left.entity) return true;
    const group = types.get(entity);
    return !group || canBeIn(left.entity, group);
  };
  return groups.some(mayBe) ? joined([left, right]) : constant(false);
}

function hasAttribute(left: Part, [name, ...more]: string[], kind: Kind): Part {
  const isAfter = name === "after" && left.entity !== undefined;
  if (left.fields && !isAfter && !left.fields.attributes.some((one) => one.name === name)) return constant(false);
  const part = attributeOf(left, name!, kind);
  return more.length > 0 ? hasAttribute(part, more, kind) : { looks: part.looks, into: part.into };
}

function attributeOf({ looks, into, entity, fields }: Part, name: string, { callerType, type, types }: Kind): Part {
  // For a caller that changes itself, `principal.after` is the changed record.
  if (name === "after" && entity !== undefined) {
    return {
      looks: looks || entity === type,
      into,
      fields: fields ?? (callerType === type ? types.get(type) : undefined),
    };
  }
  const attribute = fields?.attributes.find((one) => one.name === name);
  if (attribute?.type !== "record") return { looks, into };
  return { looks, into: new Set([...into, name]), fields: attribute.of };
}
