// The steps from the server's records to those of the file.

import { BOUND_SECRETS, movedAddresses } from "../egress/index.ts";
import { isObject } from "../http/body.ts";
import { TENANT_SETTINGS } from "../tenants/index.ts";
import { type ApplyDocument, type Entry, type FileProblem, Reference, titleOf, WrongFile } from "./document.ts";
import { type FileKind, isSecret } from "./kinds.ts";
import { type Json, Refused, type Rest } from "./rest.ts";

export interface Difference {
  field: string;
  /** The server's value; undefined: unknown, or there is no record. */
  before?: unknown;
}

export interface Plan {
  /** Records without `current` are created, the others changed. */
  steps: { entry: Entry; differences: Difference[] }[];
  /** Records that are not in the file. With `prune` they are deleted. */
  others: { kind: FileKind; title: string; id: unknown }[];
  prune: boolean;
  /** The number of equal records. */
  same: number;
  uncompared: string[];
}

/** @param secrets sends values again that cannot be compared @throws WrongFile with all problems, Refused */
export async function makePlan(document: ApplyDocument, rest: Rest, prune: boolean, secrets: boolean): Promise<Plan> {
  const { tenant, entries, kinds } = document;
  const problems = [...document.problems];
  const own = tenant && (await rest.get(`/${TENANT_SETTINGS.name}`)).Name;
  if (own !== tenant?.name) problems.push({ line: tenant!.line, text: `The client is of the Tenant "${own}".` });
  for (const entry of entries) entry.current = await find(rest, entry).catch(atLine(entry));
  for (const entry of entries) {
    for (const one of referencesIn(entry.body))
      problems.push(...(await locate(rest, entry, one, entries).catch(atLine(entry, one.line))));
    problems.push(...problemsIn(entry));
  }
  for (const entry of entries) problems.push(...circlesOf(entry));
  if (problems.length > 0) throw new WrongFile(problems);
  const plan: Plan = { steps: [], others: [], prune, same: 0, uncompared: [] };
  for (const entry of inOrder(entries)) {
    const { differences, unknown } = await compare(rest, entry);
    if (secrets) differences.push(...unknown.map((field) => ({ field })));
    else plan.uncompared.push(...unknown.map((field) => `${field} of ${entry.title}`));
    if (entry.current) differences.push(...boundSecrets(entry, differences));
    if (!entry.current || differences.length > 0) plan.steps.push({ entry, differences });
    else plan.same++;
  }
  for (const kind of kinds.filter(({ identifiers }) => identifiers.length > 0)) {
    const known = new Set(entries.filter((entry) => entry.kind === kind).map(({ current }) => current?.Id));
    const listed = await rest.list(kind.name, {}, prune ? Number.POSITIVE_INFINITY : undefined);
    for (const one of listed.filter(({ Id, Is_System }) => !known.has(Id) && Id !== rest.clientId && !Is_System)) {
      const name = kind.identifiers.map((field) => one[field]).find(Boolean);
      plan.others.push({ kind, title: titleOf(kind, name ?? one.Id), id: one.Id });
    }
  }
  return plan;
}

/** Errors of the server as problems of the file. */
const atLine = (entry: Entry, line?: number) => (error: unknown) => {
  if (!(error instanceof Refused)) throw error;
  throw new WrongFile(error.errors.map((text) => ({ ...problemAt(entry, text), ...(line && { line }) })));
};

const pathOf = ({ kind, whole }: Entry) =>
  whole ? `/${whole.kind.name}/${whole.current?.Id}/${kind.name}` : `/${kind.name}`;

/** As the server finds the record of a body without an Id: by any of its identifiers. */
async function find(rest: Rest, entry: Entry): Promise<Json | undefined> {
  const { kind, body, whole } = entry;
  if (kind.identifiers.length === 0) return whole && !whole.current ? undefined : rest.get(pathOf(entry));
  for (const name of kind.identifiers.filter((one) => typeof body[one] === "string" && body[one])) {
    const [found, second] = await rest.list(kind.name, { [name]: body[name] }, 2);
    if (second) throw new WrongFile([problemAt(entry, `${name} is that of several records.`)]);
    if (found) return found;
  }
  return undefined;
}

function referencesIn(value: unknown): Reference[] {
  if (value instanceof Reference) return [value];
  return Object.values(typeof value === "object" ? (value ?? {}) : {}).flatMap(referencesIn);
}

