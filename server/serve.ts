// `bun run server`: the API alone, against an outside PostgreSQL. Temporal need not be there.

import { createApp } from "./app.ts";
import { type Config, hostProblems } from "./config.ts";
import { connect } from "./db/connection.ts";
import { createEgress } from "./egress/index.ts";
import { createLog } from "./log.ts";
import { importMasterKey } from "./master-key.ts";
import { createApiMetrics, serveMetrics } from "./metrics/index.ts";
import { rotateSigningKeys } from "./oauth/index.ts";
import { CannotStart, onStop, prepareDatabase, readProductionConfig, runEntry } from "./process.ts";
import { createTracing } from "./tracing/index.ts";

/** What requests under way get; `start` gives the whole process 2 s. */
const SHUTDOWN_MS = 1_000;

await runEntry(async () => {
  const config = readProductionConfig(process.env, hostProblems(process.env));
  const log = createLog(config.logLevel, "api");
  await prepareDatabase(config.databaseUrl);
  const sql = connect(config.databaseUrl, "gatehouse api", 10);
  const masterKey = importMasterKey(config.masterKey, config.masterKeyPrevious);
  // Who caches the key set before the first token should find its key there; and a wrong MASTER_KEY shows here.
  await rotateSigningKeys(sql, masterKey).catch((error: Error) => {
    throw new CannotStart(error.message);
  });
  const metrics = createApiMetrics(sql);
  const tracing = await createTracing(config.tracing, "api", log);
  const app = createApp({ config, sql, masterKey, egress: createEgress(config.egress), log, metrics, tracing });
  listen(app, config);
  const metricsServer = serveMetrics(config.metrics, metrics.registry);
  log.info({ port: app.server?.port, publicUrl: config.publicUrl }, "api ready");

  onStop(async () => {
    await Promise.race([app.server?.stop(), new Promise((resolve) => setTimeout(resolve, SHUTDOWN_MS))]);
    await Promise.all([metricsServer.stop(), tracing.stop(), sql.end({ timeout: 1 })]);
  });
});

function listen(app: ReturnType<typeof createApp>, { port, host }: Config): void {
  try {
    // Elysia's default would let two servers share a port without a word.
    app.listen({ port, hostname: host, reusePort: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const other = "set PORT to another";
    if (code === "EADDRINUSE") {
      throw new CannotStart(`PORT is ${port}, and something listens there already. Stop it, or ${other}.`);
    }
    if (code === "EACCES") throw new CannotStart(`PORT is ${port}, where this user may not listen; ${other}.`);
    throw error;
  }
}
