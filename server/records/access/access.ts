// Access decisions. Policies and roles are cached in memory; every process drops them when they change.

import type { Logger } from "pino";
import { createBudget } from "../../platform/budget.ts";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import { Unauthorized } from "../../platform/errors.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import type { Actor, Call } from "./caller.ts";
import type { Named, PolicyProblem } from "./decisions/cedar.ts";
import { createExaminer, type Examiner } from "./decisions/examiner.ts";
import {
  type CallContext,
  createPermissions,
  type Memberships,
  memberKey,
  type Permissions,
  type Principal,
} from "./decisions/permissions.ts";
import {
  createEngine,
  createPause,
  type OnDecision,
  type PolicySet,
  type PolicyText,
} from "./decisions/policy-engine.ts";
import { CLIENT_RECORD, type ResourceType, type Uid } from "./decisions/resource-type.ts";
import { createTenantCache, type TenantCache } from "./decisions/tenant-cache.ts";
import type { Admitted } from "./gate/gate.ts";
import { createGate } from "./gate/gate.ts";
import { createCursors } from "./gate/list.ts";
import type { FindRecords, ReadActionOf } from "./gate/references.ts";
import { ownPermissions } from "./own-data.ts";
import { listenForAccessChanges, listPolicyTexts } from "./policies.store.ts";
import { createRecordFinders, type RecordFinders } from "./record-finders.ts";
import { listGroupMembers, listGroupsOf, listMembers, listRoleNames, listRolesOfAllUsers } from "./roles.store.ts";
import { ACTIONS } from "./scopes.ts";

const LISTS = { name: "lists", perTenant: 1, waiting: 200, longestWaitMs: 10_000 };

export interface Access {
  /** Why a text cannot be saved as a policy; empty if it can. @throws TenantBusy */
  checkPolicy(tenantId: TenantId, text: string): Promise<PolicyProblem[]>;
  checkFilter: Examiner["checkFilter"];
  /** Why these valid policies cannot together be the tenant's; empty if they can. @throws TenantBusy */
  weighPolicies(tenantId: TenantId, texts: string[]): Promise<string | undefined>;
  /** By the tenant's policies or by checked `texts`. @returns undefined if the caller was deleted or is inactive */
  permissionsOf(call: CallContext & { actor: Actor }, texts?: PolicyText[]): Promise<Permissions | undefined>;
  /**
   * Runs many decisions within the tenant's budget, like its lists. `work` awaits `pause` between two decisions.
   * @throws TenantBusy, ServiceBusy
   */
  inTurn<T>(tenantId: TenantId, work: (pause: () => Promise<void>) => Promise<T>): Promise<T>;
  /** The records that a checked policy names. */
  namedIn(policy: string): Named;
  /** The records that the tenant's policies name. @param tx that sees the newest ones */
  namedByPolicies(tx: Queries, tenantId: TenantId): Promise<Named>;
  types: ReadonlyMap<string, ResourceType>;
  findRecords: FindRecords;
  addRecords: RecordFinders["add"];
  /** Types with records that can be found by Id. */
  recordTypes: readonly string[];
  /** @throws Unauthorized if the token's client or user was deleted or is inactive */
  admit(call: Call): Promise<Admitted>;
  /** The same for persons who read their own data; it permits only such reads. */
  admitOwner(call: Call): Admitted;
  /** The caller's permissions after a transaction commits. */
  permissionsIn(tx: Queries, call: Call): Promise<Permissions>;
  /** The scopes of a client's tokens, alone or for a user; undefined if one of them is inactive. */
  knownScopes(tenantId: TenantId, clientId: number, userId: number | undefined): Promise<readonly string[] | undefined>;
  /** Caches the result of `load` for a tenant's clients, until one of them changes. */
  keepOfClients<Value>(load: (tenantId: TenantId, key: string) => Promise<Value>): TenantCache<Value>;
  /** Removes a tenant's policies, principals, scopes and clients from memory; PostgreSQL notifies other processes. */
  forget(tenantId: TenantId): void;
  forgetClients(tenantId: TenantId): void;
  /** Drops cached callers, so the caller who changed them sees the change at once. */
  forgetRecords(tenantId: TenantId, type: string, ids: readonly string[]): void;
}

