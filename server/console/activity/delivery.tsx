import type { ConnectionId } from "../../platform/ids.ts";
import { ActionButton, attribute, Badge, CopyButton, Link, phrase, Sentence } from "../../ui/index.ts";
import type { AttemptRecord, EventRecord, KnownRequest, LoggedConnection, SeenEvent } from "../../webhooks/index.ts";
import { titleOfConnection } from "../records/names.ts";
import type { Visit } from "../visit.ts";
import { hrefOfWorkflow } from "../workflow.tsx";
import { curlCommand } from "./payload.tsx";
import { AttemptDetails, AttemptTable } from "./requests-and-responses.tsx";
import { Timeline } from "./timeline.tsx";

export type DeliveryRecord = EventRecord["Deliveries"][number];

export interface ShownDelivery {
  delivery: DeliveryRecord;
  /** Undefined if the reader may not see the connection or its requests. */
  connection: LoggedConnection | undefined;
  reason: string | undefined;
  attempts: AttemptRecord[];
  /** The request of each attempt; undefined if the reader may not see the connection. */
  requests: (KnownRequest | undefined)[];
  /** The next request. */
  request: KnownRequest | undefined;
  mayResume: boolean;
}

export function isOpen({ State }: DeliveryRecord): boolean {
  return ["Pending", "Retrying", "Held"].includes(State);
}

export function isOver(delivery: DeliveryRecord): boolean {
  return !isOpen(delivery);
}

export function deliverySection(visit: Visit, event: SeenEvent, shown: ShownDelivery, maySend: boolean): JSX.Element {
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
          {mayResume && (
            <ActionButton
              visit={visit}
              action={`/settings/webhooks/${ConnectionId}/state`}
              label="Resume"
              fields={{ State: "Active" }}
            />
          )}
          {maySend && isOver(delivery) && !connection?.deletedOn && connection?.state !== "Held" && (
            <ActionButton
              visit={visit}
              action={`/settings/activity/${record.EventId}`}
              label="Redeliver"
              fields={{ ConnectionId }}
            />
          )}
          {/* The first part's workflow is the event's own. */}
          {delivery.WorkflowId !== record.WorkflowId && (
            <a class="button quiet" href={attribute(hrefOfWorkflow(visit, delivery))}>
              Open in Temporal
            </a>
          )}
          {!!request && text !== undefined && (
            <CopyButton text={curlCommand(record.EventId, text, request)} label="Copy as curl" />
          )}
        </div>
      </div>
      {!!reason && (
        <p>
          <Sentence text={sentence(reason)} />
        </p>
      )}
      {isOver(delivery) && connection?.state === "Held" && !connection.deletedOn && (
        <p class="hint">Its connection is Held: resume it to send this again.</p>
      )}
      {earlier > 0 && <p class="none" safe>{`Its first ${earlier} attempts are not shown; the REST API has them.`}</p>}
      {attempts.length > 0 && (
        <>
          <Timeline attempts={attempts} state={State} currentRun={Run} underWay={left > 0} />
          <AttemptTable attempts={attempts} happenedOn={occurredOn} />
          {/* A consumer has no request. */}
          {(connection?.kind === "Pull" ? [] : attempts).map((attempt, index) => (
            <AttemptDetails
              id={`attempt-${Id}-${attempt.Number}`}
              attempt={attempt}
              request={requests[index]}
              changedOn={connection && changedSince(connection, attempt)}
              isRemoved={event.payload === null}
              open={index === attempts.length - 1 && State !== "Delivered"}
            />
          ))}
        </>
      )}
    </section>
  );
}

/** When the request's settings changed after an attempt; undefined: they have not, so the known request is exact. */
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

/** A deleted connection has no page; one that the reader may not see has no name. */
export function ConnectionName({ visit, connection, connectionId }: ConnectionNameProps): JSX.Element {
  if (!connection) return <code safe>{connectionId}</code>;
  const title = titleOfLogged(connection);
  if (connection.deletedOn) return <span safe>{title}</span>;
  return <Link href={visit.href(`/settings/webhooks/${connectionId}`)} text={title} />;
}
