// A tenant's identity providers: for each, the scope and a policy that permits it are asked for.

import { type Caller, requireScopes } from "../../../access/index.ts";
import { changesOf, recordAudit, valuesShown } from "../../../audit/index.ts";
import type { Sql, Transaction } from "../../../db/connection.ts";
import type { EgressFetch } from "../../../egress/index.ts";
import { BadInput, Conflict, MultipleRows, NotFound } from "../../../errors.ts";
import { type Conditions, requireConditions } from "../../../http/conditions.ts";
import { type Page, readPaging, toPage } from "../../../http/paging.ts";
import { readQuery, readText } from "../../../http/query.ts";
import { readId, toRecordId } from "../../../http/record-id.ts";
import type { MasterKey } from "../../../master-key.ts";
import type { TenantId } from "../../../tenant-id.ts";
import { createProbe, type ProbeResult } from "../probe.ts";
import { type ProviderInput, parseProvider } from "./input.ts";
import { merged, requireSound } from "./merge.ts";
import { type ProviderRecord, toProviderRecord, versionOf } from "./record.ts";
import {
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  lockProvider,
  lockProvidersNamed,
  type Provider,
  updateProvider,
} from "./store.ts";

const RESOURCE = "IdentityProvider";

/** What the audit log tells of a change; the values of all but the secret. */
const SHOWN = [
  "Name",
  "ExternalId",
  "Type",
  "Issuer",
  "AuthorizationEndpoint",
  "TokenEndpoint",
  "UserinfoEndpoint",
  "ClientId",
  "Scopes",
  "Mapping",
  "Provisioning",
  "AllowLocal",
  "Is_Active",
];
const AUDITED = [...SHOWN, "ClientSecret"];

const FOREIGN_KEY_VIOLATION = "23503";
const UNIQUE_FIELDS: Record<string, string> = {
  identity_providers_name_key: "Name",
  identity_providers_external_id_key: "ExternalId",
};

/** @param id in all of them as a path has it */
export interface IdentityProviders {
  /** @param parameters Name, Limit, Cursor @throws Permission, BadInput */
  list(caller: Caller, parameters: URLSearchParams): Promise<Page<ProviderRecord>>;
  /** @throws NotFound, Permission */
  read(caller: Caller, id: string): Promise<KeptProvider>;
  /** @throws BadInput, NotFound, MultipleRows, Permission, Conflict, PreconditionFailed */
  save(caller: Caller, body: unknown, conditions: Conditions): Promise<KeptProvider>;
  /**
   * With it end the links of its users, their sessions by it, and the codes and refresh tokens of signing in there.
   * @returns its last state @throws NotFound, Permission, Conflict, PreconditionFailed
   */
  remove(caller: Caller, id: string, conditions: Conditions): Promise<KeptProvider>;
  /**
   * Asks the provider what a sign-in would, but for the user: also one that is switched off.
   * @throws NotFound, Permission
   */
  test(caller: Caller, id: string): Promise<ProbeResult>;
}

export interface KeptProvider {
  record: ProviderRecord;
  /** What its ETag depends on. */
  version: object;
}

export interface ProviderServiceDependencies {
  sql: Sql;
  masterKey: MasterKey;
  /** The issuer, without a trailing slash. */
  publicUrl: string;
  fetch: EgressFetch;
  /** Why an address cannot be saved, in words. */
  checkUrl: (url: string) => string | undefined;
  /** Ends the codes and refresh families that came of signing in at a provider. */
  endGrantsBy: (tx: Transaction, tenantId: TenantId, providerId: number) => Promise<void>;
}

