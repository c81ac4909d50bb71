// Tries policies: the decision on a principal's call. The result depends on the principal, its roles, the record and
// all policies, so the caller must be able to read all of them.

import type { Static } from "@sinclair/typebox";
import type { Sql } from "../../../platform/db/sql.ts";
import { BadInput, NotFound, Permission, type Problem } from "../../../platform/errors.ts";
import { isObject, printable } from "../../../platform/http/body.ts";
import { readDate } from "../../../platform/http/dates.ts";
import { toRecordId } from "../../../platform/http/query.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Access } from "../access.ts";
import { type Caller, type Permitted, permit } from "../bearer.ts";
import type { Actor } from "../caller.ts";
import type { CallContext, Permissions } from "../decisions/permissions.ts";
import type { Decision, PolicyText } from "../decisions/policy-engine.ts";
import {
  type Attribute,
  actionsOn,
  CLIENT_RECORD,
  type JudgedRecord,
  type ResourceType,
  TEXT_LIMIT,
} from "../decisions/resource-type.ts";
import { ROLE } from "../roles/contract.ts";
import { listAllRoles } from "../roles/store.ts";
import { hasMembers } from "../roles.store.ts";
import { type Action, hasScopeFor, isOwnScope, type ScopeAction } from "../scopes.ts";
import { userScopes } from "../user-scopes.ts";
import { POLICY, type Policy } from "./contract.ts";
import { requireFit } from "./fit.ts";
import { listAllPolicies } from "./store.ts";
import type { EVALUATION, EvaluationQuestion } from "./trial-question.ts";

export type Evaluation = Static<typeof EVALUATION>;
type Evaluator = Permitted<"Settings:Read" | "AccessManager:Read">;
/** The tried text, and the policy that it would replace. */
export type Tried = Pick<EvaluationQuestion, "Id" | "Name"> & { Policy: string };

/** RFC 6750 3.1: the privileges are too low; no scope would help. */
const REFUSED = 'Bearer error="insufficient_scope", error_description="Refused by a policy"';
const CREDENTIALS = "Credentials";
const UNNAMED = "(this text)";
const UNSET_DATE = "1900-01-01T12:00:00.000Z";

/** @throws BadInput, NotFound, Permission, Conflict, TenantBusy, ServiceBusy */
export async function evaluate(
  { sql, access, problemsOf }: EvaluateDependencies,
  caller: Evaluator,
  { Id, Name, Policy, Principal, Action, Resource, Context = {} }: EvaluationQuestion,
): Promise<Evaluation> {
  const saved = await requireSeesRules(sql, access, caller);
  const tried = Policy === undefined ? undefined : { Id, Name, Policy };
  const texts = tried && textsWith(saved, tried);
  const actor = {
    type: Principal.Type === "Client" ? CLIENT_RECORD : "User",
    id: toRecordId(Principal.Id) ?? 0,
  } as Actor;
  const [wrong, principal, resource] = await Promise.all([
    tried ? problemsOf(caller.tenantId, tried.Policy) : [],
    findRecord(sql, access, caller, { Type: actor.type, Id: Principal.Id }, "Principal"),
    readResource(sql, access, caller, Resource, Action),
  ]);
  const problems = [...wrong, ...principal.problems, ...resource.problems];
  if (problems.length > 0) throw BadInput.in(problems);
  await requireSeen(access, caller, actor.type, principal.record!);
  if (resource.stored) await requireSeen(access, caller, Resource.Type, resource.stored);

  if (!Context.Scopes && !seesScopes(caller, actor)) throw new ScopesHidden();
  const scopes = new Set<string>(Context.Scopes ?? (await scopesOf(sql, access, caller.tenantId, actor)));
  if (texts) await requireFit(access, caller.tenantId, texts);
  const call = { ...callOf(caller, Context), scopes, actor };
  const permissions = await access.permissionsOf(call, texts);
  if (!permissions) return denied(`The ${Principal.Type} is not active, so its access tokens are invalid.`);
  if (!hasScopeFor(Action, scopes)) return denied(`The access token would lack the scope ${Action}.`);
  const place = Context.Payload ? "Payload" : "Record";
  return evaluationOf(permissions.decide(Action, Resource.Type, resource.before!, resource.after!, place));
}