async function locate(rest: Rest, { title }: Entry, reference: Reference, entries: Entry[]): Promise<FileProblem[]> {
  const { kind, by, value, line } = reference;
  reference.entry = entries.find((one) => one.kind === kind && one.body[by] === value);
  if (reference.entry) return [];
  const found = await rest.list(kind.name, { [by]: value }, 2);
  reference.id = found[0]?.Id;
  const reason = found.length > 1 ? "there are several" : "it is neither in the file nor on the server";
  return found.length === 1 ? [] : [{ line, text: `${title} refers to ${reference}, but ${reason}.` }];
}

/** New records that need each other cannot be created in any order. */
function circlesOf(entry: Entry): FileProblem[] {
  const needs = (from: Entry, seen = new Set<Entry>()): boolean => {
    if (from === entry) return true;
    if (from.current || seen.has(from)) return false;
    seen.add(from);
    return referencesIn(from.body).some((one) => one.entry && needs(one.entry, seen));
  };
  const inCircle = referencesIn(entry.body).filter((one) => !entry.current && one.entry && needs(one.entry));
  return inCircle.map((one) => ({
    line: one.line,
    text: `${entry.title} refers to ${one}, which needs it first. Leave one reference of the circle for a later run.`,
  }));
}

const bodyOf = (entry: Entry, fields = Object.keys(entry.body)): Json =>
  Object.fromEntries(fields.map((name) => [name, sent(entry, name)]));

/** A value for the API. A record that does not exist yet has the Id of an example. */
function sent({ kind, body }: Entry, name: string): unknown {
  const withIds = (value: unknown): unknown => {
    if (value instanceof Reference) return value.currentId ?? (value.kind.contract.example as Json).Id;
    if (Array.isArray(value)) return value.map(withIds);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withIds(one)])) : value;
  };
  const isForeignKey = kind.settable.get(name)!.type === "reference" && body[name] instanceof Reference;
  return isForeignKey ? { Id: withIds(body[name]) } : withIds(body[name]);
}

/** Problems that the API would report, found before the first change. */
function problemsIn(entry: Entry): FileProblem[] {
  const { kind, body, current, title, line } = entry;
  const missing = kind.contract.namesOf(({ required }) => required && !current).filter((name) => !(name in body));
  return [
    ...missing.map((name) => ({ line, text: `${title}: ${name} is missing, which a new ${kind.name} needs.` })),
    ...kind.contract.check(bodyOf(entry)).problems.map(({ Message }) => problemAt(entry, Message)),
  ];
}

/** @returns also the fields that cannot be compared */
async function compare(rest: Rest, entry: Entry): Promise<{ differences: Difference[]; unknown: string[] }> {
  const { kind, body, current } = entry;
  const given = [...kind.settable].filter(([name]) => name in body);
  if (!current) return { differences: given.map(([field]) => ({ field })), unknown: [] };
  const by = kind.identifiers.find((name) => current[name]) ?? "";
  const differences: Difference[] = [];
  const unknown: string[] = [];
  for (const [name, field] of given) {
    const [before, value] = [current[name], body[name]];
    if (field.type === "reference") {
      const id = value instanceof Reference ? value.currentId : 0;
      // A filter of the list finds it, because no answer has it.
      const found = field.writeOnly ? await rest.list(kind.name, { [by]: current[by], [name]: id || 0 }, 1) : [];
      const isSame = field.writeOnly ? found.length > 0 : String((before as Json | null)?.Id || 0) === String(id);
      if (id === undefined || !isSame) differences.push({ field: name, before });
    } else if (field.writeOnly) unknown.push(name);
    else if (!isEqual(shown(entry, name), before)) differences.push({ field: name, before });
    else if (isObject(before) && Object.values(before).includes(null)) unknown.push(name);
  }
  return { differences, unknown };
}

