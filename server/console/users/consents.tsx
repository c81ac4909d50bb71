// What a User has allowed applications.

import type { Page } from "../../http/query.ts";
import type { ConsentRecord } from "../../oauth/index.ts";
import { AskButton, ButtonLink, Pager, phrase, Section, Table, Text, Time } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { pagingOf, readRecord } from "../records/records.tsx";
import { nameOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, USERS } from "./person.tsx";

export interface ConsentsProps {
  visit: Visit;
  person: Person;
  page: Page<ConsentRecord>;
}

export function ConsentsSection({ visit, person, page: { Items, Next } }: ConsentsProps): JSX.Element {
  return (
    <Section title="Applications allowed" id="applications">
      {Items.length > 0 ? (
        <Table caption="Applications allowed" columns={columns(visit, person)} rows={Items} />
      ) : (
        <p class="fine">None. Applications of your own organisation may be set up to ask for nothing.</p>
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
export async function consentsPage({ records, consents }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: person } = await readRecord<Person>(records.of("User"), visit);
  const { Items, Next } = await consents.list(visit.permitted("Settings:Read"), String(person.Id), pagingOf(visit));
  return {
    title: "Applications allowed",
    above: aboveOf(person),
    body: (
      <>
        <Table caption="Applications allowed" columns={columns(visit, person)} rows={Items} />
        <Pager visit={visit} next={Next} />
      </>
    ),
  };
}

function columns(visit: Visit, person: Person) {
  const mayRevoke = visit.may("Settings:Update");
  return [
    {
      name: "Application",
      cell: ({ Application }: ConsentRecord) => (
        <a href={visit.href(`/settings/applications/${Application.Id}`)} safe>
          {nameOf("Application", Application)}
        </a>
      ),
    },
    { name: "Scopes", cell: ({ Scopes }: ConsentRecord) => <Text text={Scopes.join(" ")} /> },
    { name: "Since", cell: ({ GrantedOn }: ConsentRecord) => <Time at={new Date(GrantedOn)} ago /> },
    ...(mayRevoke
      ? [
          {
            name: "Revoke it",
            cell: ({ Application }: ConsentRecord) => (
              <AskButton
                visit={visit}
                action={`${pathOf(person)}/consent/revoke`}
                label="Revoke"
                about={nameOf("Application", Application)}
                question={phrase`Revoke the access of ${nameOf("Application", Application)}?`}
                effects={["The tokens it has for this user are no longer good.", "It asks the user again."]}
                confirm="Revoke the access"
                fields={{ application: String(Application.Id) }}
              />
            ),
          },
        ]
      : []),
  ];
}

export async function revokeConsent({ consents }: SettingsDependencies, visit: Visit): Promise<Response> {
  const id = visit.form.get("application") ?? "";
  // Who may not read it is not told what it is called.
  const { Application: gone } = await consents.revoke(visit.permitted("Settings:Update"), visit.params.id!, id);
  const name = gone ? nameOf("Application", gone) : `Application ${id}`;
  return visit.goTo(`${USERS}/${visit.params.id}`, phrase`${name} has lost its access. It will ask again.`);
}
