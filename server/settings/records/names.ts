// What people call the records that a page speaks of.

import { ApiError } from "../../errors.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { Visit } from "../visit.ts";
import { nameOf, type Reference } from "./reference-field.tsx";

/** Names that are looked up for one page; the others are called by their Ids. */
const MOST_NAMES = 50;

/** A record as others point at it. */
export interface Named {
  Type: string;
  Id: string | number;
}

/** What one is called; by its Id if it is gone, or not to be read. */
export type NameOf = (one: Named) => string;

const TYPES = ["User", "Application"];
/** Where its page is; the others have none. */
const PATHS: Record<string, string> = {
  User: "/settings/users",
  Application: "/settings/applications",
  Policy: "/settings/policies",
  Role: "/settings/roles",
  IdentityProvider: "/settings/identity-providers",
  WebhookConnection: "/settings/webhooks",
};

export async function lookUpNames({ records }: SettingsDependencies, visit: Visit, named: Named[]): Promise<NameOf> {
  const keys = [...new Set(named.filter(({ Type }) => TYPES.includes(Type)).map(keyOf))].slice(0, MOST_NAMES);
  const names = new Map<string, string>();
  if (visit.may("AccessManager:Read")) {
    await Promise.all(
      keys.map(async (key) => {
        const [type, id] = key.split(" ") as [string, string];
        const record = await readQuietly(records, visit, type, id);
        if (record) names.set(key, nameOf(type, record));
      }),
    );
  }
  return (one) => names.get(keyOf(one)) ?? `${one.Type} ${one.Id}`;
}

export function pathOfRecord({ Type, Id }: Named): string | undefined {
  return PATHS[Type] && `${PATHS[Type]}/${Id}`;
}

/** @returns undefined if it is gone, or no policy lets the visitor read it */
async function readQuietly(
  records: SettingsDependencies["records"],
  visit: Visit,
  type: string,
  id: string,
): Promise<Reference | undefined> {
  try {
    const { record } = await records.of(type).read(visit.caller, { pathValue: id, fieldName: "" });
    return { ...record, Name: record.Name || record.Username || "" } as unknown as Reference;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined;
    throw error;
  }
}

const keyOf = ({ Type, Id }: Named) => `${Type} ${Id}`;
