// A tenant's identity providers. Each call requires the scope and a policy that permits it.

import { FOREIGN_KEY_VIOLATION } from "../../../../platform/db/failures.ts";
import type { Sql, Transaction } from "../../../../platform/db/sql.ts";
import { type EgressFetch, requireSecretsAnew } from "../../../../platform/egress/index.ts";
import { BadInput, Conflict, NotFound } from "../../../../platform/errors.ts";
import type { Conditions } from "../../../../platform/http/conditions.ts";
import { readId } from "../../../../platform/http/query.ts";
import type { TenantId } from "../../../../platform/ids.ts";
import type { Vault } from "../../../../platform/vault.ts";
import {
  auditedAs,
  type Caller,
  createRecordService,
  type Found,
  type Permitted,
  type RecordService,
  recordAudit,
  type Shown,
  type Tagged,
  tableKind,
} from "../../../../records/index.ts";
import { CLIENT_SECRET_PURPOSE, redirectUriOf } from "../configuration.ts";
import { createProbe, type ProbeResult } from "../try-provider.ts";
import { PROVIDER, type Provider, type ProviderInput, type ProviderRecord } from "./contract.ts";
import { merged, requireSound, toProviderRecord, versionOf, withClientKey } from "./record.ts";
import { deleteSessionsOf, findProvider, lockProvidersNamed, nextProviderId, PROVIDER_TABLE } from "./store.ts";

const RESOURCE = "IdentityProvider";

/** For a provider that is not stored yet. */
const NO_ID = 0;

/** A body, and the Id reserved for a new provider. */
type ReservedInput = ProviderInput & { reserved?: number | undefined };

/** @param id in all methods, as it appears in the path */
export interface IdentityProviders extends RecordService<ProviderRecord, ProviderInput> {
  /** Reserves the Redirect URI of a new provider. @param kept an earlier reservation, if it is still valid */
  reserve(caller: Permitted<"Settings:Update">, kept?: string): Promise<Reservation>;
  /** @param reservation for a new provider; without it, the next free Redirect URI is used */
  save(
    caller: Permitted<"Settings:Update">,
    input: ProviderInput,
    conditions: Conditions,
    sent: unknown,
    reservation?: string,
  ): Promise<Tagged<ProviderRecord>>;
  /**
   * Also ends its users' links, its sessions, and their codes and refresh tokens.
   * @returns its last state @throws NotFound, Permission, Conflict, PreconditionFailed
   */
  remove(caller: Permitted<"Settings:Update">, id: string, conditions: Conditions): Promise<Tagged<ProviderRecord>>;
  /** Makes the requests of a sign-in that need no user; also for an inactive provider. @throws NotFound, Permission */
  test(caller: Permitted<"Settings:Update">, id: string): Promise<Shown<ProbeResult>>;
}

export interface Reservation {
  /** The sealed Id. */
  reservation: string;
  redirectUri: string;
}

export interface ProviderServiceDependencies {
  sql: Sql;
  vault: Vault;
  /** The issuer, without a trailing slash. */
  publicUrl: string;
  fetch: EgressFetch;
  /** Ends the codes and token families of sign-ins at a provider. */
  endGrantsBy: (tx: Transaction, tenantId: TenantId, providerId: number) => Promise<void>;
}

