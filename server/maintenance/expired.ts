import { removeOldAlerts } from "../alerts/index.ts";
import type { Sql } from "../db/connection.ts";
import { removeOldLogouts } from "../logouts/index.ts";
import {
  deleteExpiredJwts,
  deleteExpiredProofs,
  deleteExpiredRevocations,
  removeEndedFamilies,
  removeExpiredCodes,
  removeExpiredDevices,
  removeExpiredPushes,
  removeOldIssued,
  removeRestedAudiences,
  removeSpentInitialTokens,
  removeUnusedClients,
} from "../oauth/index.ts";
import { removeOldRequests } from "../requests/index.ts";
import {
  removeExpiredAttempts,
  removeExpiredResets,
  removeExpiredSessions,
  removeForgottenDevices,
  removeOldFailures,
} from "../signin/index.ts";
import { removeFormerSecrets } from "../webhooks/index.ts";

/** What has had its day, by its table; each removal tells how many rows went. A new one is a line here. */
const EXPIRED: Record<string, (sql: Sql) => Promise<number>> = {
  refresh_families: removeEndedFamilies,
  revoked_tokens: deleteExpiredRevocations,
  authorization_codes: removeExpiredCodes,
  pushed_requests: removeExpiredPushes,
  device_codes: removeExpiredDevices,
  resting_audiences: removeRestedAudiences,
  registration_tokens: removeSpentInitialTokens,
  registered_clients: removeUnusedClients,
  used_jwts: deleteExpiredJwts,
  used_dpop_proofs: deleteExpiredProofs,
  sessions: removeExpiredSessions,
  known_devices: removeForgottenDevices,
  signin_failures: removeOldFailures,
  password_resets: removeExpiredResets,
  former_webhook_secrets: removeFormerSecrets,
  upstream_attempts: removeExpiredAttempts,
  requests: removeOldRequests,
  issued_tokens: removeOldIssued,
  logouts: removeOldLogouts,
  alerts: removeOldAlerts,
};

/** @returns how many rows went, by table */
export async function removeExpired(sql: Sql): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, remove] of Object.entries(EXPIRED)) counts[table] = await remove(sql);
  return counts;
}
