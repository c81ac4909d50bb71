// Composes the controllers; test it with app.handle(new Request("http://localhost/…")).

import { Elysia } from "elysia";
import type { Logger } from "pino";
import { createAuthenticate } from "./access/index.ts";
import type { Config } from "./config.ts";
import type { Sql } from "./db/connection.ts";
import type { Egress } from "./egress/index.ts";
import { ENTITIES, entitiesController } from "./entities/index.ts";
import { NotFound } from "./errors.ts";
import { asApiError, errorResponse } from "./http/error-record.ts";
import { readinessController } from "./http/readiness.ts";
import { requestKey } from "./http/request-key.ts";
import { requestUrl } from "./http/request-url.ts";
import type { MasterKey } from "./keys/master-key.ts";
import {
  authorizeController,
  createFamilies,
  createRevocations,
  createSigningKeys,
  createTokens,
  credentialsController,
  discoveryController,
  introspectionController,
  jwksController,
  logoutController,
  revocationController,
  tokenController,
  userinfoController,
} from "./oauth/index.ts";
import {
  createCookies,
  createCsrf,
  createForms,
  createPasswords,
  createSessions,
  createSignIn,
  createSite,
} from "./signin/index.ts";
import { connectionsController, eventLogController } from "./webhooks/index.ts";

/** Bun answers an empty 413 above this; our own limit, far below, answers an error record. */
const HARD_BODY_LIMIT = 64 * 1024 * 1024;

export interface AppDependencies {
  config: Config;
  sql: Sql;
  masterKey: MasterKey;
  egress: Egress;
  log: Logger;
}

export function createApp({ config, sql, masterKey, egress, log }: AppDependencies) {
  const keys = createSigningKeys(sql, masterKey);
  const revocations = createRevocations(sql);
  const tokens = createTokens({
    keys,
    issuer: config.publicUrl,
    lifetime: config.tokenLifetime,
    isRevoked: revocations.isRevoked,
  });
  const families = createFamilies({
    masterKey,
    tokens,
    onReuse: (tenantId, { id, clientId, userId }) =>
      log.warn({ tenantId, familyId: id, clientId, userId }, "a refresh token was used again; its family is revoked"),
  });
  const authenticate = createAuthenticate(tokens.verifyAccessToken);
  const workflowUrl = (workflowId: string) =>
    `${config.temporal.uiUrl}/namespaces/${config.temporal.namespace}/workflows/${encodeURIComponent(workflowId)}`;
  const logFailure = (error: unknown, request: Request) =>
    log.error({ err: error, requestKey: requestKey(request) }, "a request failed");
  const oauth = { sql, tokens, families, onFailure: logFailure };
  const site = createSite(config.publicUrl);
  const cookies = createCookies(config.publicUrl);
  const signin = {
    sql,
    tokens,
    issuer: config.publicUrl,
    cookies,
    forms: createForms(cookies, createCsrf(masterKey)),
    sessions: createSessions(sql, cookies),
    signIn: createSignIn(sql, cookies, createPasswords()),
    endpoints: { site, trustProxy: config.trustProxy, onFailure: logFailure },
  };

  return new Elysia({ serve: { maxRequestBodySize: HARD_BODY_LIMIT, development: false } })
    .onRequest(({ request, set }) => {
      set.headers["x-request-id"] = requestKey(request);
      set.headers["x-content-type-options"] = "nosniff";
    })
    .onError({ as: "global" }, ({ error, code, request }) => {
      const failure = code === "NOT_FOUND" ? new NotFound("Nothing stands at this path.") : error;
      if (asApiError(failure).status === 500) logFailure(failure, request);
      return errorResponse(failure, request);
    })
    .onAfterResponse({ as: "global" }, ({ request, responseValue }) => {
      const status = responseValue instanceof Response ? responseValue.status : undefined;
      log.debug(
        { requestKey: requestKey(request), method: request.method, path: requestUrl(request).pathname, status },
        "request",
      );
    })
    .use(readinessController(sql, config.temporal.address))
    .use(jwksController(keys))
    .use(discoveryController(config.publicUrl))
    .use(tokenController(oauth))
    .use(revocationController({ ...oauth, revocations }))
    .use(introspectionController({ ...oauth, issuer: config.publicUrl }))
    .use(credentialsController(sql, authenticate))
    .use(site.controller())
    .use(authorizeController(signin))
    .use(userinfoController({ sql, tokens, onFailure: logFailure }))
    .use(logoutController(signin))
    .use(entitiesController(sql, authenticate))
    .use(
      connectionsController({
        sql,
        masterKey,
        authenticate,
        entities: ENTITIES.map((entity) => entity.name),
        checkUrl: (url) => egress.checkUrl(url),
      }),
    )
    .use(eventLogController(sql, authenticate, workflowUrl));
}
