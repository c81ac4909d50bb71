// A sample of realistic calls, to find those with an outcome that a policy would change: some principals, some records
// of each type, and all actions on them.

import { firstPage, MAX_LIMIT } from "../../platform/http/query.ts";
import { actionsOn, type policyTrials } from "../../records/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";
import { listRecords } from "../records/records.tsx";

export const MAX_CASES = 500;
const PRINCIPALS = 12;
const RECORDS_OF_A_TYPE = 4;

type Principal = policyTrials.Case["principal"];

export interface Sample {
  principals: Principal[];
  records: { type: string; id: string }[];
}

/** Contains only records that the visitor may see, from the first page of each list. */
export async function sampleOf(deps: ConsoleServices, visit: Visit): Promise<Sample> {
  return { principals: await principalsOf(deps, visit), records: await recordsOf(deps, visit) };
}

export function casesOf(deps: ConsoleServices, { principals, records }: Sample): policyTrials.Case[] {
  const all = principals.flatMap((principal) =>
    records.flatMap(({ type, id }) =>
      actionsOn(deps.policies.types.get(type)!).map((action) => ({ principal, action, type, id })),
    ),
  );
  return spread(all, MAX_CASES);
}

/** Some members of each role first, because policies refer to roles; then others. */
async function principalsOf(deps: ConsoleServices, visit: Visit): Promise<Principal[]> {
  const roles = await deps.roles.list(visit.permitted("Settings:Read"), {}, firstPage(MAX_LIMIT));
  const members = roles.Items.flatMap(({ Members }) => Members.slice(0, 2));
  const active = await Promise.all(
    (["User", "Application"] as const).map(async (type) => {
      const found = await idsOf(deps, visit, type, { Is_Active: "true" });
      return spread(found, PRINCIPALS / 2).map((id) => ({ type, id: Number(id) }));
    }),
  );
  const named = members.map(({ Type, Id }) => ({ type: Type as Principal["type"], id: Id }));
  const distinct = new Map([...named, ...active.flat()].map((one) => [`${one.type} ${one.id}`, one]));
  return [...distinct.values()].slice(0, PRINCIPALS);
}

async function recordsOf(deps: ConsoleServices, visit: Visit): Promise<Sample["records"]> {
  const types = deps.records.all.map(({ entity }) => entity.name);
  const ofEntities = await Promise.all(
    types.map(async (type) => {
      const found = await idsOf(deps, visit, type);
      return spread(found, RECORDS_OF_A_TYPE).map((id) => ({ type, id }));
    }),
  );
  if (!visit.may("Webhooks:Read")) return ofEntities.flat();
  const page = firstPage(RECORDS_OF_A_TYPE);
  const { Items } = await deps.connections.list(visit.permitted("Webhooks:Read"), {}, page);
  return [...ofEntities.flat(), ...Items.map(({ Id }) => ({ type: "WebhookConnection", id: Id }))];
}

async function idsOf(deps: ConsoleServices, visit: Visit, type: string, filter: Record<string, string> = {}) {
  const asked = new URLSearchParams({ ...filter, Limit: String(MAX_LIMIT) });
  const { Items } = await listRecords<{ Id: string | number }>(deps.records.of(type), visit, asked);
  return Items.map(({ Id }) => String(Id));
}

/** Selects `max` elements at even distances. */
function spread<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all];
  return Array.from({ length: max }, (_, index) => all[Math.floor((index * all.length) / max)]!);
}
