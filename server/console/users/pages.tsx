import { ApiError } from "../../platform/errors.ts";
import { exportResponse } from "../../platform/http/export.ts";
import { firstPage } from "../../platform/http/query.ts";
import type { EntityService } from "../../records/index.ts";
import { ButtonLink, Code, type Fact, ISSUED_TOKENS, Link, type Option, phrase, Text, Time } from "../../ui/index.ts";
import { lastBounce, MAILS } from "../mail.tsx";
import { type ConsolePage, type ConsoleServices, handlersOf, type Visit } from "../page.tsx";
import { attributeText } from "../records/attributes.tsx";
import { entityPages } from "../records/entities.tsx";
import { columnOf, RecordSection } from "../records/record-section.tsx";
import { ACTIVE_FILTER, searchFor } from "../records/records.tsx";
import { choiceOf, nameOf, providersOf, type ReferenceChoice } from "../records/reference-field.tsx";
import { ADD_TO_ROLE, firstRolesOf, memberRolePages, RolesSection } from "../settings/member-roles.tsx";
import { erasePage } from "./erase.tsx";
import { ERASE, ERASURES, erasurePages } from "./erasures.tsx";
import { grantsPage, grantsSection, revokePage } from "./grants.tsx";

import { identitiesSection, linkIdentity, linkPage, unlinkPage } from "./identities.tsx";
import { passkeys } from "./passkeys.tsx";
import { type Person, PROFILE, pathOf, titleOf, USERS } from "./person.tsx";
import { sessionPages, sessionsPage, sessionsSection } from "./sessions.tsx";
import { makePasswordLink, removeFactorPage, SignInSection } from "./sign-in.tsx";

export function userPages(deps: ConsoleServices): ConsolePage[] {
  return entityPages<Person>(deps, "User", {
    titleOf: (person) => titleOf(person as Person),
    sections: { Profile: PROFILE },
    columns: [
      "Username",
      { ...columnOf(deps.records.of("User").entity, "Email"), narrow: "none" },
      "Department",
      "Is_Active",
      { name: "Last sign-in", narrow: "none", cell: ({ Last_Login }) => <Time at={Last_Login} ago /> },
    ],
    list: {
      lead: (visit) => <a href={visit.href(ERASURES)}>Erasures and their certificates</a>,
      filters: async (visit) => {
        const options = await departmentOptions(deps.records.of("Department"), visit);
        return [
          searchFor("users"),
          ACTIVE_FILTER,
          ...(options.length > 0 ? [{ name: "Department", label: "Department", options }] : []),
        ];
      },
      none: [
        "No users to see",
        "Add users here, by the API, or let an identity provider add them at their first sign-in.",
      ],
      noMatch: [
        "No matches",
        "The search matches parts of names, user names, e-mail addresses, phone numbers and external Ids.",
      ],
    },
    messages: { added: () => "The user is added. A password link lets them set a password and sign in." },
    state: {
      bulk: [ADD_TO_ROLE],
      effects: [
        "All sign-ins, codes and tokens end permanently, in every browser and application.",
        ISSUED_TOKENS,
        "The user cannot sign in until active again, and must then sign in again.",
      ],
      messages: {
        on: "The user is active and can sign in.",
        off: "The user is inactive and signed out.",
      },
    },
    page: {
      show: (visit, { record }) => userBody(deps, visit, record),
      actions: (visit, { record }) => ({
        others: (
          <>
            {visit.may("Settings:Read", "User", { ...record }) && visit.may("Webhooks:Read") && (
              <ButtonLink href={visit.href(`${pathOf(record)}/export`)} label="Export data" />
            )}
            {visit.may(ERASE, "User", { ...record }) && (
              <ButtonLink href={visit.href(`${pathOf(record)}/erase`)} label="Erase" kind="danger" />
            )}
          </>
        ),
      }),
      effects: (person) => [
        phrase`${titleOf(person)} can no longer sign in, and is signed out everywhere.`,
        ISSUED_TOKENS,
        "The password, the second factor, roles and granted access are deleted with the user.",
        "Webhook connections that listen to User get its last state.",
        "The user's actions stay in the audit log, under the Id.",
      ],
    },
    more: morePages(deps),
  });
}