export interface Case {
  principal: Actor;
  action: Action;
  type: string;
  id: string;
}

export interface Comparison {
  /** The number of decided cases; others contain records and scopes that are partly hidden from the caller. */
  checked: number;
  changes: (Case & { before: Evaluation; after: Evaluation })[];
}

/** @throws BadInput, NotFound, Permission, Conflict, TenantBusy, ServiceBusy */
export async function compare(
  { sql, access, problemsOf }: EvaluateDependencies,
  caller: Evaluator,
  tried: Tried,
  cases: readonly Case[],
): Promise<Comparison> {
  const texts = textsWith(await requireSeesRules(sql, access, caller), tried);
  const wrong = await problemsOf(caller.tenantId, tried.Policy);
  if (wrong.length > 0) throw BadInput.in(wrong);
  await requireFit(access, caller.tenantId, texts);
  return access.inTurn(caller.tenantId, (pause) => differences({ sql, access }, caller, texts, cases, pause));
}

async function differences(
  { sql, access }: Pick<EvaluateDependencies, "sql" | "access">,
  caller: Evaluator,
  texts: PolicyText[],
  cases: readonly Case[],
  pause: () => Promise<void>,
): Promise<Comparison> {
  const callers = new Map<string, Promise<Compared | undefined>>();
  const records = new Map<string, Promise<JudgedRecord | undefined>>();
  const changes: Comparison["changes"] = [];
  let checked = 0;
  for (const one of cases) {
    const { principal, action, type, id } = one;
    const by = await callers.getOrInsertComputed(`${principal.type} ${principal.id}`, () => compared(principal));
    const record = await records.getOrInsertComputed(`${type} ${id}`, () => seen(type, id));
    if (!by || !record) continue;
    await pause();
    checked++;
    if (!hasScopeFor(action, by.scopes)) continue;
    const [before, after] = [by.now, by.then].map((permissions) =>
      evaluationOf(permissions.decide(action, type, record, record, "Record")),
    ) as [Evaluation, Evaluation];
    if (before.Decision !== after.Decision) changes.push({ ...one, before, after });
  }
  return { checked, changes };

  async function seen(type: string, id: string): Promise<JudgedRecord | undefined> {
    const [record] = await access.findRecords(sql, caller.tenantId, type, [id]);
    return record && (await isSeen(access, caller, type, record)) ? record : undefined;
  }

  async function compared(actor: Actor): Promise<Compared | undefined> {
    if (!seesScopes(caller, actor) || !(await seen(actor.type, String(actor.id)))) return undefined;
    const scopes = new Set<string>(await scopesOf(sql, access, caller.tenantId, actor));
    const call = { ...callOf(caller, {}), scopes, actor };
    const [now, then] = [await access.permissionsOf(call), await access.permissionsOf(call, texts)];
    return now && then && { scopes, now, then };
  }
}

interface Compared {
  scopes: ReadonlySet<string>;
  now: Permissions;
  then: Permissions;
}

async function isSeen(access: Access, caller: Caller, type: string, record: JudgedRecord): Promise<boolean> {
  try {
    await requireSeen(access, caller, type, record);
    return true;
  } catch (error) {
    if (error instanceof Permission) return false;
    throw error;
  }
}

export interface EvaluateDependencies {
  sql: Sql;
  access: Access;
  problemsOf(tenantId: TenantId, text: string): Promise<Problem[]>;
}

function callOf(
  caller: Caller,
  { Address, Time, Audience }: NonNullable<EvaluationQuestion["Context"]>,
): Omit<CallContext, "scopes"> {
  const { tenantId, requestKey } = caller;
  const address = Address === undefined ? caller.address : (Address ?? undefined);
  return { tenantId, requestKey, address, time: Time ?? caller.time, audience: Audience };
}

const SCOPES_HIDDEN =
  "A client's scopes are in its Credentials, and you may not read all Credentials. List the scopes of the call in " +
  "Context.Scopes.";

const groupsHidden = (type: string) => `The decision depends on the members of each ${type}, and you may not read all.`;

/** With Context.Scopes given, the client's own scopes are not revealed. */
export class ScopesHidden extends Permission {
  constructor() {
    super(SCOPES_HIDDEN, REFUSED);
  }
}

