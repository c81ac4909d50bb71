// A caller's permissions on a record: docs/behaviour.md "Authentication", decided by Cedar.

import type { CedarValueJson, EntityJson } from "@cedar-policy/cedar-wasm/nodejs";
import type { Logger } from "pino";
import { Permission } from "../../../platform/errors.ts";
import { traceIdOf } from "../../../platform/http/context.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Action } from "../scopes.ts";
import type { Mentioned } from "./cedar.ts";
import type { Look } from "./looks.ts";
import { type CedarQuestion, type Decision, type Engine, type PolicySet, UNKNOWN } from "./policy-engine.ts";
import {
  isSameUid,
  type JudgedRecord,
  type ResourceType,
  resourceKey,
  toCedarDate,
  toCedarRecord,
  type Uid,
} from "./resource-type.ts";

export interface Permissions {
  /**
   * @param record in its response shape, before the change; for Create, the new one
   * @param after as the change would leave it
   * @throws Permission, which reveals nothing about the record
   */
  require(action: Action, type: string, record: JudgedRecord, after?: JudgedRecord): void;
  /** The decision behind the other methods, with the names of the deciding policies. */
  decide(action: Action, type: string, record: JudgedRecord, after: JudgedRecord, place: RecordPlace): Decision;
  /** @param place Payload: the record is part of an event's payload */
  allows(action: Action, type: string, record: JudgedRecord, place?: RecordPlace): boolean;
  /** Whether all records of a type are permitted or none, if this is known without reading them. */
  reach(action: Action, type: string, place?: RecordPlace): Reach;
  /** The contained records that the decision may depend on, such as `User` of a WebhookEvent. */
  looksInto(action: Action, type: string): readonly string[];
  /** Whether policies decide about a record from which a contained one is gone. */
  decidesWithout(action: Action, type: string, record: JudgedRecord, part: string): boolean;
}

export type RecordPlace = "Record" | "Payload";
export type Reach = "All" | "None" | "Some";

export interface Principal {
  type: "Client" | "User";
  id: string;
  record: JudgedRecord;
  recordType: ResourceType;
  /** Its roles, and other records that list it. */
  groups: readonly Uid[];
}

export interface CallContext {
  tenantId: TenantId;
  requestKey: string;
  /** W3C Trace Context of the request. */
  traceParent?: string | undefined;
  scopes: ReadonlySet<string>;
  address: string | undefined;
  time: Date;
  /** The requested token's properties in an exchange; undefined for other calls. */
  audience?: string | undefined;
}

/** The groups that policies test of records. */
export interface Memberships {
  /** Roles that every User has, also a new one. */
  ofAllUsers: readonly Uid[];
  /** Others, by `memberKey`. */
  of: ReadonlyMap<string, readonly Uid[]>;
}

export const memberKey = (type: string, id: unknown) => `${type} ${id}`;

export interface PermissionsDependencies {
  engine: Engine;
  types: ReadonlyMap<string, ResourceType>;
  log: Logger;
}

/** A placeholder id for records that policies cannot distinguish, so one decision holds for all. No record has it. */
const ANY_RECORD = "";

