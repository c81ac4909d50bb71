// `bun run server`: the API alone, against an outside PostgreSQL. Temporal need not be there.

import { createApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { connect } from "./db/connection.ts";
import { migrate } from "./db/migrate.ts";
import { createEgress } from "./egress/index.ts";
import { importMasterKey } from "./keys/master-key.ts";
import { createLog } from "./log.ts";
import { rotateSigningKeys } from "./oauth/index.ts";
import { onStop, requireProduction, runEntry } from "./process.ts";

/** What requests under way get; `start` gives the whole process 2 s. */
const SHUTDOWN_MS = 1_000;

await runEntry(async () => {
  const config = requireProduction(readConfig(process.env));
  const log = createLog(config.logLevel, "api");
  await migrate(config.databaseUrl);
  const sql = connect(config.databaseUrl, "gatehouse api", 10);
  const masterKey = importMasterKey(config.masterKey);
  // The first keys exist before the first request.
  await rotateSigningKeys(sql, masterKey);
  const app = createApp({
    config,
    sql,
    masterKey,
    egress: createEgress(config.egress),
    log,
  });
  app.listen({ port: config.port, hostname: config.host });
  log.info({ port: app.server?.port, publicUrl: config.publicUrl }, "api ready");

  onStop(async () => {
    await Promise.race([app.server?.stop(), new Promise((resolve) => setTimeout(resolve, SHUTDOWN_MS))]);
    await sql.end({ timeout: 1 });
  });
});
