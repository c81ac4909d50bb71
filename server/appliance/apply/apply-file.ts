// A file of `bun run apply`: YAML with the line of every value. Secrets and other records are given by reference.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Alias, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, Scalar } from "yaml";
import { distance } from "../../platform/config/misspelt-names.ts";
import { CannotStart } from "../../platform/errors.ts";
import { isObject, printable } from "../../platform/http/body.ts";
import { isKept } from "../../platform/http/numbers.ts";
import { toRecordId } from "../../platform/http/query.ts";
import { comparable, type FileKind, isSecret } from "./kinds.ts";

/** Problems of the file, and errors of the server at its lines. */
export class WrongFile extends Error {
  constructor(readonly problems: FileProblem[]) {
    super();
  }
}

/** `isSelfMade`: the file names a self-made record, which needs its Id. */
export type FileProblem = { line: number; text: string; isSelfMade?: boolean };

/** A record named by an identifier, as `{ Name: payroll }`, or by the Id that a self-made one needs. */
export class Reference {
  /** The record in the file, or else the Id of the one on the server. */
  entry: Entry | undefined;
  id: unknown;

  constructor(
    readonly kind: FileKind,
    readonly by: string,
    readonly value: unknown,
    readonly line: number,
  ) {}

  /** Undefined: the record does not exist yet. */
  get currentId(): unknown {
    return this.entry ? this.entry.current?.Id : this.id;
  }

  toString(): string {
    return titleOf(this.kind, this.value);
  }
}

/** A record of the file. */
export interface Entry {
  kind: FileKind;
  title: string;
  line: number;
  /** The Id, by which the file names a self-made record. */
  id: string | undefined;
  /** The record's values by field; some are References. */
  body: Record<string, unknown>;
  /** By path, such as `Scopes[0].Name`. */
  lines: Map<string, number>;
  /**
   * By path: unquoted texts that YAML reads as a number, true, false or null. Without secrets, because errors show
   * them.
   */
  unquoted: Map<string, string>;
  /** Such as `{ env: NAME }`, by path. */
  origins: Map<string, string>;
  /** The record that it is a part of. */
  whole: Entry | undefined;
  /** The record on the server. */
  current: Record<string, unknown> | undefined;
}

export interface ApplyDocument {
  tenant?: { name: unknown; line: number };
  entries: Entry[];
  /** The kinds that have a section in the file. */
  kinds: FileKind[];
  /** All values given by reference, with their origins. */
  hidden: Map<string, string>;
  problems: FileProblem[];
}

export const TENANT = "Tenant";
/** The maximum number of wrong letters in a name that is still recognized. */
const MAX_DISTANCE = 2;
/** With aliases, a short file could have any number. */
export const MAX_VALUES = 200_000;

export const titleOf = ({ name }: FileKind, value: unknown) => `${name} "${printable(String(value))}"`;

