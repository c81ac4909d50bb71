import { type Caller, type Permitted, requireKnownScopes, route, type Shown } from "../access/index.ts";
import { recordAudit } from "../audit/index.ts";
import type { Sql } from "../db/sql.ts";
import { countUsersWith, takenOut } from "../entities/index.ts";
import { BadInput, Conflict } from "../errors.ts";
import { UNCONDITIONAL } from "../http/conditions.ts";
import { changesOf } from "../http/contract.ts";
import type { Route } from "../http/route.ts";
import type { TenantId } from "../ids.ts";
import { lockApis } from "../oauth/index.ts";
import { type RecordKind, writeRecord } from "../records/index.ts";
import { USERS_TAG } from "../signin/index.ts";
import { TENANT_SETTINGS, type TenantSettings, type TenantSettingsInput } from "./contract.ts";
import { TENANT_TABLE } from "./settings.store.ts";

const RESOURCE = TENANT_SETTINGS.name;
const DAY_MS = 86_400_000;

const AUDITED = TENANT_SETTINGS.namesOf(({ audit }) => audit);

export interface OwnTenant {
  /** @throws Permission */
  read(caller: Caller): Promise<Shown<object>>;
  /** @throws BadInput, Conflict, Permission */
  change(caller: Permitted<"Settings:Update">, input: TenantSettingsInput, sent: unknown): Promise<Shown<object>>;
}

/** @param retentionMs the installation's RETENTION */
export function createOwnTenant(sql: Sql, retentionMs: number): OwnTenant {
  return {
    read: (caller) => read(sql, caller),
    change: (caller, input, sent) => change(sql, retentionMs, caller, input, sent),
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
      summary: "Read the settings of the caller's tenant",
      scopes: ["Settings:Read"],
      handle: (caller) => tenant.read(caller),
    }),
    route({
      ...shared,
      method: "PATCH",
      id: "changeTenantSettings",
      summary: "Change the settings of the caller's tenant",
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
  const settings = (await TENANT_TABLE.find(sql, caller.tenantId, { id: caller.tenantId }))!;
  const resource = toResource(settings);
  return (await caller.gate.show(RESOURCE, TENANT_SETTINGS.toRecord(settings), { resource })).record;
}

async function change(
  sql: Sql,
  retentionMs: number,
  caller: Permitted<"Settings:Update">,
  input: TenantSettingsInput,
  sent: unknown,
): Promise<Shown<object>> {
  const { tenantId, gate } = caller;
  const days = Math.floor(retentionMs / DAY_MS);
  if ((input.RetentionDays ?? 0) > days) {
    throw new BadInput(`RetentionDays must be at most ${days}, as the installation keeps the log no longer.`);
  }
  const { after } = await sql.beginFor(tenantId, (tx) =>
    writeRecord(tx, caller, kindOf(tenantId), input, UNCONDITIONAL),
  );
  const resource = toResource(after);
  return (await gate.written(RESOURCE, TENANT_SETTINGS.toRecord(after), sent, { resource })).record;
}

/** Every tenant has settings, so they are not made or deleted. */
function kindOf(tenantId: TenantId): RecordKind<Caller, TenantSettings, TenantSettingsInput> {
  return {
    declaration: TENANT_SETTINGS,
    recordOf: toResource,
    async lock(tx) {
      // APIs first, which is the common lock order.
      await lockApis(tx, tenantId);
      const row = await TENANT_TABLE.find(tx, tenantId, { id: tenantId }, "for no key update");
      return { rows: [row!] };
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
    update: (tx, _, row) => TENANT_TABLE.update(tx, tenantId, row),
    async audit(tx, caller, { before, after }) {
      const [from, to] = [TENANT_SETTINGS.toRecord(before!), TENANT_SETTINGS.toRecord(after!)];
      const details = changesOf(from, to, AUDITED, AUDITED);
      if (details) await recordAudit(tx, tenantId, caller, { kind: "TenantSettings.Changed", details });
    },
  };
}

const toResource = (settings: TenantSettings) => ({ ...TENANT_SETTINGS.toRecord(settings), Id: settings.id });
