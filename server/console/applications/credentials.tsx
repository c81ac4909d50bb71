import { CREDENTIALS, type CredentialsRecord, developmentUris } from "../../identity/index.ts";
import { Permission } from "../../platform/errors.ts";
import { etagOf, UNCONDITIONAL } from "../../platform/http/conditions.ts";
import {
  ButtonLink,
  bodyOf,
  Code,
  ContractForm,
  type Fact,
  type FormState,
  formFields,
  formOfRecord,
  refusedForm,
  Section,
  Text,
} from "../../ui/index.ts";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { scopesOfApis } from "../settings/apis.tsx";
import { APPLICATIONS, type Application, aboveOf, pathOf, readApplication } from "./application.ts";

/** The type of client comes first, then its permissions. */
const FIELDS = [...new Set(["ClientType", "GrantTypes", ...formFields(CREDENTIALS)])];
const SECTIONS = {
  "Sign-out": ["PostLogoutRedirectUris", "BackchannelLogoutUri", "LogoutTokenType"],
  "Client authentication": ["TokenEndpointAuthMethod", "Jwks", "JwksUri", "TlsClientAuthName", "TlsClientAuthValue"],
  Tokens: [
    "AccessTokenAlg",
    "AccessTokenType",
    "AccessTokenLifetime",
    "RefreshTokenLifetime",
    "IdTokenAlg",
    "UserinfoAlg",
    "IntrospectionAlg",
  ],
  Claims: ["IdTokenClaims", "ClaimMapping", "SubjectType", "SectorIdentifierUri"],
  "Shown to users": ["LogoUri", "PolicyUri", "TosUri"],
  "Higher security": ["RequirePar", "RequireSignedRequestObject", "DpopBound", "SecurityProfile"],
};

export interface CredentialsSectionProps {
  visit: Visit;
  application: Application;
  credentials: CredentialsRecord;
}

export function CredentialsSection({ visit, application, credentials }: CredentialsSectionProps): JSX.Element {
  const mayChange = mayChangeCredentials(visit, application, credentials);
  return (
    <Section
      title="Credentials"
      id="credentials"
      buttons={
        mayChange && (
          <ButtonLink href={visit.href(`${pathOf(application)}/credentials/change`)} label="Change credentials" />
        )
      }
      facts={[
        ["client_id", <Code text={application.Id} copy />],
        ["Client type", <Text text={credentials.ClientType} />],
        ["Grants", <Words words={credentials.GrantTypes} none="none: it cannot request tokens" />],
        ["Response types", <Words words={credentials.ResponseTypes} none="none: users do not sign in to it" />],
        words("Scopes", credentials.Scopes),
        addresses("Redirect URIs", credentials.RedirectUris),
        addresses("After sign-out", credentials.PostLogoutRedirectUris),
        addresses("Back-channel logout URL", [credentials.BackchannelLogoutUri]),
        [
          "Signatures",
          <Text text={`access token ${credentials.AccessTokenAlg}, id_token ${credentials.IdTokenAlg}`} />,
        ],
        ["Consent", <Text text={credentials.FirstParty ? "skipped: first-party" : "requested once"} />],
        addresses("Logo", [credentials.LogoUri]),
        addresses("Privacy policy", [credentials.PolicyUri]),
        addresses("Terms of service", [credentials.TosUri]),
      ]}
    >
      <DevelopmentWarning
        uris={[...credentials.RedirectUris, ...credentials.PostLogoutRedirectUris]}
        clientType={credentials.ClientType}
      />
    </Section>
  );
}

/** @returns undefined if the visitor may see only the application */
export async function seenCredentials(deps: ConsoleServices, visit: Visit, { Id }: Pick<Application, "Id">) {
  try {
    return visit.may("Settings:Read")
      ? (await deps.credentials.read(visit.permitted("Settings:Read"), Number(Id))).record
      : undefined;
  } catch (error) {
    if (error instanceof Permission) return undefined;
    throw error;
  }
}

export function mayChangeCredentials(visit: Visit, { Id }: { Id: string }, credentials: CredentialsRecord): boolean {
  return visit.may("Settings:Update", "Credentials", { ...credentials, Id });
}

/** Any local program can listen on http on loopback. */
export function DevelopmentWarning({ uris, clientType }: { uris: string[]; clientType: string }): JSX.Element {
  const [first = "", ...others] = [...new Set(developmentUris(uris, clientType))];
  if (first === "") return "";
  const and = others.length > 0 ? ` and ${others.length} more` : "";
  return (
    <p class="warning" safe>
      {`${first}${and}: http on this machine is for development. Remove it before people sign in with this application.`}
    </p>
  );
}

export function urisTyped(state: FormState): string[] {
  return ["RedirectUris", "PostLogoutRedirectUris"].flatMap((name) => state.value(name).split(/\s+/).filter(Boolean));
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

/** No fact without a value. */
const words = (name: string, values: string[]): Fact | false =>
  values.length > 0 && [name, <Text text={values.join(", ")} />];

function addresses(name: string, given: (string | null)[]): Fact | undefined {
  const uris = given.filter((uri) => uri !== null && uri !== "") as string[];
  if (uris.length === 0) return undefined;
  const list = (
    <ul class="plain">
      {uris.map((uri) => (
        <li>
          <Code text={uri} />
        </li>
      ))}
    </ul>
  );
  return [name, list];
}

export async function credentialsPage(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const application = await readApplication(deps, visit);
  const { record, version } = await deps.credentials.read(visit.permitted("Settings:Read"), Number(application.Id));
  const state = refused ?? formOfRecord(CREDENTIALS, FIELDS, record);
  return {
    title: "Change credentials",
    above: aboveOf(application),
    status: refused ? 422 : 200,
    body: (
      <ContractForm
        visit={visit}
        contract={CREDENTIALS}
        names={FIELDS}
        sections={SECTIONS}
        more={{ Scopes: await scopesOfApis(deps, visit, record.Scopes) }}
        state={state}
        action={`${pathOf(application)}/credentials`}
        back={`${pathOf(application)}/credentials`}
        label="Save"
        version={etagOf(version)}
      >
        <DevelopmentWarning uris={urisTyped(state)} clientType={state.value("ClientType")} />
      </ContractForm>
    ),
  };
}

export async function saveCredentials(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { form, params } = visit;
  const application = await readApplication(deps, visit);
  try {
    const unchanged = { ...UNCONDITIONAL, ifMatch: [form.get("version") ?? ""] };
    const body = bodyOf(CREDENTIALS, FIELDS, form);
    const permitted = visit.permitted("Settings:Update");
    const id = Number(application.Id);
    await deps.credentials.change(permitted, id, CREDENTIALS.parse(body), unchanged, body);
    return visit.goTo(`${APPLICATIONS}/${params.id}/credentials`, "The credentials are changed.");
  } catch (error) {
    return credentialsPage(deps, visit, refusedForm(form, error, FIELDS));
  }
}
