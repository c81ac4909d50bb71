// Cedar, as the rest of the server sees it: is a text a policy, and what do policies say to a request.

import { createRequire } from "node:module";
import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";
import type { TenantId } from "../../tenant-id.ts";
import { tooComplex } from "./complexity.ts";
import { type Mentioned, mentionedBy, typesNamedBy } from "./mentions.ts";
import { type Problem, problemsIn } from "./problems.ts";
import { createPause } from "./turns.ts";

/** Tenants whose policies stay parsed; the one parsed longest ago makes room. */
const PARSED_TENANTS = 1_000;
/** Decisions that are kept; the oldest makes room. */
const DECISIONS = 10_000;

/** One tenant's policies at one moment. */
export interface PolicySet {
  tenantId: TenantId;
  /** By Cedar's policy id, for one saved policy may hold several statements. */
  statements: Map<string, { policyName: string; effect: Cedar.Effect; text: string }>;
  mentioned: Mentioned;
  /** Types of records that a statement names one of. */
  namedTypes: ReadonlySet<string>;
  /** No other set of this process has it. */
  number: number;
}

export type Question = Pick<
  Cedar.StatefulAuthorizationCall,
  "principal" | "action" | "resource" | "context" | "entities"
>;

export interface Decision {
  allowed: boolean;
  /** Names of the policies that decided; none means that nothing permits it. */
  policies: string[];
  /** Names of policies that could not be evaluated for this request. */
  failed: string[];
}

export interface Engine {
  /** What keeps a text from being saved; empty if it is good. */
  check(text: string): Problem[];
  compile(tenantId: TenantId, policies: { name: string; policy: string }[]): Promise<PolicySet>;
  decide(set: PolicySet, question: Question): Decision;
}

export function createEngine(schema: Cedar.SchemaJson<string>): Engine {
  let cedar = loadCedar();
  /** What Cedar holds under a tenant's id. A set made before or after it is put in its place first. */
  let parsed = new Map<TenantId, PolicySet>();
  /** By set and question: the same question, time and network included, has the same answer. */
  const decisions = new Map<string, Decision>();
  let sets = 0;

  /** A trap (its stack ran out) leaves the WebAssembly instance unusable, so the next caller gets a new one. */
  function run<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      cedar = loadCedar();
      parsed = new Map();
      throw error;
    }
  }

  function parse(set: PolicySet): void {
    if (parsed.get(set.tenantId) === set) return;
    const texts = Object.fromEntries([...set.statements].map(([id, { text }]) => [id, text]));
    const answer = cedar.preparsePolicySet(set.tenantId, { staticPolicies: texts });
    if (answer.type === "failure") throw new Error("A saved policy can no longer be parsed.");
    parsed.delete(set.tenantId);
    parsed.set(set.tenantId, set);
    const oldest = parsed.keys().next().value;
    if (parsed.size > PARSED_TENANTS && oldest !== undefined) {
      cedar.preparsePolicySet(oldest, { staticPolicies: {} });
      parsed.delete(oldest);
    }
  }

  function decideAnew(set: PolicySet, question: Question): Decision {
    const answer = run(() => {
      parse(set);
      return cedar.statefulIsAuthorized({ ...question, preparsedPolicySetId: set.tenantId });
    });
    if (answer.type === "failure") {
      throw new Error(`Cedar could not decide: ${answer.errors.map((error) => error.message).join("; ")}`);
    }
    const { decision, diagnostics } = answer.response;
    const failed = diagnostics.errors.map((error) => set.statements.get(error.policyId));
    const names = (ids: string[]) => [...new Set(ids.map((id) => set.statements.get(id)?.policyName ?? id))];
    return {
      // Cedar leaves out a policy that fails. Of a forbid that would open a door, so it counts as forbidding.
      allowed: decision === "allow" && failed.every((statement) => statement?.effect === "permit"),
      policies: names(diagnostics.reason),
      failed: names(diagnostics.errors.map((error) => error.policyId)),
    };
  }

  return {
    check(text) {
      const complexity = tooComplex(text);
      if (complexity) return [{ message: complexity }];
      if (text.replace(/\/\/.*$/gm, "").trim() === "")
        return [{ message: "It has no statement; begin with permit or forbid." }];
      return run(() => problemsIn(text, cedar.validate({ schema, policies: { staticPolicies: text } })));
    },
    async compile(tenantId, policies) {
      const statements: PolicySet["statements"] = new Map();
      const parsedStatements: Cedar.PolicyJson[] = [];
      const pause = createPause();
      for (const { name, policy } of policies) {
        await pause();
        for (const { text, json } of run(() => statementsOf(cedar, policy))) {
          if (!json) throw new Error(`The saved policy "${name}" can no longer be parsed.`);
          parsedStatements.push(json);
          statements.set(String(statements.size), { policyName: name, effect: json.effect, text });
        }
      }
      const [mentioned, namedTypes] = [mentionedBy(parsedStatements), typesNamedBy(parsedStatements)];
      return { tenantId, statements, mentioned, namedTypes, number: ++sets };
    },
    decide(set, question) {
      const key = digestOf(`${set.number} ${JSON.stringify(question)}`);
      const known = decisions.get(key);
      if (known) return known;
      const decision = decideAnew(set, question);
      decisions.set(key, decision);
      const oldest = decisions.keys().next().value;
      if (decisions.size > DECISIONS && oldest !== undefined) decisions.delete(oldest);
      return decision;
    },
  };
}

/** A statement that is none has no JSON. */
function statementsOf(cedar: typeof Cedar, policy: string): { text: string; json?: Cedar.PolicyJson }[] {
  const parts = cedar.policySetTextToParts(policy);
  if (parts.type === "failure") return [{ text: policy }];
  return parts.policies.map((text) => {
    const answer = cedar.policyToJson(text);
    return answer.type === "failure" ? { text } : { text, json: answer.json };
  });
}

/** A question may be long, and hold what should not stay in memory. */
function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("base64");
}

const require = createRequire(import.meta.url);

/** A new instance each time; `import` would give the same one for ever. */
function loadCedar(): typeof Cedar {
  const path = require.resolve("@cedar-policy/cedar-wasm/nodejs");
  delete require.cache[path];
  return require(path);
}
