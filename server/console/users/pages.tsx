// Users: who they are, and how they sign in.

import { firstPage } from "../../http/query.ts";
import { Badge, Code, Facts, Section, Time } from "../../ui/index.ts";
import { providersOf } from "../applications/list.tsx";
import type { Page, SettingsDependencies, View } from "../page.tsx";
import { RecordActions, readRecord, Value } from "../records/records.tsx";
import { nameOf } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";
import { ConsentsSection, consentsPage, revokeConsent } from "./consents.tsx";
import { IdentitiesSection, linkIdentity, linkPage, unlinkIdentity } from "./identities.tsx";
import { LastLogin, listPage, type Person, pathOf, titleOf, USERS } from "./list.tsx";
import { addPage, addUser, changePage, changeUser, deletePage, deleteUser, setState } from "./save.tsx";
import { endSession, endSessions, endSessionsPage, SessionsSection, sessionsPage } from "./sessions.tsx";
import { makePasswordLink, removeFactor, removeFactorPage, SignInSection } from "./sign-in.tsx";

export function userPages(deps: SettingsDependencies): Page[] {
  const one = `${USERS}/:id`;
  const read = ["AccessManager:Read"] as const;
  // As the REST API's upsert: PATCH may come to either.
  const write = ["AccessManager:Create", "AccessManager:Update"] as const;
  const see = ["AccessManager:Read", "Settings:Read"] as const;
  const set = ["AccessManager:Read", "Settings:Update"] as const;
  return [
    { path: USERS, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${USERS}/add`,
      GET: { needs: write, answer: (visit) => addPage(deps, visit) },
      POST: { needs: write, answer: (visit) => addUser(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => userPage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: [...read, ...write], answer: (visit) => changePage(deps, visit) },
      POST: { needs: [...read, ...write], answer: (visit) => changeUser(deps, visit) },
    },
    { path: `${one}/state`, POST: { needs: write, answer: (visit) => setState(deps, visit) } },
    {
      path: `${one}/delete`,
      GET: { needs: [...read, "AccessManager:Delete"], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: ["AccessManager:Delete"], answer: (visit) => deleteUser(deps, visit) },
    },
    {
      path: `${one}/password-link`,
      // Who loads the page anew is asked for no second link.
      GET: { needs: read, answer: async (visit) => visit.goTo(`${USERS}/${visit.params.id}`) },
      POST: { needs: set, answer: (visit) => makePasswordLink(deps, visit) },
    },
    {
      path: `${one}/second-factor/remove`,
      GET: { needs: [...see, ...set], answer: (visit) => removeFactorPage(deps, visit) },
      POST: { needs: set, answer: (visit) => removeFactor(deps, visit) },
    },
    {
      path: `${one}/identity/link`,
      GET: { needs: set, answer: (visit) => linkPage(deps, visit) },
      POST: { needs: set, answer: (visit) => linkIdentity(deps, visit) },
    },
    { path: `${one}/identity/unlink`, POST: { needs: set, answer: (visit) => unlinkIdentity(deps, visit) } },
    { path: `${one}/sessions`, GET: { needs: see, answer: (visit) => sessionsPage(deps, visit) } },
    { path: `${one}/session/end`, POST: { needs: set, answer: (visit) => endSession(deps, visit) } },
    {
      path: `${one}/sessions/end`,
      GET: { needs: set, answer: (visit) => endSessionsPage(deps, visit) },
      POST: { needs: set, answer: (visit) => endSessions(deps, visit) },
    },
    { path: `${one}/applications`, GET: { needs: see, answer: (visit) => consentsPage(deps, visit) } },
    { path: `${one}/consent/revoke`, POST: { needs: set, answer: (visit) => revokeConsent(deps, visit) } },
  ];
}

/** Of a list that has a page of its own. */
const SHOWN = firstPage(10);

async function userPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
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
