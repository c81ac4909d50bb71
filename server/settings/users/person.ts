import type { Reference } from "../records/reference-field.tsx";

/** docs/behaviour.md "User", with its foreign keys. */
export interface Person {
  Id: number;
  Name: string;
  Username: string;
  Email: string;
  MobilePhone: string;
  External_Id: string;
  Creation_Date: string;
  Last_Login: string;
  Is_Active: boolean;
  Department: Reference;
}

export const USERS = "/settings/users";

export function pathOf({ Id }: Pick<Person, "Id">): string {
  return `${USERS}/${Id}`;
}

/** What a person is called, whatever the record has. */
export function titleOf({ Id, Name, Username, Email }: Person): string {
  return Name || Username || Email || `User ${Id}`;
}
