// The routes of connections, the activity log, redeliveries and alerts.

import type { Route } from "../platform/http/route.ts";
import { alertRoutes } from "./alerts/routes.ts";
import { catalogueRoutes } from "./catalogue/routes.ts";
import { checkRoutes } from "./check/service.ts";
import type { ConnectionContract } from "./connection.ts";
import { discardRoutes } from "./connections/discard.ts";
import { secretRoutes } from "./connections/rotation-routes.ts";
import { connectionRoutes } from "./connections/routes.ts";
import { testRoutes } from "./connections/test-event.ts";
import { figureRoutes } from "./figures/routes.ts";
import { filterRoutes } from "./filters/routes.ts";
import { deadLetterRoutes } from "./log/dead-letters.ts";
import { resentRoutes } from "./log/resent.ts";
import { eventLogRoutes } from "./log/routes.ts";
import { whyRoutes } from "./log/why.ts";
import { pullRoutes } from "./pull/routes.ts";
import { redeliveryRoutes } from "./redelivery/routes.ts";
import type { WebhookServices } from "./services.ts";
import { statementRoutes } from "./statements/routes.ts";
import type { DeliveryStatements } from "./statements/service.ts";

export interface WebhookRoutes extends WebhookServices {
  connection: ConnectionContract;
  statements: DeliveryStatements;
  /** The Temporal UI's page of a workflow. */
  workflowUrl: (workflowId: string) => string;
}

export function webhookRoutes(services: WebhookRoutes): Route[] {
  return [
    ...connectionRoutes(services),
    ...secretRoutes(services.rotations),
    ...discardRoutes(services.discard),
    ...filterRoutes(services.filterTrials),
    ...catalogueRoutes(services.catalogue),
    ...testRoutes(services.testEvents, services.workflowUrl),
    ...checkRoutes(services.receiverChecks),
    ...pullRoutes(services.pulls),
    ...figureRoutes(services.figures),
    ...eventLogRoutes(services),
    ...deadLetterRoutes(services.countDeadLetters),
    ...whyRoutes(services.explainEvent),
    ...redeliveryRoutes(services.redeliveries),
    ...resentRoutes(services.resentDeliveries),
    ...statementRoutes(services.statements),
    ...alertRoutes(services.alerts),
  ];
}
