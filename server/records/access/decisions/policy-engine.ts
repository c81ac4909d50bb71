// Evaluates policies for a request in the server's only thread. Expensive policies are rejected when saved.

import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";
import { LRUCache } from "lru-cache";
import { createCedar, identifiedBy, type Mentioned, mentionedBy, type Named, namedBy, statementsOf } from "./cedar.ts";
import { createLooksOf, type LooksOf } from "./looks.ts";
import type { ResourceType, Uid } from "./resource-type.ts";

const PARSED_SETS = 1_000;
/** Trial sets have a separate cache, so they never evict saved ones. */
const TRIED_SETS = 20;
const DECISIONS = 10_000;
const NAMED_TEXTS = 1_000;

/** A tenant's policies at one moment. Tenants with the same texts share a set. */
export interface PolicySet {
  /** By Cedar's policy id, because one saved policy may have several statements. */
  statements: Map<string, { policyName: string; effect: Cedar.Effect; text: string }>;
  mentioned: Mentioned;
  /** The named records, and the Clients that a policy knows by their Id. */
  named: Named;
  looksOf: LooksOf;
  /** Roles, and other records with members, that a statement requires for a record. */
  groupsOfRecords: Uid[];
  /** Unique in this process. */
  number: number;
  /** It is not saved. */
  isTried: boolean;
}

export type CedarQuestion = Pick<
  Cedar.StatefulAuthorizationCall,
  "principal" | "action" | "resource" | "context" | "entities"
>;

export interface Decision {
  allowed: boolean;
  /** By a policy. If it is neither allowed nor forbidden, no policy permits it. */
  forbidden: boolean;
  /** Names of the deciding policies; none means that no policy permits it. */
  policies: string[];
  /** Names of policies that could not be evaluated for this request. */
  failed: string[];
  /** The deciding statements, by their place among the tenant's. */
  statements: number[];
}

/** The decision of some statements about a record with an unknown part. */
export interface PartialDecision {
  /** A permit applies, whatever the part contains. */
  isPermitted: boolean;
  /** A forbid applies or may apply; so does one that cannot be evaluated. */
  mayBeForbidden: boolean;
}

export interface PolicyText {
  name: string;
  /** Cedar. */
  policy: string;
}

export interface Engine {
  /** The same set for the same policies. @param isTried for unsaved policies */
  compile(policies: PolicyText[], isTried?: boolean): Promise<PolicySet>;
  decide(set: PolicySet, question: CedarQuestion): Decision;
  /** Counts the use of an earlier decision about the same question. */
  repeat(decision: Decision): void;
  /** @param question with UNKNOWN values @param statements by their place; the others are ignored */
  decidePartly(set: PolicySet, question: CedarQuestion, statements: readonly number[]): PartialDecision;
  /** The records that a checked policy names. */
  namedIn(policy: string): Named;
}

/** An attribute with it exists, with any value. */
export const UNKNOWN: Cedar.CedarValueJson = { __extn: { fn: "unknown", arg: "part" } };

/** @param seconds that Cedar needed; undefined: the same question was decided before */
export type OnDecision = (allowed: boolean, seconds: number | undefined) => void;

