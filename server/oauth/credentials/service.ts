import { randomBytes } from "node:crypto";
import type { Sql } from "../../db/connection.ts";
import { BadInput, Conflict, NotFound } from "../../errors.ts";
import { isUuid } from "../../http/paging.ts";
import type { TenantId } from "../../tenants/index.ts";
import { hashSecret } from "../client-authentication.ts";
import { requireSound } from "./input.ts";
import {
  type Credentials,
  deleteSecret,
  findCredentials,
  insertSecret,
  listSecrets,
  lockApplication,
  type StoredSecret,
  saveCredentials,
} from "./store.ts";

/** Two, so that one can be replaced while the other works. */
const MOST_SECRETS = 2;
const SECRET_BYTES = 32;

/** @throws NotFound */
export async function readCredentials(sql: Sql, tenantId: TenantId, applicationId: number): Promise<Credentials> {
  const credentials = await findCredentials(sql, tenantId, applicationId);
  if (!credentials) throw noApplication();
  return credentials;
}

/** @throws NotFound, BadInput */
export async function changeCredentials(
  sql: Sql,
  tenantId: TenantId,
  applicationId: number,
  changes: Partial<Credentials>,
): Promise<Credentials> {
  return sql.begin(async (tx) => {
    if (!(await lockApplication(tx, tenantId, applicationId))) throw noApplication();
    const before = (await findCredentials(tx, tenantId, applicationId))!;
    const after = { ...before, ...changes };
    requireSound(after, before);
    await saveCredentials(tx, tenantId, applicationId, after);
    return after;
  });
}

/**
 * Makes a secret; this is the only time that anyone sees it.
 * @throws NotFound, BadInput, Conflict
 */
export async function makeSecret(
  sql: Sql,
  tenantId: TenantId,
  applicationId: number,
): Promise<StoredSecret & { secret: string }> {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const stored = await sql.begin(async (tx) => {
    if (!(await lockApplication(tx, tenantId, applicationId))) throw noApplication();
    const credentials = (await findCredentials(tx, tenantId, applicationId))!;
    if (credentials.clientType !== "confidential") {
      throw new BadInput(`The Application is a ${credentials.clientType} client, which has no secret.`);
    }
    if ((await listSecrets(tx, tenantId, applicationId)).length >= MOST_SECRETS) {
      throw new Conflict(`The Application has ${MOST_SECRETS} secrets already. Delete one first.`);
    }
    await saveCredentials(tx, tenantId, applicationId, credentials);
    return insertSecret(tx, tenantId, applicationId, { id: Bun.randomUUIDv7(), digest: hashSecret(secret) });
  });
  return { ...stored, secret };
}

/** @throws NotFound */
export async function readSecrets(sql: Sql, tenantId: TenantId, applicationId: number): Promise<StoredSecret[]> {
  await readCredentials(sql, tenantId, applicationId);
  return listSecrets(sql, tenantId, applicationId);
}

/** @throws NotFound */
export async function removeSecret(
  sql: Sql,
  tenantId: TenantId,
  applicationId: number,
  secretId: string,
): Promise<StoredSecret> {
  const gone = isUuid(secretId) ? await deleteSecret(sql, tenantId, applicationId, secretId) : undefined;
  if (!gone) throw new NotFound("The Application has no secret with this Id.");
  return gone;
}

function noApplication(): NotFound {
  return new NotFound("There is no Application with this Id.");
}
