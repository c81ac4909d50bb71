// Parsing (RFC 4514) and comparing (RFC 4517 4.2.15) distinguished names.

import { isText, TEXT_LIMIT } from "../../platform/text.ts";

/** Values by attribute, which is a short name or an object identifier. */
export type RelativeName = Record<string, string[]>;

/** Names for object identifiers: those of RFC 4514 3 and others common in certificates. */
const IDENTIFIERS = new Map<string, string>(
  Object.entries({
    CN: "2.5.4.3",
    L: "2.5.4.7",
    ST: "2.5.4.8",
    O: "2.5.4.10",
    OU: "2.5.4.11",
    C: "2.5.4.6",
    STREET: "2.5.4.9",
    DC: "0.9.2342.19200300.100.1.25",
    UID: "0.9.2342.19200300.100.1.1",
    SN: "2.5.4.4",
    SERIALNUMBER: "2.5.4.5",
    T: "2.5.4.12",
    TITLE: "2.5.4.12",
    G: "2.5.4.42",
    GN: "2.5.4.42",
    GIVENNAME: "2.5.4.42",
    I: "2.5.4.43",
    INITIALS: "2.5.4.43",
    E: "1.2.840.113549.1.9.1",
    EMAILADDRESS: "1.2.840.113549.1.9.1",
    ORGANIZATIONIDENTIFIER: "2.5.4.97",
  }),
);

/** @returns undefined if it is invalid; parts are in the order of RFC 4514, which reverses the certificate's */
export function distinguishedName(text: string): RelativeName[] | undefined {
  if (text.length > TEXT_LIMIT) return undefined;
  const parts = split(text, ",").map(relativeName);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function relativeName(text: string): RelativeName | undefined {
  const name: RelativeName = {};
  for (const pair of split(text, "+")) {
    const [, type = "", written = ""] = /^\s*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)\s*=\s*(.*)$/su.exec(pair) ?? [];
    const identifier = identifierOf(type);
    const value = unescaped(written);
    if (identifier === undefined || value === undefined) return undefined;
    name[identifier] ??= [];
    name[identifier].push(value);
  }
  return name;
}

function identifierOf(type: string): string | undefined {
  return /^\d+(\.\d+)+$/.test(type) ? type : IDENTIFIERS.get(type.toUpperCase());
}

/** Splits at each separator without a backslash before it. */
function split(text: string, separator: "," | "+"): string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === separator) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

const SPECIAL = /[\\"#+,;<=> ]/;

/** @returns undefined if it has characters that must be escaped, or is in the unreadable hexadecimal form */
function unescaped(written: string): string | undefined {
  if (written.startsWith("#")) return undefined;
  const bytes: number[] = [];
  for (const [piece] of written.matchAll(/\\[0-9A-Fa-f]{2}|\\.|[^\\]|\\$/gsu)) {
    if (/^\\[0-9A-Fa-f]{2}$/.test(piece)) bytes.push(Number.parseInt(piece.slice(1), 16));
    else if (piece.startsWith("\\")) {
      if (!SPECIAL.test(piece.slice(1))) return undefined;
      bytes.push(...Buffer.from(piece.slice(1)));
    } else if (/["+,;<>\0]/.test(piece)) return undefined;
    else bytes.push(...Buffer.from(piece));
  }
  try {
    const value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes));
    return prepared(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Compares parts in order, ignoring case, spaces, and the order of pairs within a part. */
export function isSameName(one: readonly RelativeName[], other: readonly RelativeName[]): boolean {
  if (one.length !== other.length) return false;
  return one.every((part, index) => {
    const pairs = pairsOf(part);
    return pairs !== undefined && pairs === pairsOf(other[index]!);
  });
}

/** @returns undefined if a value cannot be compared */
function pairsOf(name: RelativeName): string | undefined {
  const pairs = Object.entries(name).flatMap(([type, values]) =>
    values.map((value) => [identifierOf(type) ?? type, prepared(value)]),
  );
  if (pairs.some(([, value]) => value === undefined)) return undefined;
  return JSON.stringify(pairs.map((pair) => JSON.stringify(pair)).toSorted());
}

/** RFC 4518 2. @returns undefined if it is not text, or too long */
function prepared(value: string): string | undefined {
  if (!isText(value, TEXT_LIMIT)) return undefined;
  return value.normalize("NFKC").toLowerCase().trim().replace(/\s+/gu, " ");
}
