import { BadInput } from "../../errors.ts";
import { type Fields, takeFields, takeId, takeName, takeText } from "../input.ts";
import type { Problem } from "./problems.ts";

export const DESCRIPTION_LIMIT = 1_000;
/** Characters. */
export const POLICY_LIMIT = 4_000;
/** Places in a policy that are told at once. */
export const SHOWN_PROBLEMS = 20;

/** A body that fits; absent fields are left alone. */
export interface PolicyInput extends Fields {
  id?: string;
  name?: string;
  description?: string;
  policy?: string;
}

/** @throws BadInput naming every field that does not fit; what Cedar says of the policy's text is asked afterwards */
export function parsePolicy(body: unknown): PolicyInput {
  return takeFields<PolicyInput>("Policy", body, {
    Id: takeId("Policy"),
    Name: takeName,
    Description: takeText("Description", DESCRIPTION_LIMIT, "description"),
    Policy: takePolicy,
  });
}

/** @throws BadInput naming every place in the policy that is wrong */
export function refuseProblems(problems: Problem[]): void {
  if (problems.length > 0) throw new BadInput(...problems.slice(0, SHOWN_PROBLEMS).map(inWords));
}

/**
 * A policy's text alone, whatever Cedar says of it.
 * @throws BadInput
 */
export function parsePolicyText(body: unknown): string {
  const { policy } = takeFields<PolicyInput>("Policy", body, { Policy: takePolicy });
  if (policy === undefined) throw new BadInput("Policy is missing.");
  return policy;
}

function takePolicy(input: PolicyInput, value: unknown): string[] {
  if (typeof value !== "string" || value.length > POLICY_LIMIT) {
    return [`Policy must be Cedar text of at most ${POLICY_LIMIT} characters.`];
  }
  if (value.includes("\0") || !value.isWellFormed()) return ["Policy has a character that is not text."];
  input.policy = value;
  return [];
}

/** @throws BadInput naming what a new policy needs */
export function requireWhole(input: PolicyInput): { name: string; description: string; policy: string } {
  const { name, description = "", policy } = input;
  if (name === undefined || policy === undefined) {
    const missing = [...(name === undefined ? ["Name"] : []), ...(policy === undefined ? ["Policy"] : [])];
    throw new BadInput(...missing.map((field) => `${field} is missing.`));
  }
  return { name, description, policy };
}

function inWords({ message, line, column }: Problem): string {
  return line === undefined ? `Policy: ${message}` : `Policy, line ${line}, column ${column}: ${message}`;
}
