// Display names of the records on a page.

import type { ConnectionRecord } from "../../webhooks/index.ts";
import type { Visit } from "../visit.ts";

/** The maximum number of look-ups for each type; further records are shown by Id. */
const MAX_NAMES = 200;

export interface NamedRecord {
  Type: string;
  Id: string | number;
}

export interface NameOf {
  /** The display name; the Id if there is no name or the record is deleted or hidden. */
  (one: NamedRecord): string;
  /** Undefined if only the Id is known. */
  known(one: NamedRecord): string | undefined;
}

/** One query for each type; the gate filters what the visitor may read. */
export async function lookUpNames({ caller }: Visit, named: readonly NamedRecord[]): Promise<NameOf> {
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
  const known = (one: NamedRecord) => names.get(keyOf(one));
  return Object.assign((one: NamedRecord) => known(one) ?? `${one.Type} ${one.Id}`, { known });
}

/** The first of these fields with a value. */
export function titleOfRecord(record: Record<string, unknown>): string | undefined {
  const { Name, Username, URL: address, Kind } = record;
  const title = [Name, Username, addressOf(String(address ?? "")), Kind].find(Boolean);
  return title === undefined ? undefined : String(title);
}

export function nameOfRecord(type: string, record: Record<string, unknown>): string {
  return titleOfRecord(record) ?? `${type} ${record.Id}`;
}

export function titleOfConnection({ Name, URL: address }: Pick<ConnectionRecord, "Name" | "URL">): string {
  return Name || addressOf(address);
}

/** A URL without its query, which may contain an ApiKey. */
export function addressOf(address: string): string {
  return address.replace(/[?#].*$/s, "");
}

const keyOf = ({ Type, Id }: NamedRecord) => `${Type} ${Id}`;
