// PATCH (RFC 7644 3.5.2), as Entra ID and Okta send it too: operations in capitals, values in lists, texts for true and
// false, names with dots, and no path.

import { isObject, printable } from "../../platform/http/body.ts";
import { ScimError } from "./errors.ts";
import { attributeOf, parseFilter, type ScimFilter } from "./filter.ts";

export interface PatchChange {
  op: "add" | "replace" | "remove";
  /** In lower case, with its part after a dot. */
  attribute: string;
  /** The values of the list that it is about. */
  of?: ScimFilter | undefined;
  value: unknown;
}

const MAX_OPERATIONS = 100;
const OPS = ["add", "replace", "remove"] as const;
const PATH = /^([^[\]]+?)(?:\[(.+)\](?:\.([\w$-]+))?)?$/;

/** @throws ScimError */
export function readPatch(body: unknown): PatchChange[] {
  const operations = isObject(body) ? memberOf(body, "operations") : undefined;
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS) {
    throw new ScimError("invalidSyntax", `Operations must be a list of 1 to ${MAX_OPERATIONS}.`);
  }
  return operations.flatMap(changesOf);
}

/** A resource as a whole. @throws ScimError */
export function changesIn(resource: unknown): PatchChange[] {
  if (!isObject(resource)) throw new ScimError("invalidSyntax", "The body must be a JSON object.");
  return Object.entries(resource).flatMap(([name, value]) => changeAt("replace", name, value));
}

function changesOf(operation: unknown): PatchChange[] {
  const given = isObject(operation) ? operation : {};
  const op = OPS.find((one) => one === String(memberOf(given, "op")).toLowerCase());
  if (!op) throw new ScimError("invalidSyntax", "op must be add, replace or remove.");
  const [path, value] = [memberOf(given, "path"), memberOf(given, "value")];
  if (path === undefined || path === null || path === "") {
    if (op === "remove") throw new ScimError("noTarget", "remove requires a path.");
    if (!isObject(value)) throw new ScimError("invalidValue", "Without a path, value must be an object.");
    return Object.entries(value).flatMap(([name, one]) => changeAt(op, name, one));
  }
  if (typeof path !== "string") throw new ScimError("invalidPath", "path must be a text.");
  if (op !== "remove" && value === undefined) throw new ScimError("invalidValue", `${op} requires a value.`);
  return changeAt(op, path, value);
}

/** An object's members are changes of their own: `name` is `name.givenName` and others. */
function changeAt(op: PatchChange["op"], path: string, value: unknown): PatchChange[] {
  const [, name, filter, part] = PATH.exec(path.trim()) ?? [];
  if (name === undefined) throw new ScimError("invalidPath", `The path ${printable(path)} cannot be read.`);
  if (op === "remove" && value === undefined && /:enterprise:2\.0:user$/i.test(name)) {
    return [{ op, attribute: "department", value }];
  }
  const isSchema = /^urn:[\w:.-]+:(user|group)$/i.test(name);
  if (isSchema || (!filter && isObject(value) && attributeOf(name) === "name")) {
    if (!isObject(value)) throw new ScimError("invalidValue", `The value of ${printable(path)} must be an object.`);
    return Object.entries(value).flatMap(([key, one]) => changeAt(op, isSchema ? key : `${name}.${key}`, one));
  }
  const attribute = attributeOf(name) + (part ? `.${part.toLowerCase()}` : "");
  return [{ op, attribute, of: filter ? parseFilter(filter) : undefined, value }];
}

/** By its name in any case (RFC 7643 2.1). */
export function memberOf(of: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(of).find((one) => one.toLowerCase() === name);
  return key === undefined ? undefined : of[key];
}
