// Who may do what: policies and roles of every tenant, in memory, and forgotten in all processes when they change.

import type { Logger } from "pino";
import type { Queries, Sql } from "../db/connection.ts";
import { Unauthorized } from "../errors.ts";
import type { TenantId } from "../tenant-id.ts";
import type { Actor, Bearer } from "./bearer.ts";
import { createEngine, type PolicySet } from "./policies/engine.ts";
import { type CallContext, createPermissions, type Permissions, type Principal } from "./policies/permissions.ts";
import type { Problem } from "./policies/problems.ts";
import type { PolicyRecord, ResourceType } from "./policies/resource-type.ts";
import { CLIENT_RECORD, cedarSchema } from "./policies/schema.ts";
import { listenForAccessChanges, listPolicyTexts } from "./policies/store.ts";
import { createTenantCache } from "./policies/tenant-cache.ts";
import { createTurns } from "./policies/turns.ts";
import { listRoleNames } from "./roles/store.ts";
import { SETTINGS_TYPES } from "./settings-types.ts";

const LISTEN_PAUSE_MS = 1_000;

/** A call by someone whose token is good. */
export type Call = Bearer & Omit<CallContext, "tenantId" | "scopes">;

export interface Access {
  /** What keeps a text from being saved as a policy; empty if it is good. */
  checkPolicy(text: string): Problem[];
  /** @throws Unauthorized if who the token was issued to is gone or inactive */
  permissionsOf(call: Call): Promise<Permissions>;
  /** What the caller may do once a transaction commits. */
  permissionsIn(tx: Queries, call: Call): Promise<Permissions>;
  /** Forgets a tenant's policies and principals; other processes hear of the change from PostgreSQL. */
  forget(tenantId: TenantId): void;
  /** Forgets who of these records may call, so that the caller who has changed them meets what was changed. */
  forgetRecords(tenantId: TenantId, type: string, ids: readonly string[]): void;
}

export interface AccessDependencies {
  sql: Sql;
  log: Logger;
  /** Every type of record there is beside our own Policy and Role. */
  resourceTypes: readonly ResourceType[];
  findRecord(sql: Queries, tenantId: TenantId, type: string, id: number): Promise<PolicyRecord | undefined>;
}

export function createAccess({ sql, log, resourceTypes, findRecord }: AccessDependencies): Access {
  const allTypes = [...resourceTypes, ...SETTINGS_TYPES];
  const types = new Map(allTypes.map((type) => [type.name, type]));
  const engine = createEngine(cedarSchema(allTypes));
  const inTurn = createTurns();
  const policies = createTenantCache((tenantId) => loadPolicies(sql, tenantId));
  const principals = createTenantCache((tenantId, key) => loadPrincipal(sql, tenantId, parseActor(key)));

  async function loadPolicies(queries: Queries, tenantId: TenantId): Promise<PolicySet> {
    return engine.compile(tenantId, await listPolicyTexts(queries, tenantId));
  }

  async function loadPrincipal(queries: Queries, tenantId: TenantId, actor: Actor): Promise<Principal | undefined> {
    const record = await findRecord(queries, tenantId, actor.type, actor.id);
    if (!record?.Is_Active) return undefined;
    const roles = await listRoleNames(queries, tenantId, actor);
    const type = actor.type === CLIENT_RECORD ? "Client" : "User";
    return { type, id: String(actor.id), record, recordType: types.get(actor.type)!, roles };
  }

  function permissions(call: Call, set: PolicySet, principal: Principal | undefined): Permissions {
    if (!principal) {
      throw new Unauthorized(
        `The ${call.actor.type} that the access token was issued to is no longer active.`,
        'Bearer error="invalid_token"',
      );
    }
    return createPermissions({ engine, types, log, inTurn }, set, principal, call);
  }

  keepListening(sql, log, (hearing, change) => {
    if (!change) {
      policies.clear(hearing);
      principals.clear(hearing);
      return;
    }
    if (change.what === "policies") policies.drop(change.tenantId);
    else principals.drop(change.tenantId);
  });

  return {
    checkPolicy: engine.check,
    async permissionsOf(call) {
      const { tenantId, actor } = call;
      const known = [policies.get(tenantId, ""), principals.get(tenantId, keyOf(actor))] as const;
      return permissions(call, ...(await Promise.all(known)));
    },
    async permissionsIn(tx, call) {
      const { tenantId, actor } = call;
      const set = await loadPolicies(tx, tenantId);
      return permissions(call, set, await loadPrincipal(tx, tenantId, actor));
    },
    forget(tenantId) {
      policies.drop(tenantId);
      principals.drop(tenantId);
    },
    forgetRecords(tenantId, type, ids) {
      for (const id of ids) principals.drop(tenantId, `${type} ${id}`);
    },
  };
}

const keyOf = (actor: Actor) => `${actor.type} ${actor.id}`;

function parseActor(key: string): Actor {
  const [type, id] = key.split(" ");
  return { type: type as Actor["type"], id: Number(id) };
}

/**
 * @param onChange without a change when it begins to listen, after a lost connection too: whatever has changed until
 * then was not heard of
 */
function keepListening(
  sql: Sql,
  log: Logger,
  onChange: (hearing: boolean, change?: { what: string; tenantId: TenantId }) => void,
): void {
  const listen = () =>
    listenForAccessChanges(
      sql,
      (what, tenantId) => onChange(true, { what, tenantId }),
      () => onChange(true),
    ).catch((error) => {
      log.warn({ err: error }, "changes of policies are not heard of yet; they are read for every request");
      setTimeout(listen, LISTEN_PAUSE_MS).unref();
    });
  onChange(false);
  void listen();
}