/** @throws CannotStart if it cannot be read, WrongFile if it is not YAML; all other problems are collected */
export function readDocument(file: string, kinds: readonly FileKind[], env: NodeJS.ProcessEnv): ApplyDocument {
  const { root, lines, unquoted } = readYaml(textOfFile(file));
  const document: ApplyDocument = { entries: [], kinds: [], hidden: new Map(), problems: [] };
  const named = new Map<string, Entry>();
  const report = (line: number, text: string) => void document.problems.push({ line, text });
  // The paths within a value follow the value's own path.
  const list = [...lines];
  const places = { list, index: new Map(list.map(([path], at) => [path, at])) };
  const sections = kinds.filter(({ partOf }) => !partOf);
  const words = [TENANT, ...sections.map(({ name }) => name)];
  if (!isObject(root)) report(1, `The file must be a map of ${words.join(", ")}.`);
  for (const [name, value] of Object.entries(isObject(root) ? root : {})) readSection(name, value, lines.get(name)!);
  document.entries.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
  return document;

  function readSection(name: string, value: unknown, line: number): void {
    const kind = sections.find((one) => one.name === name);
    if (name === TENANT && unquoted.has(name)) report(line, `${name}: ${quoteIt(unquoted.get(name)!)}`);
    else if (name === TENANT) document.tenant = { name: value, line };
    else if (!kind) report(line, `${wrongName(name, words)} A file has ${words.join(", ")}.`);
    else {
      document.kinds.push(kind);
      if (kind.identifiers.length === 0) readEntry(kind, value, name);
      else if (Array.isArray(value)) value.forEach((one, index) => void readEntry(kind, one, `${name}[${index}]`));
      else if (value !== null) report(line, `${name} must be a list, where each ${name} begins with "- ".`);
    }
  }

  function readEntry(kind: FileKind, given: unknown, path: string, whole?: Entry): void {
    const line = lines.get(path)!;
    if (!isObject(given)) report(line, `${path} must be a map of fields.`);
    const fields = Object.entries(isObject(given) ? given : {});
    const [inner, ofInner] = [new Map<string, number>(), new Map<string, string>()];
    for (let at = places.index.get(path)! + 1; places.list[at]?.[0].startsWith(`${path}.`); at++) {
      const [whole, line] = places.list[at]!;
      const place = whole.slice(path.length + 1);
      inner.set(place, line);
      const field = kind.settable.get(/^\w+/.exec(place)?.[0] ?? "");
      if (unquoted.has(whole) && !(field && isSecret(field))) ofInner.set(place, unquoted.get(whole)!);
    }
    const title = whole ? `${kind.name} of ${whole.title}` : kind.name;
    const empty = { id: undefined, body: {}, origins: new Map(), current: undefined };
    const entry: Entry = { kind, title, line, lines: inner, unquoted: ofInner, whole, ...empty };
    const partOf = (name: string) => kinds.find((one) => one.partOf === kind.name && one.name === name);
    for (const [name, value] of fields) if (!partOf(name)) readField(entry, name, value);
    const names = kind.identifiers.map((name) => entry.body[name]).filter((value) => value || value === 0);
    const found = names.find((value) => typeof value === "string") ?? entry.id;
    if (found) entry.title = titleOf(kind, found);
    else if (names.length === 0 && kind.identifiers[0])
      report(line, `${path} needs ${kind.identifiers.join(" or ")}, by which it is found.${hintOf(entry)}`);
    const keys = kind.identifiers
      .filter((name) => entry.body[name])
      .map((name) => `${kind.name} ${name} ${comparable(kind, name, entry.body[name])}`);
    if (entry.id) keys.push(`${kind.name} Id ${entry.id}`);
    const twin = keys.map((key) => named.get(key)).find((one) => one !== undefined);
    if (twin) report(line, `${entry.title} is in line ${twin.line} already.`);
    for (const key of keys) named.set(key, entry);
    document.entries.push(entry);
    for (const [name, value] of fields) {
      const part = partOf(name);
      if (part) readEntry(part, value, `${path}.${name}`, entry);
    }
  }

  function hintOf({ kind, unquoted }: Entry): string {
    const source = kind.identifiers.map((name) => unquoted.get(name)).find(Boolean);
    return source ? ` ${quoteIt(source)}` : "";
  }

  function readField(entry: Entry, name: string, value: unknown): void {
    const { kind, lines, origins, body } = entry;
    const line = lines.get(name)!;
    const field = kind.settable.get(name);
    if (field) body[name] = resolved(entry, value, name, field.target);
    else if (name === "Id" && kind.selfMade) {
      if (toRecordId(value) !== undefined) entry.id = String(value);
      else report(line, "Id must be the whole number of a record.");
    } else if (Object.hasOwn(kind.contract.field, name)) report(line, `${name} is set by the server. Remove it here.`);
    else report(line, `${wrongName(name, [...kind.settable.keys()])} ${kind.name} has no such field.`);
    const isOpen = field && isSecret(field) && value !== null && !origins.has(name);
    if (isOpen) report(line, `${name} is a secret. Give it by reference: { env: NAME } or { file: PATH }.`);
  }

  /** The value with its references. @param target the kind that it must name */
  function resolved(entry: Entry, value: unknown, path: string, target?: string): unknown {
    if (!target && Array.isArray(value)) return value.map((one, index) => resolved(entry, one, `${path}[${index}]`));
    if (value === null || !(target || isObject(value))) return value;
    const { Type, ...rest } = isObject(value) ? value : {};
    const [[first, only] = ["", null], ...more] = Object.entries(target && isObject(value) ? value : rest);
    const line = entry.lines.get(path)!;
    if (more.length === 0 && Type === undefined && (first === "env" || first === "file")) {
      const text = first === "env" ? env[String(only)] : secretIn(resolve(dirname(file), String(only)));
      if (text) document.hidden.set(text, `{ ${first}: ${only} }`);
      else if (first === "env") report(line, `The variable ${only} is not set.`);
      else report(line, `The file ${only} is missing, empty or no text in UTF-8.`);
      entry.origins.set(path, `{ ${first}: ${only} }`);
      return text ?? "";
    }
    const kind = kinds.find(({ name, identifiers }) => name === (target ?? Type) && identifiers.length > 0);
    const isById = kind?.selfMade && first === "Id" && toRecordId(only) !== undefined;
    if (kind && more.length === 0 && (isById || (kind.identifiers.includes(first) && typeof only === "string"))) {
      const reference = new Reference(kind, first, isById ? String(only) : only, line);
      return target ? reference : { Type, Id: reference };
    }
    const source = kind?.identifiers.includes(first) && entry.unquoted.get(`${path}.${first}`);
    if (source && more.length === 0) {
      report(line, `${path}.${first}: ${quoteIt(source)}`);
      return null;
    }
    if (target) {
      report(line, `${path} must be null, or name one ${target} by a text, as in { ${kind?.identifiers[0]}: "…" }.`);
      return null;
    }
    const inner = ([name, one]: [string, unknown]) => [name, resolved(entry, one, `${path}.${name}`)];
    return Object.fromEntries(Object.entries(value as object).map(inner));
  }
}

