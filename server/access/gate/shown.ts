// What has passed the gate. Routes and pages take nothing else, so that none answers what nobody has decided on.

import type { Page } from "../../http/query.ts";

declare const brand: unique symbol;

/** Something that its caller may see. Only server/access/gate/ makes it. */
export type Shown<T> = T & { readonly [brand]: true };
/** A page of it. */
export type ShownPage<Item> = Shown<Page<Shown<Item>>>;

/** A record, and what its entity tag is made of: undefined if not all of it is shown, for a tag would tell of the rest. */
export interface Tagged<Item> {
  record: Shown<Item>;
  version: object | undefined;
}

/** All of a record. */
export interface Whole<Item> extends Tagged<Item> {
  version: object;
}

export function asShown<T>(value: T): Shown<T> {
  return value as Shown<T>;
}

/**
 * An answer that tells of no stored record: a list that is the same for everybody, or what was made just now for this
 * caller. test/architecture holds who says so.
 */
export function withoutRecords<T extends object>(value: T): Shown<T> {
  return asShown(value);
}
