import { ButtonLink, Code, ISSUED_TOKENS, Link, phrase, Text, Time } from "../../ui/index.ts";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "../page.tsx";
import { entityPages } from "../records/entities.tsx";
import type { Held } from "../records/record-pages.tsx";
import { RecordSection } from "../records/record-section.tsx";
import { Changed, Value } from "../records/records.tsx";
import { providersOf } from "../records/reference-field.tsx";
import { ADD_TO_ROLE, firstRolesOf, memberRolePages, RolesSection } from "../settings/member-roles.tsx";
import { revokePage } from "../users/grants.tsx";
import {
  APPLICATIONS,
  type Application,
  NEW_APPLICATION,
  pathOf,
  readApplication,
  tabOf,
  titleOf,
} from "./application.ts";
import { connectPage } from "./connect.tsx";
import { CredentialsSection, credentialsPage, saveCredentials } from "./credentials.tsx";
import { grantsPage } from "./grants.tsx";
import { logoutsPage, redeliverLogout } from "./logouts.tsx";
import { addClient, chooseKindPage, newClientPage } from "./new-client.tsx";
import { RegistrationSection, registrationOf, registrationPages } from "./registration.tsx";
import { deleteSecretPage, madeSecretPage, makeSecret, newSecretPage, SecretsSection } from "./secrets.tsx";
import { beginTrial, comeBack, exchangeCode, setRedirectUri, tryPage } from "./try-it.tsx";

export function applicationPages(deps: ConsoleServices): ConsolePage[] {
  return entityPages<Application>(deps, "Application", {
    columns: [
      { name: "client_id", cell: ({ Id }) => <Code text={Id} /> },
      { name: "Key", cell: ({ ApplicationKey }) => <Value text={ApplicationKey} /> },
      "ExternalId",
      "Is_Active",
    ],
    list: {
      none: [
        "No applications to see",
        "An application with credentials is an OAuth client: it signs users in, or calls the API as itself.",
      ],
      noMatch: ["No matching applications", "The search matches parts of names, keys, external Ids and web sites."],
    },
    form: { add: { links: (visit) => <Adds visit={visit} /> } },
    messages: {
      added: () => "The application is added. Give it grants, scopes and a secret to make it an OAuth client.",
    },
    state: {
      bulk: [ADD_TO_ROLE],
      effects: [
        "It gets no more tokens, and its current tokens become invalid.",
        ISSUED_TOKENS,
        "Users cannot sign in to it until it is active again.",
      ],
      messages: {
        on: "The application is active and gets tokens.",
        off: "The application is inactive: it gets no tokens, and its current tokens are invalid.",
      },
    },
    page: {
      show: (visit, held) => applicationBody(deps, visit, held),
      effects: (application) => [
        phrase`${titleOf(application)} is deleted with its credentials and secrets.`,
        "Its tokens become invalid, and users can no longer sign in to it.",
        ISSUED_TOKENS,
        "Webhook connections that listen to Application get its last state.",
        "Its actions stay in the audit log, under its Id.",
      ],
    },
    more: morePages(deps),
  });
}

/** Visitors who may not set credentials can add only the record. */
function Adds({ visit }: { visit: Visit }): JSX.Element {
  const add = visit.href(`${APPLICATIONS}/add`);
  if (!visit.may("Settings:Update")) {
    return <ButtonLink href={add} label="Add application" kind="main" />;
  }
  return (
    <>
      <ButtonLink href={visit.href(NEW_APPLICATION)} label="New application" kind="main" />
      <a href={add}>Add application</a>
    </>
  );
}

