// Which attributes policies mention. Only these are handed to Cedar, for most of a decision's time is their parsing.

import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";

/** @returns whether policies can tell if an attribute of this name is there */
export type Mentioned = (attribute: string) => boolean;

/** Records that a policy may compare as a whole; then every attribute counts. */
const WHOLE_RECORDS = ["after", "context"];

/**
 * Which types of records policies name one of, as in `resource == User::"1001"`. Of any other type, they cannot tell
 * two records with the same attributes apart.
 * @returns too many rather than too few
 */
export function typesNamedBy(policies: Cedar.PolicyJson[]): ReadonlySet<string> {
  const types = new Set<string>();
  // Wherever Cedar's JSON names a record, it writes { "type": …, "id": … }.
  JSON.stringify(policies, (key, value) => {
    if (key === "type" && typeof value === "string") types.add(value);
    return value;
  });
  return types;
}

export function mentionedBy(policies: Cedar.PolicyJson[]): Mentioned {
  const names = new Set<string>();
  let everything = false;

  function visit(expression: unknown, isBase: boolean): void {
    if (typeof expression !== "object" || expression === null) return;
    if (Array.isArray(expression)) {
      for (const part of expression) visit(part, false);
      return;
    }
    for (const [operator, operand] of Object.entries(expression)) visitOperator(operator, operand, isBase);
  }

  // biome-ignore lint/suspicious/noExplicitAny: Cedar's JSON has a shape of its own for each operator.
  function visitOperator(operator: string, operand: any, isBase: boolean): void {
    switch (operator) {
      case "Value":
        return;
      case "Var":
        everything ||= !isBase && WHOLE_RECORDS.includes(operand);
        return;
      case "Record":
        visit(Object.values(operand), false);
        return;
      case ".":
      case "has":
        for (const name of [operand.attr].flat()) names.add(name);
        everything ||= operator === "." && !isBase && WHOLE_RECORDS.includes(operand.attr);
        visit(operand.left, true);
        return;
      default:
        visit(operand, false);
    }
  }

  for (const { conditions } of policies) for (const { body } of conditions) visit(body, false);
  return (attribute) => everything || names.has(attribute);
}
