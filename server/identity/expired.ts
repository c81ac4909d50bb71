// Removals of expired rows, by table. Maintenance runs them every hour.

import type { Sql } from "../platform/db/sql.ts";
import { removeOldLogouts } from "./logouts/store.ts";
import { removeOldMails } from "./mail/index.ts";
import { removeRestedAudiences } from "./oauth/apis/store.ts";
import { removeExpiredCodes, removeExpiredDevices, removeExpiredPushes } from "./oauth/authorize/index.ts";
import { deleteExpiredJwts } from "./oauth/clients/used-jwts.store.ts";
import { deleteExpiredProofs } from "./oauth/dpop/used-proofs.store.ts";
import { removeUnusedClients } from "./oauth/registration/service.ts";
import { removeSpentInitialTokens } from "./oauth/registration/store.ts";
import { deleteEndedFamilies } from "./oauth/tokens/families.store.ts";
import { removeOldIssued } from "./oauth/tokens/issued.store.ts";
import { deleteExpiredRevocations } from "./oauth/tokens/revocations.store.ts";
import { removeOldImports } from "./signin/invitations/imports/store.ts";
import { removeOldInvitations } from "./signin/invitations/store.ts";
import { removeExpiredLinks } from "./signin/links/store.ts";
import { removeUsedChallenges } from "./signin/passkeys/store.ts";
import { removeExpiredResets } from "./signin/password-reset.store.ts";
import { removeExpiredSignUps } from "./signin/sign-ups/store.ts";
import { removeExpiredSessions, removeForgottenDevices } from "./signin/store.ts";
import { removeOldFailures } from "./signin/throttle.store.ts";
import { removeExpiredAttempts } from "./signin/upstream/store.ts";

export const IDENTITY_EXPIRED: Record<string, (sql: Sql) => Promise<number>> = {
  refresh_families: deleteEndedFamilies,
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
  used_challenges: removeUsedChallenges,
  mailed_links: removeExpiredLinks,
  invitations: removeOldInvitations,
  invitation_imports: removeOldImports,
  sign_ups: removeExpiredSignUps,
  upstream_attempts: removeExpiredAttempts,
  issued_tokens: removeOldIssued,
  logouts: removeOldLogouts,
  mails: removeOldMails,
};
