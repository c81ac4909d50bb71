import type { Attributes } from "../../records/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";
import { readRecord } from "../records/records.tsx";
import type { ReferenceChoice } from "../records/reference-field.tsx";

export const PROFILE = [
  ...(["GivenName", "FamilyName", "MiddleName", "Nickname", "Locale", "ZoneInfo", "Picture", "Profile"] as const),
  ...(["Website", "Gender", "BirthDate", "Address"] as const),
];

type PersonText = "Name" | "Username" | "Email" | "MobilePhone" | "External_Id" | "Creation_Date" | "Last_Login";

/** docs/behaviour.md "User", with its foreign keys. */
export interface Person
  extends Record<PersonText | (typeof PROFILE)[number], string>,
    Record<"EmailVerified" | "MobilePhoneVerified" | "Is_Active", boolean> {
  Id: number;
  Attributes: Attributes;
  Department: ReferenceChoice;
}

export const USERS = "/settings/users";

export function readPerson({ records }: Pick<ConsoleServices, "records">, visit: Visit): Promise<Person> {
  return readRecord(records.of("User"), visit);
}

export function pathOf({ Id }: Pick<Person, "Id">): string {
  return `${USERS}/${Id}`;
}

export function titleOf({ Id, Name, Username, Email }: Person): string {
  return Name || Username || Email || `User ${Id}`;
}

export function aboveOf(person: Person) {
  return [
    { name: "Users", path: USERS },
    { name: titleOf(person), path: pathOf(person) },
  ];
}
