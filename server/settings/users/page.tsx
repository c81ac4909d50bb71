import { firstPage } from "../../http/paging.ts";
import { providersOf } from "../applications/application.ts";
import { Badge, Code, Facts, Section, Time } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { RecordActions } from "../records/actions.tsx";
import { readRecord } from "../records/records.ts";
import { nameOf } from "../records/reference-field.tsx";
import { Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { ConsentsSection } from "./consents.tsx";
import { IdentitiesSection } from "./identities.tsx";
import { LastLogin } from "./list.tsx";
import { type Person, pathOf, titleOf, USERS } from "./person.ts";
import { SessionsSection } from "./sessions.tsx";
import { SignInSection } from "./sign-in.tsx";

/** Of a list that has a page of its own. */
const SHOWN = firstPage(10);

export async function userPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const { records, users, consents } = deps;
  const { record: person } = await readRecord<Person>(records.of("User"), visit);
  const id = String(person.Id);
  const record = { ...person };
  const maySee = visit.may("Settings:Read", "User", record);
  const [factor, sessions, allowed, identities] = maySee
    ? await Promise.all([
        users.findSecondFactor(visit.permitted("Settings:Read"), id),
        users.listSessions(visit.permitted("Settings:Read"), id, SHOWN),
        consents.list(visit.permitted("Settings:Read"), id, SHOWN),
        users.listIdentities(visit.permitted("Settings:Read"), id),
      ])
    : [];
  const mayChange = visit.may("Settings:Update", "User", record);
  const mayLink = mayChange && (await providersOf(deps, visit)).length > 0;
  return {
    title: titleOf(person),
    above: [{ name: "Users", path: USERS }],
    actions: (
      <RecordActions
        visit={visit}
        type="User"
        record={person}
        title={titleOf(person)}
        path={pathOf(person)}
        isActive={person.Is_Active}
      />
    ),
    body: (
      <>
        <Section title="Person">
          <Facts facts={factsOf(visit, person)} />
        </Section>
        {sessions && allowed && identities ? (
          <>
            <SignInSection visit={visit} person={person} factor={factor} mayChange={mayChange} />
            <IdentitiesSection
              visit={visit}
              person={person}
              identities={identities.Items}
              mayChange={mayChange}
              mayLink={mayLink}
            />
            <SessionsSection visit={visit} person={person} page={sessions} mayChange={mayChange} />
            <ConsentsSection visit={visit} person={person} page={allowed} />
          </>
        ) : (
          ""
        )}
      </>
    ),
  };
}

function factsOf(visit: Visit, person: Person): [string, JSX.Element][] {
  const { Department } = person;
  return [
    ["State", <Badge state={person.Is_Active ? "Active" : "Inactive"} />],
    ["User name", <Value text={person.Username} />],
    ["E-mail", <Value text={person.Email} />],
    ["Mobile phone", <Value text={person.MobilePhone} />],
    ["External Id", <Value text={person.External_Id} />],
    [
      "Department",
      Department.Id ? (
        <a href={visit.href(`/settings/departments/${Department.Id}`)} safe>
          {nameOf("Department", Department)}
        </a>
      ) : (
        <Value text="" />
      ),
    ],
    ["Created", <Time at={new Date(person.Creation_Date)} />],
    ["Last sign-in", <LastLogin at={person.Last_Login} />],
    ["Id", <Code text={String(person.Id)} copy />],
  ];
}
