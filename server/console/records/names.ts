// What people call the records that a page speaks of.

import { ApiError } from "../../errors.ts";
import type { SettingsDependencies } from "../page.tsx";
import type { Visit } from "../visit.ts";

/** Names that are looked up for one page; the others are called by their Ids. */
const MOST_NAMES = 50;

/** A record as others point at it. */
export interface Named {
  Type: string;
  Id: string | number;
}

/** What one is called; by its Id if it is gone, or not to be read. */
export type NameOf = (one: Named) => string;

const ENTITIES = ["User", "Application", "Department"];
/** Where its page is; the others have none. */
const PATHS: Record<string, string> = {
  User: "/settings/users",
  Application: "/settings/applications",
  Department: "/settings/departments",
  Policy: "/settings/policies",
  Role: "/settings/roles",
  IdentityProvider: "/settings/identity-providers",
  WebhookConnection: "/settings/webhooks",
  WebhookEvent: "/settings/activity",
  Redelivery: "/settings/redeliveries",
};

export async function lookUpNames(deps: SettingsDependencies, visit: Visit, named: Named[]): Promise<NameOf> {
  const distinct = new Map(named.map((one) => [keyOf(one), one]));
  const names = new Map<string, string>();
  await Promise.all(
    [...distinct].slice(0, MOST_NAMES).map(async ([key, one]) => {
      const name = await findName(deps, visit, one);
      if (name) names.set(key, name);
    }),
  );
  return (one) => names.get(keyOf(one)) ?? `${one.Type} ${one.Id}`;
}

export function pathOfRecord({ Type, Id }: Named): string | undefined {
  return PATHS[Type] && `${PATHS[Type]}/${Id}`;
}

/** @returns undefined if it has none or is gone, or nothing lets the visitor read it */
async function findName(deps: SettingsDependencies, visit: Visit, { Type, Id }: Named): Promise<string | undefined> {
  const id = String(Id);
  try {
    if (Type === "Role") return (await deps.roles.read(visit.permitted("Settings:Read"), id)).record.Name;
    if (Type === "Policy") return (await deps.policies.read(visit.permitted("Settings:Read"), id)).record.Name;
    if (!ENTITIES.includes(Type)) return undefined;
    const { record } = await deps.records
      .of(Type)
      .read(visit.permitted("AccessManager:Read"), { pathValue: id, fieldName: "" });
    const { Name = "", Username = "" } = record as Partial<Record<"Name" | "Username", string>>;
    return Name || Username || undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined;
    throw error;
  }
}

const keyOf = ({ Type, Id }: Named) => `${Type} ${Id}`;
