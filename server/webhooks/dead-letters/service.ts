import type { Caller, ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import type { Paging } from "../../http/paging.ts";
import type { MasterKey } from "../../master-key.ts";
import { toConnectionRecord } from "../connections/record.ts";
import { type Connection, listConnections } from "../connections/store.ts";
import { timeOf } from "../events/event-id.ts";
import { BLAMES, type Blame, blameForAttempt, blameForHeld } from "./blame.ts";
import {
  countDeadLetters,
  type DeadConnection,
  type DeadGroup,
  type DeadLetterFilter,
  type DeadState,
} from "./store.ts";

export type DeadLettersRecord = {
  ConnectionId: string;
  ConnectionName: string;
  Count: number | null;
  Reasons: DeadReason[];
} & Record<Blame, number | null>;

/** The most frequent first. */
export interface DeadReason {
  Blame: Blame;
  Reason: string;
  State: DeadState;
  Count: number;
  /** Times of events. */
  Oldest: string;
  Newest: string;
}

/**
 * How many deliveries of each connection that the caller may read are Exhausted or Held, for which reason, and whose
 * fault that is. Pings do not count. Who may not read every event gets each connection, and nothing of what it has.
 * @throws ServiceBusy
 */
export async function readDeadLetters(
  sql: Sql,
  masterKey: MasterKey,
  { tenantId, gate }: Caller,
  filter: DeadLetterFilter,
  paging: Paging,
): Promise<ShownPage<DeadLettersRecord>> {
  const list = {
    type: "WebhookConnection",
    name: "WebhookEvent/DeadLetters",
    paging,
    id: (row: Connection) => row.id,
    resource: (row: Connection) => toConnectionRecord(masterKey, row),
  };
  if (!gate.seesAll("WebhookEvent")) {
    const { connectionId } = filter;
    return gate.list({
      ...list,
      read: (limit, after) => listConnections(sql, tenantId, { id: connectionId }, limit, after),
      item: toUncounted,
    });
  }
  return gate.list({
    ...list,
    read: (limit, after) => countDeadLetters(sql, tenantId, filter, limit, after),
    item: toRecord,
  });
}

/** Not even that there are any: a filter would tell of which event. */
function toUncounted({ id, name }: Connection): DeadLettersRecord {
  const byBlame = Object.fromEntries(BLAMES.map((blame) => [blame, null])) as Record<Blame, null>;
  return { ConnectionId: id, ConnectionName: name ?? "", Count: null, ...byBlame, Reasons: [] };
}

function toRecord(connection: DeadConnection): DeadLettersRecord {
  const { id, name, groups } = connection;
  const counted = groups.map((group) => ({ ...blameFor(connection, group), group }));
  const sum = (some: { group: DeadGroup }[]) => some.reduce((total, { group }) => total + group.count, 0);
  const byBlame = BLAMES.map((blame) => [blame, sum(counted.filter((one) => one.blame === blame))]);
  return {
    ConnectionId: id,
    ConnectionName: name ?? "",
    Count: sum(counted),
    ...(Object.fromEntries(byBlame) as Record<Blame, number>),
    Reasons: counted.map(({ blame, reason, group }) => ({
      Blame: blame,
      Reason: reason,
      State: group.state,
      Count: group.count,
      Oldest: timeOf(group.oldest).toISOString(),
      Newest: timeOf(group.newest).toISOString(),
    })),
  };
}

function blameFor({ state, heldReason, drainPaused }: DeadConnection, group: DeadGroup) {
  if (group.state === "Held") return blameForHeld(state, heldReason, drainPaused);
  return { blame: blameForAttempt(group.reason), reason: group.reason ?? "lost" };
}
