// Data that has passed the gate. Routes and pages accept nothing else, so nothing is returned without a decision.

import type { Page } from "../../../platform/http/query.ts";

declare const brand: unique symbol;

/** Data that the caller may see. Only server/records/access/gate/ creates it. */
export type Shown<T> = T & { readonly [brand]: true };
export type ShownPage<Item> = Shown<Page<Shown<Item>>>;

/** A record with its entity tag's values; undefined if a part is hidden, because the tag would reveal it. */
export interface Tagged<Item> {
  record: Shown<Item>;
  version: object | undefined;
}

export interface Whole<Item> extends Tagged<Item> {
  version: object;
}

export function asShown<T>(value: T): Shown<T> {
  return value as Shown<T>;
}

/** A response without stored records: equal for all callers, or just created. test/architecture lists its users. */
export function withoutRecords<T extends object>(value: T): Shown<T> {
  return asShown(value);
}
