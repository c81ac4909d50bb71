import { type EntityService, UNSET_DATE } from "../../entities/index.ts";
import { ApiError } from "../../errors.ts";
import { Badge, ButtonLink, EmptyState, find, List, type Option, statusOf, Time } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { ACTIVE_FILTER, filtersOf, isFiltered, listRecords, Value } from "../records/records.tsx";
import { choiceOf, nameOf, type Reference } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";

export async function listPage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
  const parameters = filtersOf(visit);
  const options = await departmentOptions(records.of("Department"), visit);
  const filters = [
    { name: "Search", label: "Search" },
    ACTIVE_FILTER,
    ...(options.length > 0 ? [{ name: "Department", label: "Department", options }] : []),
  ];
  const found = await find(visit, filters, () => listRecords<Person>(records.of("User"), visit, parameters));
  const mayAdd = visit.may("AccessManager:Create") && visit.may("AccessManager:Update");
  const filtered = isFiltered(parameters);
  return {
    title: "Users",
    status: statusOf(found),
    actions: mayAdd ? (
      <ButtonLink href={visit.href(`${USERS}/add`)} kind="main">
        {"Add user"}
      </ButtonLink>
    ) : undefined,
    body: (
      <List
        visit={visit}
        caption="Users"
        filters={filters}
        found={found}
        columns={columns(visit)}
        empty={
          <EmptyState title={filtered ? "Nobody is like that" : "No users to see"}>
            <p>
              {filtered
                ? "The search looks for a part of names, user names, e-mail addresses, phone numbers and external Ids."
                : "Users are added here, by the API, or by an identity provider when they first sign in."}
            </p>
          </EmptyState>
        }
      />
    ),
  };
}

/** All there are; of too many the one that a link has chosen, such as its own page's. */
async function departmentOptions(departments: EntityService, visit: Visit): Promise<Option[]> {
  const { options } = await choiceOf(departments, visit, undefined);
  // 0 is what a foreign key that points nowhere is found by.
  if (options) return options.length > 1 ? options.map(({ value, label }) => ({ value: value || "0", label })) : [];
  const chosen = visit.url.searchParams.get("Department");
  return chosen ? [{ value: chosen, label: await nameOfDepartment(departments, visit, chosen) }] : [];
}

async function nameOfDepartment(departments: EntityService, visit: Visit, id: string): Promise<string> {
  try {
    const { record } = await departments.read(visit.permitted("AccessManager:Read"), { pathValue: id, fieldName: "" });
    return nameOf("Department", record as unknown as Reference);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return `Department ${id}`;
    throw error;
  }
}

function columns(visit: Visit) {
  return [
    {
      name: "Name",
      cell: (person: Person) => (
        <a href={visit.href(pathOf(person))} safe>
          {titleOf(person)}
        </a>
      ),
    },
    { name: "User name", cell: ({ Username }: Person) => <Value text={Username} /> },
    { name: "E-mail", cell: ({ Email }: Person) => <Value text={Email} /> },
    {
      name: "Department",
      cell: ({ Department }: Person) => <Value text={Department.Id ? nameOf("Department", Department) : ""} />,
    },
    { name: "State", cell: ({ Is_Active }: Person) => <Badge state={Is_Active ? "Active" : "Inactive"} /> },
    { name: "Last sign-in", cell: ({ Last_Login }: Person) => <LastLogin at={Last_Login} /> },
  ];
}

export function LastLogin({ at }: { at: string }): JSX.Element {
  return at === UNSET_DATE ? <span class="none">never</span> : <Time at={new Date(at)} ago />;
}

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