/** A user's scopes come from roles, which must all be readable. */
function seesScopes({ gate }: Caller, { type }: Actor): boolean {
  return type === "User" || gate.seesAll(CREDENTIALS);
}

/** All that its access tokens can have. */
async function scopesOf(sql: Sql, access: Access, tenantId: TenantId, { type, id }: Actor): Promise<readonly string[]> {
  const all = type === "User" ? userScopes(sql, tenantId, id) : access.knownScopes(tenantId, id, undefined);
  // Scopes of APIs are only in tokens for those APIs.
  return ((await all) ?? []).filter(isOwnScope);
}

function denied(Message: string): Evaluation {
  return { Decision: "Deny", DecidedBy: [], Problems: [{ Policy: null, Message }] };
}

const NOT_EVALUATED = "could not be evaluated for this call, for example because an attribute is missing.";

function evaluationOf({ allowed, policies, failed }: Decision): Evaluation {
  return {
    Decision: allowed ? "Allow" : "Deny",
    DecidedBy: policies,
    Problems: failed.map((name) => ({
      Policy: name,
      Message: `"${name}" ${NOT_EVALUATED} If it is a forbid, it still applies.`,
    })),
  };
}

/** The result depends on all policies, roles and other groups. @returns all policies @throws Permission, TenantBusy, ServiceBusy */
async function requireSeesRules(sql: Sql, access: Access, { tenantId, permissions, gate }: Caller): Promise<Policy[]> {
  const policies = await listAllPolicies(sql, tenantId);
  const roles = gate.seesAll(ROLE.name) ? [] : await listAllRoles(sql, tenantId);
  const rules = [
    ...(gate.seesAll(POLICY.name) ? [] : policies.map((one) => [POLICY.name, POLICY.toRecord(one)] as const)),
    ...roles.map((one) => [ROLE.name, ROLE.judged(one)] as const),
  ];
  if (rules.length > 0) {
    await access.inTurn(tenantId, async (pause) => {
      for (const [type, record] of rules) {
        await pause();
        permissions.require("Settings:Read", type, record);
      }
    });
  }
  for (const { name, members } of access.types.values()) {
    if (!members || name === ROLE.name || gate.seesAll(name)) continue;
    if (await hasMembers(sql, tenantId, members)) throw new Permission(groupsHidden(name), REFUSED);
  }
  return policies;
}

/** The tenant's policies, with the text as one of them. @throws NotFound */
function textsWith(saved: Policy[], { Id, Name, Policy }: Tried): PolicyText[] {
  const replaced = saved.find((one) => (Id ? one.id === Id : one.name === Name));
  if (Id && !replaced) throw new NotFound(`There is no Policy with the Id ${Id}.`);
  const text = { name: Name ?? replaced?.name ?? UNNAMED, policy: Policy };
  const texts = saved.map((one) => (one === replaced ? text : { name: one.name, policy: one.policy }));
  return replaced ? texts : [...texts, text];
}

interface Found {
  record?: JudgedRecord;
  problems: Problem[];
}

async function findRecord(
  sql: Sql,
  access: Access,
  { tenantId }: Caller,
  { Type, Id }: { Type: string; Id: string },
  field: string,
): Promise<Found> {
  if (!access.recordTypes.includes(Type)) {
    const types = access.recordTypes.join(", ");
    const Message = `${field}.Id refers to a record of ${types}. For another type, give Fields.`;
    return { problems: [{ Field: field, Message }] };
  }
  const [record] = await access.findRecords(sql, tenantId, Type, [Id]);
  if (record) return { record, problems: [] };
  return { problems: [{ Field: field, Message: `${field}: there is no ${Type} with this Id.` }] };
}

interface ReadResource {
  /** Set if the record exists. */
  stored?: JudgedRecord;
  before?: JudgedRecord;
  after?: JudgedRecord;
  problems: Problem[];
}

