// Composes the controllers; test it with app.handle(new Request("http://localhost/…")).

import { Elysia } from "elysia";
import type { Logger } from "pino";
import {
  type Authenticate,
  createAccess,
  createAuthenticate,
  createPolicies,
  createRoles,
  policiesController,
  rolesController,
} from "./access/index.ts";
import { AUDIT_RESOURCE_TYPE, auditController, createAuditLog } from "./audit/index.ts";
import type { Config } from "./config.ts";
import type { Sql } from "./db/connection.ts";
import type { Egress } from "./egress/index.ts";
import {
  createEntities,
  createFindRecord,
  ENTITIES,
  type EntityDefinition,
  entitiesController,
  resourceTypes,
} from "./entities/index.ts";
import { NotFound } from "./errors.ts";
import { noteClientAddress } from "./http/client-address.ts";
import { asApiError, errorResponse } from "./http/error-record.ts";
import { createRateLimit } from "./http/rate-limit.ts";
import { readinessController } from "./http/readiness.ts";
import { requestKey } from "./http/request-key.ts";
import { createRequestLog } from "./http/request-log.ts";
import { noteResponseHeaders } from "./http/response-headers.ts";
import type { MasterKey } from "./master-key.ts";
import { type ApiMetrics, createApiMetrics, metricsController } from "./metrics/index.ts";
import { createProvider, OAUTH_RESOURCE_TYPES } from "./oauth/index.ts";
import { openApiController } from "./openapi/index.ts";
import { settingsController } from "./settings/index.ts";
import { createIdentityProviders, identityProvidersController, SIGN_IN_RESOURCE_TYPES } from "./signin/index.ts";
import type { TenantId } from "./tenant-id.ts";
import { TENANT_RESOURCE_TYPE, tenantSettingsController } from "./tenants/index.ts";
import { createRequestSpans, type Tracing, withoutCollector } from "./tracing/index.ts";
import {
  connectionsController,
  deadLettersController,
  eventLogController,
  type RecordedChange,
  redeliveriesController,
  secretController,
  WEBHOOK_RESOURCE_TYPES,
  whyController,
} from "./webhooks/index.ts";

/** Bun answers an empty 413 above this; our own limit, far below, answers an error record. */
const HARD_BODY_LIMIT = 64 * 1024 * 1024;

export interface AppDependencies {
  config: Config;
  sql: Sql;
  masterKey: MasterKey;
  egress: Egress;
  log: Logger;
  metrics?: ApiMetrics;
  tracing?: Tracing;
  /** What the API has records of. */
  entities?: readonly EntityDefinition[];
}

