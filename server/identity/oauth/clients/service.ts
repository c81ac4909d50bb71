import type { Queries, Sql, Transaction } from "../../../platform/db/sql.ts";
import { BadInput, Conflict, NotFound } from "../../../platform/errors.ts";
import { type Conditions, UNCONDITIONAL } from "../../../platform/http/conditions.ts";
import { isUuid } from "../../../platform/http/query.ts";
import type { TenantId } from "../../../platform/ids.ts";
import {
  type Access,
  type Caller,
  createRecordService,
  type Permitted,
  recordAudit,
  requireKnownScopes,
  type ServedKind,
  type Shown,
  type ShownPage,
  type Tagged,
  type Whole,
  withoutRecords,
  writeRecord,
} from "../../../records/index.ts";
import { lockScopesOfApis } from "../apis/store.ts";
import { noteAdministrator } from "./ceilings.store.ts";
import { CREDENTIALS, type Credentials, type CredentialsInput, type CredentialsRecord } from "./contract.ts";
import { changedCredentials, type Possible, requireSound } from "./credential-rules.ts";
import { credentialChanges, newSecret } from "./credentials.ts";
import { SECRET, type SecretInput, type SecretRecord, type StoredSecret } from "./secret.ts";
import { type ReadSector, requireListed, type SectorListing } from "./sector.ts";
import { deleteSecret, findCredentials, listSecrets, lockApplication, saveCredentials } from "./store.ts";

/** Two secrets allow rotation without interruption. */
export const MAX_SECRETS = 2;
const RESOURCE = CREDENTIALS.name;

export interface ClientCredentials {
  /** @throws Permission, NotFound */
  read(by: Permitted<"Settings:Read">, applicationId: number): Promise<Whole<CredentialsRecord>>;
  /**
   * Removing a scope takes effect with the client's next request.
   * @throws NotFound, BadInput, Permission, PreconditionFailed, Conflict if the caller's own client could not undo it
   */
  change(
    by: Permitted<"Settings:Update">,
    applicationId: number,
    input: CredentialsInput,
    conditions: Conditions,
    sent: unknown,
  ): Promise<Tagged<CredentialsRecord>>;
  /**
   * Runs in the transaction that creates the Application. The caller then invalidates `access`.
   * @returns the secret, which cannot be read again; undefined if its type has none @throws BadInput, Permission
   */
  setUp(
    tx: Transaction,
    by: Permitted<"Settings:Update">,
    applicationId: number,
    input: CredentialsInput,
  ): Promise<string | undefined>;
  /** An Application's credentials as policies evaluate them. @throws NotFound */
  resourceOf(tenantId: TenantId, applicationId: number): Promise<CredentialsRecord & { Id: string }>;
  /** @throws NotFound, Permission */
  listSecrets(by: Permitted<"Settings:Read">, applicationId: number): Promise<ShownPage<SecretRecord>>;
  /** Creates a secret, which cannot be read again. @throws NotFound, BadInput, Conflict, Permission */
  makeSecret(
    by: Permitted<"Settings:Update">,
    applicationId: number,
    input: SecretInput,
  ): Promise<Shown<SecretRecord & { Secret: string }>>;
  /**
   * The secret is invalid in this process before the response, and in others at about the same time.
   * @throws NotFound, Permission, Conflict if it is the last one of the caller's own client
   */
  deleteSecret(by: Permitted<"Settings:Update">, applicationId: number, secretId: string): Promise<Shown<SecretRecord>>;
}

