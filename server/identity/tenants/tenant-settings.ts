import { Type } from "@sinclair/typebox";
import { urlOf } from "../../platform/address.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { DAY_MS } from "../../platform/durations.ts";
import { BadInput, NotFound } from "../../platform/errors.ts";
import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import type { RecordOf } from "../../platform/http/fields.ts";
import { textParameter, toRecordId } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { TenantId } from "../../platform/ids.ts";
import { LIMIT_NAMES, LIMITS } from "../../platform/tenant-limits.ts";
import {
  auditedAs,
  type Caller,
  createRecordService,
  type Permitted,
  recordAudit,
  recordFields,
  requireKnownScopes,
  requireUnused,
  route,
  type ServedKind,
  type Shown,
  type ShownPage,
} from "../../records/index.ts";
import type { sites } from "../../ui/index.ts";
import { faceOf } from "../branding/face.ts";
import { BRANDING_NAMES, BRANDING_VERSION, MAX_VERSIONS, requireHonest, withSmallImages } from "../branding/fields.ts";
import type { Sender } from "../mail/index.ts";
import { lockScopesOfApis } from "../oauth/apis/store.ts";
import { USERS_TAG } from "../signin/administration/routes.ts";
import { canHavePasskeys } from "../signin/passkeys/passkeys.ts";
import { hasPasskeyOf } from "../signin/passkeys/store.ts";
import { TENANT_SETTINGS, type TenantSettings, type TenantSettingsInput } from "./contract.ts";
import { findBranding, insertBranding, listBrandings, TENANT_TABLE } from "./tenant-settings.store.ts";

const RESOURCE = TENANT_SETTINGS.name;

export interface OwnTenant {
  /** @throws Permission */
  read(caller: Caller): Promise<Shown<object>>;
  /** @throws BadInput, Conflict, Permission */
  change(caller: Permitted<"Settings:Update">, input: TenantSettingsInput, sent: unknown): Promise<Shown<object>>;
  /** The face after a change, without saving it. @throws BadInput */
  drawn(caller: Permitted<"Settings:Update">, input: TenantSettingsInput): Promise<DrawnBranding>;
  /** Newest first. @throws Permission */
  brandings(caller: Permitted<"Settings:Read">): Promise<ShownPage<BrandingVersion>>;
  /** @throws NotFound if it is not kept, Permission */
  restore(caller: Permitted<"Settings:Update">, number: string): Promise<Shown<object>>;
}

export interface DrawnBranding {
  face: sites.Face;
  /** Of mails. */
  sender: Sender;
  /** With re-encoded images. */
  input: TenantSettingsInput;
}
type BrandingVersion = RecordOf<typeof BRANDING_VERSION.field>;

/** @param onCommitted called after a change */
export function createOwnTenant(
  sql: Sql,
  { publicUrl, retention, tenantLimits }: Pick<Config, "publicUrl" | "retention" | "tenantLimits">,
  onCommitted: (tenantId: TenantId) => void,
): OwnTenant {
  const bounds = LIMIT_NAMES.map((name) => [name, tenantLimits[name], LIMITS[name].variable] as const);
  const days = ["RetentionDays", Math.floor(retention.log / DAY_MS), "RETENTION"] as const;
  const kind = settingsKind([days, ...bounds], publicUrl, onCommitted);
  const { read, save } = createRecordService(sql, kind);
  const change: OwnTenant["change"] = async (caller, input, sent) =>
    (await save(caller, await withSmallImages(input), UNCONDITIONAL, sent)).record;
  return {
    read: async (caller) => (await read(caller, caller.tenantId)).record,
    change,
    async drawn({ tenantId }, given) {
      const input = await withSmallImages(given);
      const row = (await TENANT_TABLE.find(sql, tenantId, { id: tenantId }))!;
      const after = { ...row, ...TENANT_SETTINGS.toColumns(input) };
      requireHonest(after, urlOf(publicUrl).hostname);
      const { displayName, replyTo, texts } = after;
      return {
        face: faceOf(row.name, after),
        sender: { tenantName: row.name, displayName, replyTo, texts, branding: after },
        input,
      };
    },
    async brandings(caller) {
      const { record } = await read(caller, caller.tenantId);
      const all = (await listBrandings(sql, caller.tenantId)).map((one) => BRANDING_VERSION.toRecord(one));
      const behind = { resource: () => ({ ...record, Id: caller.tenantId }), action: "Settings:Read" } as const;
      return caller.gate.page(await caller.gate.only(RESOURCE, all, behind), all.length);
    },
    async restore(caller, number) {
      const known = toRecordId(number) ?? 0;
      const found = known <= recordFields.INT32_MAX && (await findBranding(sql, caller.tenantId, known));
      if (!found) throw new NotFound(`There is no such version. The last ${MAX_VERSIONS} are kept.`);
      return change(caller, TENANT_SETTINGS.parse(found), found);
    },
  };
}