export function createApp({
  config,
  sql,
  masterKey,
  egress,
  log,
  metrics = createApiMetrics(sql),
  tracing = withoutCollector(),
  entities = ENTITIES,
}: AppDependencies) {
  const findRecord = createFindRecord(entities);
  const access = createAccess({
    sql,
    log,
    resourceTypes: [
      ...resourceTypes(entities),
      ...WEBHOOK_RESOURCE_TYPES,
      ...OAUTH_RESOURCE_TYPES,
      AUDIT_RESOURCE_TYPE,
      TENANT_RESOURCE_TYPE,
      ...SIGN_IN_RESOURCE_TYPES,
    ],
    findRecord,
  });
  const checkUrl = (url: string) => egress.checkUrl(url);
  const requestSpans = createRequestSpans(tracing);
  const requestLog = createRequestLog(log, (request, observed) => {
    metrics.request(observed);
    requestSpans.end(request, observed);
  });
  const admit = createRateLimit(config.rateLimit);
  const onClient = (request: Request, client: { tenantId: TenantId; clientId: string }) => {
    requestLog.noteClient(request, client);
    admit(request, client.clientId);
  };
  const workflowUrl = (workflowId: string) =>
    `${config.temporal.uiUrl}/namespaces/${config.temporal.namespace}/workflows/${encodeURIComponent(workflowId)}`;
  const entityNames = entities.map((entity) => entity.name);
  const logFailure = (error: unknown, request: Request) =>
    log.error({ err: error, requestKey: requestKey(request) }, "a request failed");
  const provider = createProvider({
    config,
    sql,
    masterKey,
    log,
    fetch: egress.fetch,
    onClient,
    onFailure: logFailure,
  });
  const { publicUrl } = config;
  const identityProviders = createIdentityProviders({
    sql,
    masterKey,
    publicUrl,
    fetch: egress.fetch,
    checkUrl,
    endGrantsBy: provider.endGrantsBy,
  });
  const onCommitted = (tenantId: TenantId, events: RecordedChange[]) => {
    metrics.accepted(events);
    for (const { eventRecord, recordIds } of events) access.forgetRecords(tenantId, eventRecord, recordIds);
  };
  const records = createEntities({ sql, onCommitted, onChange: provider.onRecordChange }, entities);
  const administration = provider.administration(findRecord);
  const policies = createPolicies(sql, access);
  const roles = createRoles(sql, access);
  const auditLog = createAuditLog(sql);
  const authenticateBearer = createAuthenticate(provider.verifyAccessToken, access.permissionsOf);
  const authenticate: Authenticate = async (request) => {
    const caller = await authenticateBearer(request);
    onClient(request, caller);
    return caller;
  };

  return new Elysia({ serve: { maxRequestBodySize: HARD_BODY_LIMIT, development: false } })
    .onRequest(({ request, set, server }) => {
      noteClientAddress(request, server?.requestIP(request)?.address, config.trustProxy);
      requestSpans.begin(request);
      requestLog.begin(request);
      noteResponseHeaders(request, set.headers);
      set.headers["x-request-id"] = requestKey(request);
      set.headers["x-content-type-options"] = "nosniff";
    })
    .onError({ as: "global" }, ({ error, code, request }) => {
      const failure = code === "NOT_FOUND" ? new NotFound("Nothing stands at this path.") : error;
      if (asApiError(failure).status === 500) logFailure(failure, request);
      const response = errorResponse(failure, request);
      requestLog.noteStatus(request, response.status);
      return response;
    })
    .onAfterResponse({ as: "global" }, ({ request, route, responseValue }) =>
      requestLog.end(request, route, responseValue instanceof Response ? responseValue.status : undefined),
    )
    .use(readinessController(sql, config.temporal.address))
    .use(metricsController(metrics.registry, config.metrics.token))
    .use(openApiController(publicUrl, entities))
    .use(provider.controller)
    .use(provider.settings(authenticate, administration))
    .use(identityProvidersController(identityProviders, authenticate))
    .use(entitiesController(records, authenticate))
    .use(connectionsController({ sql, masterKey, authenticate, entities: entityNames, checkUrl, workflowUrl }))
    .use(secretController({ sql, masterKey, authenticate, overlapMs: config.webhooks.secretOverlap }))
    .use(eventLogController({ sql, authenticate, entities: entityNames, workflowUrl }))
    .use(deadLettersController(sql, masterKey, authenticate))
    .use(whyController(sql, masterKey, authenticate))
    .use(redeliveriesController({ sql, authenticate, workflowUrl }))
    .use(auditController(auditLog, authenticate))
    .use(policiesController(policies, authenticate))
    .use(rolesController(roles, authenticate))
    .use(tenantSettingsController(sql, authenticate))
    .use(
      settingsController({
        ...provider.forSettingsPages,
        ...administration,
        records,
        providers: identityProviders,
        policies,
        roles,
        auditLog,
        sql,
        masterKey,
        publicUrl,
        access,
        entities: entityNames,
        checkUrl,
        secretOverlapMs: config.webhooks.secretOverlap,
        workflowUrl,
        onClient,
        onFailure: logFailure,
      }),
    );
}
