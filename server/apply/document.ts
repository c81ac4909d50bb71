// A file of `bun run apply`: YAML with the line of every value. Secrets and other records are given by reference.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Alias, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, Scalar } from "yaml";
import { distance } from "../config-names.ts";
import { CannotStart } from "../errors.ts";
import { isObject, printable } from "../http/body.ts";
import { type FileKind, isSecret } from "./kinds.ts";

/** Problems of the file, and errors of the server at its lines. */
export class WrongFile extends Error {
  constructor(readonly problems: FileProblem[]) {
    super();
  }
}

export type FileProblem = { line: number; text: string };

/** A record named by an identifier, as `{ Name: payroll }`. */
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
  /** By field, with References. */
  body: Record<string, unknown>;
  /** By path, such as `Scopes[0].Name`. */
  lines: Map<string, number>;
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
  /** Kinds with a section. */
  kinds: FileKind[];
  /** All values given by reference, with their origins. */
  hidden: Map<string, string>;
  problems: FileProblem[];
}

const TENANT = "Tenant";
/** Wrong letters of a name that is still recognized. */
const MAX_DISTANCE = 2;
/** With aliases, a short file could have any number. */
const MAX_VALUES = 200_000;

export const titleOf = ({ name }: FileKind, value: unknown) => `${name} "${printable(String(value))}"`;

/** @throws CannotStart if it cannot be read, WrongFile if it is not YAML; all other problems are collected */
export function readDocument(file: string, kinds: readonly FileKind[], env: NodeJS.ProcessEnv): ApplyDocument {
  const { root, lines } = readYaml(textOfFile(file));
  const document: ApplyDocument = { entries: [], kinds: [], hidden: new Map(), problems: [] };
  const named = new Map<string, Entry>();
  const report = (line: number, text: string) => void document.problems.push({ line, text });
  // Those of a value follow it.
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
    if (name === TENANT) document.tenant = { name: value, line };
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
    const inner = new Map<string, number>();
    for (let at = places.index.get(path)! + 1; places.list[at]?.[0].startsWith(`${path}.`); at++) {
      inner.set(places.list[at]![0].slice(path.length + 1), places.list[at]![1]);
    }
    const title = whole ? `${kind.name} of ${whole.title}` : kind.name;
    const entry: Entry = { kind, title, line, body: {}, lines: inner, origins: new Map(), whole, current: undefined };
    const partOf = (name: string) => kinds.find((one) => one.partOf === kind.name && one.name === name);
    for (const [name, value] of fields) if (!partOf(name)) readField(entry, name, value);
    const names = kind.identifiers.map((name) => entry.body[name]).filter((value) => value || value === 0);
    const found = names.find((value) => typeof value === "string");
    if (found) entry.title = titleOf(kind, found);
    else if (names.length === 0 && kind.identifiers[0])
      report(line, `${path} needs ${kind.identifiers.join(" or ")}, by which it is found.`);
    const keys = kind.identifiers
      .filter((name) => entry.body[name])
      .map((name) => `${kind.name} ${name} ${entry.body[name]}`);
    const twin = keys.map((key) => named.get(key)).find((one) => one !== undefined);
    if (twin) report(line, `${entry.title} is in line ${twin.line} already.`);
    for (const key of keys) named.set(key, entry);
    document.entries.push(entry);
    for (const [name, value] of fields) {
      const part = partOf(name);
      if (part) readEntry(part, value, `${path}.${name}`, entry);
    }
  }

  function readField(entry: Entry, name: string, value: unknown): void {
    const { kind, lines, origins, body } = entry;
    const line = lines.get(name)!;
    const field = kind.settable.get(name);
    if (field) body[name] = resolved(entry, value, name, field.target);
    else if (Object.hasOwn(kind.contract.field, name)) report(line, `${name} is set by the server. Remove it here.`);
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
    if (kind && more.length === 0 && kind.identifiers.includes(first) && typeof only === "string") {
      const reference = new Reference(kind, first, only, line);
      return target ? reference : { Type, Id: reference };
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

/** The values, and the line of each by its path. */
function readYaml(text: string): { root: unknown; lines: Map<string, number> } {
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
    // Its anchor is before it, so only an alias within its anchor's value has no end.
    return node.range![2] > alias.range![0] ? refuse(alias, `*${alias.source} would contain itself.`) : node;
  };
  const lines = new Map<string, number>();
  const placed = (at: unknown, given: unknown, path: string): unknown => {
    lines.set(path, lineAt((at as Node | null)?.range?.[0]));
    if (lines.size > MAX_VALUES) refuse(at as Node, `The file has more than ${MAX_VALUES} values. Use several files.`);
    const node = isAlias(given) ? resolveAlias(given) : given;
    if (isSeq(node)) return node.items.map((item, index) => placed(item, item, `${path}[${index}]`));
    if (isMap(node)) {
      const other = node.items.find(({ key }) => !isScalar(key));
      if (other) refuse(other.key as Node, "The name of a field must be a text.");
      const named = node.items.map(({ key, value }) => ({ name: String((key as Scalar).value), key, value }));
      const inner = path && `${path}.`;
      return Object.fromEntries(named.map(({ name, key, value }) => [name, placed(key, value, inner + name)]));
    }
    const { value = null, type } = (node ?? {}) as Partial<Scalar>;
    // For errors that name a line of the text.
    if (type === Scalar.BLOCK_LITERAL) lines.set(`${path}, line 1`, lineAt((node as Scalar).range?.[0]) + 1);
    return value;
  };
  return { root: placed(null, yaml.contents, ""), lines };
}

function wrongName(name: string, known: string[]): string {
  const right = known.find((one) => distance(name.toLowerCase(), one.toLowerCase()) <= MAX_DISTANCE);
  return right ? `"${printable(name)}" must be ${right}.` : `"${printable(name)}" is unknown.`;
}
