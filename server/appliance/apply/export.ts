// `bun run apply --export`: a tenant's records as the file from which they would be applied, without secrets.

import { Document, type Node } from "yaml";
import { TENANT_SETTINGS } from "../../identity/index.ts";
import { CannotStart } from "../../platform/errors.ts";
import { isObject } from "../../platform/http/body.ts";
import type { Field } from "../../platform/http/fields.ts";
import { SELF_MADE } from "../../records/index.ts";
import { MAX_VALUES, TENANT, titleOf } from "./document.ts";
import { comparable, type FileKind, isSecret } from "./kinds.ts";
import type { Json, Rest } from "./rest.ts";

/** A record of the server, and how a file names it. */
interface Named {
  kind: FileKind;
  record: Json;
  /** Such as `{ Name: payroll }`; undefined: only its Id, which differs in each installation. */
  name: Json | undefined;
  isSelfMade: boolean;
}

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
  if (unknown) throw new CannotStart(`${unknown} is no kind. Choose ${sections.map(({ name }) => name).join(", ")}.`);
  const [comments, skipped]: [Comments, string[]] = [[], []];
  const all = new Map<FileKind, Named[]>();
  for (const kind of sections) if (kind.identifiers.length > 0) all.set(kind, await namedRecords(kind, rest));
  const file: Json = { [TENANT]: (await rest.get(`/${TENANT_SETTINGS.name}`)).Name };
  for (const kind of sections.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const secrets = [...kind.settable].filter(([, field]) => isSecret(field)).map(([name]) => name);
    if (kind.identifiers.length === 0) file[kind.name] = await bodyOf(kind, await rest.get(`/${kind.name}`), []);
    else await readSection(kind, all.get(kind)!);
    if (secrets.length > 0 && kind.name in file)
      comments.push({
        path: [kind.name],
        text: ` Without ${secrets.join(" and ")}: a file has them by reference, such as { env: NAME }.`,
      });
  }
  return textOf(file, comments, skipped);

  async function readSection(kind: FileKind, records: Named[]): Promise<void> {
    const parts = kinds.filter(({ partOf }) => partOf === kind.name);
    const pointing = await hiddenReferences(kind);
    const list: Json[] = [];
    for (const { record, name, isSelfMade } of records) {
      if (record.Is_System || record.Id === rest.clientId || isSelfMade) continue;
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

  /** References that no answer has, found by the list's filters: for each record by its Id. */
  async function hiddenReferences(kind: FileKind): Promise<Map<unknown, Json>> {
    const found = new Map<unknown, Json>();
    for (const [field, { target, writeOnly }] of kind.settable) {
      if (!target || !writeOnly) continue;
      for (const { record: pointedAt } of all.get(kindOf(target)!) ?? []) {
        const pointing = await rest.list(kind.name, { [field]: pointedAt.Id }, Number.POSITIVE_INFINITY);
        for (const { Id } of pointing) found.set(Id, { ...found.get(Id), [field]: referenceTo(target, pointedAt.Id) });
      }
    }
    return found;
  }

  function kindOf(name: unknown): FileKind | undefined {
    return sections.find((kind) => kind.name === name && kind.identifiers.length > 0);
  }

  function referenceTo(target: unknown, id: unknown): Json | undefined {
    const found = all.get(kindOf(target)!)?.find(({ record }) => String(record.Id) === String(id));
    return found && (found.isSelfMade ? { Id: found.record.Id } : found.name);
  }

  /** The fields that differ from a new record's. @param hidden gets the names of those that a file cannot have */
  async function bodyOf(kind: FileKind, record: Json, hidden: string[]): Promise<Json> {
    const body: Json = {};
    for (const [name, field] of kind.settable) {
      const value = record[name];
      if (isEmpty(value) || isSecret(field) || Bun.deepEquals(value, blankOf(field))) continue;
      const given = field.target ? referenceOf(field.target, value) : named(value);
      // Such as the values of Headers.
      const isReadable = given !== undefined && !(isObject(value) && Object.values(value).includes(null));
      if (given === null) continue;
      // Such as State while a connection is held, and more Members than a body may have.
      const isAccepted = field.target || kind.contract.check({ [name]: value }).problems.length === 0;
      if (isReadable && isAccepted) body[name] = given;
      else hidden.push(name);
    }
    return body;
  }

  /** Null: it refers to no record; undefined: to one that this client may not see. */
  function referenceOf(target: string, value: unknown): Json | null | undefined {
    const id = isObject(value) ? value.Id : value;
    return Number(id) === 0 ? null : referenceTo(target, id);
  }

  /** With `{ Type, Id }` as `{ Type, Name }`. */
  function named(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(named);
    if (!isObject(value) || !kindOf(value.Type) || value.Id === undefined) return value;
    const reference = referenceTo(value.Type, value.Id);
    return reference && { Type: value.Type, ...reference };
  }
}

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
async function namedRecords(kind: FileKind, rest: Rest): Promise<Named[]> {
  const list = async (filter: Json, isSelfMade: boolean) =>
    (await rest.list(kind.name, filter, Number.POSITIVE_INFINITY)).map((record) => ({ record, isSelfMade }));
  const records = kind.selfMade
    ? [...(await list({ [SELF_MADE]: false }, false)), ...(await list({ [SELF_MADE]: true }, true))]
    : await list({}, false);
  const keyOf = (record: Json, name: string) => `${name} ${comparable(kind, name, record[name])}`;
  const own = records.filter(({ isSelfMade }) => !isSelfMade);
  const keys = own.flatMap(({ record }) => kind.identifiers.map((name) => keyOf(record, name)));
  const counts = Map.groupBy(keys, (key) => key);
  // The server rejects a file with any identifier of several records.
  const nameOf = (record: Json): Json | undefined => {
    const given = kind.identifiers.filter((name) => typeof record[name] === "string" && record[name]);
    const isUnique = given.every((name) => counts.get(keyOf(record, name))?.length === 1);
    return isUnique && given[0] ? { [given[0]]: record[given[0]] } : undefined;
  };
  const all = records.map((one) => ({ ...one, kind, name: nameOf(one.record) }));
  const sortKey = ({ name, record }: Named) => String(Object.values(name ?? {})[0] ?? record.Id);
  return all.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
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
