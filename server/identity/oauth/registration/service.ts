// Dynamic registration (RFC 7591), and clients' own read, change and deletion (RFC 7592).

import { timingSafeEqual } from "node:crypto";
import type { Config } from "../../../platform/config/config.ts";
import type { Queries, Sql, Transaction } from "../../../platform/db/sql.ts";
import type { CheckUrl } from "../../../platform/egress/index.ts";
import { Conflict, Permission, TooManyRequests, Unauthorized } from "../../../platform/errors.ts";
import { clientNetwork } from "../../../platform/http/context.ts";
import { toRecordId } from "../../../platform/http/query.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type Access, type Origin, originOf, ownRecords, recordAudit, SCOPES } from "../../../records/index.ts";
import { digestOf, newOpaqueValue } from "../../signin/opaque.ts";
import { lockScopesOfApis } from "../apis/store.ts";
import { type Ceiling, findCeiling } from "../clients/ceilings.store.ts";
import type { Credentials } from "../clients/contract.ts";
import { defaultsOf, type Possible } from "../clients/credential-rules.ts";
import { credentialChanges, newSecret } from "../clients/credentials.ts";
import type { ReadSector } from "../clients/sector.ts";
import {
  deleteSecret,
  findCredentials,
  findSecretDigests,
  listSecrets,
  lockApplication,
  saveCredentials,
} from "../clients/store.ts";
import { CLIENT_PATH } from "../door.ts";
import { TokenError } from "../errors.ts";
import { common, OPENID_SCOPES } from "../scopes.ts";
import { heldFields, shownWithin } from "./ceiling.ts";
import { ignoredOf, invalid, needsSecret, readMetadata, sectorNamed, toMetadata } from "./metadata.ts";
import {
  countOpenLately,
  findOpenTenant,
  findRegistered,
  findTenantOfToken,
  insertRegistered,
  isDigest,
  listUnused,
  lockRules,
  noteOpenRegistration,
  noteTokenUse,
  type RegisteredClient,
  type RegistrationRules,
  replaceDigest,
  takeInitialToken,
} from "./store.ts";

/** Limits per hour on registrations without an initial access token. */
export type RegistrationLimits = Config["registrationLimits"];
/** The limit per hour on changes of a client registered without one. */
export const MAX_CHANGES = 20;
/** Seconds until such a client is deleted if no user has granted it access. */
export const UNUSED_SECONDS = 7 * 86_400;
/** The maximum deleted in one run of the housekeeping. */
const MAX_REMOVED = 1_000;

export interface Registration {
  /** @param tenant in the path @param token the initial access token @throws Unauthorized, TokenError, ApiError 429 */
  register(
    request: Request,
    tenant: string | undefined,
    token: string | undefined,
    readBody: () => Promise<unknown>,
  ): Promise<object>;
  /** @throws Unauthorized */
  read(clientId: string, token: string | undefined): Promise<object>;
  /** @throws Unauthorized, TokenError, ApiError 429 */
  change(request: Request, clientId: string, token: string | undefined, body: unknown): Promise<object>;
  /** @throws Unauthorized, Conflict, Permission if an administrator has changed it */
  remove(request: Request, clientId: string, token: string | undefined): Promise<void>;
}

interface RegistrationDependencies {
  sql: Sql;
  access: Pick<Access, "forget" | "namedByPolicies">;
  possible: Possible;
  /** Checks addresses of unvouched clients. */
  checkStrangersUrl: CheckUrl;
  readSector: ReadSector;
  issuer: string;
  limits: RegistrationLimits;
}

