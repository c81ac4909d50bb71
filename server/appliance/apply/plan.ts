// The steps from the server's records to those of the file.

import { tenants } from "../../identity/index.ts";
import { BOUND_SECRETS, movedAddresses } from "../../platform/egress/index.ts";
import { isObject } from "../../platform/http/body.ts";
import { isSameText } from "../../platform/http/fields.ts";
import { SELF_MADE } from "../../records/index.ts";
import {
  type ApplyDocument,
  type Entry,
  type FileProblem,
  quoteIt,
  Reference,
  titleOf,
  WrongFile,
} from "./apply-file.ts";
import { comparable, type FileKind, isSecret } from "./kinds.ts";
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
  /** Self-made records that the file names by their Ids. */
  selfMade: { kind: FileKind; record: Json; line: number }[];
  /** The number of records that are equal in the file and on the server. */
  same: number;
  uncompared: string[];
}

/** @param secrets sends values again that cannot be compared @throws WrongFile with all problems, Refused */
export async function makePlan(document: ApplyDocument, rest: Rest, prune: boolean, secrets: boolean): Promise<Plan> {
  const { tenant, entries, kinds } = document;
  const problems = [...document.problems];
  const own = tenant && (await rest.get(`/${tenants.TENANT_SETTINGS.name}`)).Name;
  if (own !== tenant?.name) problems.push({ line: tenant!.line, text: `The client is of the Tenant "${own}".` });
  const plan: Plan = { steps: [], others: [], prune, selfMade: [], same: 0, uncompared: [] };
  for (const entry of entries) {
    entry.current = await find(rest, entry).catch(atLine(entry));
    if (entry.id) plan.selfMade.push({ kind: entry.kind, record: entry.current!, line: entry.line });
    else if (!entry.current) problems.push(...(await selfMadeOf(rest, entry).catch(atLine(entry))));
  }
  for (const entry of entries) {
    for (const one of referencesIn(entry.body))
      problems.push(...(await locate(rest, entry, one, document, plan).catch(atLine(entry, one.line))));
    problems.push(...problemsIn(entry));
  }
  for (const entry of entries) problems.push(...circlesOf(entry));
  if (problems.length > 0) throw new WrongFile(problems);
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
    for (const one of listed.filter((record) => !known.has(record.Id) && isForFiles(rest, record))) {
      const name = kind.identifiers.map((field) => one[field]).find(Boolean);
      plan.others.push({ kind, title: titleOf(kind, name ?? one.Id), id: one.Id });
    }
  }
  return plan;
}

/** Neither a system record nor the client of the run. */
export const isForFiles = ({ clientId }: Rest, { Id, Is_System }: Json) => Id !== clientId && !Is_System;

/** Errors of the server as problems of the file. */
const atLine = (entry: Entry, line?: number) => (error: unknown) => {
  if (!(error instanceof Refused)) throw error;
  throw new WrongFile(error.errors.map((text) => ({ ...problemAt(entry, text), ...(line && { line }) })));
};

const pathOf = ({ kind, whole }: Entry) =>
  whole ? `/${whole.kind.name}/${whole.current?.Id}/${kind.name}` : `/${kind.name}`;

/** As the server finds the record of a body: by its Id, or by any of its identifiers. */
async function find(rest: Rest, entry: Entry): Promise<Json | undefined> {
  const { kind, whole, id } = entry;
  if (kind.identifiers.length === 0) return whole && !whole.current ? undefined : rest.get(pathOf(entry));
  if (id) {
    const [found] = await list(rest, kind, { Id: id }, true);
    if (found) return found;
    const text = `Id: there is no ${kind.name} ${id} that ${kind.selfMade!.how}. Other records are found by name.`;
    throw new WrongFile([problemAt(entry, text)]);
  }
  for (const filter of identifiersOf(entry)) {
    const [found, second] = await list(rest, kind, filter, false);
    if (second)
      throw new WrongFile([
        problemAt(entry, `${Object.keys(filter)} is used by several records. Change it in all but one.`),
      ]);
    if (found) return found;
  }
  return undefined;
}

/** The filters of a list that find the record: one for each identifier in its body. */
export const identifiersOf = ({ kind, body }: Pick<Entry, "kind" | "body">): Json[] =>
  kind.identifiers.filter((one) => typeof body[one] === "string" && body[one]).map((name) => ({ [name]: body[name] }));

/**
 * One request, so a record that is renamed meanwhile is not in both lists.
 * @param max default: two, which are enough to find several
 */
export async function list(rest: Rest, kind: FileKind, filter: Json, isSelfMade: boolean, max = 2): Promise<Json[]> {
  if (!kind.selfMade) return isSelfMade ? [] : rest.list(kind.name, filter, max);
  return rest.list(kind.name, { ...filter, [SELF_MADE]: isSelfMade }, max);
}

/** Self-made records with a name of the file: neither an upsert nor this plan finds them by name. */
async function selfMadeOf(rest: Rest, entry: Entry): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  for (const filter of identifiersOf(entry)) {
    for (const found of await list(rest, entry.kind, filter, true)) {
      const choice = `If it is meant, add Id: ${found.Id} here. If not, delete it, or choose a different name.`;
      problems.push(selfMadeProblem(entry.kind, filter, found, entry.line, choice));
    }
  }
  return problems;
}

function selfMadeProblem(kind: FileKind, filter: Json, { Id }: Json, line: number, choice: string): FileProblem {
  const [by, value] = Object.entries(filter)[0]!;
  const text = `${titleOf(kind, value)}: the ${kind.name} of this ${by} has the Id ${Id}, and ${kind.selfMade!.how}.`;
  return { line, text: `${text} ${choice}`, isSelfMade: true };
}