export function createPermissions(
  { engine, types, log }: PermissionsDependencies,
  set: PolicySet,
  memberships: Memberships,
  principal: Principal,
  call: CallContext,
): Permissions {
  const { type, id } = principal;
  const context = cedarContext(call, set.mentioned);
  const attributes = toCedarRecord(principal.recordType, principal.record, set.mentioned);
  /** Cedar gets no others, because a decision costs more with each. */
  const named = principal.groups.filter((one) => set.named.get(one.type)?.has(one.id));
  /** By action, type and place. */
  const ofAll = new Map<string, Decision>();
  /** The same of earlier calls. The principal's record and roles are another object once they change. */
  const earlier = isSettledBy(context, set) ? decisionsOf(set, principal) : undefined;

  function questionOf(action: Action, resource: Entity, place: RecordPlace): CedarQuestion {
    const isPayload = place === "Payload" && set.mentioned("payload");
    return {
      principal: { type, id },
      action: { type: "Action", id: action },
      resource: resource.uid,
      context: isPayload ? { ...context, payload: true } : context,
      entities: withPrincipal(principal, named, attributes, resource),
    };
  }

  const ask = (action: Action, resource: Entity, place: RecordPlace): Decision =>
    engine.decide(set, questionOf(action, resource, place));

  function decideForAll(action: Action, typeName: string, place: RecordPlace): Decision {
    const key = `${action} ${typeName} ${place}`;
    const known =
      ofAll.get(key) ??
      repeated(key) ??
      ask(action, { uid: { type: typeName, id: ANY_RECORD }, attrs: {}, parents: [] }, place);
    ofAll.set(key, known);
    earlier?.set(key, known);
    return known;
  }

  function repeated(key: string): Decision | undefined {
    const known = earlier?.get(key);
    if (known) engine.repeat(known);
    return known;
  }

  function decide(
    action: Action,
    typeName: string,
    record: JudgedRecord,
    after: JudgedRecord,
    place: RecordPlace,
  ): Decision {
    const resourceType = typeOf(typeName);
    if (set.looksOf(principal, action, typeName).length === 0) return decideForAll(action, typeName, place);
    return ask(action, judged(resourceType, record, after), place);
  }

  function judged(resourceType: ResourceType, record: JudgedRecord, after: JudgedRecord): Entity {
    const resource = resourceEntity(resourceType, record, after, set.mentioned);
    resource.parents = groupsOf(memberships, resourceType.name, record);
    if (!isTellable(set, principal, resource.uid)) resource.uid.id = ANY_RECORD;
    return resource;
  }

  function typeOf(typeName: string): ResourceType {
    const resourceType = types.get(typeName);
    if (!resourceType) throw new Error(`Policies do not cover records of type ${typeName}.`);
    return resourceType;
  }

  /** The statements with which the decision may differ between the records of a type. */
  function lookingAt(action: Action, typeName: string, place: RecordPlace): readonly Look[] {
    const looking = set.looksOf(principal, action, typeName);
    return looking.length > 0 && isSettled(looking, decideForAll(action, typeName, place)) ? [] : looking;
  }

  return {
    decide,
    require(action, typeName, record, after = record) {
      const decision = decide(action, typeName, record, after, "Record");
      if (decision.allowed) return;
      const { tenantId, requestKey, traceParent } = call;
      const refused = {
        tenantId,
        requestKey,
        traceId: traceParent && traceIdOf(traceParent),
        principal: `${type} ${id}`,
        action,
        resource: `${typeName} ${record.Id}`,
      };
      log.info({ ...refused, ...decision }, "a request was denied by policies");
      throw new Permission(
        decision.forbidden
          ? `A policy forbids ${action} on this ${typeName}.`
          : `No policy permits ${action} on this ${typeName}.`,
        // RFC 6750 3.1: the privileges are too low; no scope would help.
        'Bearer error="insufficient_scope", error_description="Refused by a policy"',
      );
    },
    allows: (action, typeName, record, place = "Record") => decide(action, typeName, record, record, place).allowed,
    reach(action, typeName, place = "Record") {
      if (lookingAt(action, typeName, place).length > 0) return "Some";
      return decideForAll(action, typeName, place).allowed ? "All" : "None";
    },
    looksInto: (action, typeName) => lookingAt(action, typeName, "Record").flatMap(({ into }) => [...into]),
    decidesWithout(action, typeName, record, part) {
      const looking = lookingAt(action, typeName, "Record").filter(({ into }) => into.has(part));
      if (looking.length === 0) return true;
      const question = questionOf(action, withUnknown(judged(typeOf(typeName), record, record), part), "Record");
      const statements = looking.map(({ index }) => index);
      const { isPermitted, mayBeForbidden } = engine.decidePartly(set, question, statements);
      if (mayBeForbidden) return false;
      return isPermitted || isPermittedBesides(looking, decide(action, typeName, record, record, "Record"));
    },
  };
}

/** Whether a decision for all records depends on nothing but the policies and the principal. */
const isSettledBy = (context: object, { isTried }: PolicySet) => !isTried && Object.keys(context).length === 0;

