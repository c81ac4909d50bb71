// What REST and the console do with webhooks, made once.

import type { Sql } from "../db/connection.ts";
import type { Vault } from "../vault.ts";
import { createConnectionRecords } from "./connections/record.ts";
import { createRotations, type Rotations } from "./connections/rotation.ts";
import { createConnectionSeals } from "./connections/secrets.ts";
import { type Connections, createConnections } from "./connections/service.ts";
import { createTestEvents, type Samples, type TestEvents } from "./connections/test-event.ts";
import { createKnownRequest, createRequestOf, type KnownRequestOf } from "./deliveries/request.ts";
import { type ConnectionFigures, createConnectionFigures } from "./figures/service.ts";
import { createExplainEvent, type ExplainEvent } from "./log/why.ts";

export interface WebhookServices {
  connections: Connections;
  rotations: Rotations;
  testEvents: TestEvents;
  /** What is counted of one. */
  figures: ConnectionFigures;
  explainEvent: ExplainEvent;
  knownRequest: KnownRequestOf;
}

/** @param secretOverlapMs how long a former secret signs beside the new one, unless a rotation says otherwise */
export function createWebhooks(sql: Sql, vault: Vault, secretOverlapMs: number, samples: Samples): WebhookServices {
  const seals = createConnectionSeals(vault);
  const connections = createConnections(sql, seals, createConnectionRecords(seals));
  return {
    connections,
    rotations: createRotations(sql, seals, connections, secretOverlapMs),
    testEvents: createTestEvents(sql, connections, samples),
    figures: createConnectionFigures(sql, connections),
    explainEvent: createExplainEvent(sql, connections),
    knownRequest: createKnownRequest(createRequestOf(seals)),
  };
}
