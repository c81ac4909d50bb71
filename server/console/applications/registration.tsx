import type { AccessTokenRecord, CredentialsRecord } from "../../identity/index.ts";
import { NotFound } from "../../platform/errors.ts";
import { readId } from "../../platform/http/query.ts";
import { AskButton, Code, phrase, Section, Text, Time } from "../../ui/index.ts";
import {
  type Confirmation,
  type ConsolePage,
  type ConsoleServices,
  confirming,
  Done,
  messageView,
  type View,
} from "../page.tsx";
import type { Visit } from "../visit.ts";
import { APPLICATIONS, type Application, aboveOf, pathOf, readApplication, titleOf } from "./application.ts";
import { mayChangeCredentials } from "./credentials.tsx";

/** @returns undefined if it was not registered dynamically */
export async function registrationOf(
  { registrationTokens }: ConsoleServices,
  visit: Visit,
  { Id }: Pick<Application, "Id">,
): Promise<AccessTokenRecord | undefined> {
  try {
    return await registrationTokens.read(visit.permitted("Settings:Read"), Number(Id));
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

interface RegistrationSectionProps {
  visit: Visit;
  application: Application;
  credentials: CredentialsRecord;
  registration: AccessTokenRecord | undefined;
}

export function RegistrationSection(props: RegistrationSectionProps): JSX.Element {
  const { visit, application, credentials, registration } = props;
  if (!registration) return "";
  const { Open, RegisteredOn, MadeOn, LastUsedOn, AdministratorSet } = registration;
  const path = `${pathOf(application)}/registration-token`;
  const mayChange = mayChangeCredentials(visit, application, credentials);
  return (
    <Section
      title="Registration"
      id="registration"
      facts={[
        ["Registered itself", <Time at={RegisteredOn} />],
        ["By", <Text text={Open ? "open registration, without a token" : "an initial access token"} />],
        ["Token created", <Time at={MadeOn} none="none" />],
        ["Token last used", <Time at={LastUsedOn} ago />],
        [
          "Set by administrators, and locked for the application",
          AdministratorSet.length > 0 ? <Text text={AdministratorSet.join(", ")} /> : <span class="none">nothing</span>,
        ],
      ]}
      buttons={
        mayChange && (
          <>
            <AskButton
              visit={visit}
              action={path}
              label={MadeOn ? "Replace the token" : "Create a token"}
              question={askToReplace(application, registration)}
            />
            {!!MadeOn && (
              <AskButton
                visit={visit}
                action={`${path}/revoke`}
                label="Revoke the token"
                question={askToRevoke(application, registration)}
              />
            )}
          </>
        )
      }
    />
  );
}

function askToReplace(application: Application, { MadeOn }: AccessTokenRecord): Confirmation {
  return {
    title: phrase`A new registration access token for ${titleOf(application)}?`,
    above: aboveOf(application),
    effects: ["It is shown once.", ...(MadeOn ? ["The application's current token becomes invalid at once."] : [])],
    confirm: MadeOn ? "Replace token" : "Create token",
    basis: MadeOn,
    back: `${pathOf(application)}/credentials`,
  };
}

function askToRevoke(application: Application, { MadeOn }: AccessTokenRecord): Confirmation {
  if (!MadeOn) throw new NotFound("The Application has no registration access token.");
  return {
    title: phrase`Revoke the registration access token of ${titleOf(application)}?`,
    above: aboveOf(application),
    effects: ["People can still sign in to it.", "It can no longer read, change or delete itself."],
    confirm: "Revoke token",
    basis: MadeOn,
    back: `${pathOf(application)}/credentials`,
  };
}

export function registrationPages(deps: ConsoleServices): ConsolePage[] {
  const path = `${APPLICATIONS}/:id/registration-token`;
  const needs = ["AccessManager:Read", "Settings:Read", "Settings:Update"] as const;
  const asking = (question: typeof askToRevoke) => async (visit: Visit) => {
    const application = await readApplication(deps, visit);
    const id = readId("Application", application.Id);
    return question(application, await deps.registrationTokens.read(visit.permitted("Settings:Read"), id));
  };
  return [
    confirming({
      path,
      needs,
      ask: asking(askToReplace),
      async act(visit) {
        const id = readId("Application", visit.params.id!);
        const { Token } = await deps.registrationTokens.replace(visit.permitted("Settings:Update"), id);
        return deps.once.goTo(visit, `${APPLICATIONS}/${id}/registration-token/made`, { Token: Token! });
      },
    }),
    confirming({
      path: `${path}/revoke`,
      needs,
      ask: asking(askToRevoke),
      async act(visit) {
        const id = readId("Application", visit.params.id!);
        await deps.registrationTokens.revoke(visit.permitted("Settings:Update"), id);
        return visit.goTo(`${APPLICATIONS}/${id}/credentials`, "The registration access token is revoked.");
      },
    }),
    { path: `${path}/made`, GET: { needs, answer: (visit) => madeRegistrationTokenPage(deps, visit) } },
  ];
}

async function madeRegistrationTokenPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const token = deps.once.take(visit)?.Token;
  // A new token is shown even if its application was deleted meanwhile.
  if (!token) await readApplication(deps, visit);
  return messageView({
    title: token ? "Registration access token" : "Shown already",
    above: [{ name: "Applications", path: APPLICATIONS }],
    text: token ? (
      <>
        <p>The application uses this token to read, change and delete itself. It is not shown again.</p>
        <Code text={token} kept />
      </>
    ) : (
      <p>A token is shown once. If it was not stored, create a new one.</p>
    ),
    buttons: <Done visit={visit} path={`${APPLICATIONS}/${visit.params.id}/credentials`} />,
  });
}
