import { Permission } from "../../errors.ts";
import { readCredentials, readSecrets } from "../../oauth/index.ts";
import { ActionButton, Badge, ButtonLink, Facts, Section, Text, Time } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { APPLICATIONS, type Application, pathOf, providersOf, readApplication, titleOf } from "./application.ts";
import { CredentialsSection } from "./credentials.tsx";
import { SecretsSection } from "./secrets.tsx";

export async function applicationPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: application, provider } = await readApplication(deps, visit);
  const { sql, publicUrl } = deps;
  const credentials = await seenCredentials(deps, visit, application);
  const secrets = credentials && (await readSecrets(sql, visit.caller, Number(application.Id)));
  const signsInWith = (await providersOf(deps, visit.caller)).find(({ Id }) => Id === provider);
  return {
    title: titleOf(application),
    above: [{ name: "Applications", path: APPLICATIONS }],
    actions: <Actions visit={visit} application={application} />,
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
    return visit.may("Settings:Read") ? await readCredentials(sql, visit.caller, Number(Id)) : undefined;
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
  const text = (value: string) => (value === "" ? <span class="none">none</span> : <Text text={value} />);
  const kinds = [application.Is_System ? "system" : "", application.Is_EndUser ? "for end users" : ""];
  return [
    ["State", <Badge state={application.Is_Active ? "Active" : "Inactive"} />],
    ["Application key", text(application.ApplicationKey)],
    ["External Id", text(application.ExternalId)],
    ["Web site", text(application.WebSiteURL)],
    ["Kind", text(kinds.filter(Boolean).join(", "))],
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
    ["Changed", <Time at={new Date(application.ModifiedOn)} />],
  ];
}

function Actions({ visit, application }: { visit: Visit; application: Application }): JSX.Element {
  const record = { ...application };
  const path = pathOf(application);
  const mayChange = visit.may("AccessManager:Create") && visit.may("AccessManager:Update", "Application", record);
  return (
    <>
      {mayChange ? (
        <>
          <ButtonLink href={visit.href(`${path}/change`)}>Change</ButtonLink>
          <ActionButton
            visit={visit}
            action={`${path}/state`}
            label={application.Is_Active ? "Deactivate" : "Activate"}
            fields={{ Is_Active: String(!application.Is_Active) }}
          />
        </>
      ) : (
        ""
      )}
      {visit.may("AccessManager:Delete", "Application", record) ? (
        <ButtonLink href={visit.href(`${path}/delete`)} kind="danger">
          Delete
        </ButtonLink>
      ) : (
        ""
      )}
    </>
  );
}
