import type { Caller } from "../../../access/index.ts";
import type { Sql, Transaction } from "../../../db/connection.ts";
import { BadInput, Conflict, MultipleRows, NotFound } from "../../../errors.ts";
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
const SECRET_PURPOSE = "identity provider's client secret";
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

const FOREIGN_KEY_VIOLATION = "23503";
const UNIQUE_FIELDS: Record<string, string> = {
  identity_providers_name_key: "Name",
  identity_providers_external_id_key: "ExternalId",
};

export interface ProviderService {
  read(caller: Caller, id: number): Promise<ProviderRecord>;
  save(caller: Caller, input: ProviderInput): Promise<ProviderRecord>;
  remove(caller: Caller, id: number): Promise<ProviderRecord>;
  toRecord(provider: Provider): ProviderRecord;
}

export type ProviderRecord = ReturnType<typeof toProviderRecord>;

/** @param publicUrl the issuer, without a trailing slash */
export function createProviderService(sql: Sql, masterKey: MasterKey, publicUrl: string): ProviderService {
  const toRecord = (provider: Provider) => toProviderRecord(publicUrl, provider);

  async function upsert(tx: Transaction, caller: Caller, input: ProviderInput): Promise<Provider> {
    const { tenantId, permissions } = caller;
    const before = await lookUp(tx, tenantId, input);
    const after = merged(masterKey, before, input);
    requireSound(after);
    const record = toRecord({ id: 0, ...after });
    refuseOtherRedirectUri(input, before && toRecord(before).RedirectUri);
    if (before) {
      permissions.require("Settings:Update", RESOURCE, toRecord(before), { ...record, Id: String(before.id) });
      await updateProvider(tx, tenantId, { ...after, id: before.id });
      return { ...after, id: before.id };
    }
    permissions.require("Settings:Update", RESOURCE, { ...record, Id: "" });
    const inserted = await insertProvider(tx, tenantId, after);
    // A racing caller made one of the same name in between: this call is then its update.
    return inserted ?? upsert(tx, caller, input);
  }

  return {
    toRecord,
    async read({ tenantId, permissions }, id) {
      const provider = await findProvider(sql, tenantId, id);
      if (!provider) throw notThere();
      const record = toRecord(provider);
      permissions.require("Settings:Read", RESOURCE, record);
      return record;
    },
    async save(caller, input) {
      try {
        return toRecord(await sql.begin((tx) => upsert(tx, caller, input)));
      } catch (error) {
        const field = UNIQUE_FIELDS[(error as { constraint_name?: string }).constraint_name ?? ""];
        throw field ? new Conflict(`${field} is held by another IdentityProvider.`) : error;
      }
    },
    async remove({ tenantId, permissions }, id) {
      try {
        return await sql.begin(async (tx) => {
          const provider = await lockProvider(tx, tenantId, id);
          if (!provider) throw notThere();
          const record = toRecord(provider);
          permissions.require("Settings:Update", RESOURCE, record);
          await deleteProvider(tx, tenantId, id);
          return record;
        });
      } catch (error) {
        if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
        throw new Conflict(
          "The IdentityProvider is still pointed at by Application (AuthenticationId). Change or delete these first.",
        );
      }
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
