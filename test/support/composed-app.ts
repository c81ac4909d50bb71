// The composed app in the test's own process, to read its routes or to add an entity.

import { apiRoutes } from "../../server/api.ts";
import { createApp } from "../../server/app.ts";
import { createIssuedTokens } from "../../server/identity/oauth/tokens/issued.ts";
import { SETTINGS } from "../../server/identity/settings.ts";
import { readConfig } from "../../server/platform/config/config.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import { createFailureLog } from "../../server/platform/http/failure-log.ts";
import { createAdmitClient } from "../../server/platform/http/rate-limit.ts";
import type { Route } from "../../server/platform/http/route.ts";
import { createLimits } from "../../server/platform/limits/index.ts";
import { createLog } from "../../server/platform/log.ts";
import { createApiMetrics } from "../../server/platform/metrics/index.ts";
import { createVault } from "../../server/platform/vault.ts";
import { createRegistry, ENTITIES } from "../../server/records/entities/registry.ts";
import type { Declaration } from "../../server/records/index.ts";
import { createServices } from "../../server/services.ts";
import { db, setting } from "../world/tenant.ts";

/** @param more additional entities */
export function composedApp(more: Declaration[] = []) {
  return createApp(dependencies(more));
}

/** The API's routes, as declared. */
export function composedRoutes(): Route[] {
  const deps = dependencies();
  const { config, sql, log, entities } = deps;
  const services = createServices({
    ...deps,
    kinds: SETTINGS,
    metrics: createApiMetrics(),
    issued: createIssuedTokens(sql, log),
    limits: createLimits({ sql, installation: config.tenantLimits, tables: entities.map(({ table }) => table), log }),
    admitClient: createAdmitClient(config.rateLimit),
    logFailure: createFailureLog(log),
    stopping: new AbortController().signal,
  });
  return apiRoutes(services);
}

function dependencies(more: Declaration[] = []) {
  const config = readConfig({ PUBLIC_URL: "https://gatehouse.example.com" });
  return {
    config,
    sql: db(),
    vault: createVault(setting("GATEHOUSE_TEST_MASTER_KEY")),
    egress: createEgress(config.egress),
    log: createLog("silent", "test"),
    entities: createRegistry([...ENTITIES, ...more]),
  };
}
