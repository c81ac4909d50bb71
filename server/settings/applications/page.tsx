import { Permission } from "../../errors.ts";
import { readCredentials, readSecrets } from "../../oauth/index.ts";
import { Badge, Facts, Section, Text, Time } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { RecordActions } from "../records/actions.tsx";
import { Changed, Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { APPLICATIONS, type Application, pathOf, providersOf, readApplication, titleOf } from "./application.ts";
import { CredentialsSection } from "./credentials.tsx";
import { SecretsSection } from "./secrets.tsx";

export async function applicationPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
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