export function createIdentityProviders({
  sql,
  vault,
  publicUrl,
  fetch,
  endGrantsBy,
}: ProviderServiceDependencies): IdentityProviders {
  const probe = createProbe(fetch, vault, publicUrl);
  const secrets = vault.sealFor(CLIENT_SECRET_PURPOSE);
  const reserved = vault.sealFor(RESERVATION_PURPOSE);
  const toRecord = (provider: Provider) => toProviderRecord(publicUrl, provider);

  const service = createRecordService<Provider, ProviderRecord, ReservedInput>(sql, {
    ...tableKind<(typeof PROVIDER)["field"], Provider>(PROVIDER, PROVIDER_TABLE, "for update"),
    recordOf: toRecord,
    judged: (provider) => (provider.id === NO_ID ? { ...toRecord(provider), Id: "" } : toRecord(provider)),
    version: versionOf,
    lock: (tx, { tenantId }, input) => lookUp(tx, tenantId, input),
    async prepare(_, __, { reserved: ___, ...input }, before) {
      return { ...(await withClientKey(vault, merged(secrets, before, input))), id: before?.id ?? NO_ID };
    },
    check(_, { gate }, { before, after, input }) {
      if (before) {
        const kept = { ClientSecret: before.clientSecret !== null && input.ClientSecret === undefined };
        requireSecretsAnew(gate, RESOURCE, toRecord(before), toRecord(after), kept);
      }
      requireSound(after);
    },
    async insert(tx, { tenantId }, provider, { reserved }) {
      const inserted = await PROVIDER_TABLE.insert(tx, tenantId, { ...provider, id: reserved ?? NO_ID });
      // Another provider may have the reserved Id.
      return inserted ?? (reserved === undefined ? undefined : PROVIDER_TABLE.insert(tx, tenantId, provider));
    },
    async remove(tx, { tenantId }, { id }) {
      // Sessions first, in the order in which a code is redeemed. Grants are found by the links, which the provider
      // takes along.
      await deleteSessionsOf(tx, tenantId, id);
      await endGrantsBy(tx, tenantId, id);
      await PROVIDER_TABLE.remove(tx, tenantId, id).catch((error) => {
        throw error.code === FOREIGN_KEY_VIOLATION ? pointedAt() : error;
      });
    },
    audit: auditedAs(recordAudit, PROVIDER, (provider) => ({
      ...toRecord(provider),
      ClientSecret: provider.clientSecret,
    })),
  });

  async function find({ tenantId }: Caller, id: string) {
    const provider = await findProvider(sql, tenantId, readId(RESOURCE, id));
    if (!provider) throw notThere();
    return provider;
  }

  /** A reservation of another tenant or with an invalid seal is ignored. */
  function reservedId({ tenantId }: Caller, reservation: string | undefined): number | undefined {
    if (!reservation) return undefined;
    try {
      const [of, id] = reserved.open(Buffer.from(reservation, "base64url")).split(" ");
      return of === tenantId ? Number(id) : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    async reserve(caller, kept) {
      const known = reservedId(caller, kept);
      if (kept && known !== undefined) return { reservation: kept, redirectUri: redirectUriOf(publicUrl, known) };
      const id = await nextProviderId(sql);
      const reservation = reserved.seal(`${caller.tenantId} ${id}`).toString("base64url");
      return { reservation, redirectUri: redirectUriOf(publicUrl, id) };
    },
    ...service,
    save: (caller, input, conditions, sent, reservation) =>
      service.save(caller, { ...input, reserved: reservedId(caller, reservation) }, conditions, sent),
    async test(caller, id) {
      const provider = await find(caller, id);
      caller.permissions.require("Settings:Update", RESOURCE, toRecord(provider));
      // Callers who may not read the provider learn only whether it works.
      const behind = { resource: toRecord(provider) };
      const probed = await probe(caller.tenantId, provider);
      return (await caller.gate.written(RESOURCE, probed, { Works: true }, behind)).record;
    },
  };
}

const RESERVATION_PURPOSE = "reserved identity provider";

const notThere = () => new NotFound("There is no IdentityProvider with this Id.");

const pointedAt = () =>
  new Conflict(
    "The IdentityProvider is still referenced by Application (AuthenticationId) or Role (IdentityProviderId). Change or " +
      "delete these first.",
  );

async function lookUp(tx: Transaction, tenantId: TenantId, input: ProviderInput): Promise<Found<Provider>> {
  if (input.Id !== undefined) {
    const existing = await PROVIDER_TABLE.find(tx, tenantId, { id: input.Id }, "for update");
    if (!existing) throw new NotFound(`There is no IdentityProvider with the Id ${input.Id}.`);
    return { rows: [existing] };
  }
  const key = { name: input.Name, externalId: input.ExternalId ?? undefined };
  const rows = await lockProvidersNamed(tx, tenantId, key);
  if (rows.length < 2) return { rows };
  return {
    rows,
    refusal: new BadInput("Name and ExternalId point at several IdentityProvider records. Give the Id of one."),
  };
}
