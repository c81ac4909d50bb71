import { etagOf } from "../../http/conditions.ts";
import { firstPage, MOST_LIMIT } from "../../http/paging.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import { nameOf, type Reference } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";

/** docs/behaviour.md "Application". */
export interface Application {
  Id: string;
  Name: string;
  ApplicationKey: string;
  ExternalId: string;
  Description: string;
  WebSiteURL: string;
  Is_System: boolean;
  Is_EndUser: boolean;
  Is_Active: boolean;
  ModifiedOn: string;
  CreatedOn: string;
}

export const APPLICATIONS = "/settings/applications";

export function pathOf({ Id }: Pick<Application, "Id">): string {
  return `${APPLICATIONS}/${Id}`;
}

export function titleOf(application: Application): string {
  return nameOf("Application", application as unknown as Reference);
}

export function aboveOf(application: Application) {
  return [
    { name: "Applications", path: APPLICATIONS },
    { name: titleOf(application), path: pathOf(application) },
  ];
}

export interface ReadApplication {
  record: Application;
  /** Its entity tag, for a form. */
  version: string;
  /** What its users sign in with: the Id of an identity provider, or "" for a password. */
  provider: string;
}

/** AuthenticationId is input only (docs/behaviour.md "Application"): taken from what the entity tag depends on. */
export async function readApplication({ records }: SettingsDependencies, visit: Visit): Promise<ReadApplication> {
  const address = { pathValue: visit.params.id!, fieldName: "" };
  const { record, version } = await records.of("Application").read(visit.permitted("AccessManager:Read"), address);
  const provider = String((version as { authentication_id?: number | null }).authentication_id ?? "");
  return { record: record as unknown as Application, version: etagOf(version), provider };
}

/** Those of the tenant, as far as the caller may see them; more than a page of them are cut. */
export async function providersOf({ providers }: SettingsDependencies, visit: Visit) {
  if (!visit.may("Settings:Read")) return [];
  return (await providers.list(visit.permitted("Settings:Read"), {}, firstPage(MOST_LIMIT))).Items;
}
