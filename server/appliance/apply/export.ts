// `bun run apply --export`: a tenant's records as the file from which they would be applied, without secrets.

import { Document, type Node } from "yaml";
import { tenants } from "../../identity/index.ts";
import { CannotStart } from "../../platform/errors.ts";
import { isObject } from "../../platform/http/body.ts";
import type { Field } from "../../platform/http/fields.ts";
import { MAX_VALUES, TENANT, titleOf } from "./apply-file.ts";
import { comparable, type FileKind, isSecret } from "./kinds.ts";
import { identifiersOf, isForFiles, list } from "./plan.ts";
import type { Json, Rest } from "./rest.ts";

/** A record of the server, and how a file refers to it. */
interface Named {
  record: Json;
  /** Such as `{ Name: payroll }`; undefined: only by its Id, which differs in each installation. */
  name: Json | undefined;
  isSelfMade: boolean;
}

/** By their Ids as text, in the order of their names. */
type Records = ReadonlyMap<string, Named>;

/** A comment of a section or of a record, by its node's path. */
type Comments = { path: (string | number)[]; text: string }[];

/**
 * @param names of the kinds to export; none: all
 * @returns a YAML file that this tenant already equals
 * @throws CannotStart, Refused
 */
export async function exported(kinds: readonly FileKind[], names: readonly string[], rest: Rest): Promise<string> {
  const sections = kinds.filter(({ partOf }) => !partOf);
  const unknown = names.find((name) => !sections.some((kind) => kind.name === name));
  if (unknown)
    throw new CannotStart(`${unknown} is not a kind of record. Choose ${sections.map(({ name }) => name).join(", ")}.`);
  const [comments, skipped]: [Comments, string[]] = [[], []];
  const read = new Map<FileKind, Promise<Records>>();
  const file: Json = { [TENANT]: (await rest.get(`/${tenants.TENANT_SETTINGS.name}`)).Name };
  for (const kind of sections.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const secrets = [...kind.settable].filter(([, field]) => isSecret(field)).map(([name]) => name);
    if (kind.identifiers.length === 0) file[kind.name] = await bodyOf(kind, await rest.get(`/${kind.name}`), []);
    else await readSection(kind);
    if (secrets.length > 0 && kind.name in file)
      comments.push({
        path: [kind.name],
        text: ` Without ${secrets.join(" and ")}: a file has them by reference, such as { env: NAME }.`,
      });
  }
  return textOf(file, comments, skipped);

  /** The records of a kind, read once. Of a kind without a section, only those that references name. */
  function recordsOf(kind: FileKind): Promise<Records> {
    const records = read.get(kind) ?? namedRecords(kind, rest);
    read.set(kind, records);
    return records;
  }

  async function readSection(kind: FileKind): Promise<void> {
    const parts = kinds.filter(({ partOf }) => partOf === kind.name);
    const pointing = await hiddenReferences(kind);
    const list: Json[] = [];
    for (const { record, name, isSelfMade } of (await recordsOf(kind)).values()) {
      if (isSelfMade || !isForFiles(rest, record)) continue;
      if (!name) {
        skipped.push(titleOf(kind, record.Id));
        continue;
      }
      const hidden: string[] = [];
      const body = { ...(await bodyOf(kind, record, hidden)), ...pointing.get(record.Id) };
      for (const part of parts) {
        const inner = await bodyOf(part, await rest.get(`/${kind.name}/${record.Id}/${part.name}`), hidden);
        if (Object.keys(inner).length > 0) body[part.name] = inner;
      }
      const text = ` A file cannot have the values of ${hidden.join(", ")}.`;
      if (hidden.length > 0) comments.push({ path: [kind.name, list.length], text });
      list.push(body);
    }
    if (list.length > 0) file[kind.name] = list;
  }

  /**
   * Write-only references, which no answer has: the list's filters find the records that have each.
   * @returns the fields by the record's Id
   */
  async function hiddenReferences(kind: FileKind): Promise<Map<unknown, Json>> {
    const found = new Map<unknown, Json>();
    for (const [field, { target, writeOnly }] of kind.settable) {
      const pointedAt = target && writeOnly ? kindOf(target) : undefined;
      if (!pointedAt) continue;
      for (const one of (await recordsOf(pointedAt)).values()) {
        const pointing = await rest.list(kind.name, { [field]: one.record.Id }, Number.POSITIVE_INFINITY);
        for (const { Id } of pointing) found.set(Id, { ...found.get(Id), [field]: referenceTo(one) });
      }
    }
    return found;
  }

  function kindOf(name: unknown): FileKind | undefined {
    return sections.find((kind) => kind.name === name && kind.identifiers.length > 0);
  }

  /** The fields that differ from a new record's. @param hidden gets the names of those that a file cannot have */
  async function bodyOf(kind: FileKind, record: Json, hidden: string[]): Promise<Json> {
    const body: Json = {};
    for (const [name, field] of kind.settable) {
      const value = record[name];
      if (isEmpty(value) || isSecret(field) || Bun.deepEquals(value, blankOf(field))) continue;
      const given = field.target ? await referenceOf(field.target, value) : await named(value);
      if (given === null) continue;
      // Such as the values of Headers.
      const isReadable = given !== undefined && !(isObject(value) && Object.values(value).includes(null));
      // A body may not have some values of answers, such as State Held, or more Members than its maximum.
      const isAccepted = field.target || kind.contract.check({ [name]: value }).problems.length === 0;
      if (isReadable && isAccepted) body[name] = given;
      else hidden.push(name);
    }
    return body;
  }

  /** Null: it refers to no record; undefined: to one that this client may not see, or without a name. */
  async function referenceOf(target: unknown, value: unknown): Promise<Json | null | undefined> {
    const id = isObject(value) ? value.Id : value;
    if (Number(id) === 0) return null;
    const kind = kindOf(target);
    const found = kind && (await recordsOf(kind)).get(String(id));
    return found && referenceTo(found);
  }

  /** With `{ Type, Id }` as `{ Type, Name }`; undefined if a record has no name. */
  async function named(value: unknown): Promise<unknown> {
    if (Array.isArray(value)) {
      const all = await Promise.all(value.map(named));
      return all.includes(undefined) ? undefined : all;
    }
    if (!isObject(value) || !kindOf(value.Type) || value.Id === undefined) return value;
    const reference = await referenceOf(value.Type, value.Id);
    return reference && { Type: value.Type, ...reference };
  }
}