export function createIdentityProviders({
  sql,
  masterKey,
  publicUrl,
  fetch,
  checkUrl,
  endGrantsBy,
}: ProviderServiceDependencies): IdentityProviders {
  const probe = createProbe(fetch, masterKey, publicUrl);
  const toRecord = (provider: Provider) => toProviderRecord(publicUrl, provider);
  const kept = (provider: Provider): KeptProvider => ({ record: toRecord(provider), version: versionOf(provider) });
  const audited = (provider: Provider) => ({ ...toRecord(provider), ClientSecret: provider.clientSecret });

  async function upsert(
    tx: Transaction,
    caller: Caller,
    input: ProviderInput,
    conditions: Conditions,
  ): Promise<Provider> {
    const { tenantId, permissions } = caller;
    const before = await lookUp(tx, tenantId, input);
    requireConditions(conditions, before && versionOf(before));
    const after = merged(masterKey, before, input);
    requireSound(after);
    refuseOtherRedirectUri(input, before && toRecord(before).RedirectUri);
    if (!before) return make(tx, caller, input, after, conditions);
    const changed = { ...after, id: before.id };
    permissions.require("Settings:Update", RESOURCE, toRecord(before), toRecord(changed));
    const details = changesOf(audited(before), audited(changed), AUDITED, SHOWN);
    if (!details) return before;
    await updateProvider(tx, tenantId, changed);
    const subject = { type: RESOURCE, id: String(before.id) };
    await recordAudit(tx, tenantId, caller, { kind: "IdentityProvider.Changed", subject, details });
    return changed;
  }

  async function make(
    tx: Transaction,
    caller: Caller,
    input: ProviderInput,
    provider: Omit<Provider, "id">,
    conditions: Conditions,
  ): Promise<Provider> {
    caller.permissions.require("Settings:Update", RESOURCE, { ...toRecord({ id: 0, ...provider }), Id: "" });
    const inserted = await insertProvider(tx, caller.tenantId, provider);
    // A racing caller made one of the same name in between: this call is then its update.
    if (!inserted) return upsert(tx, caller, input, conditions);
    const subject = { type: RESOURCE, id: String(inserted.id) };
    const details = valuesShown(toRecord(inserted), SHOWN);
    await recordAudit(tx, caller.tenantId, caller, { kind: "IdentityProvider.Created", subject, details });
    return inserted;
  }

  async function find({ tenantId, permissions }: Caller, action: "Settings:Read" | "Settings:Update", id: string) {
    const provider = await findProvider(sql, tenantId, readId(RESOURCE, id));
    if (!provider) throw notThere();
    permissions.require(action, RESOURCE, toRecord(provider));
    return provider;
  }

  return {
    async list(caller, parameters) {
      requireScopes(caller, "Settings:Read");
      const { tenantId, permissions } = caller;
      const query = readQuery(parameters, ["Name"]);
      const { limit, after } = readPaging(query, (text) => toRecordId(text) !== undefined);
      const filter = { name: readText(query, "Name") };
      const readPage = async () =>
        toPage(await listProviders(sql, tenantId, filter, limit, after), limit, ({ id }) => String(id), toRecord);
      return permissions.readable("Settings:Read", RESOURCE, readPage);
    },
    async read(caller, id) {
      requireScopes(caller, "Settings:Read");
      return kept(await find(caller, "Settings:Read", id));
    },
    async save(caller, body, conditions) {
      requireScopes(caller, "Settings:Update");
      const input = parseProvider(body, checkUrl);
      try {
        return kept((await sql.begin((tx) => upsert(tx, caller, input, conditions))) as Provider);
      } catch (error) {
        const field = UNIQUE_FIELDS[(error as { constraint_name?: string }).constraint_name ?? ""];
        throw field ? new Conflict(`${field} is held by another IdentityProvider.`) : error;
      }
    },
    async remove(caller, text, conditions) {
      requireScopes(caller, "Settings:Update");
      const { tenantId, permissions } = caller;
      const id = readId(RESOURCE, text);
      try {
        return kept(
          (await sql.begin(async (tx) => {
            const provider = await lockProvider(tx, tenantId, id);
            if (!provider) throw notThere();
            permissions.require("Settings:Update", RESOURCE, toRecord(provider));
            requireConditions(conditions, versionOf(provider));
            // By the links, which are gone afterwards.
            await endGrantsBy(tx, tenantId, id);
            await deleteProvider(tx, tenantId, id);
            const subject = { type: RESOURCE, id: String(id) };
            const details = valuesShown(toRecord(provider), SHOWN);
            await recordAudit(tx, tenantId, caller, { kind: "IdentityProvider.Deleted", subject, details });
            return provider;
          })) as Provider,
        );
      } catch (error) {
        if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
        throw new Conflict(
          "The IdentityProvider is still pointed at by Application (AuthenticationId). Change or delete these first.",
        );
      }
    },
    async test(caller, id) {
      requireScopes(caller, "Settings:Update");
      return probe(await find(caller, "Settings:Update", id));
    },
  };
}

const notThere = () => new NotFound("There is no IdentityProvider with this Id.");

async function lookUp(tx: Transaction, tenantId: TenantId, input: ProviderInput): Promise<Provider | undefined> {
  if (input.id !== undefined) {
    const existing = await lockProvider(tx, tenantId, input.id);
    if (!existing) throw new NotFound(`There is no IdentityProvider with the Id ${input.id}.`);
    return existing;
  }
  const key = { name: input.name, externalId: input.externalId ?? undefined };
  const found = await lockProvidersNamed(tx, tenantId, key);
  if (found.length > 1) throw new MultipleRows("Name and ExternalId point at several IdentityProvider records.");
  return found[0];
}

/** It may come back as it was read, but not changed. */
function refuseOtherRedirectUri({ redirectUri }: ProviderInput, own: string | undefined): void {
  if (redirectUri === undefined || redirectUri === null || redirectUri === own) return;
  throw new BadInput("RedirectUri is set by the server and cannot be changed.");
}