function referencesIn(value: unknown): Reference[] {
  if (value instanceof Reference) return [value];
  return Object.values(typeof value === "object" ? (value ?? {}) : {}).flatMap(referencesIn);
}

async function locate(
  rest: Rest,
  { title }: Entry,
  reference: Reference,
  { entries }: ApplyDocument,
  plan: Plan,
): Promise<FileProblem[]> {
  const { kind, by, value, line } = reference;
  const isById = by === "Id";
  const wanted = comparable(kind, by, value);
  const isIt = ({ body, id }: Entry) => (isById ? id === value : comparable(kind, by, body[by]) === wanted);
  reference.entry = entries.find((one) => one.kind === kind && isIt(one));
  if (reference.entry) return [];
  const own = await list(rest, kind, { [by]: value }, false);
  const selfMade = own.length > 0 ? [] : await list(rest, kind, { [by]: value }, true);
  const [found] = isById ? [...own, ...selfMade] : own;
  reference.id = found?.Id;
  if (isById) plan.selfMade.push(...selfMade.map((record) => ({ kind, record, line })));
  if (found && own.length < 2) return [];
  const choice = `If it is meant, refer to it by { Id: ${selfMade[0]?.Id} }. If not, use a different name.`;
  if (selfMade[0]) return [selfMadeProblem(kind, { [by]: value }, selfMade[0], line, choice)];
  const reason = found ? "there are several" : "it is neither in the file nor on the server";
  return [{ line, text: `${title} refers to ${reference}, but ${reason}.` }];
}

/** New records that reference each other in a circle, so none can be created first. */
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
    ...kind.contract.check(bodyOf(entry)).problems.flatMap(({ Field, Message }) => {
      const unquoted = [...entry.unquoted].filter(([path]) => path.split(/[.[]/)[0] === Field);
      if (unquoted.length === 0 || !isRightQuoted(entry, Field)) return problemAt(entry, Message);
      return unquoted.map(([path, source]) => problemAt(entry, `${path}: ${quoteIt(source)}`));
    }),
  ];
}

/** Whether a field is right if all of its values are texts, as they are written. */
function isRightQuoted(entry: Entry, field: string): boolean {
  const quoted = (value: unknown, path: string): unknown => {
    if (entry.unquoted.has(path)) return entry.unquoted.get(path);
    if (Array.isArray(value)) return value.map((one, index) => quoted(one, `${path}[${index}]`));
    if (!isObject(value) || value instanceof Reference) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, quoted(one, `${path}.${name}`)]));
  };
  const body = { ...entry.body, [field]: quoted(entry.body[field], field) };
  return entry.kind.contract.check(bodyOf({ ...entry, body }, [field])).problems.length === 0;
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
      // No answer has a write-only reference, but a filter of the list finds the record with it.
      const found = field.writeOnly ? await rest.list(kind.name, { [by]: current[by], [name]: id || 0 }, 1) : [];
      const isSame = field.writeOnly ? found.length > 0 : String((before as Json | null)?.Id || 0) === String(id);
      if (id === undefined || !isSame) differences.push({ field: name, before });
    } else if (field.writeOnly) unknown.push(name);
    else if (!isEqual(shown(entry, name), before) && !isSameText(field, shown(entry, name), before))
      differences.push({ field: name, before });
    else if (isObject(before) && Object.values(before).includes(null)) unknown.push(name);
  }
  return { differences, unknown };
}

/** The value as an answer would have it; undefined if it refers to a record that does not exist yet. */
function shown(entry: Entry, name: string): unknown {
  const { kind, body, current } = entry;
  const { show, merge, blank = null } = kind.settable.get(name)!;
  if (referencesIn(body[name]).some(({ currentId }) => currentId === undefined)) return undefined;
  const input = (kind.contract.check(bodyOf(entry, [name])).input as Json)[name] ?? blank;
  const value = merge ? merge(current![name], input as never) : input;
  return show ? show(value) : value;
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
    // Not those in another spelling, which would change it.
    const fields = Object.keys(entry.body).filter((name) => {
      const field = kind.settable.get(name)!;
      return changed.has(name) || !(isSecret(field) || field.compared);
    });
    const isNew = !current && kind.identifiers.length > 0;
    const body = { ...(current?.Id !== undefined && { Id: current.Id }), ...bodyOf(entry, fields) };
    entry.current = await rest.save(pathOf(entry), body, isNew).catch(async (error) => {
      // A stranger may have taken the name since the plan. The server has then rejected the write.
      const taken = isNew && error instanceof Refused ? await selfMadeOf(rest, entry) : [];
      if (taken.length > 0) throw new WrongFile(taken);
      return atLine(entry)(error);
    });
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
function problemAt({ title, lines, unquoted, line }: Entry, text: string): FileProblem {
  const [, field, number] = /^(\w+), line (\d+)/.exec(text) ?? [];
  const block = lines.get(`${field}, line 1`);
  const paths = [...lines.keys()].filter((path) => text.startsWith(path) && !/^\w/.test(text.slice(path.length)));
  const [longest = ""] = paths.toSorted((one, other) => other.length - one.length);
  const isOf = (path: string) => path === longest || path.startsWith(`${longest}[`);
  const [path, source] =
    (/ must be a (string|list .* strings)/.test(text) && [...unquoted].find(([one]) => isOf(one))) || [];
  const said = source ? `${path}: ${quoteIt(source)}` : text;
  return { line: block ? block + Number(number) - 1 : (lines.get(longest) ?? line), text: `${title}: ${said}` };
}
