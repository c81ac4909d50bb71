// Composes the controllers. Tests use app.handle(new Request("http://localhost/…")).

import { Elysia } from "elysia";
import type { Logger } from "pino";
import { type Authenticate, createAccess, createAuthenticate, type FindRecords, permit } from "./access/index.ts";
import { ALERT_RESOURCE_TYPE, createAlerts, EXAMPLE_ALERT } from "./alerts/index.ts";
import { apiRoutes } from "./api.ts";
import { AUDIT_RESOURCE_TYPE, createAuditLog, recordAudit } from "./audit/index.ts";
import type { Config } from "./config.ts";
import { createOnce, nothingHere, refusal, settingsController } from "./console/index.ts";
import { outageOf } from "./db/failures.ts";
import type { Sql } from "./db/sql.ts";
import type { Egress } from "./egress/index.ts";
import {
  createEntities,
  createFindRecord,
  createFindRecords,
  ENTITIES,
  type EntityDefinition,
  exampleRecord,
  resourceTypes,
} from "./entities/index.ts";
import { ApiError, ServiceUnavailable } from "./errors.ts";
import { requireEncodedQuery } from "./http/body.ts";
import { clientAddress, contextOf, createRequestLog, isDirect, isProbe } from "./http/context.ts";
import { asApiError, OUTAGES } from "./http/error-record.ts";
import { createExporter } from "./http/export.ts";
import { healthController, type Lifecycle, servingLifecycle } from "./http/health.ts";
import { createRateLimit } from "./http/rate-limit.ts";
import { API_PATH, createSpelling, requireHost, withPlainUrl } from "./http/request.ts";
import { controllerOf } from "./http/route.ts";
import type { TenantId } from "./ids.ts";
import { createOutageLog } from "./log.ts";
import { createLogouts } from "./logouts/index.ts";
import { type ApiMetrics, createApiMetrics, metricsController } from "./metrics/index.ts";
import {
  createIssuedTokens,
  createProvider,
  endpointRefusal,
  type IssuedTokens,
  OAUTH_RESOURCE_TYPES,
  SPEC_PATHS,
  scopesNow,
} from "./oauth/index.ts";
import { openApiController } from "./openapi/index.ts";
import {
  createRequestRecorder,
  createRequests,
  REQUEST_RESOURCE_TYPE,
  type RequestRecorder,
} from "./requests/index.ts";
import { createSettings, SETTINGS, type SettingsKinds, servicesOf } from "./settings.ts";
import { createOwnTenant, createTenants, TENANT_RESOURCE_TYPE } from "./tenants/index.ts";
import { createRequestSpans, type Tracing, withoutCollector } from "./tracing/index.ts";
import type { Vault } from "./vault.ts";
import {
  ALERT_RECORD,
  CONNECTION,
  connectionContract,
  createWebhooks,
  type RecordedChange,
  webhookResourceTypes,
} from "./webhooks/index.ts";

/** Bun answers larger bodies with an empty 413; our much lower limit answers with an error record. */
const HARD_BODY_LIMIT = 64 * 1024 * 1024;
/**
 * An idle connection is closed after this time. Proxies close theirs after 60 s and should be first, because a request
 * that meets a closing connection is lost. Requests that wait for capacity or PostgreSQL get 503 earlier.
 */
const IDLE_SECONDS = 120;

export interface AppDependencies {
  config: Config;
  sql: Sql;
  vault: Vault;
  egress: Egress;
  log: Logger;
  metrics?: ApiMetrics;
  recorder?: RequestRecorder;
  issued?: IssuedTokens;
  tracing?: Tracing;
  /** By default the app serves at once. */
  lifecycle?: Lifecycle;
  entities?: readonly EntityDefinition[];
  settings?: SettingsKinds;
}

export function policyTypes(entities: readonly EntityDefinition[], settings: SettingsKinds) {
  const entityTypes = resourceTypes(entities);
  return [
    ...entityTypes,
    ...webhookResourceTypes([...entityTypes, ALERT_RESOURCE_TYPE]),
    ...OAUTH_RESOURCE_TYPES,
    ALERT_RESOURCE_TYPE,
    AUDIT_RESOURCE_TYPE,
    REQUEST_RESOURCE_TYPE,
    TENANT_RESOURCE_TYPE,
    ...Object.values(settings).map(({ type }) => type),
  ];
}