/** @throws CannotStart */
function textOfFile(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw new CannotStart(`${path} ${syscall ? `cannot be read (${code})` : "must be a text in UTF-8"}.`);
  }
}

/** Without the line break with which editors and secret stores end a file. */
function secretIn(path: string): string | undefined {
  try {
    return textOfFile(path).replace(/\r?\n$/, "");
  } catch {
    return undefined;
  }
}

/** The values, the line of each by its path, and the unquoted texts that YAML reads as another type. */
function readYaml(text: string): { root: unknown; lines: Map<string, number>; unquoted: Map<string, string> } {
  const counter = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const lineAt = (offset = 0) => counter.linePos(offset).line;
  const wordsOf = ({ code, message }: (typeof yaml.errors)[number]) =>
    code === "MULTIPLE_DOCS" ? "A file has one document. Remove the line ---, or use several files." : message;
  if (yaml.errors.length > 0) {
    throw new WrongFile(yaml.errors.map((error) => ({ line: lineAt(error.pos[0]), text: wordsOf(error) })));
  }
  const refuse = (at: Node, text: string): never => {
    throw new WrongFile([{ line: lineAt(at.range?.[0]), text }]);
  };
  const resolveAlias = (alias: Alias): Node => {
    const node = alias.resolve(yaml);
    if (!node) return refuse(alias, `The alias *${alias.source} has no anchor before it.`);
    // An alias within the value of its own anchor would never end.
    return node.range![2] > alias.range![0] ? refuse(alias, `*${alias.source} would contain itself.`) : node;
  };
  const lines = new Map<string, number>();
  const unquoted = new Map<string, string>();
  const placed = (at: unknown, given: unknown, path: string): unknown => {
    lines.set(path, lineAt((at as Node | null)?.range?.[0]));
    if (lines.size > MAX_VALUES) refuse(at as Node, `The file has more than ${MAX_VALUES} values. Use several files.`);
    const node = isAlias(given) ? resolveAlias(given) : given;
    if (isSeq(node)) return node.items.map((item, index) => placed(item, item, `${path}[${index}]`));
    if (isMap(node)) {
      const other = node.items.find(({ key }) => !isScalar(key));
      if (other) refuse(other.key as Node, "The name of a field must be a text.");
      const named = node.items.map(({ key, value }) => ({ name: nameOf(key as Scalar), key, value }));
      const inner = path && `${path}.`;
      return Object.fromEntries(named.map(({ name, key, value }) => [name, placed(key, value, inner + name)]));
    }
    const { value = null, type, source } = (node ?? {}) as Partial<Scalar>;
    if (typeof value !== "string" && source && source !== "~") unquoted.set(path, source);
    if (typeof value === "number" && !isKeptInJson(source!, value)) {
      refuse(
        node as Node,
        // The value may be a secret.
        `${path} would become a different number in JSON. Write fewer digits, or quote a text.`,
      );
    }
    // So that an error can name a line of the text.
    if (type === Scalar.BLOCK_LITERAL) lines.set(`${path}, line 1`, lineAt((node as Scalar).range?.[0]) + 1);
    return value;
  };
  return { root: placed(null, yaml.contents, ""), lines, unquoted };
}

/** The text as written in the file, so 007 is not 7. */
const nameOf = ({ value, source }: Scalar) => (typeof value === "string" ? value : (source ?? String(value)));

/** YAML also has 0x1F and .inf. */
const isKeptInJson = (source: string, value: number) =>
  /^0[xo]/.test(source) ? Number.isSafeInteger(value) : isKept(source.replace(/^\+/, ""), value);

/** For a value that must be a text, and that YAML reads as something else. */
export function quoteIt(source: string): string {
  const is = /^[-+.\d]/.test(source) ? "a number" : /^null$/i.test(source) ? "no value" : "true or false";
  return `YAML reads ${source} as ${is}. Quote it: "${source}".`;
}

function wrongName(name: string, known: string[]): string {
  const right = known.find((one) => distance(name.toLowerCase(), one.toLowerCase()) <= MAX_DISTANCE);
  return right ? `"${printable(name)}" must be ${right}.` : `"${printable(name)}" is unknown.`;
}