export function createClientCredentials(
  sql: Sql,
  access: Pick<Access, "forget" | "forgetClients">,
  possible: Possible,
  readSector: ReadSector,
): ClientCredentials {
  const kind = credentialsKind(possible, access);
  const { read, save } = createRecordService(sql, kind);

  /** Runs before the transaction, which must not wait for other servers. */
  async function listingFor(tenantId: TenantId, applicationId: number, input: CredentialsInput) {
    if (input.SectorIdentifierUri === undefined && input.RedirectUris === undefined) return undefined;
    const before = await findCredentials(sql, tenantId, applicationId);
    return before && readSector(tenantId, changedCredentials(before, input).sectorIdentifierUri);
  }

  return {
    read: (by, applicationId) => read(by, String(applicationId)),

    async change(by, applicationId, given, conditions, sent) {
      const listing = await listingFor(by.tenantId, applicationId, given);
      return save(by, { applicationId, given, listing }, conditions, sent);
    },

    async setUp(tx, by, applicationId, input) {
      const { after } = await writeRecord(tx, by, kind, { applicationId, given: input }, UNCONDITIONAL);
      return after.clientType === "confidential" ? (await addSecret(tx, by, applicationId, "")).secret : undefined;
    },

    async resourceOf(tenantId, applicationId) {
      const credentials = await findCredentials(sql, tenantId, applicationId);
      if (!credentials) throw noApplication();
      return toResource(applicationId, credentials);
    },

    async listSecrets(by, applicationId) {
      const credentials = await findCredentials(sql, by.tenantId, applicationId);
      if (!credentials) throw noApplication();
      const resource = toResource(applicationId, credentials);
      const secrets = (await listSecrets(sql, by.tenantId, applicationId)).map((secret) => SECRET.toRecord(secret));
      by.permissions.require("Settings:Read", RESOURCE, resource);
      return by.gate.page(await by.gate.only(RESOURCE, secrets, { resource: () => resource }), secrets.length);
    },

    async makeSecret(by, applicationId, { Name }) {
      const { stored, secret } = await sql.beginFor(by.tenantId, async (tx) => {
        const credentials = await lockCredentials(tx, by, applicationId);
        requireUpdate(by, applicationId, credentials);
        if (credentials.clientType !== "confidential") {
          throw new BadInput(`The Application is a ${credentials.clientType} client, which has no secret.`);
        }
        if ((await listSecrets(tx, by.tenantId, applicationId)).length >= MAX_SECRETS) {
          throw new Conflict(`The Application has ${MAX_SECRETS} secrets already. Delete one first.`);
        }
        await saveCredentials(tx, by.tenantId, applicationId, credentials);
        return addSecret(tx, by, applicationId, Name ?? "");
      });
      access.forgetClients(by.tenantId);
      // The secret was created for this caller.
      return withoutRecords({ ...SECRET.toRecord(stored), Secret: secret });
    },

    async deleteSecret(by, applicationId, secretId) {
      const { gone, credentials } = await sql.beginFor(by.tenantId, async (tx) => {
        const credentials = await lockCredentials(tx, by, applicationId);
        requireUpdate(by, applicationId, credentials);
        const gone = isUuid(secretId) ? await deleteSecret(tx, by.tenantId, applicationId, secretId) : undefined;
        if (!gone) throw new NotFound("The Application has no secret with this Id.");
        refuseOwnLastSecret(by, applicationId, await listSecrets(tx, by.tenantId, applicationId));
        await noteAdministrator(tx, by.tenantId, applicationId, ["Secrets"]);
        const about = { subject: subjectOf(applicationId), details: { SecretId: gone.id } };
        await recordAudit(tx, by.tenantId, by, { kind: "Secret.Deleted", ...about });
        return { gone, credentials };
      });
      access.forgetClients(by.tenantId);
      const resource = toResource(applicationId, credentials);
      return (await by.gate.written(RESOURCE, SECRET.toRecord(gone), {}, { resource })).record;
    },
  };
}

interface CredentialsChange {
  applicationId: number;
  given: CredentialsInput;
  listing?: SectorListing | undefined;
}

type ClientRow = Credentials & { applicationId: number };

function credentialsKind(
  possible: Possible,
  access: Pick<Access, "forget">,
): ServedKind<ClientRow, CredentialsRecord & { Id?: string }, CredentialsChange> {
  return {
    declaration: CREDENTIALS,
    recordOf: (row) => toResource(row.applicationId, row),
    shown: (_, { Id: __, ...record }) => record,
    version: CREDENTIALS.toRecord,
    async find(queries, tenantId, id) {
      const credentials = await findCredentials(queries, tenantId, Number(id));
      if (!credentials) throw noApplication();
      return { ...credentials, applicationId: Number(id) };
    },
    committed: (tenantId) => access.forget(tenantId),
    async lock(tx, by, { applicationId }) {
      return { rows: [{ ...(await lockCredentials(tx, by, applicationId)), applicationId }] };
    },
    prepare: (_, __, { given }, before) => ({ ...before!, ...changedCredentials(before!, given) }),
    async check(tx, by, { before, after, input: { listing } }) {
      const ofApis = await lockScopesOfApis(tx, by.tenantId);
      BadInput.all(
        () => requireSound(after, before!, possible),
        () => requireListed(after, before!, listing),
        () => requireKnownScopes(after.scopes, ofApis),
      );
      refuseOwnLockOut(by, after.applicationId, before!, after);
    },
    // Defaults are stored with the first change.
    isSame: () => false,
    async update(tx, { tenantId }, row) {
      await saveCredentials(tx, tenantId, row.applicationId, row);
      return row;
    },
    async audit(tx, by, { before, after }) {
      const details = credentialChanges(before!, after!);
      if (!details) return;
      const { applicationId, scopes } = after!;
      const added = scopes.filter((scope) => !before!.scopes.includes(scope));
      await noteAdministrator(tx, by.tenantId, applicationId, details.Changed as string[], added);
      const subject = subjectOf(applicationId);
      await recordAudit(tx, by.tenantId, by, { kind: "Credentials.Changed", subject, details });
    },
  };
}