/** The value as an answer would have it; undefined if it refers to a record that does not exist yet. */
function shown(entry: Entry, name: string): unknown {
  const { kind, body, current } = entry;
  const { show, type, blank = null } = kind.settable.get(name)!;
  if (referencesIn(body[name]).some(({ currentId }) => currentId === undefined)) return undefined;
  const input = (kind.contract.check(bodyOf(entry, [name])).input as Json)[name] ?? blank;
  if (type !== "attributes") return show ? show(input) : input;
  // Attributes that a body omits stay, and null removes one.
  const merged = input === null ? {} : { ...(current![name] as Json), ...(input as Json) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

/** Values of null within an answer are hidden, such as those of Headers. */
function isEqual(wanted: unknown, shown: unknown): boolean {
  if (!isObject(wanted) || !isObject(shown)) return Bun.deepEquals(wanted, shown);
  const hidden = Object.keys(wanted).filter((name) => shown[name] === null);
  return Bun.deepEquals({ ...wanted, ...Object.fromEntries(hidden.map((name) => [name, null])) }, shown);
}

/** Secrets that the server rejects to keep for a different address. */
function boundSecrets({ kind, body, current }: Entry, differences: Difference[]): Difference[] {
  const bound = new Map(Object.entries(BOUND_SECRETS)).get(kind.name);
  const moved = bound ? movedAddresses(kind.name as never, current as never, { ...current, ...body } as never) : [];
  const known = new Set(differences.map(({ field }) => field));
  const secrets = moved.length > 0 ? bound!.secrets : [];
  return secrets.filter((name) => name in body && !known.has(name)).map((field) => ({ field }));
}

/** Each entry after those that it needs: references, its whole, and definitions of the names that it uses. */
function inOrder(entries: Entry[]): Entry[] {
  const definitions = new Map<unknown, Entry>();
  for (const entry of entries) {
    const items = Object.values(entry.body).filter(Array.isArray).flat();
    for (const one of items) if (isObject(one)) definitions.set(one.Name, entry);
  }
  const [ordered, seen] = [new Set<Entry>(), new Set<Entry>()];
  const visit = (entry: Entry | undefined) => {
    if (!entry || seen.has(entry)) return;
    seen.add(entry);
    visit(entry.whole);
    for (const one of referencesIn(entry.body)) visit(one.entry);
    // Such as the scopes of an Api in lists, and the attributes of users.
    for (const value of Object.values(entry.body)) {
      for (const name of Array.isArray(value) ? value : Object.keys(isObject(value) ? value : {}))
        visit(definitions.get(name));
    }
    ordered.add(entry);
  };
  for (const entry of entries) visit(entry);
  return [...ordered];
}

/** @param done gets each step in words @throws WrongFile at the first error of the server */
export async function applyPlan(plan: Plan, rest: Rest, done: (text: string) => void): Promise<void> {
  for (const { entry, differences } of plan.steps) {
    const { kind, current, title } = entry;
    const changed = new Set(differences.map(({ field }) => field));
    // Also equal fields, because some reset others: with a new Email, EmailVerified must be repeated.
    const fields = Object.keys(entry.body).filter((name) => changed.has(name) || !isSecret(kind.settable.get(name)!));
    const isNew = !current && kind.identifiers.length > 0;
    const body = { ...(current?.Id !== undefined && { Id: current.Id }), ...bodyOf(entry, fields) };
    entry.current = await rest.save(pathOf(entry), body, isNew).catch(atLine(entry));
    done(`${current ? "Changed" : "Created"} ${title}`);
  }
  if (plan.prune) await removeAll(plan.others.toReversed(), rest, done);
}

/** Records that are still referenced are tried again after the others. */
async function removeAll(records: Plan["others"], rest: Rest, done: (text: string) => void): Promise<void> {
  const refused = new Map<Plan["others"][number], Refused>();
  for (const one of records) {
    const error = await rest.remove(`/${one.kind.name}/${one.id}`).catch((error) => error);
    if (error instanceof Refused) refused.set(one, error);
    else if (error) throw error;
    else done(`Deleted ${one.title}`);
  }
  if (refused.size === records.length && refused.size > 0) {
    const problems = [...refused].map(([{ title }, { message }]) => `${title} was not deleted. ${message}`);
    throw new WrongFile(problems.map((text) => ({ line: 1, text })));
  }
  if (refused.size > 0) await removeAll([...refused.keys()], rest, done);
}

/** An error begins with the path of its value, such as `Scopes[0].Name`, or with the line of a text. */
function problemAt({ title, lines, line }: Entry, text: string): FileProblem {
  const [, field, number] = /^(\w+), line (\d+)/.exec(text) ?? [];
  const block = lines.get(`${field}, line 1`);
  const paths = [...lines.keys()].filter((path) => text.startsWith(path) && !/^\w/.test(text.slice(path.length)));
  const [longest = ""] = paths.toSorted((one, other) => other.length - one.length);
  return { line: block ? block + Number(number) - 1 : (lines.get(longest) ?? line), text: `${title}: ${text}` };
}
