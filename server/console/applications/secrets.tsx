// The secrets of an application: made, shown once, and deleted when another has taken their place.

import { readId } from "../../http/query.ts";
import {
  type CredentialsRecord,
  MOST_SECRETS,
  makeSecret,
  removeSecret,
  type SecretRecord,
} from "../../oauth/index.ts";
import { ActionButton, ButtonLink, Code, phrase, Section, Table, Time } from "../../ui/index.ts";
import { confirmation, type SettingsDependencies, type View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { APPLICATIONS, type Application, aboveOf, pathOf, readApplication, titleOf } from "./application.ts";
import { mayChangeCredentials } from "./credentials.tsx";

export interface SecretsSectionProps {
  visit: Visit;
  application: Application;
  credentials: CredentialsRecord;
  secrets: SecretRecord[];
}

export function SecretsSection({ visit, application, credentials, secrets }: SecretsSectionProps): JSX.Element {
  const mayChange = mayChangeCredentials(visit, application, credentials);
  const isConfidential = credentials.ClientType === "confidential";
  return (
    <Section title="Secrets" id="secrets">
      {secrets.length > 0 ? (
        <Table caption="Secrets" columns={columns(visit, application, mayChange)} rows={secrets} />
      ) : (
        <p class="fine" safe>
          {isConfidential
            ? "It has no secret yet, and cannot ask for tokens without one."
            : `A ${credentials.ClientType} client has no secret.`}
        </p>
      )}
      {isConfidential && mayChange ? (
        secrets.length < MOST_SECRETS ? (
          <div class="buttons">
            <ActionButton visit={visit} action={`${pathOf(application)}/secrets`} label="Make a secret" />
          </div>
        ) : (
          <p class="fine">Both are good. Delete the one that is no longer in use to make another.</p>
        )
      ) : (
        ""
      )}
    </Section>
  );
}

function columns(visit: Visit, application: Application, mayChange: boolean) {
  const remove = ({ Id }: SecretRecord) => (
    <ButtonLink href={visit.href(`${pathOf(application)}/secrets/${Id}/delete`)} kind="danger">
      Delete
    </ButtonLink>
  );
  return [
    { name: "Secret", cell: ({ Id }: SecretRecord) => <Code text={Id} /> },
    { name: "Made", cell: ({ CreatedOn }: SecretRecord) => <Time at={new Date(CreatedOn)} /> },
    ...(mayChange ? [{ name: "Delete it", cell: remove }] : []),
  ];
}

/** The secret is shown in the answer to the form itself: it stands nowhere else. */
export async function makeSecretPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const application = await readApplication(deps, visit);
  const { Secret } = await makeSecret(
    deps.sql,
    deps.access,
    visit.permitted("Settings:Update"),
    Number(application.Id),
  );
  return secretView({
    visit,
    application,
    secret: Secret,
    next: "A secret that was there before is good beside it. Delete it once the application has the new one.",
  });
}

interface ShownSecret {
  visit: Visit;
  application: Application;
  secret: string;
  /** What to do with it. */
  next: string;
}

/** A secret, this one time. */
export function secretView({ visit, application, secret, next }: ShownSecret): View {
  return {
    title: "Secret",
    above: aboveOf(application),
    body: (
      <div class="panel narrow stack">
        <p>
          {"Put this client_secret where "}
          <strong safe>{titleOf(application)}</strong>
          {" keeps its secrets. It is not shown again."}
        </p>
        <p class="secret">
          <Code text={secret} copy />
        </p>
        <p role="status" safe>
          {next}
        </p>
        <div class="buttons">
          <ButtonLink href={visit.href(pathOf(application))} kind="main">
            Done
          </ButtonLink>
        </div>
      </div>
    ),
  };
}

export async function deleteSecretPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const application = await readApplication(deps, visit);
  const path = pathOf(application);
  return confirmation({
    visit,
    title: "Delete this secret?",
    above: aboveOf(application),
    effects: [
      phrase`${titleOf(application)} gets no tokens by it any more, from now on.`,
      "Tokens that it has got stay good until they expire.",
    ],
    label: "Delete secret",
    action: `${path}/secrets/${visit.params.secret}/delete`,
    back: path,
  });
}

export async function deleteSecret({ sql, access }: SettingsDependencies, visit: Visit): Promise<Response> {
  const id = readId("Application", visit.params.id!);
  await removeSecret(sql, access, visit.permitted("Settings:Update"), id, visit.params.secret!);
  return visit.goTo(`${APPLICATIONS}/${id}`, "The secret is deleted.");
}
