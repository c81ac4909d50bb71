import type { ConsoleServices, Visit } from "../page.tsx";
import { readRecord } from "../records/records.tsx";
import { nameOf, type ReferenceChoice } from "../records/reference-field.tsx";

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
/** A separate path, because `/settings/applications/new` would be the page of an Application with the Id "new". */
export const NEW_APPLICATION = "/settings/new-application";

export function pathOf({ Id }: Pick<Application, "Id">): string {
  return `${APPLICATIONS}/${Id}`;
}

export function titleOf(application: Application): string {
  return nameOf("Application", application as unknown as ReferenceChoice);
}

export function aboveOf(application: Application) {
  return [
    { name: "Applications", path: APPLICATIONS },
    { name: titleOf(application), path: pathOf(application) },
  ];
}

/** The title of an application's tabs. */
export function tabOf(application: Application) {
  return { title: titleOf(application), above: [{ name: "Applications", path: APPLICATIONS }] };
}

export function readApplication({ records }: ConsoleServices, visit: Visit): Promise<Application> {
  return readRecord(records.of("Application"), visit);
}
