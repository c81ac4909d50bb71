import { nameOf, type Reference } from "../records/reference-field.tsx";

/** docs/behaviour.md "Department". */
export interface Department extends Reference {
  Description: string;
  Is_Active: boolean;
  ModifiedOn: string;
  CreatedOn: string;
  ParentId: Reference;
}

export const DEPARTMENTS = "/settings/departments";

export function pathOf({ Id }: Pick<Reference, "Id">): string {
  return `${DEPARTMENTS}/${Id}`;
}

export function titleOf(department: Reference): string {
  return nameOf("Department", department);
}
