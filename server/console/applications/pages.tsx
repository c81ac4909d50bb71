// Applications: who they are, and what makes them OAuth clients.

import { Permission } from "../../errors.ts";
import { readCredentials, readSecrets } from "../../oauth/index.ts";
import { Badge, Facts, Section, Text, Time } from "../../ui/index.ts";
import type { Page, SettingsDependencies, View } from "../page.tsx";
import { Changed, RecordActions, Value } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { CredentialsSection, credentialsPage, saveCredentials } from "./credentials.tsx";
import { APPLICATIONS, type Application, listPage, pathOf, providersOf, readApplication, titleOf } from "./list.tsx";
import {
  addApplication,
  addPage,
  changeApplication,
  changePage,
  deleteApplication,
  deletePage,
  setState,
} from "./save.tsx";
import { deleteSecret, deleteSecretPage, makeSecretPage, SecretsSection } from "./secrets.tsx";

export function applicationPages(deps: SettingsDependencies): Page[] {
  const one = `${APPLICATIONS}/:id`;
  const read = ["AccessManager:Read"] as const;
  // As the REST API's upsert: PATCH may come to either.
  const write = ["AccessManager:Create", "AccessManager:Update"] as const;
  const set = ["AccessManager:Read", "Settings:Read", "Settings:Update"] as const;
  return [
    { path: APPLICATIONS, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${APPLICATIONS}/add`,
      GET: { needs: write, answer: (visit) => addPage(deps, visit) },
      POST: { needs: write, answer: (visit) => addApplication(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => applicationPage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: [...read, ...write], answer: (visit) => changePage(deps, visit) },
      POST: { needs: [...read, ...write], answer: (visit) => changeApplication(deps, visit) },
    },
    { path: `${one}/state`, POST: { needs: write, answer: (visit) => setState(deps, visit) } },
    {
      path: `${one}/delete`,
      GET: { needs: [...read, "AccessManager:Delete"], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: ["AccessManager:Delete"], answer: (visit) => deleteApplication(deps, visit) },
    },
    {
      path: `${one}/credentials`,
      GET: { needs: set, answer: (visit) => credentialsPage(deps, visit) },
      POST: { needs: set, answer: (visit) => saveCredentials(deps, visit) },
    },
    {
      path: `${one}/secrets`,
      // Who loads the page anew is asked for no second secret.
      GET: { needs: read, answer: async (visit) => visit.goTo(`${APPLICATIONS}/${visit.params.id}`) },
      POST: { needs: set, answer: (visit) => makeSecretPage(deps, visit) },
    },
    {
      path: `${one}/secrets/:secret/delete`,
      GET: { needs: set, answer: (visit) => deleteSecretPage(deps, visit) },
      POST: { needs: ["Settings:Update"], answer: (visit) => deleteSecret(deps, visit) },
    },
  ];
}

async function applicationPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: application, provider } = await readApplication(deps, visit);
  const { sql, publicUrl } = deps;
  const credentials = await seenCredentials(deps, visit, application);
  const secrets =
    credentials && (await readSecrets(sql, visit.permitted("Settings:Read"), Number(application.Id))).Items;
  const providers = provider === "" ? [] : await providersOf(deps, visit);
  const signsInWith = providers.find(({ Id }) => Id === provider);
  return {
    title: titleOf(application),
    above: [{ name: "Applications", path: APPLICATIONS }],
    actions: (
      <RecordActions
        visit={visit}
        type="Application"
        record={application}
        title={titleOf(application)}
        path={pathOf(application)}
        isActive={application.Is_Active}
      />
    ),
    body: (
      <>
        <Section title="Application">
          <Facts facts={factsOf(visit, application, provider, signsInWith?.Name)} />
          {application.Description ? (
            <p class="prose" safe>
              {application.Description}
            </p>
          ) : (
            ""
          )}
        </Section>
        {credentials && secrets ? (
          <>
            <CredentialsSection
              visit={visit}
              application={application}
              credentials={credentials}
              publicUrl={publicUrl}
            />
            <SecretsSection visit={visit} application={application} credentials={credentials} secrets={secrets} />
          </>
        ) : (
          ""
        )}
      </>
    ),
  };
}

/** @returns undefined if the visitor may see the application alone */
async function seenCredentials({ sql }: SettingsDependencies, visit: Visit, { Id }: Application) {
  try {
    return visit.may("Settings:Read")
      ? (await readCredentials(sql, visit.permitted("Settings:Read"), Number(Id))).record
      : undefined;
  } catch (error) {
    if (error instanceof Permission) return undefined;
    throw error;
  }
}

function factsOf(
  visit: Visit,
  application: Application,
  provider: string,
  providerName: string | undefined,
): [string, JSX.Element][] {
  const kinds = [application.Is_System ? "system" : "", application.Is_EndUser ? "for end users" : ""];
  return [
    ["State", <Badge state={application.Is_Active ? "Active" : "Inactive"} />],
    ["Application key", <Value text={application.ApplicationKey} />],
    ["External Id", <Value text={application.ExternalId} />],
    ["Web site", <Value text={application.WebSiteURL} />],
    ["Kind", <Value text={kinds.filter(Boolean).join(", ")} />],
    [
      "Users sign in with",
      provider === "" ? (
        <Text text="what the sign-in page offers" />
      ) : (
        <a href={visit.href(`/settings/identity-providers/${provider}`)} safe>
          {providerName ?? `Identity provider ${provider}`}
        </a>
      ),
    ],
    ["Created", <Time at={new Date(application.CreatedOn)} />],
    ["Changed", <Changed {...application} />],
  ];
}
