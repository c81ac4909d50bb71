// Reads and changes settings for REST and the console. Each call requires a permitting policy; special parts of a kind
// are in its own folder.

import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { Conflict } from "../../platform/errors.ts";
import type { Contract } from "../../platform/http/contract.ts";
import type { Fields, InputOf, RecordOf } from "../../platform/http/fields.ts";
import type { Parameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { Declaration, SETTING } from "../record.ts";
import { requireMembers } from "../reference-list.ts";
import { recordTable } from "../table.store.ts";
import type { Access } from "./access.ts";
import type { Caller } from "./bearer.ts";
import { lockSettings } from "./policies.store.ts";
import {
  auditedAs,
  byIdOrName,
  createRecordService,
  type RecordChange,
  type RecordService,
  type RecordStore,
  type ServedKind,
  tableKind,
} from "./record-service.ts";
import { resourceRoutes } from "./route.ts";
import { userScopes } from "./user-scopes.ts";

export interface SettingsParts<F extends Fields, Row extends { id: string; name: string }>
  extends Partial<
    Pick<
      ServedKind<Row, RecordOf<F>, InputOf<F>, never>,
      "checkInput" | "transact" | "afterWrite" | "committed" | "version" | "shown"
    >
  > {
  /** Default: its table. */
  store?: RecordStore<Row>;
  afterRemoval?(tx: Transaction, caller: Caller, gone: Row): Promise<void>;
}

export function createSettingsService<F extends Fields, Row extends { id: string; name: string }>(
  { sql, recordChange }: Pick<SettingsDependencies, "sql" | "recordChange">,
  kind: Declaration<F>,
  { store = recordTable<Row>(kind), afterRemoval, ...own }: SettingsParts<F, Row>,
): RecordService<RecordOf<F>, InputOf<F>> {
  const { name, judged } = kind;
  const required = kind.namesOf((field) => field.required);
  const table = tableKind(kind, store);
  return createRecordService<Row, RecordOf<F>, InputOf<F>>(sql, {
    ...table,
    judged,
    async transact(caller, work) {
      const row = await sql.beginFor(caller.tenantId, async (tx) => {
        await lockSettings(tx, caller.tenantId);
        return work(tx, caller);
      });
      return row as Row;
    },
    lock: byIdOrName(name, store.find),
    prepare(_, __, input, before) {
      if (!before) kind.whole(input, ...required);
      return { ...(before ?? kind.blank()), ...kind.toColumns(input, before), id: before?.id ?? "" } as Row;
    },
    async remove(tx, caller, row) {
      await table.remove(tx, caller, row);
      await afterRemoval?.(tx, caller, row);
    },
    audit: auditedAs(recordChange, kind, table.recordOf),
    afterWrite: async (_, __, { input, after }) => requireMembers(kind, input, after),
    ...own,
  });
}

/** The permissions needed to undo a change. */
const NEEDED = ["Settings:Update", "Settings:Read"] as const;

/**
 * Changes a policy or role in one transaction, unless its caller could not repeat the change afterwards.
 * @param work receives the caller's present permissions, and returns the written or deleted row
 * @throws Conflict if callers would lock themselves out, and the errors of `work`
 */
export async function changeSettings<Row extends object>(
  sql: Sql,
  access: Access,
  { name: type, toRecord }: Pick<Contract<Fields>, "name" | "toRecord">,
  caller: Caller,
  work: (tx: Transaction, by: Caller) => Promise<Row>,
): Promise<Row> {
  const row = await sql.beginFor(caller.tenantId, async (tx) => {
    await lockSettings(tx, caller.tenantId);
    // An earlier transaction may have removed the caller's access.
    const before = await access.permissionsIn(tx, caller);
    const changed = await work(tx, { ...caller, permissions: before });
    const record = toRecord(changed);
    const scopes = await scopesIn(tx, caller);
    const after = await access.permissionsIn(tx, { ...caller, scopes });
    if (!after.allows("Settings:Update", type, record)) {
      throw lockedOut(`no policy would permit you to change this ${type}`, "Settings:Update");
    }
    // Invisible records cannot be found again.
    if (before.allows("Settings:Read", type, record) && !after.allows("Settings:Read", type, record)) {
      throw lockedOut(`no policy would permit you to read this ${type}`, "Settings:Read");
    }
    const lost = NEEDED.find((scope) => caller.scopes.has(scope) && !scopes.has(scope));
    if (lost) throw lockedOut(`none of your roles would grant ${lost}`, lost);
    return changed;
  });
  access.forget(caller.tenantId);
  return row as Row;
}

/** A client's scopes are in its credentials; a user's come from roles (docs/access.md "Scopes"), which may change. */
async function scopesIn(tx: Transaction, { tenantId, actor, scopes }: Caller): Promise<ReadonlySet<string>> {
  return actor.type === "User" ? new Set(await userScopes(tx, tenantId, actor.id)) : scopes;
}

function lockedOut(loss: string, action: string): Conflict {
  return new Conflict(
    `This change would remove your own access: ${loss}. Nothing was changed. A different user with ${action} can make it.`,
  );
}

export const LOCK_OUT = "409 if the change would remove the caller's own access to make it again.";

export interface SettingsDependencies {
  sql: Sql;
  access: Access;
  recordChange: RecordChange;
  renameRole: RenameRole;
}

/**
 * Renames a role in the policies that name it. @param tx that has locked the tenant's settings
 * @throws Permission unless the caller may change each of these policies, Conflict if one would become too long
 */
export type RenameRole = (tx: Transaction, caller: Caller, from: string, to: string) => Promise<void>;

type SettingsDeclared<F extends Fields> = Declaration<F, typeof SETTING>;

export interface SettingsDeclaration<Deps, Made> {
  type: SettingsDeclared<Fields>;
  create(deps: Deps): Made;
  /** Whether a file of `apply` may have its records; default: true. */
  isInFiles?: boolean;
}

export interface SettingsResource<Service = RecordService<never, never>> {
  type: SettingsDeclared<Fields>;
  service: Service;
  routes: Route[];
}

/** A kind without special parts. */
export const settings = <F extends Fields>(type: SettingsDeclared<F>) => ({
  type,
  create: (deps: SettingsDependencies) => settingsResource(type, createSettingsService(deps, type, {})),
});

/** @param more additional routes @param id the path's parameter; default: a UUID */
export function settingsResource<F extends Fields, Service extends RecordService<RecordOf<F>, InputOf<F>>>(
  type: SettingsDeclared<F>,
  service: Service,
  more: Route[] = [],
  id?: Parameter<string>,
) {
  return {
    type,
    service,
    routes: [...resourceRoutes(type, service, { id, remove: { errors: ["Conflict"] } }), ...more],
  };
}
