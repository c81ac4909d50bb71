// Which statements look at the record they decide over. Where none does, one decision holds for all records of a type.

import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";

/** Who asks. */
export interface Asking {
  type: string;
  id: string;
  roles: readonly string[];
}

/** @returns whether what is decided for the caller may differ from one record of the type to the next */
export type LooksAtRecords = (caller: Asking, action: string, type: string) => boolean;

/** @returns no less than there is: a statement that is not understood looks at records */
export function looksAtRecords(policies: Cedar.PolicyJson[]): LooksAtRecords {
  const looking = policies.filter(looksAtRecord).map(headOf);
  const plain = policies.filter(isPlainPermit).map(headOf);
  return (caller, action, type) => {
    const applies = (one: Head) => isAbout(one, caller, action, type);
    const asked = looking.filter(applies);
    // What a plain permit permits, no other permit can add to.
    return asked.some(({ effect }) => effect === "forbid") || (asked.length > 0 && !plain.some(applies));
  };
}

/** Names of the roles that a statement asks a record, and not the caller, to be in. */
export function rolesOfRecords(policies: Cedar.PolicyJson[]): string[] {
  const names = new Set<string>();
  for (const policy of policies.filter(asksRecordsRoles)) {
    JSON.stringify(policy, (_, value) => {
      if (value?.type === "Role" && typeof value.id === "string") names.add(value.id);
      return value;
    });
  }
  return [...names];
}

function looksAtRecord({ resource, conditions }: Cedar.PolicyJson): boolean {
  if (resource.op !== "All" && !isOfType(resource)) return true;
  // A caller that changes itself is the record, and `principal.after` what that comes to.
  return holds(conditions, (name, value) => value === (name === "Var" ? "resource" : "after"));
}

function asksRecordsRoles({ resource, conditions }: Cedar.PolicyJson): boolean {
  if (resource.op === "in" || (resource.op === "is" && "in" in resource)) return true;
  // `x in y`, and `x is T in y`; of x only the variables that are no record are left out.
  return holds(conditions, (name, value) => {
    if (name !== "in" && (name !== "is" || !value?.in)) return false;
    return !["principal", "action"].includes(value?.left?.Var);
  });
}

/** It permits whatever its head applies to. */
function isPlainPermit({ effect, principal, action, resource, conditions }: Cedar.PolicyJson): boolean {
  if (effect !== "permit" || conditions.length > 0 || "slot" in principal) return false;
  return (action.op === "All" || actionsOf(action) !== undefined) && (resource.op === "All" || isOfType(resource));
}

function isOfType(resource: Cedar.PolicyJson["resource"]): boolean {
  return resource.op === "is" && !("in" in resource);
}

type Head = ReturnType<typeof headOf>;

function headOf({ effect, principal, action, resource }: Cedar.PolicyJson) {
  return { effect, principal, actions: actionsOf(action), type: typeOf(resource) };
}

function isAbout({ principal, actions, type }: Head, caller: Asking, action: string, asked: string): boolean {
  return (actions?.includes(action) ?? true) && (type === undefined || type === asked) && isBy(principal, caller);
}

/** Roles are in no other. */
function isBy(principal: Cedar.PolicyJson["principal"], { type, id, roles }: Asking): boolean {
  if (principal.op === "is" && principal.entity_type !== type) return false;
  const within = principal.op === "is" ? principal.in : principal;
  if (!within || !("entity" in within)) return true;
  const named = "__entity" in within.entity ? within.entity.__entity : within.entity;
  if (named.type === type && named.id === id) return true;
  return principal.op !== "==" && named.type === "Role" && roles.includes(named.id);
}

/** Undefined: any. */
function actionsOf(action: Cedar.PolicyJson["action"]): string[] | undefined {
  if (action.op === "All") return undefined;
  const named = "entities" in action ? action.entities : "entity" in action ? [action.entity] : undefined;
  const ids = named?.map((one) => (one as { id?: string }).id);
  return ids?.every((id) => id !== undefined) ? (ids as string[]) : undefined;
}

/** Undefined: any. */
function typeOf(resource: Cedar.PolicyJson["resource"]): string | undefined {
  if (resource.op === "is") return resource.entity_type;
  if (resource.op === "==" && "entity" in resource) return (resource.entity as { type?: string }).type;
  return undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: Cedar's JSON has a shape of its own for each operator.
function holds(json: unknown, isIt: (name: string, value: any) => boolean): boolean {
  if (typeof json !== "object" || json === null) return false;
  return Object.entries(json).some(([name, value]) => isIt(name, value) || holds(value, isIt));
}
