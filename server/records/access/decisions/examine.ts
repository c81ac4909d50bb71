// Checks of a policy before saving. They may occupy Cedar for seconds, so they run in a worker.

import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";
import type { SchemaJson } from "@cedar-policy/cedar-wasm/nodejs";
import { ACTIONS } from "../scopes.ts";
import { createCedar, type Mentioned, mentionedBy, type PolicyProblem, problemsIn, statementsOf } from "./cedar.ts";
import { type FilterReads, filterPolicy, filterSchema } from "./filters.ts";
import type { CedarQuestion } from "./policy-engine.ts";
import {
  type Attribute,
  actionsOn,
  type JudgedRecord,
  type ResourceType,
  TEXT_LIMIT,
  toCedarDate,
  toCedarRecord,
} from "./resource-type.ts";

/** Processor time for one decision; the step limit corresponds to half of it. */
const MAX_DECISION_MS = 20;
/** Slow results on a busy machine are measured again; the shortest time counts. */
const MAX_TRIES = 5;

const EXAMINED = "examined";
const EMPTY = "empty";

export interface Examine {
  check(text: string): PolicyProblem[];
  weigh(texts: string[]): string | undefined;
  filter(expression: string, names: readonly string[]): ExaminedFilter;
}

export interface ExaminedFilter {
  problems: PolicyProblem[];
  /** Empty if there are problems. */
  reads: FilterReads;
}

export function createExamine(schema: SchemaJson<string>, types: readonly ResourceType[]): Examine {
  const instance = createCedar();
  const stepsOf = createStepsOf(types);

  function decisionMs(question: CedarQuestion, policies: string): number {
    const began = process.threadCpuUsage();
    instance.run((cedar) => cedar.statefulIsAuthorized({ ...question, preparsedPolicySetId: policies }));
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  }

  /** The questions have their own cost, which is not measured. */
  function shortestMs(question: CedarQuestion): number {
    let shortest = decisionMs(question, EXAMINED);
    for (let tries = 1; tries < MAX_TRIES && shortest > MAX_DECISION_MS; tries++) {
      shortest = Math.min(shortest, decisionMs(question, EXAMINED) - decisionMs(question, EMPTY));
    }
    return shortest;
  }

  return {
    check(text) {
      const problems = problemsIn(
        text,
        instance.run((cedar) => cedar.validate({ schema, policies: { staticPolicies: text } })),
      );
      if (problems.length > 0) return problems;
      const steps = stepsOf(instance.run((cedar) => statementsOf(cedar, text)).map(({ json }) => json!));
      return steps > MAX_STEPS ? [{ message: tooManySteps("it", steps) }] : [];
    },

    weigh(texts) {
      const statements = texts.flatMap((text) => instance.run((cedar) => statementsOf(cedar, text)));
      const parsed = statements.map(({ json }) => json!);
      const steps = stepsOf(parsed);
      if (steps > MAX_STEPS) return tooManySteps("all policies, with this one,", steps);
      const staticPolicies = Object.fromEntries(statements.map(({ text }, index) => [String(index), text]));
      instance.run((cedar) => cedar.preparsePolicySet(EXAMINED, { staticPolicies }));
      instance.run((cedar) => cedar.preparsePolicySet(EMPTY, { staticPolicies: {} }));
      const longest = Math.max(...worstQuestions(types, mentionedBy(parsed)).map(shortestMs));
      if (longest <= MAX_DECISION_MS) return undefined;
      return `A decision by all policies, with this one, took ${longest.toFixed(0)} ms; the limit is ${MAX_DECISION_MS}.`;
    },

    filter(expression, names) {
      const own = types.filter(({ name }) => names.includes(name));
      const policy = filterPolicy(expression);
      const wrong = (problems: PolicyProblem[]) => ({ problems, reads: {} });
      const schema = filterSchema(own);
      const validated = instance.run((cedar) => cedar.validate({ schema, policies: { staticPolicies: policy } }));
      const problems = problemsIn(policy, validated);
      if (problems.length > 0) return wrong(problems.map(inExpression));
      const [statement, ...others] = instance.run((cedar) => statementsOf(cedar, policy));
      const { json } = statement!;
      if (others.length > 0 || json!.conditions.length !== 1) return wrong([{ message: "Write one expression." }]);
      const steps = stepsOf([json!]);
      if (steps > MAX_FILTER_STEPS) {
        return wrong([{ message: `It could take ${Math.ceil(steps)} steps; the limit is ${MAX_FILTER_STEPS}.` }]);
      }
      const isRead = mentionedBy([json!]);
      const reads = own.map(({ name, attributes }) => [name, attributes.filter((one) => isRead(one.name))]);
      return { problems, reads: Object.fromEntries(reads) };
    },
  };
}