export function createRegistration({
  sql,
  access,
  possible,
  checkStrangersUrl,
  readSector,
  issuer,
  limits,
}: RegistrationDependencies): Registration {
  const possibleFor = (isOpen: boolean) => (isOpen ? { ...possible, checkUrl: checkStrangersUrl } : possible);

  function information(registered: Registered, credentials: Credentials, token: string, secret?: string) {
    const { applicationId, registeredOn, name, webSite } = registered;
    return {
      client_id: String(applicationId),
      client_id_issued_at: Math.floor(registeredOn.getTime() / 1000),
      ...(secret && { client_secret: secret, client_secret_expires_at: 0 }),
      registration_access_token: token,
      registration_client_uri: `${issuer}${CLIENT_PATH}/${applicationId}`,
      ...toMetadata(credentials, { name, webSite }),
    };
  }

  return {
    async register(request, tenant, initial, readBody) {
      const tenantId =
        initial === undefined ? await findOpenTenant(sql, tenant) : await findTenantOfToken(sql, digestOf(initial));
      if (!tenantId || (tenant !== undefined && tenant !== tenantId)) throw refused(initial);
      const isOpen = initial === undefined;
      const network = clientNetwork(request);
      // Checked before a transaction is opened, so a flood is rejected cheaply.
      if (isOpen) await requireRoom(sql, tenantId, network, limits);
      const body = await readBody();
      const token = newOpaqueValue();
      const listing = await readSector(tenantId, sectorNamed(body, { isOpen }));
      return sql.beginFor(tenantId, async (tx) => {
        // Before the rules: changes of an API lock in this order, too.
        const ofApis = await lockScopesOfApis(tx, tenantId);
        const rules = await lockRules(tx, tenantId);
        if (rules.mode === "Off" || (isOpen && rules.mode !== "Open")) throw refused(initial);
        const initialId = isOpen ? undefined : await takeInitialToken(tx, tenantId, digestOf(initial));
        if (!isOpen && !initialId) throw refused(initial);
        if (isOpen) await admitStranger(tx, tenantId, network, limits);
        const scopes = scopesFor(rules, ofApis, isOpen);
        const bounds = { isOpen, scopes, standardScopes: scopes };
        const before = defaultsOf("confidential");
        const { credentials, name, webSite } = readMetadata(body, before, bounds, possibleFor(isOpen), listing);
        const { id: applicationId, name: given } = await ownRecords.makeOwnApplication(tx, tenantId, { name, webSite });
        await saveCredentials(tx, tenantId, applicationId, credentials);
        const secret = needsSecret(credentials) ? await makeSecret(tx, tenantId, applicationId) : undefined;
        const made = { applicationId, digest: digestOf(token), isOpen };
        const registeredOn = await insertRegistered(tx, tenantId, made);
        await recordAudit(tx, tenantId, originOf(request, { clientId: String(applicationId) }), {
          kind: "Client.Registered",
          subject: { type: "Application", id: applicationId },
          details: { RegistrationTokenId: initialId ?? null, Scopes: credentials.scopes },
        });
        const client = { applicationId, registeredOn, name: given, webSite };
        return { ...information(client, credentials, token, secret), ...ignoredOf(body) };
      });
    },

    async read(clientId, token) {
      const registered = await proven(sql, clientId, token);
      const credentials = (await findCredentials(sql, registered.tenantId, registered.applicationId))!;
      return information(registered, credentials, token!);
    },

    async change(request, clientId, token, body) {
      const registered = await proven(sql, clientId, token);
      const { tenantId, applicationId, isOpen } = registered;
      requireOwn(body, clientId);
      if (isOpen && registered.changesLately >= MAX_CHANGES) {
        throw tooMany(`The client has changed itself ${MAX_CHANGES} times within an hour.`);
      }
      const next = newOpaqueValue();
      const listing = await readSector(tenantId, sectorNamed(body, registered));
      const changed = await sql.beginFor(tenantId, async (tx) => {
        await lockApplication(tx, tenantId, applicationId);
        const ofApis = await lockScopesOfApis(tx, tenantId);
        const rules = await lockRules(tx, tenantId);
        if (rules.mode === "Off") throw unknownToken();
        if (!(await replaceDigest(tx, registered, digestOf(next)))) throw unknownToken();
        const before = (await findCredentials(tx, tenantId, applicationId))!;
        await requireSecret(tx, tenantId, applicationId, body);
        const may = scopesFor(rules, ofApis, isOpen);
        const bounds = {
          isOpen,
          scopes: [...new Set([...before.scopes, ...may])],
          standardScopes: before.scopes,
          grants: before.grantTypes,
        };
        const ceiling = await findCeiling(tx, tenantId, applicationId, await access.namedByPolicies(tx, tenantId));
        const read = readMetadata(body, before, bounds, possibleFor(isOpen), listing, ceiling);
        const shown = await ownRecords.changeOwnApplication(tx, tenantId, applicationId, shownWithin(read, ceiling));
        const { credentials } = read;
        const origin = originOfItself(request, applicationId);
        await saveChange(tx, tenantId, origin, applicationId, before, credentials);
        const secret = heldFields(ceiling).has("Secrets")
          ? undefined
          : await fittingSecret(tx, tenantId, applicationId, credentials);
        return { ...information({ ...registered, ...shown }, credentials, next, secret), ...ignoredOf(body) };
      });
      access.forget(tenantId);
      return changed;
    },

    async remove(request, clientId, token) {
      const registered = await proven(sql, clientId, token);
      const { tenantId, applicationId } = registered;
      await sql.beginFor(tenantId, async (tx) => {
        await lockApplication(tx, tenantId, applicationId);
        // A concurrent request may have replaced the token or deleted the client.
        if (!(await isDigest(tx, registered)) || (await lockRules(tx, tenantId)).mode === "Off") throw unknownToken();
        const { firstParty } = (await findCredentials(tx, tenantId, applicationId))!;
        if (
          firstParty ||
          isTakenOver(await findCeiling(tx, tenantId, applicationId, await access.namedByPolicies(tx, tenantId)))
        ) {
          throw new Permission("An administrator has changed this client, and only an administrator can delete it.");
        }
        const origin = originOfItself(request, applicationId);
        if (await deleteRegistered(tx, tenantId, applicationId, origin)) return;
        throw new Conflict("Another record references this client. An administrator can delete it.");
      });
      access.forget(tenantId);
    },
  };
}