async function readResource(
  sql: Sql,
  access: Access,
  caller: Caller,
  { Type, Id, Fields = {} }: EvaluationQuestion["Resource"],
  action: Action,
): Promise<ReadResource> {
  const type = access.types.get(Type);
  const names = [...access.types.keys()].join(", ");
  if (!type) return { problems: [{ Field: "Resource", Message: `Resource.Type must be one of ${names}.` }] };
  const actions = actionsOn(type);
  const problems: Problem[] = [];
  if (!actions.includes(action)) {
    const Message = `Action does not apply to ${Type}. Its actions are ${actions.join(", ")}.`;
    problems.push({ Field: "Action", Message });
  }
  const found: Found =
    Id === undefined ? { problems: [] } : await findRecord(sql, access, caller, { Type, Id }, "Resource");
  const { record, wrong } = readFields(type, Fields, "Resource.Fields");
  problems.push(...found.problems, ...wrong.map((Message) => ({ Field: "Resource", Message })));
  const stored = found.record;
  const before = stored ?? { ...unset(type), ...record };
  return { stored, before, after: { ...before, ...record }, problems };
}

/** Policy values of unset fields that differ from absent ones. */
function unset({ attributes }: ResourceType): JudgedRecord {
  return Object.fromEntries(attributes.flatMap(({ name, type }) => (type === "dateTime" ? [[name, UNSET_DATE]] : [])));
}

/**
 * The caller must see the record and everything that policies use in it, because a foreign key's Name may belong to a
 * different record.
 * @throws Permission
 */
async function requireSeen(access: Access, caller: Caller, type: string, record: JudgedRecord): Promise<void> {
  permit(caller, [readActionOf(access, type)]);
  const { record: shown } = await caller.gate.show(type, record);
  if (Bun.deepEquals(shown, record)) return;
  throw new Permission(`The ${type} references a record that you may not read, so you get no decision on it.`, REFUSED);
}

const readActionOf = (access: Access, type: string) => `${access.types.get(type)!.families[0]}:Read` as ScopeAction;

// Fields of a described record, in the API's response shape.

function readFields(type: ResourceType, fields: object, path: string): { record: JudgedRecord; wrong: string[] } {
  const record: JudgedRecord = {};
  const wrong: string[] = [];
  for (const [name, given] of Object.entries(fields)) {
    const attribute = type.attributes.find((one) => one.name === name);
    if (!attribute) {
      wrong.push(`${path}: ${printable(name)} is not a field that policies see in a ${type.name}.`);
      continue;
    }
    if (attribute.type === "record" && isObject(given)) {
      const inner = readFields(attribute.of, given, `${path}.${name}`);
      record[name] = { ...unset(attribute.of), ...inner.record };
      wrong.push(...inner.wrong);
      continue;
    }
    const value = given === null ? UNSET[attribute.type] : fieldValue(attribute, given);
    if (value === undefined && given !== null) wrong.push(`${path}.${name} must be ${MUST[attribute.type]}.`);
    record[name] = value;
  }
  return { record, wrong: [...new Set(wrong)] };
}

const MUST: Record<Attribute["type"], string> = {
  text: "a text of limited length",
  texts: "a list of texts of limited length",
  number: "a whole number",
  boolean: "true or false",
  dateTime: "a date such as 2026-01-31T12:00:00Z",
  reference: "an object with Id, a whole number, and optionally the texts ExternalId, Name and Type",
  record: "an object of the record's fields",
};

const UNSET: Partial<Record<Attribute["type"], unknown>> = { dateTime: UNSET_DATE };

/** @returns undefined if it does not fit */
function fieldValue(attribute: Attribute, given: unknown): unknown {
  const max = attribute.type === "record" ? 0 : (attribute.maxLength ?? TEXT_LIMIT);
  const isText = (one: unknown): one is string => typeof one === "string" && one.length <= max && one.isWellFormed();
  switch (attribute.type) {
    case "text":
      return isText(given) ? given : undefined;
    case "texts":
      return Array.isArray(given) && given.every(isText) && given.join("").length <= max ? given : undefined;
    case "number":
      return Number.isSafeInteger(given) ? given : toRecordId(given);
    case "boolean":
      return typeof given === "boolean" ? given : undefined;
    case "dateTime":
      return typeof given === "string" ? readDate(given)?.toISOString() : undefined;
    case "reference": {
      if (!isObject(given)) return undefined;
      const { Id, ExternalId = "", Name = "", Type = "", ...others } = given;
      const id = toRecordId(Id);
      if (id === undefined || Object.keys(others).length > 0) return undefined;
      return [ExternalId, Name, Type].every(isText) ? { Id: id, ExternalId, Name, Type } : undefined;
    }
    case "record":
      return undefined;
  }
}