const decisions = new WeakMap<Principal, WeakMap<PolicySet, Map<string, Decision>>>();

function decisionsOf(set: PolicySet, principal: Principal): Map<string, Decision> {
  const ofPrincipal = decisions.get(principal) ?? new WeakMap();
  decisions.set(principal, ofPrincipal);
  const found = ofPrincipal.get(set) ?? new Map();
  ofPrincipal.set(set, found);
  return found;
}

/** Whether other statements permit it already: permits can only add to that, but a forbid may apply. */
function isSettled(looking: readonly Look[], decision: Decision): boolean {
  if (looking.some(({ effect }) => effect === "forbid")) return false;
  return isPermittedBesides(looking, decision);
}

function isPermittedBesides(looking: readonly Look[], { allowed, statements }: Decision): boolean {
  return allowed && statements.some((one) => looking.every(({ index }) => index !== one));
}

/** For a deleted record: policies have only its Id. @param error what the caller may not do @throws Permission */
export function requireForAll(permissions: Permissions, action: Action, type: string, error: string): void {
  if (permissions.reach(action, type) !== "All") throw new Permission(error);
}

function cedarContext(call: CallContext, mentioned: Mentioned): Attributes {
  const context = {
    scopes: [...call.scopes],
    // Without it a policy that asks for ip cannot be evaluated: a permit does not permit, and a forbid forbids.
    ...(call.address === undefined ? {} : { ip: { __extn: { fn: "ip", arg: call.address } } }),
    time: toCedarDate(call.time.toISOString()),
    hour: call.time.getUTCHours(),
    // ISO 8601: Monday is 1, Sunday 7.
    weekday: call.time.getUTCDay() || 7,
    payload: false,
    ...(call.audience !== undefined && { audience: call.audience }),
  };
  return Object.fromEntries(Object.entries(context).filter(([name]) => mentioned(name)));
}

type Attributes = Record<string, CedarValueJson>;
type Entity = EntityJson & { uid: Uid };

function resourceEntity(type: ResourceType, record: JudgedRecord, after: JudgedRecord, mentioned: Mentioned): Entity {
  const attrs = toCedarRecord(type, record, mentioned);
  const afterwards = after === record ? { ...attrs } : toCedarRecord(type, after, mentioned);
  return {
    uid: { type: type.name, id: resourceKey(type, record) },
    attrs: { ...attrs, after: afterwards },
    parents: [],
  };
}

/** The record with a part that existed, but has unknown content. */
function withUnknown({ attrs, ...resource }: Entity, part: string): Entity {
  const after = { ...(attrs.after as Attributes), [part]: UNKNOWN };
  return { ...resource, attrs: { ...attrs, [part]: UNKNOWN, after } };
}

/**
 * Whether policies can distinguish this record from others with equal attributes: they name records of its type, or it
 * is the caller.
 */
function isTellable({ named }: PolicySet, { type, id, groups }: Principal, uid: Uid): boolean {
  return named.has(uid.type) || [{ type, id }, ...groups].some((one) => isSameUid(one, uid));
}

function groupsOf({ ofAllUsers, of }: Memberships, typeName: string, { Id }: JudgedRecord): Uid[] {
  const own = of.get(memberKey(typeName, Id)) ?? [];
  if (typeName !== "User") return [...own];
  return [...ofAllUsers, ...own.filter((one) => !ofAllUsers.some((other) => isSameUid(one, other)))];
}

/** A User may be the record as well: then it is one entity, with the record's own state. */
function withPrincipal(
  { type, id, groups }: Principal,
  named: readonly Uid[],
  attributes: Attributes,
  resource: Entity,
): Entity[] {
  // For `principal in resource`, which names no group.
  const own = groups.filter((one) => isSameUid(one, resource.uid) && !named.includes(one));
  const parents = [...named, ...own];
  if (resource.uid.type === type && resource.uid.id === id) return [{ ...resource, parents }];
  const attrs = type === "User" ? { ...attributes, after: attributes } : attributes;
  return [{ uid: { type, id }, attrs, parents }, resource];
}