type Registered = Pick<RegisteredClient, "applicationId" | "registeredOn" | "name" | "webSite">;

/** One text for a wrong token and for disabled registration, so a tenant's settings stay unknown. */
function refused(token: string | undefined): Unauthorized {
  if (token !== undefined) return unknownToken();
  return new Unauthorized("Registering a client requires an initial access token.", "Bearer");
}

function unknownToken(): Unauthorized {
  return new Unauthorized("The token is invalid or expired.", 'Bearer error="invalid_token"');
}

/** Admits a client without an initial access token. @param tx in which the tenant's rules are locked */
export async function admitStranger(
  tx: Queries,
  tenantId: TenantId,
  network: string,
  limits: RegistrationLimits,
): Promise<void> {
  await requireRoom(tx, tenantId, network, limits);
  await noteOpenRegistration(tx, tenantId, network);
}

export async function requireRoom(
  sql: Queries,
  tenantId: TenantId,
  network: string,
  limits: RegistrationLimits,
): Promise<void> {
  const { ofTenant, ofAddress } = await countOpenLately(sql, tenantId, network);
  const full =
    ofAddress >= limits.address
      ? `${limits.address} clients were registered from this address within an hour.`
      : ofTenant >= limits.tenant
        ? `${limits.tenant} clients were registered within an hour.`
        : undefined;
  if (full) throw tooMany(full);
}

const tooMany = (reason: string) => new TooManyRequests(`${reason} Try again in an hour.`, 3_600);

/** Without an initial access token, scopes of this service's own API are excluded. */
export function scopesFor(rules: RegistrationRules, ofApis: string[], isOpen: boolean): string[] {
  return common(rules.scopes, [...(isOpen ? OPENID_SCOPES : SCOPES), ...ofApis]);
}

const makeSecret = async (tx: Queries, tenantId: TenantId, applicationId: number) =>
  (await newSecret(tx, tenantId, applicationId)).secret;

