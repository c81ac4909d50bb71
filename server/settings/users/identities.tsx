// The accounts at other providers that a User signs in by.

import type { IdentityRecord } from "../../signin/index.ts";
import { ActionButton, Badge, phrase, Section, Table, Text, Time } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { Visit } from "../visit.ts";
import { type Person, pathOf, USERS } from "./person.ts";

export interface IdentitiesProps {
  visit: Visit;
  person: Person;
  identities: IdentityRecord[];
  mayChange: boolean;
}

/** Nothing where there is none: most organisations have no such provider. */
export function IdentitiesSection({ visit, person, identities, mayChange }: IdentitiesProps): JSX.Element {
  if (identities.length === 0) return "";
  return (
    <Section title="Linked providers" id="identities">
      <Table caption="Linked providers" columns={columns(visit, person, mayChange)} rows={identities} />
    </Section>
  );
}

function columns(visit: Visit, person: Person, mayChange: boolean) {
  return [
    {
      name: "Provider",
      cell: ({ IdentityProvider: { Id, Name } }: IdentityRecord) => (
        <a href={visit.href(`/settings/identity-providers/${Id}`)} safe>
          {Name}
        </a>
      ),
    },
    { name: "Known there as", cell: ({ Subject }: IdentityRecord) => <Text text={Subject} /> },
    { name: "Since", cell: ({ LinkedOn }: IdentityRecord) => <Time at={new Date(LinkedOn)} ago /> },
    {
      name: "State",
      cell: ({ Is_Usable }: IdentityRecord) => <Badge state={Is_Usable ? "Active" : "Inactive"} />,
    },
    ...(mayChange
      ? [
          {
            name: "Unlink it",
            cell: ({ Id, IdentityProvider: { Name } }: IdentityRecord) => (
              <ActionButton
                visit={visit}
                action={`${pathOf(person)}/identity/unlink`}
                label="Unlink"
                fields={{ identity: Id }}
                about={Name}
              />
            ),
          },
        ]
      : []),
  ];
}

export async function unlinkIdentity({ users }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { caller, form, params } = visit;
  const { IdentityProvider } = await users.unlinkIdentity(caller, params.id!, form.get("identity") ?? "");
  const told = phrase`${IdentityProvider.Name} signs this user in no more. If there is no password, make a password link.`;
  return visit.goTo(`${USERS}/${params.id}`, told);
}
