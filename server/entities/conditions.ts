// Conditional requests (RFC 9110 13), so that nobody overwrites a change not seen.

import { BadInput, PreconditionFailed } from "../errors.ts";
import type { Row } from "./store.ts";

/** The entity tags a header names; "*" is any record there is. */
type Tags = "*" | string[];

export interface Conditions {
  ifMatch: Tags | undefined;
  ifNoneMatch: Tags | undefined;
}

/** @throws BadInput if a header is no list of entity tags */
export function readConditions(headers: Headers): Conditions {
  return { ifMatch: readTags(headers, "If-Match"), ifNoneMatch: readTags(headers, "If-None-Match") };
}

export function hasConditions({ ifMatch, ifNoneMatch }: Conditions): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined;
}

/**
 * The entity tag of a record: strong, and another one whenever anything of the record is another.
 * @returns quotes included
 */
export function etagOf(row: Row): string {
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(row)).digest("base64url");
  return `"${digest.slice(0, TAG_CHARACTERS)}"`;
}

/**
 * @param row the record as it stands; undefined: there is none yet
 * @throws PreconditionFailed
 */
export function requireMatch({ ifMatch }: Pick<Conditions, "ifMatch">, row: Row | undefined): void {
  if (ifMatch === undefined) return;
  if (!row) throw new PreconditionFailed("If-Match needs a record that is there already, and there is none.");
  if (ifMatch === "*" || ifMatch.includes(etagOf(row))) return;
  throw new PreconditionFailed("The record is no longer what If-Match says. Read it again, then repeat the change.");
}

/** @throws PreconditionFailed */
export function requireNoneMatch(conditions: Conditions, row: Row | undefined): void {
  if (row === undefined || matchesNone(conditions, row)) return;
  throw new PreconditionFailed("There is such a record, and If-None-Match asks for none.");
}

/** True if If-None-Match does not name the record as it stands. */
export function matchesNone({ ifNoneMatch }: Conditions, row: Row): boolean {
  if (ifNoneMatch === undefined) return true;
  if (ifNoneMatch === "*") return false;
  const own = etagOf(row);
  return !ifNoneMatch.some((tag) => tag.replace(/^W\//, "") === own);
}

const TAG_CHARACTERS = 22;
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const TAG_LIST = new RegExp(`^\\s*${ENTITY_TAG.source}(\\s*,\\s*${ENTITY_TAG.source})*\\s*$`);

function readTags(headers: Headers, name: string): Tags | undefined {
  const text = headers.get(name)?.trim();
  if (text === undefined || text === "*") return text;
  if (!TAG_LIST.test(text)) throw new BadInput(`${name} must be * or ETags in their quotes.`);
  return text.match(new RegExp(ENTITY_TAG, "g")) ?? [];
}
