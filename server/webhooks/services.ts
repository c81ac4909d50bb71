// The services of webhooks, shared by REST and the console.

import type { Sql } from "../platform/db/sql.ts";
import type { Exporter } from "../platform/http/export.ts";
import type { Limits } from "../platform/limits/index.ts";
import type { Vault } from "../platform/vault.ts";
import type { Access } from "../records/index.ts";
import { type Alerts, createAlerts } from "./alerts/service.ts";
import type { EventSubject } from "./catalogue/kinds.ts";
import { createEventCatalogue, type EventCatalogue, type FindAttributes } from "./catalogue/service.ts";
import { createReceiverChecks, type ReceiverChecks } from "./check/service.ts";
import { createDiscard, type Discard } from "./connections/discard.ts";
import { createConnectionRecords } from "./connections/record.ts";
import { createRotations, type Rotations } from "./connections/secret-rotation.ts";
import { type Connections, createConnections, type Samples } from "./connections/service.ts";
import { createTestEvents, type TestEvents } from "./connections/test-event.ts";
import { createKnownRequest, createRequestOf, type KnownRequestOf } from "./deliveries/attempt-request.ts";
import { type ConnectionFigures, createConnectionFigures } from "./figures/service.ts";
import { createFilterTrials, type FilterTrials } from "./filters/trials.ts";
import { type CountDeadLetters, createCountDeadLetters } from "./log/dead-letters.ts";
import { createRedeliverEvent, type RedeliverEvent } from "./log/redeliver-event.ts";
import { createResentDeliveries, type ResentDeliveries } from "./log/resent.ts";
import { createEventLog, type EventLog } from "./log/service.ts";
import { createEventStreams, type EventStreams } from "./log/stream.ts";
import { createExplainEvent, type ExplainEvent } from "./log/why.ts";
import { createPulls, type Pulls } from "./pull/service.ts";
import { createRedeliveries, type Redeliveries } from "./redelivery/service.ts";
import { createConnectionSeals } from "./secrets.ts";
import type { WorkflowUrl } from "./workflow-url.ts";

export interface WebhookServices {
  alerts: Alerts;
  connections: Connections;
  rotations: Rotations;
  discard: Discard;
  filterTrials: FilterTrials;
  catalogue: EventCatalogue;
  testEvents: TestEvents;
  pulls: Pulls;
  receiverChecks: ReceiverChecks;
  figures: ConnectionFigures;
  eventLog: EventLog;
  eventStreams: EventStreams;
  explainEvent: ExplainEvent;
  countDeadLetters: CountDeadLetters;
  redeliverEvent: RedeliverEvent;
  redeliveries: Redeliveries;
  resentDeliveries: ResentDeliveries;
  knownRequest: KnownRequestOf;
}

export interface WebhooksDependencies {
  sql: Sql;
  vault: Vault;
  limits: Pick<Limits, "admitConnection">;
  checkFilter: Access["checkFilter"];
  secretOverlapMs: number;
  retentionMs: number;
  samples: Samples;
  subjects: readonly EventSubject[];
  findAttributes: FindAttributes;
  workflowUrl: WorkflowUrl;
  exporter: Exporter;
  stopping: AbortSignal;
}

export function createWebhooks(deps: WebhooksDependencies): WebhookServices {
  const { sql, vault, limits, secretOverlapMs, retentionMs, samples, workflowUrl, exporter, stopping } = deps;
  const seals = createConnectionSeals(vault);
  const records = createConnectionRecords(seals);
  const filterTrials = createFilterTrials(sql, records, deps.checkFilter);
  const connections = createConnections(sql, seals, records, limits, filterTrials, samples);
  const redeliveries = createRedeliveries(sql, workflowUrl);
  return {
    alerts: createAlerts(sql),
    connections,
    rotations: createRotations(sql, seals, connections, secretOverlapMs),
    discard: createDiscard(sql, connections),
    filterTrials,
    catalogue: createEventCatalogue(deps.subjects, deps.findAttributes),
    testEvents: createTestEvents(sql, connections, samples),
    receiverChecks: createReceiverChecks(sql, connections, samples),
    pulls: createPulls(sql, seals, connections, stopping),
    figures: createConnectionFigures(sql, connections, retentionMs),
    eventLog: createEventLog(sql, [...samples.keys()], workflowUrl),
    eventStreams: createEventStreams(sql, stopping),
    explainEvent: createExplainEvent(sql, connections),
    countDeadLetters: createCountDeadLetters(sql, connections),
    redeliverEvent: createRedeliverEvent(sql, workflowUrl),
    redeliveries,
    resentDeliveries: createResentDeliveries(sql, redeliveries, exporter),
    knownRequest: createKnownRequest(createRequestOf(seals)),
  };
}
