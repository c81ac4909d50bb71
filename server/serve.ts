// `bun run server`: only the API, with an external PostgreSQL. Temporal is optional.

import { createApp } from "./app.ts";
import { measureBacklog } from "./data/index.ts";
import { createIssuedTokens, createKeyRotation } from "./identity/index.ts";
import { type Config, hostProblems, samePortProblems } from "./platform/config/config.ts";
import { connectionsOfApi, warnIfFewConnections } from "./platform/db/capacity.ts";
import { startClockWatch } from "./platform/db/clock.ts";
import { migrate } from "./platform/db/migrate.ts";
import { connect, IMPATIENT, refuseSharedSessions } from "./platform/db/sql.ts";
import type { Passes } from "./platform/db/watch.ts";
import { createEgress } from "./platform/egress/index.ts";
import { CannotStart } from "./platform/errors.ts";
import { createLifecycle, shutDown } from "./platform/http/health.ts";
import { createLimits } from "./platform/limits/index.ts";
import { createLog } from "./platform/log.ts";
import { createApiMetrics, measureDatabase, serveMetrics } from "./platform/metrics/index.ts";
import { onceDatabaseIsThere, onStop, readProductionConfig, runEntry } from "./platform/process.ts";
import { createTracing } from "./platform/tracing/index.ts";
import { createVault } from "./platform/vault.ts";
import { ENTITY_TABLES, requests } from "./records/index.ts";

/** After this time, such as with a large migration, probes are answered before the start has finished. */
const LONG_START_MS = 5_000;

await runEntry("api", async () => {
  const config = readProductionConfig(process.env, [
    ...hostProblems(process.env),
    ...samePortProblems(process.env, "PORT"),
  ]);
  const { databaseUrl, shutdown } = config;
  const log = createLog(config.logLevel, "api", undefined, config.levelFormat);
  const sql = connect(databaseUrl, "gatehouse api", config.pools.api, IMPATIENT);
  const vault = createVault(config.masterKey, config.masterKeyPrevious);
  const metrics = createApiMetrics();
  measureBacklog(sql, metrics.registry, config.retention, log);
  measureDatabase(metrics.registry, log)("api", sql);
  const recorder = requests.createRequestRecorder(sql, log);
  const issued = createIssuedTokens(sql, log);
  const limits = createLimits({ sql, installation: config.tenantLimits, tables: ENTITY_TABLES, log });
  const tracing = await createTracing(config.tracing, "api", log);
  const lifecycle = createLifecycle();
  const egress = createEgress(config.egress);
  const app = createApp({ config, sql, vault, egress, log, metrics, recorder, issued, limits, tracing, lifecycle });
  const metricsServer = serveMetrics(config.metrics, metrics.registry);
  let clock: Passes | undefined;
  const written = () => Promise.all([clock?.stop(), recorder.stop(), issued.stop(), limits.stop()]);
  onStop(async () => {
    if (app.server) await shutDown(app.server, lifecycle, shutdown);
    await Promise.all([metricsServer.stop(), tracing.stop(), written().finally(() => sql.end({ timeout: 1 }))]);
  });

  const open = () => app.server ?? listen(app, config);
  const prepare = async () => {
    await refuseSharedSessions(databaseUrl);
    await migrate(databaseUrl);
    // Readers may cache the key set before the first token. Creating keys now also detects a wrong MASTER_KEY.
    await createKeyRotation(sql, vault).run();
    await warnIfFewConnections(sql, connectionsOfApi(config.pools.api), "DATABASE_POOL_API", log);
  };
  // Proxies skip a closed port but may forward a 503. So the port opens early only while waiting for the database.
  const ready = onceDatabaseIsThere(databaseUrl, log, prepare, open);
  await Promise.all([ready, Promise.race([ready, Bun.sleep(LONG_START_MS)]).then(open)]);
  clock = await startClockWatch(sql, log);
  lifecycle.serve();
  log.info({ port: app.server?.port, publicUrl: config.publicUrl }, "api ready");
});

function listen(app: ReturnType<typeof createApp>, { port, host }: Config): void {
  try {
    // Elysia's default would silently let two servers share a port.
    app.listen({ port, hostname: host, reusePort: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const other = "set PORT to another";
    if (code === "EADDRINUSE") {
      throw new CannotStart(`PORT is ${port}, which is already in use. Stop its process, or ${other}.`);
    }
    if (code === "EACCES") throw new CannotStart(`PORT is ${port}, where this user may not listen; ${other}.`);
    throw error;
  }
}
