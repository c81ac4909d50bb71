// One delivery of an event: how it stands, and each attempt.

import type { MasterKey } from "../../master-key.ts";
import { ActionButton, attribute, Badge, CopyButton, phrase, Sentence } from "../../ui/index.ts";
import {
  type AttemptRecord,
  type EventRecord,
  knownRequest,
  type LoggedConnection,
  type SeenEvent,
  toConnectionRecord,
} from "../../webhooks/index.ts";
import type { Visit } from "../visit.ts";
import { titleOf } from "../webhooks/list.tsx";
import { AttemptDetails, AttemptTable } from "./attempts.tsx";
import { curlCommand } from "./payload.tsx";
import { Timeline } from "./timeline.tsx";

export type DeliveryRecord = EventRecord["Deliveries"][number];

export interface ShownDelivery {
  delivery: DeliveryRecord;
  /** Undefined if the reader may not see it, and nothing of what was sent there. */
  connection: LoggedConnection | undefined;
  /** Why it stands as it does, in words. */
  reason: string | undefined;
  /** Its last ones. */
  attempts: AttemptRecord[];
}

/** Something may still become of it by itself. */
export function isOpen({ State }: DeliveryRecord): boolean {
  return ["Pending", "Retrying", "Held"].includes(State);
}

export function isOver(delivery: DeliveryRecord): boolean {
  return !isOpen(delivery);
}

export interface DeliverySectionProps {
  visit: Visit;
  event: SeenEvent;
  shown: ShownDelivery;
  mayRedeliver: boolean;
  masterKey: MasterKey;
}

export function DeliverySection({ visit, event, shown, mayRedeliver, masterKey }: DeliverySectionProps): JSX.Element {
  const { delivery, connection, reason, attempts } = shown;
  const { record, text, occurredOn, sequences } = event;
  const { Id, ConnectionId, State, AttemptCount } = delivery;
  const posted = { eventId: record.EventId, sequences };
  const requestAt = (startedOn: Date) => connection && knownRequest(masterKey, connection, posted, startedOn);
  const left = AttemptCount - (attempts.at(-1)?.Number ?? 0);
  const earlier = (attempts[0]?.Number ?? 1) - 1;
  return (
    <section class="panel delivery" id={`delivery-${Id}`}>
      <div class="delivery-head">
        <h2>
          <ConnectionName visit={visit} connection={connection} connectionId={ConnectionId} />
        </h2>
        <Badge state={State} />
        <div class="buttons">
          {connection && mayResume(visit, connection, masterKey) ? (
            <ActionButton
              visit={visit}
              action={`/settings/webhooks/${ConnectionId}/state`}
              label="Resume"
              fields={{ State: "Active" }}
            />
          ) : (
            ""
          )}
          {mayRedeliver && isOver(delivery) && !connection?.deletedOn && connection?.state !== "Held" ? (
            <ActionButton
              visit={visit}
              action={`/settings/activity/${record.EventId}`}
              label="Redeliver"
              fields={{ ConnectionId }}
            />
          ) : (
            ""
          )}
          {/* Of the first part, it is the event's own. */}
          {delivery.WorkflowId === record.EventId ? (
            ""
          ) : (
            <a class="button quiet" href={attribute(delivery.WorkflowUrl)}>
              Open in Temporal
            </a>
          )}
          {connection && text !== undefined ? (
            <CopyButton text={curlCommand(record.EventId, text, requestAt(new Date(0))!)} label="Copy as curl" />
          ) : (
            ""
          )}
        </div>
      </div>
      {reason ? (
        <p>
          <Sentence text={sentence(reason)} />
        </p>
      ) : (
        ""
      )}
      {isOver(delivery) && connection?.state === "Held" && !connection.deletedOn ? (
        <p class="hint">Its connection is Held: it can be sent again once that is resumed.</p>
      ) : (
        ""
      )}
      {earlier > 0 ? (
        <p class="none" safe>{`Its first ${earlier} attempts are not shown; the REST API has them.`}</p>
      ) : (
        ""
      )}
      {attempts.length > 0 ? (
        <>
          <Timeline attempts={attempts} state={State} underWay={left > 0} />
          <AttemptTable attempts={attempts} happenedOn={occurredOn} />
          {attempts.map((attempt, index) => (
            <AttemptDetails
              id={`attempt-${Id}-${attempt.Number}`}
              attempt={attempt}
              request={requestAt(new Date(attempt.StartedOn))}
              changedOn={connection && changedSince(connection, attempt)}
              open={index === attempts.length - 1 && State !== "Delivered"}
            />
          ))}
        </>
      ) : (
        ""
      )}
    </section>
  );
}

/** Its connection takes no posts, and the reader may end that. */
function mayResume(visit: Visit, connection: LoggedConnection, masterKey: MasterKey): boolean {
  if (connection.state === "Active" || connection.deletedOn || !visit.may("Webhooks:Create")) return false;
  return visit.may("Webhooks:Update", "WebhookConnection", toConnectionRecord(masterKey, connection));
}

/** When what is sent there changed after an attempt; undefined: what is known of it is what was sent. */
function changedSince({ requestChangedOn }: LoggedConnection, { StartedOn }: AttemptRecord): Date | undefined {
  return requestChangedOn > new Date(StartedOn) ? requestChangedOn : undefined;
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

export interface ConnectionNameProps {
  visit: Visit;
  connection: ShownDelivery["connection"];
  connectionId: string;
}

/** A deleted one has no page any more, and one that the reader may not see has no name. */
export function ConnectionName({ visit, connection, connectionId }: ConnectionNameProps): JSX.Element {
  if (!connection) return <code safe>{connectionId}</code>;
  const title = titleOf({ Name: connection.name ?? "", URL: connection.url });
  if (connection.deletedOn) return <span safe>{phrase`${title} (deleted)`}</span>;
  return (
    <a href={visit.href(`/settings/webhooks/${connectionId}`)} safe>
      {title}
    </a>
  );
}