/** @param types of records @param onDecision for saved policies only */
export function createEngine(types: ReadonlyMap<string, ResourceType>, onDecision: OnDecision = () => {}): Engine {
  const places: string[] = [];
  let placesMade = 0;
  const setsOf = (max: number) => ({
    /** By a digest of their content. */
    compiled: new LRUCache<string, PolicySet>({ max }),
    /** Cedar's handle of a set. An evicted set's handle is reused. */
    parsed: new LRUCache<PolicySet, string>({ max, disposeAfter: (place) => places.push(place) }),
  });
  const [saved, tried] = [setsOf(PARSED_SETS), setsOf(TRIED_SETS)];
  const { run } = createCedar(() => {
    saved.parsed.clear();
    tried.parsed.clear();
  });
  /** By set and question: the same question, time and network included, has the same answer. */
  const decisions = new LRUCache<string, Decision>({ max: DECISIONS });
  const partial = new LRUCache<string, PartialDecision>({ max: DECISIONS });
  /** By a digest of the text. */
  const named = new LRUCache<string, Named>({ max: NAMED_TEXTS });
  let sets = 0;

  function parse(set: PolicySet): string {
    const { parsed } = set.isTried ? tried : saved;
    const known = parsed.get(set);
    if (known) return known;
    const place = places.pop() ?? String(placesMade++);
    const texts = Object.fromEntries([...set.statements].map(([id, { text }]) => [id, text]));
    const answer = run((cedar) => cedar.preparsePolicySet(place, { staticPolicies: texts }));
    if (answer.type === "failure") throw new Error("A saved policy can no longer be parsed.");
    parsed.set(set, place);
    return place;
  }

  function decideAnew(set: PolicySet, question: CedarQuestion): Decision {
    const place = parse(set);
    const answer = run((cedar) => cedar.statefulIsAuthorized({ ...question, preparsedPolicySetId: place }));
    if (answer.type === "failure") {
      throw new Error(`Cedar failed to decide: ${answer.errors.map((error) => error.message).join("; ")}`);
    }
    const { decision, diagnostics } = answer.response;
    const failed = diagnostics.errors.map((error) => set.statements.get(error.policyId));
    const isForbidden = failed.some((statement) => statement?.effect !== "permit");
    const names = (ids: string[]) => [...new Set(ids.map((id) => set.statements.get(id)?.policyName ?? id))];
    return {
      // Cedar ignores a failing policy. A failing forbid would grant access, so it counts as forbidding.
      allowed: decision === "allow" && !isForbidden,
      forbidden: isForbidden || (decision === "deny" && diagnostics.reason.length > 0),
      policies: names(diagnostics.reason),
      failed: names(diagnostics.errors.map((error) => error.policyId)),
      statements: diagnostics.reason.map(Number),
    };
  }

  function decidePartlyAnew(set: PolicySet, question: CedarQuestion, statements: readonly number[]): PartialDecision {
    const asked = statements.map((index) => [String(index), set.statements.get(String(index))!] as const);
    const staticPolicies = Object.fromEntries(asked.map(([id, { text }]) => [id, text]));
    const answer = run((cedar) => cedar.isAuthorizedPartial({ ...question, policies: { staticPolicies } }));
    if (answer.type === "failure") {
      throw new Error(`Cedar failed to decide: ${answer.errors.map((error) => error.message).join("; ")}`);
    }
    const { satisfied, errored, nontrivialResiduals } = answer.response;
    const have = (ids: string[], effect: Cedar.Effect) => ids.some((id) => set.statements.get(id)?.effect === effect);
    return {
      isPermitted: have(satisfied, "permit"),
      mayBeForbidden: have([...satisfied, ...errored, ...nontrivialResiduals], "forbid"),
    };
  }

  return {
    async compile(policies, isTried = false) {
      const { compiled } = isTried ? tried : saved;
      const digest = digestOf(JSON.stringify(policies));
      const known = compiled.get(digest);
      if (known) return known;
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
        statements,
        mentioned: mentionedBy(parsedStatements),
        named: identifiedBy(parsedStatements),
        looksOf: createLooksOf(parsedStatements, types),
        groupsOfRecords: groupsOfRecords(parsedStatements, types),
        number: ++sets,
        isTried,
      };
      compiled.set(digest, set);
      return set;
    },
    namedIn(policy) {
      const digest = digestOf(policy);
      const known =
        named.get(digest) ?? namedBy(run((cedar) => statementsOf(cedar, policy)).flatMap(({ json }) => json ?? []));
      named.set(digest, known);
      return known;
    },
    repeat: ({ allowed }) => onDecision(allowed, undefined),
    decidePartly(set, question, statements) {
      const key = digestOf(`${set.number} ${statements} ${JSON.stringify(question)}`);
      const known = partial.get(key) ?? decidePartlyAnew(set, question, statements);
      partial.set(key, known);
      return known;
    },
    decide(set, question) {
      if (set.isTried) return decideAnew(set, question);
      const key = digestOf(`${set.number} ${JSON.stringify(question)}`);
      const known = decisions.get(key);
      if (known) {
        onDecision(known.allowed, undefined);
        return known;
      }
      const began = performance.now();
      const decision = decideAnew(set, question);
      onDecision(decision.allowed, (performance.now() - began) / 1_000);
      decisions.set(key, decision);
      return decision;
    },
  };
}

/** A digest, because questions may be long or sensitive. */
function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("base64");
}

/** The groups that a statement requires of a record, not of the caller. */
function groupsOfRecords(policies: Cedar.PolicyJson[], types: ReadonlyMap<string, ResourceType>): Uid[] {
  const named = namedBy(policies.filter(asksRecordsGroups));
  return [...named].flatMap(([type, ids]) => (types.get(type)?.members ? [...ids].map((id) => ({ type, id })) : []));
}

function asksRecordsGroups({ resource, conditions }: Cedar.PolicyJson): boolean {
  if (resource.op === "in" || (resource.op === "is" && "in" in resource)) return true;
  // `x in y` and `x is T in y`, unless x is a variable that is not a record.
  return holds(conditions, (name, value) => {
    if (name !== "in" && (name !== "is" || !value?.in)) return false;
    return !["principal", "action"].includes(value?.left?.Var);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: Cedar's JSON differs for each operator.
function holds(json: unknown, isIt: (name: string, value: any) => boolean): boolean {
  if (typeof json !== "object" || json === null) return false;
  return Object.entries(json).some(([name, value]) => isIt(name, value) || holds(value, isIt));
}

// Cedar decides in this process's only thread, so long questions let others in between.

/** Longer work pauses for as long as it ran, so other requests get half of the thread. */
const SLICE_MS = 5;
/** It may have waited for PostgreSQL as well. */
const MAX_REST_MS = 20;

/** @returns to be awaited between two steps of long work */
export function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const worked = performance.now() - since;
    if (worked < SLICE_MS) return;
    // One turn of the event loop is not enough to answer another request.
    await Bun.sleep(Math.min(worked, MAX_REST_MS));
    since = performance.now();
  };
}