/** The records of webhook events. */
export const namesOfEventRecords = (entities: readonly EntityDefinition[]) => [
  ...entities.map(({ name }) => name),
  ALERT_RECORD,
];

export function createApp({
  config,
  sql,
  vault,
  egress,
  log,
  metrics = createApiMetrics(sql),
  recorder = createRequestRecorder(sql, log),
  issued = createIssuedTokens(sql, log),
  tracing = withoutCollector(),
  lifecycle = servingLifecycle(),
  entities = ENTITIES,
  settings: kinds = SETTINGS,
}: AppDependencies) {
  const findRecord = createFindRecord(entities);
  const findEntityRecords = createFindRecords(entities);
  const eventRecords = namesOfEventRecords(entities);
  const temporalUi = `${config.temporal.uiUrl}/namespaces/${config.temporal.namespace}/workflows`;
  const workflowUrl = (workflowId: string) => `${temporalUi}/${encodeURIComponent(workflowId)}`;
  const workflowsUrl = (query: string) => `${temporalUi}?query=${encodeURIComponent(query)}`;
  const exporter = createExporter();
  const webhooks = createWebhooks({
    ...{ sql, vault, workflowUrl, exporter },
    stopping: lifecycle.stopping,
    secretOverlapMs: config.webhooks.secretOverlap,
    samples: {
      entities: eventRecords,
      of: (name) => (name === ALERT_RECORD ? EXAMPLE_ALERT : exampleRecord(records.of(name).entity)),
    },
  });
  const settingsTypes = Object.values(kinds).map(({ type }) => type.name);
  const findRecords: FindRecords = (queries, tenantId, type, ids) => {
    if (type === ALERT_RECORD) return alerts.find(queries, tenantId, type, ids);
    const others = type === CONNECTION.name ? webhooks.connections.find : findEntityRecords;
    const own = Object.values(settings).find(({ contract }) => contract.name === type);
    return (own?.find ?? others)(queries, tenantId, type, ids);
  };
  const access = createAccess({
    sql,
    vault,
    log,
    resourceTypes: policyTypes(entities, kinds),
    findRecords,
    recordTypes: [...entities.map(({ name }) => name), ...settingsTypes, CONNECTION.name],
    findScopes: scopesNow,
  });
  const checkUrl = (url: string) => egress.checkUrl(url);
  const requestSpans = createRequestSpans(tracing);
  const logRequest = createRequestLog(log, (request, observed) => {
    metrics.request(observed);
    recorder.record(request, observed);
    requestSpans.end(request, observed);
  });
  const admit = createRateLimit(config.rateLimit);
  const onClient = (
    request: Request,
    { tenantId, clientId }: { tenantId: TenantId; clientId: string },
    network?: string,
  ) => {
    contextOf(request).client = { tenantId, clientId };
    admit(request, network === undefined ? clientId : `${clientId} at ${network}`);
  };
  const databaseIsAway = createOutageLog(log);
  const logFailure = (error: unknown, request: Request) => {
    const line = { err: error, requestKey: contextOf(request).key };
    const outage = outageOf(error);
    if (outage === "disk-full") databaseIsAway(line, "PostgreSQL's disk is full; changes are answered 503");
    else if (outage) databaseIsAway(line, "PostgreSQL is away or takes no writes; requests are answered 503");
    else if (!(error instanceof ApiError)) log.error(line, "a request failed");
  };
  const provider = createProvider({
    config,
    sql,
    access,
    vault,
    log,
    egress,
    issued,
    onClient,
    onDevice: metrics.device,
    onFailure: logFailure,
  });
  const { publicUrl } = config;
  const settings = createSettings(kinds, {
    ...{ sql, vault, publicUrl, access, checkUrl },
    fetch: egress.fetch,
    endGrantsBy: provider.endGrantsBy,
    recordChange: recordAudit,
  });
  const onCommitted = (tenantId: TenantId, events: RecordedChange[]) => {
    metrics.accepted(events);
    for (const { eventRecord, recordIds } of events) access.forgetRecords(tenantId, eventRecord, recordIds);
  };
  const records = createEntities({ sql, onCommitted, onChange: provider.onRecordChange }, entities);
  const administration = { ...provider.administration(findRecord), ownTenant: createOwnTenant(sql) };
  const logouts = createLogouts({
    ...{ sql, workflowUrl, namesOfSessions: provider.namesOfSessions },
    credentials: administration.credentials,
  });
  const auditLog = createAuditLog(sql, auditSubjects(entities, kinds), exporter);
  const requests = createRequests(sql);
  const alerts = createAlerts(sql);
  const authenticateBearer = createAuthenticate({
    verify: provider.verifyAccessToken,
    checkPossession: provider.checkPossession,
    admit: access.admit,
  });
  const authenticate: Authenticate = async (request) => {
    const caller = await authenticateBearer(request);
    onClient(request, caller);
    return caller;
  };

  const connection = connectionContract({ entities: eventRecords, checkUrl });
  const routes = apiRoutes({
    entities: eventRecords,
    connection,
    workflowUrl,
    records,
    settings: Object.values(settings),
    auditLog,
    alerts,
    requests,
    logouts,
    ...administration,
    ...webhooks,
  });

  let spell: ((path: string) => string) | undefined;
  const app = new Elysia({
    serve: { maxRequestBodySize: HARD_BODY_LIMIT, idleTimeout: IDLE_SECONDS, development: false },
  })
    .wrap((handle) => (request: Request) => {
      spell ??= createSpelling(app.routes.map(({ path }) => path).filter(isSpecified));
      return provider.cors(withPlainUrl(request, spell), handle as unknown as (request: Request) => Response);
    })
    .onRequest(({ request, set, server }) => {
      const context = contextOf(request);
      const peer = server?.requestIP(request)?.address;
      context.address = clientAddress(request, peer, config.trustProxy);
      context.isDirect = isDirect(peer, config.trustProxy);
      context.headers = set.headers;
      requestSpans.begin(request);
      lifecycle.begin(request);
      set.headers["x-request-id"] = context.key;
      set.headers["x-content-type-options"] = "nosniff";
      requireHost(request);
      requireEncodedQuery(request);
      if (lifecycle.phase === "stopping") set.headers.connection = "close";
      // The tables may not exist yet.
      if (lifecycle.phase === "starting" && !isProbe(request)) throw new ServiceUnavailable(OUTAGES.away);
    })
    .onError({ as: "global" }, async ({ error, code, request }) => {
      const isNothing = code === "NOT_FOUND";
      if (!isNothing && asApiError(error).status >= 500) logFailure(error, request);
      const { site } = provider.forSettingsPages;
      const response = isNothing
        ? await nothingHere(site, request)
        : (endpointRefusal(error, request) ?? (await refusal(site, error, request)));
      contextOf(request).status = response.status;
      return response;
    })
    .onAfterResponse({ as: "global" }, ({ request, route, responseValue }) => {
      lifecycle.end(request);
      logRequest(request, route, responseValue instanceof Response ? responseValue.status : undefined);
    })
    .use(healthController(sql, config.temporal.address, lifecycle))
    .use(metricsController(metrics.registry, config.metrics.token))
    .use(openApiController(publicUrl, routes))
    .use(provider.controller)
    .use(controllerOf(routes, { authenticate, permit }))
    .use(
      settingsController({
        ...provider.forSettingsPages,
        ...administration,
        ...webhooks,
        issued,
        once: createOnce(vault, provider.forSettingsPages.cookies),
        records,
        ...servicesOf(settings),
        settings,
        auditLog,
        alerts,
        requests,
        logouts,
        tenants: createTenants(sql),
        publicUrl,
        access,
        entities: eventRecords,
        connection,
        workflowsUrl,
        onClient,
        onFailure: logFailure,
      }),
    );
  return app;
}

export function auditSubjects(entities: readonly EntityDefinition[], settings: SettingsKinds): string[] {
  const types = [...Object.values(settings).map(({ type }) => type), ...webhookResourceTypes([])];
  return [...entities, ...types].map(({ name }) => name);
}

function isSpecified(path: string): boolean {
  return path.startsWith(`${API_PATH}/`) || SPEC_PATHS.includes(path);
}
