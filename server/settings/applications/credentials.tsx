// What makes an application an OAuth client, and its form.

import { SCOPES } from "../../access/index.ts";
import { etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import { kindOf } from "../../http/fields.ts";
import {
  CREDENTIALS,
  type CredentialsRecord,
  changeCredentials,
  developmentUris,
  GRANT_TYPES,
  readCredentials,
} from "../../oauth/index.ts";
import {
  ButtonLink,
  Checkbox,
  CheckboxGroup,
  Code,
  Facts,
  Form,
  type FormState,
  formOf,
  Hidden,
  refusedForm,
  Section,
  SelectField,
  Text,
  TextField,
} from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { APPLICATIONS, type Application, aboveOf, pathOf, readApplication } from "./application.ts";

const ADDRESSES = ["RedirectUris", "PostLogoutRedirectUris"] as const;
const LISTS = ["GrantTypes", "Scopes"] as const;
const WORDS = ["ClientType", "AccessTokenAlg", "IdTokenAlg"] as const;
const FIELDS = [...ADDRESSES, ...LISTS, ...WORDS, "FirstParty"];

const wordsOf = (name: (typeof WORDS)[number]) => kindOf(CREDENTIALS.fields[name]).words;

const TYPES_IN_WORDS: Record<string, string> = {
  confidential: "confidential: a server that keeps a secret",
  public: "public: a page in a browser, which keeps none",
  native: "native: an app on a device",
};
const GRANTS_IN_WORDS: Record<string, string> = {
  authorization_code: "authorization_code: people sign in",
  client_credentials: "client_credentials: the application itself calls",
  refresh_token: "refresh_token: stays signed in",
};

export interface CredentialsSectionProps {
  visit: Visit;
  application: Application;
  credentials: CredentialsRecord;
  publicUrl: string;
}

export function CredentialsSection(props: CredentialsSectionProps): JSX.Element {
  const { visit, application, credentials, publicUrl } = props;
  const mayChange = mayChangeCredentials(visit, application, credentials);
  return (
    <Section title="Credentials" id="credentials">
      <Facts
        facts={[
          ["client_id", <Code text={application.Id} copy />],
          ["Discovery", <Code text={`${publicUrl}/.well-known/openid-configuration`} copy />],
          ["Client type", <Text text={credentials.ClientType} />],
          ["Grants", <Words words={credentials.GrantTypes} none="none: it cannot ask for tokens" />],
          ["Scopes", <Words words={credentials.Scopes} none="none" />],
          ["Redirect URIs", <Addresses addresses={credentials.RedirectUris} />],
          ["After sign-out", <Addresses addresses={credentials.PostLogoutRedirectUris} />],
          [
            "Signatures",
            <Text text={`access token ${credentials.AccessTokenAlg}, id_token ${credentials.IdTokenAlg}`} />,
          ],
          ["Consent", <Text text={credentials.FirstParty ? "not asked for: it is our own" : "asked for once"} />],
        ]}
      />
      <DevelopmentWarning credentials={credentials} />
      {mayChange ? (
        <div class="buttons">
          <ButtonLink href={visit.href(`${pathOf(application)}/credentials`)}>Change credentials</ButtonLink>
        </div>
      ) : (
        ""
      )}
    </Section>
  );
}

export function mayChangeCredentials(visit: Visit, { Id }: Application, credentials: CredentialsRecord): boolean {
  return visit.may("Settings:Update", "Credentials", { ...credentials, Id });
}

/** http on loopback is any program's on the person's own machine. */
function DevelopmentWarning({ credentials }: { credentials: CredentialsRecord }): JSX.Element {
  const { RedirectUris, PostLogoutRedirectUris, ClientType } = credentials;
  const uris = developmentUris([...RedirectUris, ...PostLogoutRedirectUris], ClientType);
  if (uris.length === 0) return "";
  const [first = "", ...others] = [...new Set(uris)];
  const and = others.length > 0 ? ` and ${others.length} more` : "";
  return (
    <p class="warning" safe>
      {`${first}${and}: http on this machine is for development. Remove it before people sign in with this application.`}
    </p>
  );
}

function Words({ words, none }: { words: string[]; none: string }): JSX.Element {
  return words.length > 0 ? (
    <Text text={words.join(", ")} />
  ) : (
    <span class="none" safe>
      {none}
    </span>
  );
}

function Addresses({ addresses }: { addresses: string[] }): JSX.Element {
  if (addresses.length === 0) return <span class="none">none</span>;
  return (
    <ul class="plain">
      {addresses.map((address) => (
        <li>
          <Code text={address} />
        </li>
      ))}
    </ul>
  );
}

export async function credentialsPage(deps: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { record: application } = await readApplication(deps, visit);
  const { record, version } = await readCredentials(deps.sql, visit.permitted("Settings:Read"), Number(application.Id));
  return {
    title: "Change credentials",
    above: aboveOf(application),
    status: refused ? 422 : 200,
    body: (
      <CredentialsForm
        visit={visit}
        application={application}
        state={refused ?? formOf(textsOf(record))}
        version={etagOf(version)}
      />
    ),
  };
}

export async function saveCredentials(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { form, params } = visit;
  const { record: application } = await readApplication(deps, visit);
  try {
    const unchanged = { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] };
    const body = bodyOf(form);
    const permitted = visit.permitted("Settings:Update");
    const id = Number(application.Id);
    await changeCredentials(deps.sql, deps.access, permitted, id, CREDENTIALS.parse(body), unchanged, body);
    return visit.goTo(`${APPLICATIONS}/${params.id}`, "The credentials are changed.");
  } catch (error) {
    return credentialsPage(deps, visit, refusedForm(form, error, FIELDS));
  }
}

