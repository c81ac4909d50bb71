// What applications may do in the name of a user.

import type { Page } from "../../http/query.ts";
import type { UserGrantRecord } from "../../oauth/index.ts";
import { AskButton, ButtonLink, Pager, phrase, Section, Table, Text, Time, TOKENS_ELSEWHERE } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { pagingOf, readRecord, Value } from "../records/records.tsx";
import { nameOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, USERS } from "./person.tsx";

const TITLE = "Applications with access";

export interface GrantsProps {
  visit: Visit;
  person: Person;
  page: Page<UserGrantRecord>;
}

export function GrantsSection({ visit, person, page: { Items, Next } }: GrantsProps): JSX.Element {
  return (
    <Section title={TITLE} id="applications">
      {Items.length > 0 ? (
        <Table caption={TITLE} columns={columns(visit, person)} rows={Items} />
      ) : (
        <p class="fine">No application can act in the name of this user.</p>
      )}
      {Next === null ? (
        ""
      ) : (
        <ButtonLink href={visit.href(`${pathOf(person)}/applications`)}>All applications</ButtonLink>
      )}
    </Section>
  );
}

/** All of them, a page at a time. */
export async function grantsPage({ records, grants }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: person } = await readRecord<Person>(records.of("User"), visit);
  const { Items, Next } = await grants.listOfUser(visit.permitted("Settings:Read"), String(person.Id), pagingOf(visit));
  return {
    title: TITLE,
    above: aboveOf(person),
    body: (
      <>
        <Table caption={TITLE} columns={columns(visit, person)} rows={Items} />
        <Pager visit={visit} next={Next} />
      </>
    ),
  };
}

const columns = (visit: Visit, person: Person) => grantColumns(visit, "Application", `${pathOf(person)}/grant/revoke`);

/**
 * @param other what the table is not about itself
 * @param revoke takes its Id in a form
 */
export function grantColumns(visit: Visit, other: "Application" | "User", revoke: string) {
  const nameOfOther = (grant: UserGrantRecord) => nameOf(other, grant[other]);
  const base = other === "User" ? USERS : "/settings/applications";
  return [
    {
      name: other,
      cell: (grant: UserGrantRecord) => (
        <a href={visit.href(`${base}/${grant[other].Id}`)} safe>
          {nameOfOther(grant)}
        </a>
      ),
    },
    { name: "API", cell: ({ Apis }: UserGrantRecord) => <Value text={Apis.map(({ Name }) => Name).join(", ")} /> },
    { name: "Scopes", cell: ({ Scopes }: UserGrantRecord) => <Text text={Scopes.join(" ")} /> },
    { name: "Since", cell: ({ GrantedOn }: UserGrantRecord) => <Time at={new Date(GrantedOn)} ago /> },
    {
      name: "Last used",
      cell: ({ LastUsedOn }: UserGrantRecord) =>
        LastUsedOn === null ? <Text text="no live tokens" /> : <Time at={new Date(LastUsedOn)} ago />,
    },
    ...(visit.may("Settings:Update")
      ? [
          {
            name: "Revoke it",
            cell: (grant: UserGrantRecord) => (
              <AskButton
                visit={visit}
                action={revoke}
                label="Revoke"
                about={nameOfOther(grant)}
                question={
                  other === "User"
                    ? phrase`Revoke the access in the name of ${nameOfOther(grant)}?`
                    : phrase`Revoke the access of ${nameOfOther(grant)}?`
                }
                effects={[
                  "The tokens it has for this user are no longer good.",
                  TOKENS_ELSEWHERE,
                  grant.Consented
                    ? "It asks the user again."
                    : "The user's next sign-in to it does not ask, as before.",
                ]}
                confirm="Revoke the access"
                fields={{ id: String(grant[other].Id) }}
              />
            ),
          },
        ]
      : []),
  ];
}

export async function revokeGrant({ grants }: SettingsDependencies, visit: Visit): Promise<Response> {
  const id = visit.form.get("id") ?? "";
  // Who may not read it is not told what it is called.
  const { Application: gone } = await grants.revoke(visit.permitted("Settings:Update"), visit.params.id!, id);
  const name = gone ? nameOf("Application", gone) : `Application ${id}`;
  return visit.goTo(`${USERS}/${visit.params.id}`, phrase`${name} has lost its access.`);
}
