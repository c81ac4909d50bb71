// Evaluates the filters of webhook connections for one record of a change.

import { LRUCache } from "lru-cache";
import type { ConnectionId } from "../../platform/ids.ts";
import { createCedar } from "../access/decisions/cedar.ts";
import { type FilterReads, filterPolicy, STAMPS } from "../access/decisions/filters.ts";
import { type Attribute, type JudgedRecord, toCedarRecord } from "../access/decisions/resource-type.ts";

export interface ConnectionFilter {
  id: ConnectionId;
  filter: string;
  reads: FilterReads;
}

export interface ChangedRecord {
  eventType: string;
  eventRecord: string;
  /** After the change; of a deleted one, its last state. */
  record: JudgedRecord;
  /** The former values of changed fields; undefined: not an update, or unknown. */
  previous: JudgedRecord | undefined;
}

export interface Verdicts {
  matching: ReadonlySet<ConnectionId>;
  /** Filters that could not be evaluated. */
  failed: ReadonlySet<ConnectionId>;
}

const PARSED_SETS = 1_000;

export function createJudge() {
  const places: string[] = [];
  let placesMade = 0;
  /** Cedar's handles, by the filters. */
  const parsed = new LRUCache<string, string>({ max: PARSED_SETS, disposeAfter: (place) => places.push(place) });
  let cedar: ReturnType<typeof createCedar> | undefined;
  /** Loaded at the first use: most processes have no filter. */
  const run: ReturnType<typeof createCedar>["run"] = (work) => {
    cedar ??= createCedar(() => parsed.clear());
    return cedar.run(work);
  };

  function parse(filters: readonly ConnectionFilter[]): string {
    const texts = Object.fromEntries(filters.map(({ id, filter }) => [id, filterPolicy(filter)]));
    const key = new Bun.CryptoHasher("sha256").update(JSON.stringify(texts)).digest("base64");
    const known = parsed.get(key);
    if (known) return known;
    const place = places.pop() ?? String(placesMade++);
    const answer = run((cedar) => cedar.preparsePolicySet(place, { staticPolicies: texts }));
    if (answer.type === "failure") throw new Error("A stored filter cannot be parsed.");
    parsed.set(key, place);
    return place;
  }

  /** All filters in one call, which costs most. */
  function evaluate(filters: readonly ConnectionFilter[], changed: ChangedRecord): Verdicts {
    const { eventType, eventRecord, record, previous } = changed;
    const attributes = attributesOf(filters, eventRecord);
    const before = attributes.filter(({ name }) => !STAMPS.includes(name));
    const part = (own: Attribute[], values: JudgedRecord) =>
      toCedarRecord({ name: eventRecord, families: [], attributes: own }, values, () => true);
    const resource = { type: eventRecord, id: "changed" };
    const question = {
      principal: { type: "Receiver", id: "receiver" },
      action: { type: "Action", id: eventRecord },
      resource,
      context: {
        event: eventType,
        changed: Object.keys(previous ?? {}),
        ...(previous && { before: part(before, { ...record, ...previous }) }),
      },
      entities: [{ uid: resource, attrs: part(attributes, record), parents: [] }],
    };
    const preparsedPolicySetId = parse(filters);
    const answer = run((cedar) => cedar.statefulIsAuthorized({ ...question, preparsedPolicySetId }));
    if (answer.type === "failure") throw new Error("Cedar could not evaluate a filter.");
    const { reason, errors } = answer.response.diagnostics;
    const failed = errors.map(({ policyId }) => policyId);
    const among = (found: string[]) => new Set(filters.filter(({ id }) => found.includes(id)).map(({ id }) => id));
    return { matching: among(reason), failed: among(failed) };
  }

  /** A filter that fails never drops an event, nor prevents the change. */
  return (filters: readonly ConnectionFilter[], changed: ChangedRecord): Verdicts => {
    try {
      return evaluate(filters, changed);
    } catch {
      return { matching: new Set(), failed: new Set(filters.map(({ id }) => id)) };
    }
  };
}

function attributesOf(filters: readonly ConnectionFilter[], eventRecord: string): Attribute[] {
  const all = filters.flatMap(({ reads }) => reads[eventRecord] ?? []);
  return [...new Map(all.map((attribute) => [attribute.name, attribute])).values()];
}