export interface AccessDependencies {
  sql: Sql;
  vault: Vault;
  log: Logger;
  resourceTypes: readonly ResourceType[];
  recordTypes: readonly string[];
  findScopes(
    sql: Queries,
    tenantId: TenantId,
    clientId: number,
    userId: number | undefined,
  ): Promise<readonly string[] | undefined>;
  onDecision?: OnDecision;
}

export function createAccess(deps: AccessDependencies): Access {
  const { sql, vault, log, resourceTypes, recordTypes, findScopes, onDecision } = deps;
  const { find: findRecords, add: addRecords } = createRecordFinders();
  const types = new Map(resourceTypes.map((type) => [type.name, type]));
  const engine = createEngine(types, onDecision);
  const permissionsDeps = { engine, types, log };
  const lists = resourceTypes.flatMap(({ name, members }) =>
    members && name !== ROLE ? [{ ...members, type: name }] : [],
  );
  const examiner = createExaminer(resourceTypes);
  /** The first of a type's families is its read permission. */
  const readActionOf: ReadActionOf = (type) =>
    ACTIONS.find((action) => action === `${types.get(type)?.families[0]}:Read`);
  const turns = createBudget(LISTS);
  const gateDeps = { sql, cursors: createCursors(vault), lists: turns, readActionOf, findRecords };
  const policies = createTenantCache((tenantId) => loadPolicies(sql, tenantId));
  const memberships = createTenantCache((tenantId, key) => loadMemberships(sql, tenantId, JSON.parse(key)));
  const principals = createTenantCache((tenantId, key) => loadPrincipal(sql, tenantId, parseActor(key)));
  /** By the Ids of the client and the user; 0 without a user. */
  const scopes = createTenantCache((tenantId, key) => {
    const [clientId, userId] = key.split(" ").map(Number);
    return findScopes(sql, tenantId, clientId!, userId || undefined);
  });

  async function loadPolicies(queries: Queries, tenantId: TenantId): Promise<PolicySet> {
    return engine.compile(await listPolicyTexts(queries, tenantId));
  }

  async function loadPrincipal(queries: Queries, tenantId: TenantId, actor: Actor): Promise<Principal | undefined> {
    const [record] = await findRecords(queries, tenantId, actor.type, [String(actor.id)]);
    if (!record?.Is_Active) return undefined;
    const roles = await listRoleNames(queries, tenantId, actor);
    const others = await Promise.all(lists.map((list) => listGroupsOf(queries, tenantId, list, actor)));
    const type = actor.type === CLIENT_RECORD ? "Client" : "User";
    const groups = [...roles.map(asRole), ...others.flat()];
    return { type, id: String(actor.id), record, recordType: types.get(actor.type)!, groups };
  }

  async function loadMemberships(queries: Queries, tenantId: TenantId, groups: Uid[]): Promise<Memberships> {
    const idsOf = (type: string) => groups.filter((one) => one.type === type).map(({ id }) => id);
    const roles = idsOf(ROLE);
    const [members, ofAllUsers, ...others] = await Promise.all([
      listMembers(queries, tenantId, roles),
      listRolesOfAllUsers(queries, tenantId, roles),
      ...lists.map((list) => listGroupMembers(queries, tenantId, list, idsOf(list.type))),
    ]);
    const of = new Map(members.map((one) => [memberKey(one.type, one.id), one.roles.map(asRole)]));
    for (const { type, id, group } of others.flat()) of.getOrInsertComputed(memberKey(type, id), () => []).push(group);
    return { ofAllUsers: ofAllUsers.map(asRole), of };
  }

  const membersFor = async ({ groupsOfRecords }: PolicySet, tenantId: TenantId) =>
    groupsOfRecords.length > 0 ? memberships.get(tenantId, JSON.stringify(groupsOfRecords)) : NOBODY;

  function permissions(
    call: Call,
    set: PolicySet,
    members: Memberships,
    principal: Principal | undefined,
  ): Permissions {
    if (!principal) {
      throw new Unauthorized(
        `The ${call.actor.type} of the access token is no longer active.`,
        'Bearer error="invalid_token"',
      );
    }
    return createPermissions(permissionsDeps, set, members, principal, call);
  }

  const ofClients: Pick<TenantCache<unknown>, "drop" | "clear">[] = [];
  let isHearing = false;
  const dropClients = (tenantId: TenantId) => {
    for (const cache of ofClients) cache.drop(tenantId);
  };

  keepListening(sql, log, (hearing, change) => {
    if (!change) {
      isHearing = hearing;
      for (const cache of ofClients) cache.clear(hearing);
      policies.clear(hearing);
      principals.clear(hearing);
      scopes.clear(hearing);
      memberships.clear(hearing);
      return;
    }
    if (change.what === "policies") return policies.drop(change.tenantId);
    if (change.what === "clients") return dropClients(change.tenantId);
    principals.drop(change.tenantId);
    scopes.drop(change.tenantId);
    if (change.what === "roles") memberships.drop(change.tenantId);
  });

  return {
    checkPolicy: examiner.check,
    checkFilter: examiner.checkFilter,
    weighPolicies: examiner.weigh,
    async permissionsOf(call, texts) {
      const { tenantId, actor } = call;
      const [set, principal] = await Promise.all([
        texts ? engine.compile(texts, true) : policies.get(tenantId, ""),
        principals.get(tenantId, keyOf(actor)),
      ]);
      if (!principal) return undefined;
      return createPermissions(permissionsDeps, set, await membersFor(set, tenantId), principal, call);
    },
    inTurn: (tenantId, work) => turns.run(tenantId, () => work(createPause())),
    namedIn: engine.namedIn,
    namedByPolicies: async (tx, tenantId) => (await loadPolicies(tx, tenantId)).named,
    types,
    findRecords,
    addRecords,
    recordTypes,
    async admit(call) {
      const { tenantId, actor } = call;
      const [set, principal] = await Promise.all([policies.get(tenantId, ""), principals.get(tenantId, keyOf(actor))]);
      const permitted = permissions(call, set, await membersFor(set, tenantId), principal);
      return { permissions: permitted, gate: createGate(gateDeps, permitted, call) };
    },
    admitOwner(call) {
      const own = ownPermissions(call.actor.id);
      return { permissions: own, gate: createGate(gateDeps, own, call) };
    },
    async permissionsIn(tx, call) {
      const { tenantId, actor } = call;
      const set = await loadPolicies(tx, tenantId);
      const groups = set.groupsOfRecords;
      const members = groups.length > 0 ? await loadMemberships(tx, tenantId, groups) : NOBODY;
      return permissions(call, set, members, await loadPrincipal(tx, tenantId, actor));
    },
    knownScopes: (tenantId, clientId, userId) => scopes.get(tenantId, `${clientId} ${userId ?? 0}`),
    keepOfClients(load) {
      const cache = createTenantCache(load);
      cache.clear(isHearing);
      ofClients.push(cache);
      return cache;
    },
    forget(tenantId) {
      dropClients(tenantId);
      policies.drop(tenantId);
      principals.drop(tenantId);
      scopes.drop(tenantId);
      memberships.drop(tenantId);
    },
    forgetClients: dropClients,
    forgetRecords(tenantId, type, ids) {
      for (const id of ids) principals.drop(tenantId, `${type} ${id}`);
      if (type === CLIENT_RECORD) dropClients(tenantId);
      const place = new Map([
        ["Application", 0],
        ["User", 1],
      ]).get(type);
      const gone = new Set(ids);
      if (place !== undefined) scopes.dropWhere(tenantId, (key) => gone.has(key.split(" ")[place]!));
    },
  };
}

const NOBODY: Memberships = { ofAllUsers: [], of: new Map() };

/** Its members may also be all Users, or those of an identity provider. */
const ROLE = "Role";
const asRole = (name: string): Uid => ({ type: ROLE, id: name });

const keyOf = (actor: Actor) => `${actor.type} ${actor.id}`;

function parseActor(key: string): Actor {
  const [type, id] = key.split(" ");
  return { type: type as Actor["type"], id: Number(id) };
}

/** `onChange` gets no change when listening starts or the connection is lost: changes may have been missed. */
function keepListening(
  sql: Sql,
  log: Logger,
  onChange: (hearing: boolean, change?: { what: string; tenantId: TenantId }) => void,
): void {
  onChange(false);
  listenForAccessChanges(
    sql,
    (what, tenantId) => onChange(true, { what, tenantId }),
    () => onChange(true),
    () => onChange(false),
  ).catch((err) => {
    // Without PostgreSQL, which the entry point reports.
    log.debug({ err }, "notifications of policy changes are not connected; policies are read for every request");
  });
}
