// The search attributes deliveries are found by in the Temporal UI.

import type { Connection } from "@temporalio/client";
import { temporal } from "@temporalio/proto";
import { SEARCH_ATTRIBUTES } from "../../workflows/contract.ts";

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST } = temporal.api.enums.v1.IndexedValueType;
/** A type as Temporal's commands spell it, and as its protocol numbers it. */
const TYPES = {
  KEYWORD: { type: "Keyword", number: INDEXED_VALUE_TYPE_KEYWORD },
  KEYWORD_LIST: { type: "KeywordList", number: INDEXED_VALUE_TYPE_KEYWORD_LIST },
};

export const CLUSTER_ATTRIBUTES = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => ({ name, ...TYPES[type] }));

/** gRPC's codes for a cluster that does not show its attributes to us. */
const HIDDEN = new Set([7 /* PERMISSION_DENIED */, 12 /* UNIMPLEMENTED */]);

/**
 * Checks a cluster that is not ours to change.
 * @returns false if the cluster does not say which attributes it has
 * @throws Error naming what is missing and the command that adds it
 */
export async function checkSearchAttributes(
  connection: Connection,
  namespace: string,
  address: string,
): Promise<boolean> {
  let present: Record<string, unknown>;
  try {
    const answer = await connection.operatorService.listSearchAttributes({ namespace });
    present = answer.customAttributes ?? {};
  } catch (error) {
    if (HIDDEN.has((error as { code?: number }).code ?? -1)) return false;
    throw error;
  }
  const wrong = CLUSTER_ATTRIBUTES.filter(({ name, number }) => present[name] !== number);
  if (wrong.length === 0) return true;
  const flags = wrong.map(({ name, type }) => `--name ${name} --type ${type}`).join(" ");
  throw new Error(
    `The Temporal namespace "${namespace}" at ${address} lacks the search attributes ` +
      `${wrong.map(({ name, type }) => `${name} (${type})`).join(", ")}. Add them with:\n` +
      `  temporal operator search-attribute create --address ${address} --namespace ${namespace} ${flags}`,
  );
}