async function addSecret(tx: Transaction, by: Permitted<"Settings:Update">, applicationId: number, name: string) {
  const { stored, secret } = await newSecret(tx, by.tenantId, applicationId, name);
  await noteAdministrator(tx, by.tenantId, applicationId, ["Secrets"]);
  const about = { subject: subjectOf(applicationId), details: { SecretId: stored.id } };
  await recordAudit(tx, by.tenantId, by, { kind: "Secret.Created", ...about });
  return { stored, secret };
}

export async function makeClient(
  tx: Queries,
  tenantId: TenantId,
  applicationId: number,
  given: Pick<Credentials, "grantTypes" | "scopes">,
): Promise<{ clientId: string; clientSecret: string }> {
  const credentials = (await findCredentials(tx, tenantId, applicationId))!;
  await saveCredentials(tx, tenantId, applicationId, { ...credentials, ...given });
  const { secret } = await newSecret(tx, tenantId, applicationId);
  return { clientId: String(applicationId), clientSecret: secret };
}

/** Also locks the scopes of APIs; otherwise a concurrently deleted scope would be written back. */
async function lockCredentials(tx: Transaction, { tenantId }: Caller, applicationId: number): Promise<Credentials> {
  if (!(await lockApplication(tx, tenantId, applicationId))) throw noApplication();
  await lockScopesOfApis(tx, tenantId);
  return (await findCredentials(tx, tenantId, applicationId))!;
}

function requireUpdate(by: Caller, applicationId: number, credentials: Credentials): void {
  by.permissions.require("Settings:Update", RESOURCE, toResource(applicationId, credentials));
}

function toResource(applicationId: number, credentials: Credentials) {
  return { ...CREDENTIALS.toRecord(credentials), Id: String(applicationId) };
}

function subjectOf(applicationId: number) {
  return { type: "Application", id: applicationId };
}

function noApplication(): NotFound {
  return new NotFound("There is no Application with this Id.");
}

// A client must not remove the access that it needs to undo the change.

type By = Pick<Caller, "clientId" | "actor">;

const SETTINGS_SCOPES = ["Settings:Read", "Settings:Update"];

/** @throws Conflict if the calling client would lose its grant or a Settings scope */
function refuseOwnLockOut(by: By, applicationId: number, before: Credentials, after: Credentials): void {
  if (String(applicationId) !== by.clientId) return;
  const ownGrant = by.actor.type === "Application" ? "client_credentials" : "authorization_code";
  const missing = (needed: string[], had: string[], has: string[]) =>
    needed.filter((one) => had.includes(one) && !has.includes(one));
  const lost = [
    ...(before.tokenEndpointAuthMethod === after.tokenEndpointAuthMethod
      ? []
      : ["a different TokenEndpointAuthMethod"]),
    ...missing([ownGrant], before.grantTypes, after.grantTypes).map((grant) => `GrantTypes without ${grant}`),
    ...missing(SETTINGS_SCOPES, before.scopes, after.scopes).map((scope) => `Scopes without ${scope}`),
  ];
  if (lost.length > 0) throw ownClient(applicationId, `with ${lost.join(" and ")} it could not undo this`);
}

/** @throws Conflict if the calling client would have no secret left */
function refuseOwnLastSecret(by: By, applicationId: number, left: StoredSecret[]): void {
  if (String(applicationId) !== by.clientId || left.length > 0) return;
  throw ownClient(applicationId, "without a secret it could not call again");
}

function ownClient(applicationId: number, reason: string): Conflict {
  return new Conflict(`Application ${applicationId} is the calling client, and ${reason}. Use a different client.`);
}