const { Name: _, ...EXAMPLE } = TENANT_SETTINGS.example;

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
        examples: { required: EXAMPLE },
      },
      handle: (caller, { input, sent }) => tenant.change(caller, input, sent),
    }),
    route({
      method: "GET",
      path: `/${RESOURCE}/Branding`,
      tag: USERS_TAG,
      id: "listBrandings",
      summary: "List the versions of the tenant's branding",
      description: `The fields ${BRANDING_NAMES.join(", ")}. Newest first; the last ${MAX_VERSIONS} are kept.`,
      scopes: ["Settings:Read"],
      answer: {
        description: "The versions.",
        schema: BRANDING_VERSION.record,
        example: BRANDING_VERSION.example,
        list: true,
      },
      handle: (caller) => tenant.brandings(caller),
    }),
    route({
      ...shared,
      method: "POST",
      path: `/${RESOURCE}/Branding/{Number}/Restore`,
      id: "restoreBranding",
      summary: "Restore a version of the tenant's branding",
      description: "It becomes a new version.",
      params: { Number: textParameter("The number of the version.", Type.String()) },
      scopes: ["Settings:Update"],
      errors: ["NotFound"],
      handle: (caller, { params }) => tenant.restore(caller, params.Number),
    }),
  ];
}

const NO_PASSKEYS =
  "Passkeys cannot be Required, because browsers make none for an IP address. Set PUBLIC_URL to a name.";
const LOCKED_OUT =
  "PasskeyModels has no model of your own passkeys, so you could be locked out. Add such a passkey to your account first.";
const refused = (Field: string, Message: string) => BadInput.in([{ Field, Message }]);

type Maximum = readonly [field: keyof TenantSettingsInput, max: number, variable: string];

/** Every tenant has settings, so they are not made or deleted. @param maxima the installation's */
function settingsKind(
  maxima: readonly Maximum[],
  publicUrl: string,
  committed: (tenantId: TenantId) => void,
): ServedKind<TenantSettings, Record<string, unknown>, TenantSettingsInput, never> {
  return {
    declaration: TENANT_SETTINGS,
    recordOf: (settings) => ({ ...TENANT_SETTINGS.toRecord(settings), Id: settings.id }),
    shown: (_, { Id: __, ...record }) => record,
    find: (queries, tenantId) => TENANT_TABLE.find(queries, tenantId, { id: tenantId }),
    committed,
    async lock(tx, { tenantId }) {
      // APIs first, which is the common lock order.
      await lockScopesOfApis(tx, tenantId);
      const row = await TENANT_TABLE.find(tx, tenantId, { id: tenantId }, "for no key update");
      return { rows: [row!] };
    },
    prepare: (_, __, input, before) => ({ ...before!, ...TENANT_SETTINGS.toColumns(input) }),
    async check(tx, { tenantId, actor }, { before, after, input }) {
      const record = TENANT_SETTINGS.toRecord(before!);
      TENANT_SETTINGS.refuseReadOnly(input, record);
      refuseExceeding(maxima, input, record);
      if (after.passkeys === "Required" && !canHavePasskeys(publicUrl)) throw refused("Passkeys", NO_PASSKEYS);
      const isOther = !Bun.deepEquals(before!.passkeyModels, after.passkeyModels);
      if (isOther && actor.type === "User" && !(await hasPasskeyOf(tx, tenantId, actor.id, after.passkeyModels)))
        throw refused("PasskeyModels", LOCKED_OUT);
      requireHonest(after, urlOf(publicUrl).hostname);
      requireKnownScopes(after.registrationScopes, await lockScopesOfApis(tx, tenantId), "RegistrationScopes");
      await requireUnused(tx, tenantId, before!.userAttributes, after.userAttributes);
    },
    async update(tx, { tenantId, actor }, row, before) {
      const after = await TENANT_TABLE.update(tx, tenantId, row);
      const [former, now] = [before, after].map((one) => TENANT_SETTINGS.toRecord(one) as Record<string, unknown>);
      const changed = BRANDING_NAMES.filter((name) => former![name] !== now![name]);
      const branding = Object.fromEntries(BRANDING_NAMES.map((name) => [name, now![name]]));
      if (changed.length > 0) await insertBranding(tx, tenantId, branding, changed, actor, MAX_VERSIONS);
      return after;
    },
    audit: auditedAs(recordAudit, TENANT_SETTINGS, (settings) => TENANT_SETTINGS.toRecord(settings)),
  };
}

/** A value from before the installation's maximum was lowered may be sent again. @throws BadInput */
function refuseExceeding(
  maxima: readonly Maximum[],
  input: TenantSettingsInput,
  before: Partial<Record<keyof TenantSettingsInput, unknown>>,
): void {
  const exceeded = maxima.filter(([field, max]) => Number(input[field] ?? 0) > max && input[field] !== before[field]);
  if (exceeded.length === 0) return;
  throw BadInput.in(
    exceeded.map(([Field, max, variable]) => ({
      Field,
      Message: `${Field} must be at most ${max}, the installation's ${variable}.`,
    })),
  );
}
