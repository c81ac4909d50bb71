import { type CredentialsRecord, MAX_SECRETS, SECRET_DATA, type SecretRecord } from "../../identity/index.ts";
import { NotFound } from "../../platform/errors.ts";
import { readId } from "../../platform/http/query.ts";
import {
  Badge,
  ButtonLink,
  Code,
  type Column,
  FormPanel,
  type FormState,
  formOf,
  ListSection,
  phrase,
  refusedForm,
  TextField,
  Time,
} from "../../ui/index.ts";
import {
  type ConsolePage,
  type ConsoleServices,
  confirming,
  Done,
  messageView,
  type View,
  type Visit,
} from "../page.tsx";
import { APPLICATIONS, type Application, aboveOf, pathOf, readApplication, titleOf } from "./application.ts";
import { Environment } from "./connect.tsx";
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
  const [mayMake, isFull] = [isConfidential && mayChange, secrets.length >= MAX_SECRETS];
  return (
    <ListSection
      title="Secrets"
      id="secrets"
      columns={columns(visit, application, mayChange)}
      rows={secrets}
      none={
        isConfidential
          ? "It has no secret yet, and cannot request tokens without one."
          : `A ${credentials.ClientType} client has no secret.`
      }
      buttons={
        mayMake && !isFull && <ButtonLink href={visit.href(`${pathOf(application)}/secrets`)} label="Create a secret" />
      }
    >
      {mayMake && isFull && <p class="fine">Both are valid. Delete the unused one to create another.</p>}
    </ListSection>
  );
}

function columns(visit: Visit, application: Application, mayChange: boolean): Column<SecretRecord>[] {
  const remove = ({ Id }: SecretRecord) => (
    <ButtonLink href={visit.href(`${pathOf(application)}/secrets/${Id}/delete`)} label="Delete" kind="danger" />
  );
  return [
    { name: "Secret", cell: ({ Id, Name }) => (Name ? <bdi safe>{Name}</bdi> : <Code text={Id} />) },
    { name: "Made", cell: ({ CreatedOn }) => <Time at={CreatedOn} /> },
    { name: "Last used", cell: (secret) => <LastUsed secret={secret} /> },
    ...(mayChange ? [{ name: "Delete", cell: remove }] : []),
  ];
}

/** The time of last use may be an hour old. A time two hours ago means at least one hour without use. */
const IN_USE_MS = 2 * 3_600_000;

function isInUse({ LastUsedOn }: SecretRecord): boolean {
  return LastUsedOn !== null && Date.now() - Date.parse(LastUsedOn) < IN_USE_MS;
}

function LastUsed({ secret }: { secret: SecretRecord }): JSX.Element {
  if (secret.LastUsedOn === null) return <span class="none">never</span>;
  return isInUse(secret) ? <Badge state="in use" tone="good" /> : <Time at={secret.LastUsedOn} ago />;
}

export async function newSecretPage(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const application = await readApplication(deps, visit);
  const path = pathOf(application);
  return {
    title: "Create a secret",
    above: aboveOf(application),
    status: refused ? 422 : 200,
    lead: <span>It is shown once. An existing secret stays valid.</span>,
    body: (
      <FormPanel
        visit={visit}
        state={refused ?? formOf()}
        action={`${path}/secrets`}
        back={`${path}/credentials`}
        label="Create the secret"
      >
        <TextField
          state={refused ?? formOf()}
          name="Name"
          label="Name"
          hint="Distinguishes it from others, such as by where it is used."
          required={false}
        />
      </FormPanel>
    ),
  };
}

export async function makeSecret(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const application = await readApplication(deps, visit);
  try {
    const input = SECRET_DATA.parse({ Name: (visit.form.get("Name") ?? "").trim() });
    const permitted = visit.permitted("Settings:Update");
    const { Secret } = await deps.credentials.makeSecret(permitted, Number(application.Id), input);
    return showSecret(deps, visit, application, Secret);
  } catch (error) {
    return newSecretPage(deps, visit, refusedForm(visit.form, error, ["Name"]));
  }
}

/** Redirects to the page that shows the secret once. @param isNew the application was created with it */
export function showSecret(
  { once }: ConsoleServices,
  visit: Visit,
  application: Application,
  Secret: string,
  isNew = false,
): Response {
  const shown = { Secret, Name: titleOf(application), ...(isNew && { isNew: "yes" }) };
  return once.goTo(visit, `${pathOf(application)}/secrets/made`, shown);
}

export async function madeSecretPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const shown = deps.once.take(visit);
  const path = `${APPLICATIONS}/${visit.params.id}`;
  // The creator of a secret may lack permission to read the application.
  const name = shown?.Name ?? titleOf(await readApplication(deps, visit));
  const isNew = shown?.isNew !== undefined;
  return messageView({
    title: shown ? "Secret" : "Shown already",
    above: [
      { name: "Applications", path: APPLICATIONS },
      { name, path },
    ],
    text: shown ? (
      <>
        <p>
          Store this client_secret where <strong safe>{name}</strong> keeps its secrets. It is not shown again.
        </p>
        <Code text={shown.Secret!} kept />
        <Environment issuer={deps.publicUrl} clientId={visit.params.id!} secret={shown.Secret} />
        <p role="status" safe>
          {isNew
            ? "The application is added and can use it at once."
            : "An earlier secret stays valid. Delete it when it is no longer used."}
        </p>
      </>
    ) : (
      <p>A secret is shown once. If it was not stored, create a new one and delete this one.</p>
    ),
    buttons: isNew ? (
      <Done visit={visit} path={`${path}/connect`} label="Connect it" />
    ) : (
      <Done visit={visit} path={`${path}/credentials`} />
    ),
  });
}

export function deleteSecretPage(deps: ConsoleServices): ConsolePage {
  return confirming({
    path: `${APPLICATIONS}/:id/secrets/:secret/delete`,
    isLinked: true,
    needs: ["AccessManager:Read", "Settings:Read", "Settings:Update"],
    async ask(visit) {
      const application = await readApplication(deps, visit);
      const secrets = await deps.credentials.listSecrets(visit.permitted("Settings:Read"), Number(application.Id));
      const secret = secrets.Items.find(({ Id }) => Id === visit.params.secret);
      if (!secret) throw new NotFound("The Application has no secret with this Id.");
      return {
        title: "Delete this secret?",
        above: aboveOf(application),
        effects: [
          ...(secret.Name ? [phrase`Its name is ${secret.Name}.`] : []),
          ...(isInUse(secret) ? ["It is in use: it was used within the last two hours."] : []),
          phrase`${titleOf(application)} can no longer get tokens with it.`,
          "Issued tokens stay valid until they expire.",
        ],
        confirm: "Delete secret",
        back: `${pathOf(application)}/credentials`,
      };
    },
    async act(visit) {
      const id = readId("Application", visit.params.id!);
      await deps.credentials.deleteSecret(visit.permitted("Settings:Update"), id, visit.params.secret!);
      return visit.goTo(`${APPLICATIONS}/${id}/credentials`, "The secret is deleted.");
    },
  });
}