/** The expression begins in the policy's second line. */
function inExpression({ line, ...problem }: PolicyProblem): PolicyProblem {
  return line === undefined ? problem : { ...problem, line: Math.max(1, line - 1) };
}

function tooManySteps(what: string, steps: number): string {
  return `A decision by ${what} could take ${Math.ceil(steps)} steps; a tenant's limit is ${MAX_STEPS}.`;
}

// An upper bound of a decision's cost, computed from the tenant's statements. Decisions run in the server's only
// thread, so the cost is limited when a policy is saved.
//
// A step is 1 µs, measured with cedar-wasm 4.13.0: of 1,600 random sets within the limit, none took 5 ms. Cedar
// evaluates each part of a statement at most once, so the cost is the sum over the parts. The cost of a part depends on
// the attribute's maximum text length.

/** The limit for all of a tenant's policies: 10 ms. */
const MAX_STEPS = 10_000;
/** A change evaluates all filters of its tenant: 20 of these are 10 ms at most. */
export const MAX_FILTER_STEPS = 500;

/** The base cost of a statement; a failing one creates an error with its position. */
const STATEMENT = 40;
/** A literal, a variable, an attribute, an operator. */
const PART = 0.5;
/** A function or method of Cedar's, such as `ip` or `isInRange`. */
const CALL = 3;
/** To compare 1,000 characters, or to find them in a set. */
const COMPARED = 1;
/** `like`, for each 1,000 characters of the text, and again for each character of the pattern from its first `*` on. */
const LIKE = 5;
const LIKE_PATTERN = 1.5;

/** The size of values without attributes: a type and Id, a number, a date. */
const SHORT = 100;
/** The cost of `context`: all scopes, an address, a time. */
const CONTEXT = 1_000;

export type StepsOf = (statements: readonly Cedar.PolicyJson[]) => number;

