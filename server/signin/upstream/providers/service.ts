// A tenant's identity providers. Each call requires the scope and a policy that permits it.

import {
  type Caller,
  type Permitted,
  requireSeen,
  type SettingsService,
  type Shown,
  type Tagged,
} from "../../../access/index.ts";
import { recordAudit } from "../../../audit/index.ts";
import type { Sql, Transaction } from "../../../db/sql.ts";
import { type EgressFetch, requireSecretsAnew } from "../../../egress/index.ts";
import { BadInput, Conflict, NotFound } from "../../../errors.ts";
import { type Conditions, requireConditions } from "../../../http/conditions.ts";
import { changesOf, valuesShown } from "../../../http/contract.ts";
import { readId } from "../../../http/query.ts";
import type { TenantId } from "../../../ids.ts";
import type { Vault } from "../../../vault.ts";
import { CLIENT_SECRET_PURPOSE, redirectUriOf } from "../configuration.ts";
import { createProbe, type ProbeResult } from "../try-provider.ts";
import { PROVIDER, type ProviderInput, type ProviderRecord } from "./contract.ts";
import { merged, requireSound, toProviderRecord, versionOf, withClientKey } from "./record.ts";
import {
  deleteProvider,
  deleteSessionsOf,
  findProvider,
  insertProvider,
  listProviders,
  lockProvider,
  lockProvidersNamed,
  nextProviderId,
  type Provider,
  updateProvider,
} from "./store.ts";

const RESOURCE = "IdentityProvider";

const AUDITED = PROVIDER.namesOf(({ audit }) => audit);
const SHOWN = PROVIDER.namesOf(({ audit }) => audit === "value");

const FOREIGN_KEY_VIOLATION = "23503";
const UNIQUE_FIELDS = new Map<string, string>(
  Object.entries({
    identity_providers_name_key: "Name",
    identity_providers_external_id_key: "ExternalId",
  }),
);

/** @param id in all methods, as it appears in the path */
export interface IdentityProviders extends SettingsService<ProviderRecord, ProviderInput> {
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
  const written = ({ gate }: Caller, provider: Provider, sent: unknown) =>
    gate.written(RESOURCE, toRecord(provider), sent, { version: versionOf(provider) });
  const audited = (provider: Provider) => ({ ...toRecord(provider), ClientSecret: provider.clientSecret });

  async function upsert(
    tx: Transaction,
    caller: Caller,
    input: ProviderInput,
    conditions: Conditions,
    id: number | undefined,
  ): Promise<Provider> {
    const { tenantId, permissions, gate } = caller;
    const [before, ...others] = await lookUp(tx, tenantId, input);
    // If-None-Match: * and a missing record need no version.
    if (!before || conditions.ifNoneMatch === "*") requireConditions(conditions, before && versionOf(before));
    const after = await withClientKey(vault, merged(secrets, before, input));
    if (!before) return make(tx, caller, input, after, conditions, id);
    const changed = { ...after, id: before.id };
    permissions.require("Settings:Update", RESOURCE, toRecord(before), toRecord(changed));
    // An ambiguous match is reported only to callers who may change every match.
    for (const other of others) {
      const otherwise = { ...merged(secrets, other, input), id: other.id };
      permissions.require("Settings:Update", RESOURCE, toRecord(other), toRecord(otherwise));
    }
    if (others.length > 0) throw new BadInput("Name and ExternalId point at several IdentityProvider records.");
    // After authorization, so callers cannot probe values.
    await requireSeen(tx, caller, RESOURCE, conditions, versionOf(before), toRecord(before));
    const kept = { ClientSecret: before.clientSecret !== null && input.ClientSecret === undefined };
    requireSecretsAnew(gate, RESOURCE, toRecord(before), toRecord(changed), kept);
    requireSound(after);
    PROVIDER.refuseReadOnly(input, toRecord(before));
    const details = changesOf(audited(before), audited(changed), AUDITED, SHOWN);
    if (!details) return before;
    const updated = await updateProvider(tx, tenantId, changed);
    const subject = { type: RESOURCE, id: String(before.id) };
    await recordAudit(tx, tenantId, caller, { kind: "IdentityProvider.Changed", subject, details });
    return updated;
  }

