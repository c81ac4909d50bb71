// Conditional requests (RFC 9110 13), which prevent lost updates, and uncacheable responses.

import { BadInput, PreconditionFailed } from "../errors.ts";
import { MAX_TEXT } from "../text.ts";

/** JSON values that change whenever the record does. */
type Version = object;

/** Entity tags in a header; "*" matches any existing record. */
type Tags = "*" | string[];

export interface Conditions {
  ifMatch: Tags | undefined;
  ifNoneMatch: Tags | undefined;
}

export const UNCONDITIONAL: Conditions = { ifMatch: undefined, ifNoneMatch: undefined };

/** @throws BadInput if a header is not a list of entity tags */
export function readConditions(headers: Headers): Conditions {
  return { ifMatch: readTags(headers, "If-Match"), ifNoneMatch: readTags(headers, "If-None-Match") };
}

export function hasConditions({ ifMatch, ifNoneMatch }: Conditions): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined;
}

/** @param version the locked record's; undefined if it does not exist @throws PreconditionFailed */
export function requireConditions(conditions: Conditions, version: Version | undefined): void {
  requireMatch(conditions, version);
  if (version === undefined || matchesNone(conditions, version)) return;
  throw new PreconditionFailed("The record exists, and If-None-Match requires that it does not.");
}

/** Checks the conditions of GET for one record. @returns true if the response is 304 @throws PreconditionFailed */
export function isNotModified(conditions: Conditions, version: Version): boolean {
  requireMatch(conditions, version);
  return !matchesNone(conditions, version);
}

/** A strong entity tag with quotes. */
export function etagOf(version: Version): string {
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(version)).digest("base64url");
  return `"${digest.slice(0, TAG_CHARACTERS)}"`;
}

function requireMatch({ ifMatch }: Conditions, version: Version | undefined): void {
  if (ifMatch === undefined) return;
  if (!version) throw new PreconditionFailed("If-Match requires an existing record, and there is none.");
  const own = etagOf(version);
  if (ifMatch === "*" || ifMatch.includes(own)) return;
  // RFC 9110 13.1.1: If-Match compares strong tags only.
  if (ifMatch.includes(`W/${own}`)) {
    throw new PreconditionFailed(
      "If-Match has a weak ETag (W/), but needs a strong one. The record is unchanged; a proxy that " +
        `compresses answers has made its ETag weak. Send ${own}, or exclude this API's answers from compression.`,
    );
  }
  throw new PreconditionFailed(
    "The record has changed since the version in If-Match. Read it again, then repeat the change.",
  );
}

function matchesNone({ ifNoneMatch }: Conditions, version: Version): boolean {
  if (ifNoneMatch === undefined) return true;
  if (ifNoneMatch === "*") return false;
  const own = etagOf(version);
  return !ifNoneMatch.some((tag) => tag.replace(/^W\//, "") === own);
}

const TAG_CHARACTERS = 22;
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const TAG_LIST = new RegExp(`^\\s*${ENTITY_TAG.source}(\\s*,\\s*${ENTITY_TAG.source})*\\s*$`);

function readTags(headers: Headers, name: string): Tags | undefined {
  const text = headers.get(name)?.trim();
  if (text === undefined || text === "*") return text;
  if (text.length > MAX_TEXT) throw new BadInput(`${name} has ${text.length} characters; the limit is ${MAX_TEXT}.`);
  if (!TAG_LIST.test(text)) throw new BadInput(`${name} must be * or ETags in quotes.`);
  return text.match(new RegExp(ENTITY_TAG, "g")) ?? [];
}

/** For responses with a code, a token or a personal form (RFC 6749 5.1). */
export const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };
