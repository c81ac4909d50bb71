// Composes the controllers. Tests use app.handle(new Request("http://localhost/…")).

import { Elysia } from "elysia";
import type { Logger } from "pino";
import { apiRoutes } from "./api.ts";
import { consoleController, createOnce, nothingHere, refusal } from "./console/index.ts";
import {
  createIssuedTokens,
  endpointRefusal,
  SETTINGS,
  type SettingsKinds,
  SPEC_PATHS,
  servicesOf,
} from "./identity/index.ts";
import { openApiController } from "./openapi/index.ts";
import type { Config } from "./platform/config/config.ts";
import type { Sql } from "./platform/db/sql.ts";
import type { Egress } from "./platform/egress/index.ts";
import { ServiceUnavailable } from "./platform/errors.ts";
import { requireSoundQuery } from "./platform/http/body.ts";
import { compressedPage } from "./platform/http/compression.ts";
import { clientAddress, contextOf, createRequestLog, isDirect, isProbe } from "./platform/http/context.ts";
import { asApiError, OUTAGES } from "./platform/http/error-record.ts";
import { createFailureLog } from "./platform/http/failure-log.ts";
import { healthController, type Lifecycle, readReadiness, servingLifecycle } from "./platform/http/health.ts";
import { createAdmitClient } from "./platform/http/rate-limit.ts";
import { createSpelling, requestUrl, requireHost, withPlainUrl } from "./platform/http/request.ts";
import { controllerOf } from "./platform/http/route.ts";
import { createLimits, type Limits } from "./platform/limits/index.ts";
import { type ApiMetrics, createApiMetrics, metricsController } from "./platform/metrics/index.ts";
import { createRequestSpans, type Tracing, withoutCollector } from "./platform/tracing/index.ts";
import type { Vault } from "./platform/vault.ts";
import { ENTITIES, type Entity, permit, requests } from "./records/index.ts";
import { createServices } from "./services.ts";

/** Bun answers larger bodies with an empty 413; our much lower limit answers with an error record. */
const HARD_BODY_LIMIT = 64 * 1024 * 1024;
/** Above the 60 s of proxies: a request that meets a closing connection is lost. Waiting requests get 503 earlier. */
const IDLE_SECONDS = 120;

export interface AppDependencies {
  config: Config;
  sql: Sql;
  vault: Vault;
  egress: Egress;
  log: Logger;
  metrics?: ApiMetrics;
  recorder?: ReturnType<typeof requests.createRequestRecorder>;
  issued?: ReturnType<typeof createIssuedTokens>;
  limits?: Limits;
  tracing?: Tracing;
  /** By default the app serves at once. */
  lifecycle?: Lifecycle;
  entities?: readonly Entity[];
  settings?: SettingsKinds;
}

export function createApp({
  config,
  sql,
  vault,
  egress,
  log,
  metrics = createApiMetrics(),
  recorder = requests.createRequestRecorder(sql, log),
  issued = createIssuedTokens(sql, log),
  tracing = withoutCollector(),
  lifecycle = servingLifecycle(),
  entities = ENTITIES,
  limits = createLimits({ sql, installation: config.tenantLimits, tables: entities.map(({ table }) => table), log }),
  settings: kinds = SETTINGS,
}: AppDependencies) {
  const { publicUrl, trustProxy } = config;
  const { stopping } = lifecycle;
  const spans = createRequestSpans(tracing);
  const admitClient = createAdmitClient(config.rateLimit);
  const logFailure = createFailureLog(log);
  const logRequest = createRequestLog(log, (request, observed) => {
    metrics.request(observed);
    recorder.record(request, observed);
    spans.end(request, observed);
  });

  const deps = { config, sql, vault, egress, log, metrics, issued, entities, kinds, limits };
  const services = createServices({ ...deps, admitClient, logFailure, stopping });
  const { provider, settings, authenticate } = services;
  const { site, cookies } = provider.forConsole;

  const routes = apiRoutes(services);
  const api = controllerOf(routes, { authenticate, permit, once: requests.createOnce(sql, vault) });
  const pages = consoleController({
    ...provider.forConsole,
    ...services,
    ...servicesOf(settings),
    issued,
    once: createOnce(vault, cookies),
    readReadiness: () => readReadiness(sql, config.temporal.address, lifecycle),
    publicUrl,
    onClient: admitClient,
    onFailure: logFailure,
  });
  const spell = createSpelling([...SPEC_PATHS, ...api.routes.map(({ path }) => path)]);

  return new Elysia({
    serve: { maxRequestBodySize: HARD_BODY_LIMIT, idleTimeout: IDLE_SECONDS, development: false },
  })
    .wrap((handle) => async (request: Request) => {
      const plain = withPlainUrl(request, spell);
      return compressedPage(plain, await provider.cors(plain, handle as unknown as (request: Request) => Response));
    })
    .onRequest(({ request, set, server }) => {
      const context = contextOf(request);
      const peer = server?.requestIP(request)?.address;
      context.address = clientAddress(request, peer, trustProxy);
      context.isDirect = isDirect(peer, trustProxy);
      context.headers = set.headers;
      spans.begin(request);
      lifecycle.begin(request);
      set.headers["x-request-id"] = context.key;
      set.headers["x-content-type-options"] = "nosniff";
      requireHost(request);
      if (requestUrl(request).pathname !== provider.signOutPath) requireSoundQuery(request);
      if (lifecycle.phase === "stopping") set.headers.connection = "close";
      // The tables may not exist yet.
      if (lifecycle.phase === "starting" && !isProbe(request)) throw new ServiceUnavailable(OUTAGES.away);
    })
    .onError({ as: "global" }, async ({ error, code, request }) => {
      const isNothing = code === "NOT_FOUND";
      if (!isNothing && asApiError(error).status >= 500) logFailure(error, request);
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
    .use(services.scimController)
    .use(api)
    .use(pages);
}
