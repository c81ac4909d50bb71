// The composed app in the test's own process, to read its routes or to add an entity.

import { createApp } from "../../server/app.ts";
import { readConfig } from "../../server/config.ts";
import { createEgress } from "../../server/egress/index.ts";
import { createRegistry, ENTITIES } from "../../server/entities/index.ts";
import { createLog } from "../../server/log.ts";
import type { RecordDeclaration } from "../../server/records/index.ts";
import { createVault } from "../../server/vault.ts";
import { db, setting } from "../support/tenant.ts";

/** @param more additional entities */
export function composedApp(more: RecordDeclaration[] = []) {
  const config = readConfig({ PUBLIC_URL: "https://gatehouse.example.com" });
  return createApp({
    config,
    sql: db(),
    vault: createVault(setting("GATEHOUSE_TEST_MASTER_KEY")),
    egress: createEgress(config.egress),
    log: createLog("silent", "test"),
    entities: createRegistry([...ENTITIES, ...more]),
  });
}
