// One delivery of an event: how it stands, and each attempt.

import type { ConnectionId } from "../../ids.ts";
import { ActionButton, attribute, Badge, CopyButton, phrase, Sentence } from "../../ui/index.ts";
import type { AttemptRecord, EventRecord, KnownRequest, LoggedConnection, SeenEvent } from "../../webhooks/index.ts";
import { titleOfConnection } from "../records/names.ts";
import type { Visit } from "../visit.ts";
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
  /** What each of these sent; undefined if the reader may not see the connection. */
  requests: (KnownRequest | undefined)[];
  /** What it would send now. */
  request: KnownRequest | undefined;
  mayResume: boolean;
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
}

export function DeliverySection({ visit, event, shown, mayRedeliver }: DeliverySectionProps): JSX.Element {
  const { delivery, connection, reason, attempts, requests, request, mayResume } = shown;
  const { record, text, occurredOn } = event;
  const { Id, ConnectionId, State, AttemptCount, Run } = delivery;
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
          {mayResume ? (
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
          {delivery.WorkflowId === record.WorkflowId ? (
            ""
          ) : (
            <a class="button quiet" href={attribute(delivery.WorkflowUrl)}>
              Open in Temporal
            </a>
          )}
          {request && text !== undefined ? (
            <CopyButton text={curlCommand(record.EventId, text, request)} label="Copy as curl" />
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
          <Timeline attempts={attempts} state={State} currentRun={Run} underWay={left > 0} />
          <AttemptTable attempts={attempts} happenedOn={occurredOn} />
          {attempts.map((attempt, index) => (
            <AttemptDetails
              id={`attempt-${Id}-${attempt.Number}`}
              attempt={attempt}
              request={requests[index]}
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
  connectionId: ConnectionId;
}

export function titleOfLogged({ name, url, deletedOn }: LoggedConnection): string {
  const title = titleOfConnection({ Name: name ?? "", URL: url });
  return deletedOn ? phrase`${title} (deleted)` : title;
}

/** A deleted one has no page any more, and one that the reader may not see has no name. */
export function ConnectionName({ visit, connection, connectionId }: ConnectionNameProps): JSX.Element {
  if (!connection) return <code safe>{connectionId}</code>;
  const title = titleOfLogged(connection);
  if (connection.deletedOn) return <span safe>{title}</span>;
  return (
    <a href={visit.href(`/settings/webhooks/${connectionId}`)} safe>
      {title}
    </a>
  );
}
