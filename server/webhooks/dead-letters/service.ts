import type { Caller } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { type Page, type Paging, toPage } from "../../http/paging.ts";
import type { MasterKey } from "../../master-key.ts";
import { toConnectionRecord } from "../connections/record.ts";
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
  Count: number;
  Reasons: DeadReason[];
} & Record<Blame, number>;

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
 * fault that is. Pings do not count.
 * @throws ServiceBusy
 */
export async function readDeadLetters(
  sql: Sql,
  masterKey: MasterKey,
  { tenantId, permissions }: Caller,
  filter: DeadLetterFilter,
  { limit, after }: Paging,
): Promise<Page<DeadLettersRecord>> {
  const page = await permissions.readable("Webhooks:Read", "WebhookConnection", async () => {
    const rows = await countDeadLetters(sql, tenantId, filter, limit, after);
    return toPage(
      rows,
      limit,
      (row) => row.id,
      (row) => ({ ...toConnectionRecord(masterKey, row), reasons: row.groups.map((group) => toReason(row, group)) }),
    );
  });
  return { ...page, Items: page.Items.map(({ Id, Name, reasons }) => toRecord(Id, Name, reasons)) };
}

function toReason({ state, heldReason, drainPaused }: DeadConnection, group: DeadGroup): DeadReason {
  const { blame, reason } =
    group.state === "Held"
      ? blameForHeld(state, heldReason, drainPaused)
      : { blame: blameForAttempt(group.reason), reason: group.reason ?? "lost" };
  return {
    Blame: blame,
    Reason: reason,
    State: group.state,
    Count: group.count,
    Oldest: timeOf(group.oldest).toISOString(),
    Newest: timeOf(group.newest).toISOString(),
  };
}

function toRecord(id: string, name: string, reasons: DeadReason[]): DeadLettersRecord {
  const sum = (some: DeadReason[]) => some.reduce((total, { Count }) => total + Count, 0);
  const byBlame = BLAMES.map((blame) => [blame, sum(reasons.filter((reason) => reason.Blame === blame))]);
  return {
    ConnectionId: id,
    ConnectionName: name,
    Count: sum(reasons),
    ...(Object.fromEntries(byBlame) as Record<Blame, number>),
    Reasons: reasons,
  };
}
