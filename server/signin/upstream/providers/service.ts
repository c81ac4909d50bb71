import type { Caller } from "../../../access/index.ts";
import { changesOf, recordAudit, valuesShown } from "../../../audit/index.ts";
import type { Sql, Transaction } from "../../../db/connection.ts";
import { BadInput, Conflict, MultipleRows, NotFound } from "../../../errors.ts";
import { type Conditions, requireConditions } from "../../../http/conditions.ts";
import { type MasterKey, seal } from "../../../keys/master-key.ts";
import type { TenantId } from "../../../tenants/index.ts";
import { redirectUriOf } from "../redirect-uri.ts";
import type { ProviderInput } from "./input.ts";
import {
  deleteProvider,
  findProvider,
  insertProvider,
  lockProvider,
  lockProvidersNamed,
  type Mapping,
  type Provider,
  type ProviderType,
  updateProvider,
} from "./store.ts";

/** What a sealed secret is for; it opens for nothing else. */
export const SECRET_PURPOSE = "identity provider's client secret";
const RESOURCE = "IdentityProvider";

const DEFAULT_SCOPES: Record<ProviderType, string[]> = { OpenIDConnect: ["openid", "profile", "email"], OAuth2: [] };
/** OIDC Core 5.1. */
const DEFAULT_MAPPING: Mapping = {
  Name: "name",
  Username: "preferred_username",
  Email: "email",
  EmailVerified: "email_verified",
  MobilePhone: "phone_number",
};

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

export interface ProviderService {
  /** @throws NotFound, Permission */
  read(caller: Caller, id: number): Promise<Provider>;
  /** @throws BadInput, NotFound, MultipleRows, Permission, Conflict, PreconditionFailed */
  save(caller: Caller, input: ProviderInput, conditions: Conditions): Promise<Provider>;
  /** @throws NotFound, Permission, Conflict, PreconditionFailed */
  remove(caller: Caller, id: number, conditions: Conditions): Promise<Provider>;
  toRecord(provider: Provider): ProviderRecord;
}

type ProviderRecord = ReturnType<typeof toProviderRecord>;

/** @param publicUrl the issuer, without a trailing slash */
export function createProviderService(sql: Sql, masterKey: MasterKey, publicUrl: string): ProviderService {
  const toRecord = (provider: Provider) => toProviderRecord(publicUrl, provider);
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

  return {
    toRecord,
    async read({ tenantId, permissions }, id) {
      const provider = await findProvider(sql, tenantId, id);
      if (!provider) throw notThere();
      permissions.require("Settings:Read", RESOURCE, toRecord(provider));
      return provider;
    },
    async save(caller, input, conditions) {
      try {
        return (await sql.begin((tx) => upsert(tx, caller, input, conditions))) as Provider;
      } catch (error) {
        const field = UNIQUE_FIELDS[(error as { constraint_name?: string }).constraint_name ?? ""];
        throw field ? new Conflict(`${field} is held by another IdentityProvider.`) : error;
      }
    },
    async remove(caller, id, conditions) {
      const { tenantId, permissions } = caller;
      try {
        return (await sql.begin(async (tx) => {
          const provider = await lockProvider(tx, tenantId, id);
          if (!provider) throw notThere();
          permissions.require("Settings:Update", RESOURCE, toRecord(provider));
          requireConditions(conditions, versionOf(provider));
          await deleteProvider(tx, tenantId, id);
          const subject = { type: RESOURCE, id: String(id) };
          const details = valuesShown(toRecord(provider), SHOWN);
          await recordAudit(tx, tenantId, caller, { kind: "IdentityProvider.Deleted", subject, details });
          return provider;
        })) as Provider;
      } catch (error) {
        if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
        throw new Conflict(
          "The IdentityProvider is still pointed at by Application (AuthenticationId). Change or delete these first.",
        );
      }
    },
  };
}

/** What an ETag depends on: the secret too, though it is never read back. */
export function versionOf(provider: Provider): object {
  const { clientSecret } = provider;
  return { ...provider, clientSecret: clientSecret && Buffer.from(clientSecret).toString("base64") };
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

function merged(masterKey: MasterKey, before: Provider | undefined, input: ProviderInput): Omit<Provider, "id"> {
  const { id: _, redirectUri: __, clientSecret, ...given } = input;
  const type = given.type ?? before?.type;
  const missing = Object.entries({ Name: given.name, Type: type, ClientId: given.clientId });
  if (!before && missing.some(([, value]) => value === undefined)) {
    throw new BadInput(...missing.flatMap(([name, value]) => (value === undefined ? `${name} is missing.` : [])));
  }
  const former: Omit<Provider, "id"> = before ?? {
    name: given.name!,
    externalId: null,
    type: type!,
    issuer: null,
    authorizationEndpoint: null,
    tokenEndpoint: null,
    userinfoEndpoint: null,
    clientId: given.clientId!,
    clientSecret: null,
    scopes: DEFAULT_SCOPES[type!],
    mapping: DEFAULT_MAPPING,
    provisioning: "LinkOnly",
    allowLocal: false,
    isActive: true,
  };
  const secret = clientSecret && seal(masterKey, SECRET_PURPOSE, clientSecret);
  return { ...former, ...given, clientSecret: secret === undefined ? former.clientSecret : secret || null };
}

/** @throws BadInput naming what its Type needs, or cannot have */
function requireSound(provider: Omit<Provider, "id">): void {
  const { type, issuer, authorizationEndpoint, tokenEndpoint, userinfoEndpoint, scopes, mapping } = provider;
  const endpoints = Object.entries({
    AuthorizationEndpoint: authorizationEndpoint,
    TokenEndpoint: tokenEndpoint,
    UserinfoEndpoint: userinfoEndpoint,
  });
  const problems: string[] = [];
  if (type === "OpenIDConnect") {
    if (!issuer) problems.push("Issuer is missing.");
    for (const [name, value] of endpoints) {
      if (value) problems.push(`${name} is for Type OAuth2; OpenIDConnect reads it from the Issuer's metadata.`);
    }
    if (!scopes.includes("openid")) problems.push("Scopes must have openid.");
    if ((mapping.Subject ?? "sub") !== "sub") problems.push("Mapping.Subject is always sub with OpenIDConnect.");
  } else {
    if (issuer) problems.push("Issuer is for Type OpenIDConnect.");
    for (const [name, value] of endpoints) if (!value) problems.push(`${name} is missing.`);
  }
  if (problems.length > 0) throw new BadInput(...problems);
}

/** It may come back as it was read, but not changed. */
function refuseOtherRedirectUri({ redirectUri }: ProviderInput, own: string | undefined): void {
  if (redirectUri === undefined || redirectUri === null || redirectUri === own) return;
  throw new BadInput("RedirectUri is set by the server and cannot be changed.");
}

/** A provider in its response shape; the secret is never read back. */
function toProviderRecord(publicUrl: string, provider: Provider) {
  return {
    Id: String(provider.id),
    Name: provider.name,
    ExternalId: provider.externalId ?? "",
    Type: provider.type,
    Issuer: provider.issuer ?? "",
    AuthorizationEndpoint: provider.authorizationEndpoint ?? "",
    TokenEndpoint: provider.tokenEndpoint ?? "",
    UserinfoEndpoint: provider.userinfoEndpoint ?? "",
    ClientId: provider.clientId,
    Scopes: provider.scopes,
    Mapping: provider.mapping,
    Provisioning: provider.provisioning,
    AllowLocal: provider.allowLocal,
    Is_Active: provider.isActive,
    RedirectUri: redirectUriOf(publicUrl, provider.id),
  };
}
