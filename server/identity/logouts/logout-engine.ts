// The same as the sending engine, for logouts: the steps of an attempt, and the loop that starts workflows.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import type { Config } from "../../platform/config/config.ts";
import { endLease } from "../../platform/db/leases.store.ts";
import { boundTo, type Sql } from "../../platform/db/sql.ts";
import type { Egress } from "../../platform/egress/index.ts";
import type { LogoutId, TenantId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import { posting } from "../../webhooks/index.ts";
import { createOpenSubjectKey } from "../oauth/clients/subject-keys.ts";
import { createSigningKeys } from "../oauth/keys/signing-keys.ts";
import { createLogoutTokens } from "../oauth/tokens/logout-token.ts";
import { createSendToken } from "./send-token.ts";
import { startLogouts } from "./starter.ts";
import { closeOpenLogout, LOGOUT_LEASE, recordLogout, revertLogoutAttempt, startLogoutAttempt } from "./store.ts";

export interface LogoutEngineDependencies {
  sql: Sql;
  egress: Egress;
  vault: Vault;
  /** The issuer. */
  publicUrl: string;
  timeoutMs: number;
}

export function createLogoutEngine({ sql, egress, vault, publicUrl, timeoutMs }: LogoutEngineDependencies) {
  const inSql = boundTo(sql);
  const keys = createSigningKeys(sql, vault);
  return {
    windows: posting.createWindows<number, LogoutId, LogoutId>(),
    ...createSendToken(egress, createLogoutTokens(keys, createOpenSubjectKey(sql, vault), publicUrl), timeoutMs),
    startAttempt: inSql(startLogoutAttempt),
    record: inSql(recordLogout),
    revertAttempt: inSql(revertLogoutAttempt),
    closeOpen: inSql(closeOpenLogout),
    endLease: (tenantId: TenantId, id: LogoutId) => endLease(sql, LOGOUT_LEASE, { id, tenantId }),
    run: (outbox: Sql, client: Client, config: Pick<Config, "publicUrl" | "webhooks">, log: Logger) =>
      startLogouts(outbox, client, config, log),
  };
}