/** The steps of a part with its sub-parts, and the size of its value. */
interface Cost {
  steps: number;
  size: number;
  /** A record literal in the policy, with arbitrary attribute names. */
  made?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: Cedar's JSON differs for each operator.
type Operand = any;

function createStepsOf(types: readonly ResourceType[]): StepsOf {
  const sizes = attributeSizes(types);

  function costOf(expression: Operand): Cost {
    const [operator, operand] = Object.entries<Operand>(expression)[0]!;
    switch (operator) {
      case "Value":
        return { steps: PART, size: JSON.stringify(operand).length };
      case "Var":
        return { steps: PART, size: operand === "context" ? CONTEXT : SHORT };
      case ".": {
        const { steps, size, made } = costOf(operand.left);
        const known = sizes.get(operand.attr) ?? SHORT;
        return { steps: steps + PART, size: made ? Math.max(known, size) : known, made };
      }
      case "has":
        return { steps: costOf(operand.left).steps + PART * [operand.attr].flat().length, size: SHORT };
      case "like": {
        const { steps, size } = costOf(operand.left);
        return { steps: steps + (size / 1_000) * (LIKE + LIKE_PATTERN * wildcardLength(operand.pattern)), size: SHORT };
      }
      case "Set":
        return setCost(operand.map(costOf));
      case "Record":
        return { ...sum(Object.values(operand).map(costOf), PART), made: true };
      case "if-then-else": {
        const [condition, ...values] = [operand.if, operand.then, operand.else].map(costOf);
        const size = Math.max(...values.map((value) => value.size));
        return { steps: sum([condition!, ...values], PART).steps, size, made: values.some(({ made }) => made) };
      }
      case "==":
      case "!=": {
        const [left, right] = [costOf(operand.left), costOf(operand.right)];
        return { steps: left.steps + right.steps + PART + compared(Math.min(left.size, right.size)), size: SHORT };
      }
      case "contains":
      case "containsAll":
      case "containsAny": {
        const both = sum([costOf(operand.left), costOf(operand.right)], CALL);
        return { steps: both.steps + compared(both.size), size: SHORT };
      }
      default:
        return { steps: sum(partsOf(operand).map(costOf), isOperator(operator) ? PART : CALL).steps, size: SHORT };
    }
  }

  return (statements) =>
    statements.reduce((steps, { action, conditions }) => {
      const listed = "entities" in action ? action.entities.length * PART : 0;
      return conditions.reduce((all, { body }) => all + costOf(body).steps, steps + STATEMENT + listed);
    }, 0);
}

/** Cedar sorts a set's elements. */
function setCost(elements: Cost[]): Cost {
  const { steps, size } = sum(elements, PART);
  return { steps: steps + compared(size) * (1 + Math.log2(elements.length + 1)), size };
}

function sum(costs: Cost[], own: number): Cost {
  return costs.reduce((all, { steps, size }) => ({ steps: all.steps + steps, size: all.size + size }), {
    steps: own,
    size: 0,
  });
}

const compared = (characters: number) => (characters / 1_000) * COMPARED;

function wildcardLength(pattern: unknown[]): number {
  const first = pattern.indexOf("Wildcard");
  return first < 0 ? 0 : pattern.length - first;
}

function partsOf(operand: Operand): Operand[] {
  const parts = Array.isArray(operand) ? operand : Object.values(operand);
  return parts.filter((part) => typeof part === "object" && part !== null);
}

const isOperator = (name: string) => /^(\W+|in|is|neg)$/.test(name);

function attributeSize(attribute: Attribute): number {
  if (attribute.type === "record") return recordSize(attribute.of);
  const { type, maxLength = TEXT_LIMIT } = attribute;
  return type === "text" || type === "texts" ? maxLength : type === "reference" ? 3 * TEXT_LIMIT : SHORT;
}

function recordSize({ attributes }: ResourceType): number {
  return attributes.reduce((all, attribute) => all + attributeSize(attribute), 0);
}

/** The most characters that an attribute of this name has, on any type. */
function attributeSizes(types: readonly ResourceType[]): Map<string, number> {
  const sizes = new Map<string, number>();
  const note = (name: string, size: number) => sizes.set(name, Math.max(size, sizes.get(name) ?? 0));
  for (const type of types) {
    for (const attribute of type.attributes) note(attribute.name, attributeSize(attribute));
    for (const whole of ["after", "before"]) note(whole, recordSize(type));
  }
  // A foreign key's own, and the context's.
  for (const name of ["ExternalId", "Name", "Type"]) note(name, TEXT_LIMIT);
  for (const name of ["scopes", "changed"]) note(name, CONTEXT);
  return sizes;
}

// The most expensive questions: every type of record, with its longest texts.

const DATE = "2026-01-01T12:00:00.000Z";

/** One for each action, type of record and type of caller. Texts repeat one letter, so no comparison ends early. */
function worstQuestions(types: readonly ResourceType[], mentioned: Mentioned): CedarQuestion[] {
  const callers = ["Application", "User"].flatMap((name) => types.filter((type) => type.name === name));
  const context = {
    scopes: [...ACTIONS],
    ip: { __extn: { fn: "ip", arg: "2001:db8:1111:2222:3333:4444:5555:6666" } },
    time: toCedarDate(DATE),
    ...{ hour: 12, weekday: 4, payload: true, audience: "a".repeat(TEXT_LIMIT) },
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

function longestRecord({ attributes }: ResourceType): JudgedRecord {
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
