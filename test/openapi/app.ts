// The composed app in the test's own process, to look at its routes or to give it another entity.

import { afterAll } from "bun:test";
import { createApp } from "../../server/app.ts";
import { readConfig } from "../../server/config.ts";
import { connect, type Sql } from "../../server/db/connection.ts";
import { createEgress } from "../../server/egress/index.ts";
import { ENTITIES, type EntityDefinition } from "../../server/entities/index.ts";
import { createLog } from "../../server/log.ts";
import { importMasterKey } from "../../server/master-key.ts";
import { setting, shared } from "../support/tenant.ts";

const connections: Sql[] = [];

/** @param more entities beside those there are */
export function composedApp(more: EntityDefinition[] = []) {
  const config = readConfig({ PUBLIC_URL: "https://gatehouse.example.com" });
  const sql = connect(shared().databaseUrl, "gatehouse test", 1);
  connections.push(sql);
  return createApp({
    config,
    sql,
    masterKey: importMasterKey(setting("GATEHOUSE_TEST_MASTER_KEY")),
    egress: createEgress(config.egress),
    log: createLog("silent", "test"),
    entities: [...ENTITIES, ...more],
  });
}

afterAll(async () => {
  await Promise.all(connections.map((sql) => sql.end()));
});
