import { createRequire } from "node:module";
import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";

export interface CedarInstance {
  /** A trap (its stack ran out) leaves the WebAssembly instance unusable, so the next caller gets a new one. */
  run<T>(work: (cedar: typeof Cedar) => T): T;
}

/** @param onNew called with each new instance except the first; it has none of the former one's state */
export function createCedar(onNew: () => void = () => {}): CedarInstance {
  let cedar = load();
  return {
    run(work) {
      try {
        return work(cedar);
      } catch (error) {
        cedar = load();
        onNew();
        throw error;
      }
    },
  };
}

export interface Statement {
  text: string;
  /** Undefined: it is not a statement. */
  json?: Cedar.PolicyJson;
}

export function statementsOf(cedar: typeof Cedar, policy: string): Statement[] {
  const parts = cedar.policySetTextToParts(policy);
  if (parts.type === "failure") return [{ text: policy }];
  return parts.policies.map((text) => {
    const answer = cedar.policyToJson(text);
    return answer.type === "failure" ? { text } : { text, json: answer.json };
  });
}

const require = createRequire(import.meta.url);

/** A new instance for each call, which `import` would not create. */
function load(): typeof Cedar {
  const path = require.resolve("@cedar-policy/cedar-wasm/nodejs");
  delete require.cache[path];
  return require(path);
}

// The attributes that policies mention. Only these are passed to Cedar, because parsing them dominates a decision. The
// names of all types together are possibly too many, which costs time but changes no decision. looks.ts finds the
// attributes that matter for one type.

/** @returns whether policies can test for an attribute of this name, of any type */
export type Mentioned = (attribute: string) => boolean;

/** Records that a policy may compare as a whole; then every attribute counts. */
const WHOLE_RECORDS = ["after", "before", "context"];

/** Ids by type. */
export type Named = ReadonlyMap<string, ReadonlySet<string>>;

/** The records that policies name, such as `User::"1001"`, whatever escapes the text has. */
export function namedBy(policies: Cedar.PolicyJson[]): Named {
  const named = new Map<string, Set<string>>();
  // Wherever Cedar's JSON names a record, it writes { "type": …, "id": … }.
  JSON.stringify(policies, (_, value) => {
    if (typeof value?.type === "string" && typeof value.id === "string") {
      named.getOrInsertComputed(value.type, () => new Set()).add(value.id);
    }
    return value;
  });
  return named;
}

/** With the Clients that a policy knows by `principal.Id == 1041`: any number beside an Id may be one. */
export function identifiedBy(policies: Cedar.PolicyJson[]): Named {
  const clients = new Set<string>();
  for (const policy of policies) {
    const numbers: string[] = [];
    let readsId = false;
    JSON.stringify(policy, (_, value) => {
      readsId ||= value?.["."]?.attr === "Id";
      if (typeof value === "number") numbers.push(String(value));
      return value;
    });
    if (readsId) for (const id of numbers) clients.add(id);
  }
  const named = namedBy(policies);
  return new Map([...named, ["Client", clients.union(named.get("Client") ?? new Set())]]);
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

  // biome-ignore lint/suspicious/noExplicitAny: Cedar's JSON differs for each operator.
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

export interface PolicyProblem {
  message: string;
  /** From 1. */
  line?: number;
  /** In characters, from 1. */
  column?: number;
}

/** Cedar only warns of a statement that can never apply; a forbid that never applies is a hole. */
const NEVER_APPLIES = /policy is impossible|unable to find an applicable action/;

export function problemsIn(text: string, answer: Cedar.ValidationAnswer): PolicyProblem[] {
  if (answer.type === "failure") return distinct(answer.errors.flatMap((error) => toProblems(text, error)));
  const warnings = answer.validationWarnings.filter(({ error }) => NEVER_APPLIES.test(error.message));
  // A wrong statement should not also be reported as never applying.
  const found = answer.validationErrors.length > 0 ? answer.validationErrors : warnings;
  return distinct(found.flatMap(({ error }) => toProblems(text, error)));
}

function toProblems(text: string, error: Cedar.DetailedError): PolicyProblem[] {
  if (error.message.includes("includes a template")) {
    return [{ message: "Name the principal and the resource; ?principal and ?resource exist only in templates." }];
  }
  const location = error.sourceLocations?.[0];
  const message = error.message.replace(/^(for policy `[^`]*`, |failed to parse policies from string: )/, "");
  const hint = error.help ?? location?.label;
  const own = { message: hint ? `${message} (${hint})` : message, ...(location && positionOf(text, location.start)) };
  return [own, ...(error.related ?? []).flatMap((other) => toProblems(text, other))];
}

/** @param offset in bytes of UTF-8, as Cedar counts */
function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = Buffer.from(text, "utf8").subarray(0, offset).toString("utf8");
  const line = before.split("\n").length;
  return { line, column: [...before.slice(before.lastIndexOf("\n") + 1)].length + 1 };
}

/** In the order of the text. Cedar repeats a finding for every pair of principal and resource. */
function distinct(problems: PolicyProblem[]): PolicyProblem[] {
  const seen = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  const place = ({ line = 0, column = 0 }: PolicyProblem) => [line, column] as const;
  return [...seen.values()].sort((one, other) => {
    const [[line, column], [otherLine, otherColumn]] = [place(one), place(other)];
    return line - otherLine || column - otherColumn;
  });
}