const referenceTo = ({ isSelfMade, record, name }: Named) => (isSelfMade ? { Id: record.Id } : name);

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

/** The value after a reset, as an answer shows it. */
function blankOf({ show, take, required, blank }: Field): unknown {
  if (required) return undefined;
  const stored = blank ?? take?.(null as never) ?? null;
  return show ? show(stored) : stored;
}

/** In the order of their names, so that two exports differ only where records do. */
async function namedRecords(kind: FileKind, rest: Rest): Promise<Records> {
  const read = async (isSelfMade: boolean) =>
    (await list(rest, kind, {}, isSelfMade, Number.POSITIVE_INFINITY)).map((record) => ({ record, isSelfMade }));
  const [own, selfMade] = [await read(false), await read(true)];
  const keysOf = (record: Json) =>
    identifiersOf({ kind, body: record })
      .flatMap(Object.entries)
      .map(([name, value]) => `${name} ${comparable(kind, name, value)}`);
  const counts = Map.groupBy(
    own.flatMap(({ record }) => keysOf(record)),
    String,
  );
  // The server rejects a file with any identifier of several records.
  const nameOf = (record: Json): Json | undefined => {
    const isUnique = keysOf(record).every((key) => counts.get(key)?.length === 1);
    return isUnique ? identifiersOf({ kind, body: record })[0] : undefined;
  };
  const sortKey = ({ name, record }: Named) => String(Object.values(name ?? {})[0] ?? record.Id);
  const all = [...own, ...selfMade].map((one): Named => ({ ...one, name: nameOf(one.record) }));
  all.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  return new Map(all.map((one) => [String(one.record.Id), one]));
}

/** @throws CannotStart if it is too long for a file */
function textOf(file: Json, comments: Comments, skipped: string[]): string {
  const document = new Document(file, { aliasDuplicateObjects: false });
  let values = 0;
  const count = (value: unknown): void => {
    values++;
    for (const one of Object.values(typeof value === "object" && value ? value : {})) count(one);
  };
  count(file);
  if (values > MAX_VALUES)
    throw new CannotStart(
      `The file would have ${values} values, and ${MAX_VALUES} are the most. Export the kinds apart, as in --export User.`,
    );
  for (const { path, text } of comments) {
    (document.getIn(path, true) as Node).commentBefore = text;
  }
  if (skipped.length > 0) document.commentBefore = ` Without a name of their own, so not here: ${skipped.join(", ")}.`;
  return document.toString({ lineWidth: 0 }).trimEnd();
}