/** @returns a new secret if one is needed and missing */
async function fittingSecret(tx: Queries, tenantId: TenantId, applicationId: number, credentials: Credentials) {
  const secrets = await listSecrets(tx, tenantId, applicationId);
  if (needsSecret(credentials)) return secrets.length > 0 ? undefined : makeSecret(tx, tenantId, applicationId);
  for (const { id } of secrets) await deleteSecret(tx, tenantId, applicationId, id);
  return undefined;
}

/** @throws Unauthorized, with the same text if the client does not exist */
async function proven(sql: Queries, clientId: string, token: string | undefined): Promise<RegisteredClient> {
  if (token === undefined)
    throw new Unauthorized("Send the registration access token as Authorization: Bearer.", "Bearer");
  const id = toRecordId(clientId);
  const registered = id === undefined ? undefined : await findRegistered(sql, id);
  if (!registered?.digest || !registered.isActive || registered.isOff) throw unknownToken();
  if (!timingSafeEqual(registered.digest, digestOf(token))) throw unknownToken();
  await noteTokenUse(sql, registered);
  return registered;
}

const isTakenOver = ({ set, isTrusted }: Ceiling) => set.length > 0 || isTrusted;

const OF_THE_SERVER = [
  "registration_access_token",
  "registration_client_uri",
  "client_secret_expires_at",
  "client_id_issued_at",
];

/** RFC 7592 2.2: the body names its client and contains no values that only the server sets. */
function requireOwn(body: unknown, clientId: string): void {
  const sent = (body ?? {}) as Record<string, unknown>;
  if (sent.client_id !== clientId) throw invalid("client_id must equal that in the address");
  const foreign = OF_THE_SERVER.find((name) => Object.hasOwn(sent, name));
  if (foreign) throw new TokenError("invalid_request", `${foreign} cannot be changed.`);
}

/** RFC 7592 2.2: a secret in the body must be the client's own. */
async function requireSecret(tx: Queries, tenantId: TenantId, applicationId: number, body: unknown): Promise<void> {
  const { client_secret: secret } = body as { client_secret?: unknown };
  if (secret === undefined) return;
  const live = await findSecretDigests(tx, tenantId, applicationId);
  const isOwn = typeof secret === "string" && live.some((digest) => timingSafeEqual(digest, digestOf(secret)));
  if (!isOwn) throw invalid("client_secret is wrong");
}

function originOfItself(request: Request, applicationId: number): Origin {
  return originOf(request, { actor: { type: "Application", id: applicationId }, clientId: String(applicationId) });
}

export async function saveChange(
  tx: Queries,
  tenantId: TenantId,
  origin: Origin,
  applicationId: number,
  before: Credentials,
  after: Credentials,
): Promise<void> {
  await saveCredentials(tx, tenantId, applicationId, after);
  const details = credentialChanges(before, after);
  const subject = { type: "Application", id: applicationId };
  if (details) await recordAudit(tx, tenantId, origin, { kind: "Credentials.Changed", subject, details });
}

async function deleteRegistered(
  tx: Transaction,
  tenantId: TenantId,
  applicationId: number,
  origin: Origin,
  details?: { Reason: string },
): Promise<boolean> {
  if (!(await ownRecords.deleteOwnApplication(tx, tenantId, applicationId))) return false;
  const subject = { type: "Application", id: applicationId };
  await recordAudit(tx, tenantId, origin, { kind: "Credentials.Deleted", subject, details });
  return true;
}

/** Only clients that were registered without an initial access token. */
export async function removeUnusedClients(sql: Sql): Promise<number> {
  const origin: Origin = { address: undefined, userAgent: "", requestKey: "" };
  let removed = 0;
  for (const { tenantId, applicationId } of await listUnused(sql, UNUSED_SECONDS, MAX_REMOVED)) {
    const isGone = await sql.beginFor(tenantId, (tx) =>
      deleteRegistered(tx, tenantId, applicationId, origin, { Reason: "Unused" }),
    );
    if (isGone) removed++;
  }
  return removed;
}
