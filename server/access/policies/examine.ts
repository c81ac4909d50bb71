// What a policy is asked before it is saved. It may keep Cedar busy for seconds, so this runs in a worker.

import type { SchemaJson } from "@cedar-policy/cedar-wasm/nodejs";
import { createCedar, statementsOf } from "./cedar.ts";
import { createStepsOf, MOST_STEPS } from "./cost.ts";
import type { Question } from "./engine.ts";
import { mentionedBy } from "./mentions.ts";
import { type Problem, problemsIn } from "./problems.ts";
import type { ResourceType } from "./resource-type.ts";
import { worstQuestions } from "./worst-questions.ts";

/** Of processor time, for one decision. The limit of steps stands for half of it. */
const MOST_DECISION_MS = 20;
/** What a busy machine makes longer is tried again; the shortest time counts. */
const MOST_TRIES = 5;

const EXAMINED = "examined";
const EMPTY = "empty";

export interface Examine {
  /** What keeps a text from being a policy; empty if it is good. */
  check(text: string): Problem[];
  /** What keeps texts, which are policies, from being those of one tenant; undefined if nothing does. */
  weigh(texts: string[]): string | undefined;
}

export function createExamine(schema: SchemaJson<string>, types: readonly ResourceType[]): Examine {
  const instance = createCedar();
  const stepsOf = createStepsOf(types);

  function decisionMs(question: Question, policies: string): number {
    const began = process.threadCpuUsage();
    instance.run((cedar) => cedar.statefulIsAuthorized({ ...question, preparsedPolicySetId: policies }));
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  }

  /** Without what the question alone takes, if it comes to that. */
  function shortestMs(question: Question): number {
    let shortest = decisionMs(question, EXAMINED);
    for (let tries = 1; tries < MOST_TRIES && shortest > MOST_DECISION_MS; tries++) {
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
      return steps > MOST_STEPS ? [{ message: tooManySteps("it", steps) }] : [];
    },

    weigh(texts) {
      const statements = texts.flatMap((text) => instance.run((cedar) => statementsOf(cedar, text)));
      const parsed = statements.map(({ json }) => json!);
      const steps = stepsOf(parsed);
      if (steps > MOST_STEPS) return tooManySteps("all policies, with this one,", steps);
      const staticPolicies = Object.fromEntries(statements.map(({ text }, index) => [String(index), text]));
      instance.run((cedar) => cedar.preparsePolicySet(EXAMINED, { staticPolicies }));
      instance.run((cedar) => cedar.preparsePolicySet(EMPTY, { staticPolicies: {} }));
      const longest = Math.max(...worstQuestions(types, mentionedBy(parsed)).map(shortestMs));
      if (longest <= MOST_DECISION_MS) return undefined;
      return `A decision by all policies, with this one, took ${longest.toFixed(0)} ms; it may take ${MOST_DECISION_MS}.`;
    },
  };
}

function tooManySteps(what: string, steps: number): string {
  return `A decision by ${what} could take ${Math.ceil(steps)} steps; a tenant's may take ${MOST_STEPS}.`;
}
