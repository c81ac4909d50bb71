// GET and PATCH …/TenantSettings: settings of the caller's tenant.

import { Type } from "@sinclair/typebox";
import {
  ANY_SCOPE,
  type Caller,
  type Permitted,
  requireKnownScopes,
  route,
  SCOPE_TEXTS,
  SCOPES_MUST,
  type Shown,
} from "../access/index.ts";
import { recordAudit } from "../audit/index.ts";
import type { Sql } from "../db/sql.ts";
import { countUsersWith, takenOut, USER_ATTRIBUTES } from "../entities/index.ts";
import { Conflict } from "../errors.ts";
import { UNCONDITIONAL } from "../http/conditions.ts";
import { changesOf } from "../http/contract.ts";
import { field, type InputOf, oneOf, orNull } from "../http/fields.ts";
import type { Route } from "../http/route.ts";
import type { TenantId } from "../ids.ts";
import { DOCUMENT_MODES, lockApis, REGISTRATION_MODES } from "../oauth/index.ts";
import { type RecordKind, record, SETTING, writeRecord } from "../records/index.ts";
import { USERS_TAG } from "../signin/index.ts";
import { findSettings, lockSettings, SECOND_FACTOR_RULES, saveSettings, type TenantSettings } from "./store.ts";

const FIELDS = {
  SecondFactor: oneOf(SECOND_FACTOR_RULES, {
    description: "Required: a user without a second factor is led through setting one up at sign-in.",
    audit: "value",
    judged: true,
    form: {
      label: "Second factor",
      hint: "Required: users without one, you included, set one up with their next click.",
      words: { Optional: "Each user decides", Required: "Required for all users" },
    },
    example: "Required",
  }),
  ClientRegistration: oneOf(REGISTRATION_MODES, {
    description:
      "Whether applications register themselves at `/oauth2/register` (RFC 7591): not at all, by an initial access " +
      "token, or also without one.",
    audit: "value",
    judged: true,
    form: {
      label: "Applications register themselves",
      hint: "Open: anyone can register an application. Its users are always asked for their consent.",
      words: { Off: "No", InitialAccessToken: "By an initial access token", Open: "Open to anyone" },
    },
    example: "InitialAccessToken",
  }),
  ClientIdMetadataDocuments: oneOf(DOCUMENT_MODES, {
    description:
      "Whether an https address is a client_id, and the JSON document there says what its application is (client ID " +
      "metadata documents, as MCP clients use them). It needs a service with one tenant alone.",
    audit: "value",
    judged: true,
    form: {
      label: "Applications known by an https address",
      hint: "On: any application can ask your users for access. They are always asked for their consent.",
      words: { Off: "No", On: "Yes, described by the document there" },
    },
    example: "On",
  }),
  RegistrationScopes: field<string[], string[]>({
    description:
      "The most that such an application, or one known by an address, may have: scopes of this service, and of APIs. Without an initial access " +
      "token, none that is for this service's API.",
    sent: orNull(Type.Array(ANY_SCOPE)),
    shown: Type.Array(ANY_SCOPE),
    must: SCOPES_MUST,
    take: (value: string[] | null) => [...new Set(value ?? [])],
    audit: "value",
    judged: true,
    form: {
      label: "Scopes of applications that register themselves",
      hint: "The most that they can have. Without an initial access token, none that has to do with this service's API.",
      explained: SCOPE_TEXTS,
    },
    example: ["openid", "profile", "name", "email"],
  }),
  UserAttributes: USER_ATTRIBUTES,
};

/** Every tenant has some, so none are made or deleted. The Id is the tenant's. */
export const TENANT_SETTINGS = record("TenantSettings", {
  table: "tenants",
  nouns: ["settings", "settings"],
  description: "Settings of a whole tenant.",
  scopes: SETTING,
  audit: "TenantSettings",
  fields: FIELDS,
});
const RESOURCE = TENANT_SETTINGS.name;

const AUDITED = TENANT_SETTINGS.namesOf(({ audit }) => audit);

type Input = InputOf<typeof FIELDS>;

