// What policies say to a request. It runs in the server's one thread; what may take long is kept from being saved.

import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";
import { LRUCache } from "lru-cache";
import type { TenantId } from "../../tenant-id.ts";
import { createCedar, statementsOf } from "./cedar.ts";
import { type Mentioned, mentionedBy, typesNamedBy } from "./mentions.ts";
import { createPause } from "./pause.ts";
import { type LooksAtRecords, looksAtRecords, rolesOfRecords } from "./reach.ts";

/** Tenants whose policies stay read and parsed; the one not asked for longest makes room. */
const PARSED_TENANTS = 1_000;
/** Decisions that are kept; the one not asked for longest makes room. */
const DECISIONS = 10_000;

/** One tenant's policies at one moment. */
export interface PolicySet {
  tenantId: TenantId;
  /** By Cedar's policy id, for one saved policy may hold several statements. */
  statements: Map<string, { policyName: string; effect: Cedar.Effect; text: string }>;
  mentioned: Mentioned;
  /** Types of records that a statement names one of. */
  namedTypes: ReadonlySet<string>;
  looksAtRecords: LooksAtRecords;
  /** Names of the roles that a statement asks a record to be in. */
  rolesOfRecords: string[];
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
  /** The set that it gave the last time, as long as the policies are the same. */
  compile(tenantId: TenantId, policies: { name: string; policy: string }[]): Promise<PolicySet>;
  decide(set: PolicySet, question: Question): Decision;
}

export function createEngine(): Engine {
  /** What Cedar holds under a tenant's id. A set made before or after it is put in its place first. */
  const parsed = new LRUCache<TenantId, PolicySet>({
    max: PARSED_TENANTS,
    // After, for a Cedar that fails at it clears the cache.
    disposeAfter(_, tenantId, reason) {
      if (reason === "evict") run((cedar) => cedar.preparsePolicySet(tenantId, { staticPolicies: {} }));
    },
  });
  const { run } = createCedar(() => parsed.clear());
  /** The last set of each tenant, and what it was made of. */
  const compiled = new LRUCache<TenantId, { digest: string; set: PolicySet }>({ max: PARSED_TENANTS });
  /** By set and question: the same question, time and network included, has the same answer. */
  const decisions = new LRUCache<string, Decision>({ max: DECISIONS });
  let sets = 0;

  function parse(set: PolicySet): void {
    if (parsed.get(set.tenantId) === set) return;
    const texts = Object.fromEntries([...set.statements].map(([id, { text }]) => [id, text]));
    const answer = run((cedar) => cedar.preparsePolicySet(set.tenantId, { staticPolicies: texts }));
    if (answer.type === "failure") throw new Error("A saved policy can no longer be parsed.");
    parsed.set(set.tenantId, set);
  }

  function decideAnew(set: PolicySet, question: Question): Decision {
    parse(set);
    const answer = run((cedar) => cedar.statefulIsAuthorized({ ...question, preparsedPolicySetId: set.tenantId }));
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
    async compile(tenantId, policies) {
      const digest = digestOf(JSON.stringify(policies));
      const known = compiled.get(tenantId);
      if (known?.digest === digest) return known.set;
      const statements: PolicySet["statements"] = new Map();
      const parsedStatements: Cedar.PolicyJson[] = [];
      const pause = createPause();
      for (const { name, policy } of policies) {
        await pause();
        for (const { text, json } of run((cedar) => statementsOf(cedar, policy))) {
          if (!json) throw new Error(`The saved policy "${name}" can no longer be parsed.`);
          parsedStatements.push(json);
          statements.set(String(statements.size), { policyName: name, effect: json.effect, text });
        }
      }
      const set = {
        tenantId,
        statements,
        mentioned: mentionedBy(parsedStatements),
        namedTypes: typesNamedBy(parsedStatements),
        looksAtRecords: looksAtRecords(parsedStatements),
        rolesOfRecords: rolesOfRecords(parsedStatements),
        number: ++sets,
      };
      compiled.set(tenantId, { digest, set });
      return set;
    },
    decide(set, question) {
      const key = digestOf(`${set.number} ${JSON.stringify(question)}`);
      const known = decisions.get(key);
      if (known) return known;
      const decision = decideAnew(set, question);
      decisions.set(key, decision);
      return decision;
    },
  };
}

/** A question may be long, and hold what should not stay in memory. */
function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("base64");
}