function morePages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  const one = `${APPLICATIONS}/:id`;
  const read = ["AccessManager:Read"] as const;
  const see = [...read, "Settings:Read"] as const;
  const set = [...see, "Settings:Update"] as const;
  const add = ["AccessManager:Create", "AccessManager:Update", "Settings:Update"] as const;
  return [
    {
      path: NEW_APPLICATION,
      command: "New application",
      GET: { needs: add, answer: async (visit) => chooseKindPage(visit) },
    },
    { path: `${NEW_APPLICATION}/:kind`, GET: on(add, newClientPage), POST: on(add, addClient) },
    { path: `${one}/connect`, tab: "Connect", GET: on(read, connectPage) },
    { path: `${one}/try-it`, tab: "Try it", GET: on(set, tryPage), POST: on(set, beginTrial) },
    { path: `${one}/try-it/redirect-uri`, POST: on(set, setRedirectUri) },
    { path: `${one}/try-it/callback`, GET: on(set, comeBack), POST: on(set, exchangeCode) },
    { path: `${one}/credentials`, tab: "Credentials", GET: on(see, credentialsTab), POST: on(set, saveCredentials) },
    { path: `${one}/credentials/change`, GET: on(set, credentialsPage) },
    { path: `${one}/grants`, tab: "Users", GET: on(see, grantsPage) },
    { path: `${one}/logouts`, tab: "Logouts", GET: on(see, logoutsPage) },
    { path: `${one}/logouts/:logout/redeliver`, POST: on(["Settings:Update"], redeliverLogout) },
    revokePage(deps, `${one}/grants/revoke`, "User", (name) => phrase`The access on behalf of ${name} is revoked.`),
    { path: `${one}/secrets`, GET: on(set, newSecretPage), POST: on(set, makeSecret) },
    { path: `${one}/secrets/made`, GET: on(["Settings:Update"], madeSecretPage) },
    deleteSecretPage(deps),
    ...registrationPages(deps),
    ...memberRolePages(deps, "Application", APPLICATIONS),
  ];
}

async function applicationBody(deps: ConsoleServices, visit: Visit, { record, stored }: Held<Application>) {
  const member = { Type: "Application", Id: Number(record.Id) } as const;
  const roles = visit.may("Settings:Read") ? await firstRolesOf(deps, visit, member) : undefined;
  const provider = await providerOf(deps, visit, stored);
  const kinds = [record.Is_System ? "system" : "", record.Is_EndUser ? "for end users" : ""].filter(Boolean);
  const given = (["ApplicationKey", "ExternalId", "WebSiteURL"] as const).filter((name) => record[name] !== "");
  return (
    <>
      <RecordSection
        visit={visit}
        declaration={deps.records.of("Application").entity}
        record={record}
        facts={[
          ["client_id", <Code text={record.Id} copy />],
          "Is_Active",
          ...given,
          kinds.length > 0 && ["Kind", <Value text={kinds.join(", ")} />],
          [
            "Users sign in with",
            provider ? (
              <Link href={visit.href(`/settings/identity-providers/${provider.Id}`)} text={provider.name} />
            ) : (
              <Text text="all that the sign-in page offers" />
            ),
          ],
          ["Created", <Time at={record.CreatedOn} />],
          ["Changed", <Changed {...record} />],
        ]}
      />
      {!!roles && (
        <RolesSection visit={visit} member={member} path={pathOf(record)} title={titleOf(record)} page={roles} />
      )}
    </>
  );
}

async function credentialsTab(deps: ConsoleServices, visit: Visit): Promise<View> {
  const application = await readApplication(deps, visit);
  const permitted = visit.permitted("Settings:Read");
  const { record } = await deps.credentials.read(permitted, Number(application.Id));
  const secrets = await deps.credentials.listSecrets(permitted, Number(application.Id));
  const of = { visit, application, credentials: record };
  return {
    ...tabOf(application),
    body: (
      <>
        <CredentialsSection {...of} />
        <SecretsSection {...of} secrets={secrets.Items} />
        <RegistrationSection {...of} registration={await registrationOf(deps, visit, application)} />
      </>
    ),
  };
}

/** AuthenticationId is input only, so it is read from the entity tag's values. @returns undefined: default methods */
async function providerOf(deps: ConsoleServices, visit: Visit, stored: { authenticationId?: number | null }) {
  const Id = String(stored.authenticationId ?? "");
  if (Id === "") return undefined;
  const provider = (await providersOf(deps, visit)).find((one) => one.Id === Id);
  return { Id, name: provider?.Name ?? `Identity provider ${Id}` };
}