export interface OwnTenant {
  /** @throws Permission */
  read(caller: Caller): Promise<Shown<object>>;
  /** @throws BadInput, Conflict, Permission */
  change(caller: Permitted<"Settings:Update">, input: Input, sent: unknown): Promise<Shown<object>>;
}

export function createOwnTenant(sql: Sql): OwnTenant {
  return {
    read: (caller) => read(sql, caller),
    change: (caller, input, sent) => change(sql, caller, input, sent),
  };
}

export function tenantSettingsRoutes(tenant: OwnTenant): Route[] {
  const shared = {
    path: `/${RESOURCE}`,
    tag: USERS_TAG,
    answer: { description: "The settings.", schema: TENANT_SETTINGS.record, example: TENANT_SETTINGS.example },
  };
  return [
    route({
      ...shared,
      method: "GET",
      id: "getTenantSettings",
      summary: "Read what holds for all of the caller's tenant",
      scopes: ["Settings:Read"],
      handle: (caller) => tenant.read(caller),
    }),
    route({
      ...shared,
      method: "PATCH",
      id: "changeTenantSettings",
      summary: "Change them",
      description: "Absent fields stay unchanged. Takes effect with each user's next request.",
      scopes: ["Settings:Update"],
      body: {
        ...TENANT_SETTINGS,
        description: "The fields to change.",
        examples: { required: TENANT_SETTINGS.example },
      },
      handle: (caller, { input, sent }) => tenant.change(caller, input, sent),
    }),
  ];
}

async function read(sql: Sql, caller: Caller): Promise<Shown<object>> {
  const settings = await findSettings(sql, caller.tenantId);
  const resource = toResource(caller.tenantId, settings);
  return (await caller.gate.show(RESOURCE, TENANT_SETTINGS.toRecord(settings), { resource })).record;
}

async function change(
  sql: Sql,
  caller: Permitted<"Settings:Update">,
  input: Input,
  sent: unknown,
): Promise<Shown<object>> {
  const { tenantId, gate } = caller;
  const { after } = await sql.beginFor(tenantId, (tx) =>
    writeRecord(tx, caller, kindOf(tenantId), input, UNCONDITIONAL),
  );
  const resource = toResource(tenantId, after);
  return (await gate.written(RESOURCE, TENANT_SETTINGS.toRecord(after), sent, { resource })).record;
}

/** Each tenant has its settings, so none are made or deleted. */
function kindOf(tenantId: TenantId): RecordKind<Caller, TenantSettings, Input> {
  return {
    declaration: TENANT_SETTINGS,
    recordOf: (row) => toResource(tenantId, row),
    async lock(tx) {
      // APIs first, which is the common lock order.
      await lockApis(tx, tenantId);
      return { rows: [await lockSettings(tx, tenantId)] };
    },
    prepare: (_, __, input, before) => ({ ...before!, ...TENANT_SETTINGS.toColumns(input) }),
    async check(tx, _, { before, after }) {
      const ofApis = (await lockApis(tx, tenantId)).flatMap(({ scopes }) => scopes.map(({ name }) => name));
      requireKnownScopes(after.registrationScopes, ofApis, "RegistrationScopes");
      const gone = takenOut(before!.userAttributes, after.userAttributes);
      const users = await countUsersWith(tx, tenantId, gone);
      if (users === 0) return;
      const many = users === 1 ? "1 User has" : `${users} Users have`;
      throw new Conflict(`UserAttributes: ${many} a value of ${gone.join(", ")}. Remove it there first.`);
    },
    async update(tx, _, row) {
      await saveSettings(tx, tenantId, row);
      return row;
    },
    async audit(tx, caller, { before, after }) {
      const [from, to] = [TENANT_SETTINGS.toRecord(before!), TENANT_SETTINGS.toRecord(after!)];
      const details = changesOf(from, to, AUDITED, AUDITED);
      if (details) await recordAudit(tx, tenantId, caller, { kind: "TenantSettings.Changed", details });
    },
  };
}

function toResource(tenantId: TenantId, settings: TenantSettings) {
  return { ...TENANT_SETTINGS.toRecord(settings), Id: tenantId };
}
