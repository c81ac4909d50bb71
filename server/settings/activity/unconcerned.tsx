// The connections that did not get an event, each with why.

import { firstPage, MOST_LIMIT } from "../../http/paging.ts";
import {
  type EventRecord,
  explainEvent,
  type LoggedConnection,
  PING,
  readConnectionsOf,
} from "../../webhooks/index.ts";
import { Badge, Section, Sentence, Table } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { Visit } from "../visit.ts";
import { ConnectionName } from "./delivery.tsx";

interface Unconcerned {
  outcome: string;
  reason: string;
  connection: LoggedConnection | undefined;
  connectionId: string;
}

/** The newest of them; a ping concerns nobody else. */
export async function readUnconcerned(
  { sql, masterKey }: SettingsDependencies,
  { caller }: Visit,
  { EventId, EventType }: EventRecord,
): Promise<Unconcerned[]> {
  if (EventType === PING) return [];
  const paging = firstPage(MOST_LIMIT);
  const { Items } = await explainEvent(sql, masterKey, caller, EventId, { concerned: false }, paging);
  // What was deleted before is no answer to why: with the years there are only ever more of these.
  const asked = Items.filter(({ Outcome }) => Outcome !== "AlreadyDeleted");
  const ids = asked.map(({ ConnectionId }) => ConnectionId);
  const connections = await readConnectionsOf(sql, masterKey, caller, ids);
  return asked.map(({ ConnectionId, Outcome, Reason }) => ({
    outcome: Outcome,
    reason: Reason,
    connection: connections.find(({ id }) => id === ConnectionId),
    connectionId: ConnectionId,
  }));
}

export function NotSentSection({ visit, unconcerned }: { visit: Visit; unconcerned: Unconcerned[] }): JSX.Element {
  if (unconcerned.length === 0) return "";
  return (
    <Section title="Not sent to">
      <Table
        caption="Connections that have no delivery of this event"
        columns={[
          {
            name: "Connection",
            cell: ({ connection, connectionId }: Unconcerned) => (
              <ConnectionName visit={visit} connection={connection} connectionId={connectionId} />
            ),
          },
          { name: "Outcome", cell: ({ outcome }: Unconcerned) => <Badge state={outcome} /> },
          { name: "Why", cell: ({ reason }: Unconcerned) => <Sentence text={reason} /> },
        ]}
        rows={unconcerned}
      />
    </Section>
  );
}