  async function make(
    tx: Transaction,
    caller: Caller,
    input: ProviderInput,
    provider: Omit<Provider, "id">,
    conditions: Conditions,
    id: number | undefined,
  ): Promise<Provider> {
    caller.permissions.require("Settings:Update", RESOURCE, { ...toRecord({ id: 0, ...provider }), Id: "" });
    requireSound(provider);
    PROVIDER.refuseReadOnly(input, undefined);
    const inserted = await insertProvider(tx, caller.tenantId, provider, id);
    // A concurrent call has inserted the same name, so this call becomes its update; or the Id is taken.
    if (!inserted) return upsert(tx, caller, input, conditions, undefined);
    const subject = { type: RESOURCE, id: String(inserted.id) };
    const details = valuesShown(toRecord(inserted), SHOWN);
    await recordAudit(tx, caller.tenantId, caller, { kind: "IdentityProvider.Created", subject, details });
    return inserted;
  }

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
    list({ tenantId, gate }, filter, paging) {
      return gate.list({
        type: RESOURCE,
        paging,
        read: (limit, after) => listProviders(sql, tenantId, filter, limit, after),
        id: ({ id }) => String(id),
        item: toRecord,
      });
    },
    async read(caller, id) {
      const provider = await find(caller, id);
      return caller.gate.show(RESOURCE, toRecord(provider), { version: versionOf(provider) });
    },
    async save(caller, input, conditions, sent, reservation) {
      try {
        const id = reservedId(caller, reservation);
        const provider = (await sql.beginFor(caller.tenantId, (tx) =>
          upsert(tx, caller, input, conditions, id),
        )) as Provider;
        return await written(caller, provider, sent);
      } catch (error) {
        const field = UNIQUE_FIELDS.get((error as { constraint_name?: string }).constraint_name ?? "");
        throw field ? new Conflict(`${field} is held by another IdentityProvider.`) : error;
      }
    },
    async remove(caller, text, conditions) {
      const { tenantId, permissions } = caller;
      const id = readId(RESOURCE, text);
      try {
        const gone = (await sql.beginFor(tenantId, async (tx) => {
          const provider = await lockProvider(tx, tenantId, id);
          if (!provider) throw notThere();
          permissions.require("Settings:Update", RESOURCE, toRecord(provider));
          await requireSeen(tx, caller, RESOURCE, conditions, versionOf(provider), toRecord(provider));
          // Sessions before grants, in the order that redeeming a code uses. Grants are found by links, which the
          // deletion removes.
          await deleteSessionsOf(tx, tenantId, id);
          await endGrantsBy(tx, tenantId, id);
          await deleteProvider(tx, tenantId, id);
          const subject = { type: RESOURCE, id: String(id) };
          const details = valuesShown(toRecord(provider), SHOWN);
          await recordAudit(tx, tenantId, caller, { kind: "IdentityProvider.Deleted", subject, details });
          return provider;
        })) as Provider;
        return await written(caller, gone, {});
      } catch (error) {
        if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
        throw new Conflict(
          "The IdentityProvider is still pointed at by Application (AuthenticationId). Change or delete these first.",
        );
      }
    },
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

async function lookUp(tx: Transaction, tenantId: TenantId, input: ProviderInput): Promise<Provider[]> {
  if (input.Id !== undefined) {
    const existing = await lockProvider(tx, tenantId, input.Id);
    if (!existing) throw new NotFound(`There is no IdentityProvider with the Id ${input.Id}.`);
    return [existing];
  }
  const key = { name: input.Name, externalId: input.ExternalId ?? undefined };
  return lockProvidersNamed(tx, tenantId, key);
}
