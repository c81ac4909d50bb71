// A role keeps its meaning when its name changes: the policies that name it are rewritten in the same transaction.

import { Conflict } from "../../../platform/errors.ts";
import type { Access } from "../access.ts";
import { createPause } from "../decisions/policy-engine.ts";
import type { JudgedRecord } from "../decisions/resource-type.ts";
import { auditedAs, type RecordChange } from "../record-service.ts";
import type { RenameRole } from "../settings.ts";
import { POLICY, POLICY_LIMIT, type Policy } from "./contract.ts";
import { requireFit } from "./fit.ts";
import { policiesNaming } from "./named.ts";
import { listAllPolicies, POLICY_TABLE } from "./store.ts";

interface RenameDependencies {
  access: Pick<Access, "namedIn" | "weighPolicies">;
  recordChange: RecordChange;
}

export function createRenameRole({ access, recordChange }: RenameDependencies): RenameRole {
  return async (tx, caller, from, to) => {
    const { tenantId, actor, permissions } = caller;
    const naming = await policiesNaming(access, await listAllPolicies(tx, tenantId), from);
    const pause = createPause();
    for (const before of naming) {
      await pause();
      const changed = { ...before, policy: withRole(before.policy, from, to) };
      // First, because the other errors name the policy.
      permissions.require("Settings:Update", POLICY.name, POLICY.toRecord(before), POLICY.toRecord(changed));
      requireRenamed(access, changed, from, to);
      const after = await POLICY_TABLE.update(tx, tenantId, changed, actor);
      await audit(recordChange)(tx, caller, { before, after });
    }
    if (naming.length > 0) await requireFit(access, tenantId, await listAllPolicies(tx, tenantId));
  };
}

const audit = (recordChange: RecordChange) =>
  auditedAs<Policy>(recordChange, POLICY, (row) => POLICY.toRecord(row) as JudgedRecord);

/** @throws Conflict */
function requireRenamed({ namedIn }: Pick<Access, "namedIn">, { name, policy }: Policy, from: string, to: string) {
  if (policy.length > POLICY_LIMIT) {
    throw new Conflict(
      `The policy "${name}" names this role. With the new name it would have more than ${POLICY_LIMIT} characters.`,
    );
  }
  const roles = namedIn(policy).get("Role");
  if (!roles?.has(to) || roles.has(from)) {
    throw new Conflict(
      `The policy "${name}" names this role in a way that cannot be renamed. Change the policy first.`,
    );
  }
}

/** The tokens of Cedar that matter here. A comment ends at a line feed or a carriage return. */
const TOKENS = /\/\/[^\n\r]*|"(?:[^"\\]|\\.)*"|\w+|::|\p{White_Space}+|./gsu;
const BETWEEN_TOKENS = /^(?:\/\/|\p{White_Space})/u;

/** Comments and texts of the policy that only look like the role stay as they are. */
export function withRole(policy: string, from: string, to: string): string {
  const renamed = literalOf(to);
  let [first, second] = ["", ""];
  return policy.replaceAll(TOKENS, (token) => {
    if (BETWEEN_TOKENS.test(token)) return token;
    const isRole = first === "Role" && second === "::" && token.startsWith('"') && textOf(token) === from;
    [first, second] = [second, token];
    return isRole ? renamed : token;
  });
}

const ESCAPES = /\\(?:x(..)|u\{([^}]*)\}|(.))/gsu;
const ESCAPED = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["0", "\0"],
]);

/** The value of a valid Cedar literal, such as `"edit\u{6f}r"`. Asking Cedar would take milliseconds for each. */
function textOf(literal: string): string {
  return literal.slice(1, -1).replaceAll(ESCAPES, (_, byte?: string, code?: string, one?: string) => {
    if (one !== undefined) return ESCAPED.get(one) ?? one;
    return String.fromCodePoint(Number.parseInt(byte ?? code!.replaceAll("_", ""), 16));
  });
}

/** A text in Cedar. */
function literalOf(text: string): string {
  const escaped = text.replace(/["\\]|\p{Cc}/gu, (one) =>
    /["\\]/.test(one) ? `\\${one}` : `\\u{${one.codePointAt(0)!.toString(16)}}`,
  );
  return `"${escaped}"`;
}
