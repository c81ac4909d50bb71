// What a caller may do to a record: SPEC.md Authentication 2, decided by Cedar.

import type { CedarValueJson, EntityJson } from "@cedar-policy/cedar-wasm/nodejs";
import type { Logger } from "pino";
import { Permission } from "../../errors.ts";
import type { Page } from "../../http/paging.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { Action } from "../scopes.ts";
import type { Decision, Engine, PolicySet } from "./engine.ts";
import type { Mentioned } from "./mentions.ts";
import { type PolicyRecord, type ResourceType, resourceKey, toCedarDate, toCedarRecord } from "./resource-type.ts";
import { createPause, type InTurn } from "./turns.ts";

export interface Permissions {
  /**
   * @param type the record's, such as Application
   * @param record in its response shape, before the change; for Create, the new one
   * @param after as the change would leave it
   * @throws Permission that says nothing of the record
   */
  require(action: Action, type: string, record: PolicyRecord, after?: PolicyRecord): void;
  allows(action: Action, type: string, record: PolicyRecord): boolean;
  /**
   * The same question for a list: the page without the records that may not be read.
   * @param readPage is called when it is the tenant's turn, so that who waits holds no records
   * @throws ServiceBusy if the tenant's other lists take too long
   */
  readable<Item extends PolicyRecord>(
    action: Action,
    type: string,
    readPage: () => Promise<Page<Item>>,
  ): Promise<Page<Item>>;
}

/** Who calls, as policies see it. */
export interface Principal {
  type: "Client" | "User";
  id: string;
  record: PolicyRecord;
  recordType: ResourceType;
  roles: string[];
}

/** The call, as policies see it. */
export interface CallContext {
  tenantId: TenantId;
  requestKey: string;
  scopes: ReadonlySet<string>;
  address: string;
  time: Date;
}

export interface PermissionsDependencies {
  engine: Engine;
  types: ReadonlyMap<string, ResourceType>;
  log: Logger;
  inTurn: InTurn;
}

/** The id of a record that policies cannot tell from others: what is decided of one is decided of all. Nobody has it. */
const ANY_RECORD = "";

export function createPermissions(
  { engine, types, log, inTurn }: PermissionsDependencies,
  set: PolicySet,
  principal: Principal,
  call: CallContext,
): Permissions {
  const { type, id } = principal;
  const context = cedarContext(call, set.mentioned);
  const attributes = toCedarRecord(principal.recordType, principal.record, set.mentioned);

  function decide(action: Action, typeName: string, record: PolicyRecord, after: PolicyRecord): Decision {
    const resourceType = types.get(typeName);
    if (!resourceType) throw new Error(`Policies know no records of type ${typeName}.`);
    const resource = resourceEntity(resourceType, record, after, set.mentioned);
    if (!isTellable(set, principal, resource.uid)) resource.uid.id = ANY_RECORD;
    return engine.decide(set, {
      principal: { type, id },
      action: { type: "Action", id: action },
      resource: resource.uid,
      context,
      entities: withPrincipal(principal, attributes, resource),
    });
  }

  function allows(action: Action, typeName: string, record: PolicyRecord): boolean {
    return decide(action, typeName, record, record).allowed;
  }

  return {
    require(action, typeName, record, after = record) {
      const decision = decide(action, typeName, record, after);
      if (decision.allowed) return;
      const { tenantId, requestKey } = call;
      const refused = {
        tenantId,
        requestKey,
        principal: `${type} ${id}`,
        action,
        resource: `${typeName} ${record.Id}`,
      };
      log.info({ ...refused, ...decision }, "a policy refused a request");
      const forbidden = decision.policies.length > 0 || decision.failed.length > 0;
      throw new Permission(
        forbidden
          ? `A policy forbids ${action} on this ${typeName}.`
          : `No policy permits ${action} on this ${typeName}.`,
        // RFC 6750 3.1: the privileges are too low; no scope would help.
        'Bearer error="insufficient_scope", error_description="Refused by a policy"',
      );
    },
    allows,
    readable: (action, typeName, readPage) =>
      inTurn(call.tenantId, async () => {
        const page = await readPage();
        const pause = createPause();
        const Items: typeof page.Items = [];
        for (const record of page.Items) {
          await pause();
          if (allows(action, typeName, record)) Items.push(record);
        }
        return { ...page, Items };
      }),
  };
}

function cedarContext(call: CallContext, mentioned: Mentioned): Attributes {
  const context = {
    scopes: [...call.scopes],
    ip: { __extn: { fn: "ip", arg: call.address } },
    time: toCedarDate(call.time.toISOString()),
    hour: call.time.getUTCHours(),
    // ISO 8601: Monday is 1, Sunday 7.
    weekday: call.time.getUTCDay() || 7,
  };
  return Object.fromEntries(Object.entries(context).filter(([name]) => mentioned(name)));
}

type Attributes = Record<string, CedarValueJson>;
type Entity = EntityJson & { uid: { type: string; id: string } };

function resourceEntity(type: ResourceType, record: PolicyRecord, after: PolicyRecord, mentioned: Mentioned): Entity {
  const attrs = toCedarRecord(type, record, mentioned);
  const afterwards = after === record ? { ...attrs } : toCedarRecord(type, after, mentioned);
  return {
    uid: { type: type.name, id: resourceKey(type, record) },
    attrs: { ...attrs, after: afterwards },
    parents: [],
  };
}

/** Whether policies can tell this record from another with the same attributes: they name such, or it is the caller's. */
function isTellable({ namedTypes }: PolicySet, { type, id, roles }: Principal, uid: Entity["uid"]): boolean {
  return (
    namedTypes.has(uid.type) || (uid.type === type && uid.id === id) || (uid.type === "Role" && roles.includes(uid.id))
  );
}

/** A User may be the record as well: then it is one entity, with the record's own state. */
function withPrincipal(principal: Principal, attributes: Attributes, resource: Entity): Entity[] {
  const { type, id, roles } = principal;
  const parents = roles.map((role) => ({ type: "Role", id: role }));
  if (resource.uid.type === type && resource.uid.id === id) return [{ ...resource, parents }];
  const attrs = type === "User" ? { ...attributes, after: attributes } : attributes;
  return [{ uid: { type, id }, attrs, parents }, resource];
}