function morePages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  const one = `${USERS}/:id`;
  const read = ["AccessManager:Read"] as const;
  const see = [...read, "Settings:Read"] as const;
  const set = [...read, "Settings:Update"] as const;
  return [
    {
      path: `${one}/password-link`,
      // Reloading the page does not create a second link.
      GET: { needs: read, answer: async (visit) => visit.goTo(`${USERS}/${visit.params.id}`) },
      POST: on(set, makePasswordLink),
    },
    removeFactorPage(deps),
    { path: `${one}/identity/link`, GET: on(set, linkPage), POST: on(set, linkIdentity) },
    unlinkPage(deps),
    passkeys.removal(deps),
    { path: `${one}/sessions`, GET: on(see, sessionsPage) },
    ...sessionPages(deps),
    { path: `${one}/applications`, GET: on(see, grantsPage) },
    revokePage(deps, `${one}/grant/revoke`, "Application", (name) => phrase`${name} has lost its access.`),
    ...memberRolePages(deps, "User", USERS),
    {
      path: `${one}/export`,
      GET: {
        needs: EXPORT,
        answer: async (visit) =>
          exportResponse(await deps.personalData.export(visit.permitted(...EXPORT), visit.params.id!)),
      },
    },
    erasePage(deps),
    ...erasurePages(deps),
  ];
}

const EXPORT = ["AccessManager:Read", "Settings:Read", "Webhooks:Read"] as const;

/** An excerpt; the full list has its own page. */
const SHOWN = firstPage(10);

function verifiedFact(name: string, text: string, isVerified: boolean): Fact | false {
  return text !== "" && [name, <Text text={isVerified ? "yes" : "no"} />];
}

async function userBody(deps: ConsoleServices, visit: Visit, person: Person) {
  const { users, grants } = deps;
  const id = String(person.Id);
  const record = { ...person };
  const maySee = visit.may("Settings:Read", "User", record);
  const [factor, roles, sessions, allowed, identities, keys] = maySee
    ? await Promise.all([
        users.findSecondFactor(visit.permitted("Settings:Read"), id),
        firstRolesOf(deps, visit, { Type: "User", Id: person.Id }),
        users.listSessions(visit.permitted("Settings:Read"), id, SHOWN),
        grants.listOfUser(visit.permitted("Settings:Read"), id, SHOWN),
        users.listIdentities(visit.permitted("Settings:Read"), id),
        users.listPasskeys(visit.permitted("Settings:Read"), id),
      ])
    : [];
  const bounced = maySee ? await lastBounce(deps, visit, person.Email) : undefined;
  const mayChange = visit.may("Settings:Update", "User", record);
  const of = { visit, person, mayChange };
  const mayLink = mayChange && (await providersOf(deps, visit)).length > 0;
  return (
    <>
      <RecordSection
        visit={visit}
        declaration={deps.records.of("User").entity}
        title="Person"
        record={person}
        facts={[
          "Is_Active",
          "Username",
          "Email",
          verifiedFact("E-mail verified", person.Email, person.EmailVerified),
          bounced && [
            "Mail",
            <Link href={visit.href(`${MAILS}/${bounced.Id}`)} text="Mail to this address is refused" kind="bad" />,
          ],
          "MobilePhone",
          verifiedFact("Mobile phone verified", person.MobilePhone, person.MobilePhoneVerified),
          "External_Id",
          ...PROFILE.filter((name) => person[name] !== ""),
          "Department",
          ...Object.entries(person.Attributes).map(
            ([name, value]): Fact => [name, <Text text={attributeText(value)} />],
          ),
          ["Created", <Time at={person.Creation_Date} />],
          ["Last sign-in", <Time at={person.Last_Login} ago />],
          ["Id", <Code text={id} copy />],
        ]}
      />
      {!!roles && !!sessions && !!allowed && !!identities && !!keys && (
        <>
          <SignInSection {...of} factor={factor} />
          {passkeys.section(of, keys.Items)}
          <RolesSection
            visit={visit}
            member={{ Type: "User", Id: person.Id }}
            path={pathOf(person)}
            title={titleOf(person)}
            page={roles}
          />
          {identitiesSection(of, identities.Items, mayLink)}
          {sessionsSection(of, sessions)}
          {grantsSection(visit, person, allowed) as "safe"}
        </>
      )}
    </>
  );
}

/** All departments; if there are too many, only the one in the address. */
async function departmentOptions(departments: EntityService, visit: Visit): Promise<Option[]> {
  const { options } = await choiceOf(departments, visit, undefined);
  // The list filter uses 0 for an empty foreign key.
  if (options) return options.length > 1 ? options.map(({ value, label }) => ({ value: value || "0", label })) : [];
  const chosen = visit.url.searchParams.get("Department");
  return chosen ? [{ value: chosen, label: await nameOfDepartment(departments, visit, chosen) }] : [];
}

async function nameOfDepartment(departments: EntityService, visit: Visit, id: string): Promise<string> {
  try {
    const { record } = await departments.read(visit.permitted("AccessManager:Read"), id);
    return nameOf("Department", record as unknown as ReferenceChoice);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return `Department ${id}`;
    throw error;
  }
}
