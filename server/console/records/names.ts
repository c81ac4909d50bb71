// What people call the records that a page speaks of.

import type { ConnectionRecord } from "../../webhooks/index.ts";
import type { Visit } from "../visit.ts";

/** Of one type, looked up for one page; the others are called by their Ids. */
const MAX_NAMES = 200;

/** A record as others point at it. */
export interface Named {
  Type: string;
  Id: string | number;
}

export interface NameOf {
  /** What one is called; by its Id if it has no name, is gone, or is not to be read. */
  (one: Named): string;
  /** Undefined where it would be its Id. */
  known(one: Named): string | undefined;
}

/** One look at the database for each type; the gate says which of them the visitor may read. */
export async function lookUpNames({ caller }: Visit, named: readonly Named[]): Promise<NameOf> {
  const names = new Map<string, string>();
  await Promise.all(
    [...Map.groupBy(named, ({ Type }) => Type)].map(async ([type, own]) => {
      const ids = [...new Set(own.map(({ Id }) => String(Id)))].slice(0, MAX_NAMES);
      for (const record of await caller.gate.known(type, ids)) {
        const title = titleOfRecord(record);
        if (title !== undefined) names.set(keyOf({ Type: type, Id: String(record.Id) }), title);
      }
    }),
  );
  const known = (one: Named) => names.get(keyOf(one));
  return Object.assign((one: Named) => known(one) ?? `${one.Type} ${one.Id}`, { known });
}

/** Whichever of these it has. */
export function titleOfRecord(record: Record<string, unknown>): string | undefined {
  const { Name, Username, URL: address } = record;
  const title = [Name, Username, addressOf(String(address ?? ""))].find(Boolean);
  return title === undefined ? undefined : String(title);
}

/** The same; by its Id if it has none of these. */
export function nameOfRecord(type: string, record: Record<string, unknown>): string {
  return titleOfRecord(record) ?? `${type} ${record.Id}`;
}

/** A connection's name, or else where it leads. */
export function titleOfConnection({ Name, URL: address }: Pick<ConnectionRecord, "Name" | "URL">): string {
  return Name || addressOf(address);
}

/** A URL without its query: an ApiKey may stand there. */
export function addressOf(address: string): string {
  return address.replace(/[?#].*$/s, "");
}

const keyOf = ({ Type, Id }: Named) => `${Type} ${Id}`;
