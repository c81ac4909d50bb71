import { type Attributes, recordFields } from "../../records/index.ts";
import { Time } from "../../ui/index.ts";
import type { ConsoleServices } from "../page.tsx";
import { readRecord } from "../records/records.tsx";
import type { ReferenceChoice } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";

export function LastLogin({ at }: { at: string }): JSX.Element {
  return at === recordFields.UNSET_DATE ? <span class="none">never</span> : <Time at={new Date(at)} ago />;
}

/** docs/behaviour.md "User", with its foreign keys. */
export interface Person {
  Id: number;
  Attributes: Attributes;
  Name: string;
  Username: string;
  Email: string;
  EmailVerified: boolean;
  MobilePhone: string;
  MobilePhoneVerified: boolean;
  External_Id: string;
  GivenName: string;
  FamilyName: string;
  MiddleName: string;
  Nickname: string;
  Locale: string;
  ZoneInfo: string;
  Picture: string;
  Profile: string;
  Website: string;
  Gender: string;
  BirthDate: string;
  Address: string;
  Creation_Date: string;
  Last_Login: string;
  Is_Active: boolean;
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