/** A text area has an address a line. */
function bodyOf(form: URLSearchParams): Record<string, unknown> {
  const lines = (name: string) =>
    (form.get(name) ?? "")
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  return {
    ...Object.fromEntries(ADDRESSES.map((name) => [name, lines(name)])),
    ...Object.fromEntries(LISTS.map((name) => [name, form.getAll(name)])),
    ...Object.fromEntries(WORDS.map((name) => [name, form.get(name)])),
    FirstParty: form.get("FirstParty") === "true",
  };
}

function textsOf(credentials: CredentialsRecord): Record<string, string | string[]> {
  return {
    ...Object.fromEntries(ADDRESSES.map((name) => [name, credentials[name].join("\n")])),
    ...Object.fromEntries(LISTS.map((name) => [name, credentials[name]])),
    ...Object.fromEntries(WORDS.map((name) => [name, credentials[name]])),
    FirstParty: String(credentials.FirstParty),
  };
}

interface CredentialsFormProps {
  visit: Visit;
  application: Application;
  state: FormState;
  version: string;
}

function CredentialsForm({ visit, application, state, version }: CredentialsFormProps): JSX.Element {
  const options = (words: readonly string[], inWords: Record<string, string> = {}) =>
    words.map((word) => ({ value: word, label: inWords[word] ?? word }));
  return (
    <div class="panel narrow">
      <Form visit={visit} action={`${pathOf(application)}/credentials`} state={state}>
        <Hidden name="version" value={state.version(version)} />
        <SelectField
          state={state}
          name="ClientType"
          label="Client type"
          options={options(wordsOf("ClientType"), TYPES_IN_WORDS)}
        />
        <CheckboxGroup state={state} name="GrantTypes" label="Grants" options={options(GRANT_TYPES, GRANTS_IN_WORDS)} />
        <TextField
          state={state}
          name="RedirectUris"
          label="Redirect URIs"
          hint="One a line. Where people may be sent back to after signing in; compared exactly. https, or for development http on localhost."
          rows={4}
          code
          required={false}
        />
        <TextField
          state={state}
          name="PostLogoutRedirectUris"
          label="Redirect URIs after sign-out"
          hint="One a line."
          rows={3}
          code
          required={false}
        />
        <CheckboxGroup
          state={state}
          name="Scopes"
          label="Scopes"
          hint="The most it can ask for. What it may do to a record is for the policies to say."
          options={options(SCOPES)}
        />
        <SelectField
          state={state}
          name="AccessTokenAlg"
          label="Signature of access tokens"
          options={options(wordsOf("AccessTokenAlg"))}
        />
        <SelectField
          state={state}
          name="IdTokenAlg"
          label="Signature of id_tokens"
          options={options(wordsOf("IdTokenAlg"))}
        />
        <Checkbox state={state} name="FirstParty" label="It is our own: its users are not asked for consent" />
        <div class="buttons">
          <button type="submit" class="main">
            Save
          </button>
          <ButtonLink href={visit.href(pathOf(application))}>Cancel</ButtonLink>
        </div>
      </Form>
    </div>
  );
}
