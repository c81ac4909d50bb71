// Client settings for a library, and example programs.

import { type CredentialsRecord, metadata } from "../../identity/index.ts";
import { Choices, Code, CopyButton, Facts, Section } from "../../ui/index.ts";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { apisOf } from "../settings/apis.tsx";
import { Source } from "../source.tsx";
import { pathOf, readApplication, tabOf } from "./application.ts";
import { mayChangeCredentials, seenCredentials } from "./credentials.tsx";
import { environment, homeOf, redirectUriOf, type SnippetValues, snippet, USES, type Use } from "./snippets.ts";

const ENDPOINTS = [
  ["Authorization endpoint", "authorization_endpoint"],
  ["Pushed request endpoint", "pushed_authorization_request_endpoint"],
  ["Token endpoint", "token_endpoint"],
  ["Userinfo endpoint", "userinfo_endpoint"],
  ["Device authorization endpoint", "device_authorization_endpoint"],
  ["Introspection endpoint", "introspection_endpoint"],
  ["Revocation endpoint", "revocation_endpoint"],
  ["Sign-out endpoint", "end_session_endpoint"],
  ["Signing keys", "jwks_uri"],
] as const;

export async function connectPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const application = await readApplication(deps, visit);
  const client = await seenCredentials(deps, visit, application);
  const apis = client ? await apisOf(deps, visit) : [];
  const api = apis.find(({ ApplicationId }) => ApplicationId === application.Id);
  const found = metadata(deps.publicUrl);
  return {
    ...tabOf(application),
    body: (
      <>
        <Section title="Configuration">
          <p class="fine">
            Most libraries need the issuer and the client_id, and for a confidential client a secret. Discovery provides
            the rest.
          </p>
          <Facts
            facts={[
              ["Issuer", <Code text={found.issuer} copy />],
              ["client_id", <Code text={application.Id} copy />],
              ["Discovery", <Code text={`${found.issuer}/.well-known/openid-configuration`} copy />],
            ]}
          />
          {client ? <Environment issuer={found.issuer} clientId={application.Id} secret={secretOf(client)} /> : ""}
        </Section>
        {!!client && (
          <Programs visit={visit} values={{ issuer: found.issuer, clientId: application.Id, client, api }} />
        )}
        <Section title="Endpoints" facts={ENDPOINTS.map(([name, key]) => [name, <Code text={found[key]} copy />])} />
      </>
    ),
  };
}

/** The secret is shown only once, when it is made. */
const secretOf = ({ ClientType }: CredentialsRecord) => (ClientType === "confidential" ? "" : undefined);

export function Environment({ issuer, clientId, secret }: EnvironmentProps): JSX.Element {
  const text = environment(issuer, clientId, secret);
  return (
    <>
      <Source label=".env" text={text} />
      <p>
        <CopyButton text={`${text}\n`} label="Copy as .env" />
      </p>
    </>
  );
}

interface EnvironmentProps {
  issuer: string;
  clientId: string;
  secret: string | undefined;
}

function Programs({ visit, values }: { visit: Visit; values: SnippetValues }): JSX.Element {
  const { client, clientId: Id, api } = values;
  const redirectUri = redirectUriOf(client);
  const home = redirectUri && homeOf(client, redirectUri);
  const lacksRedirectUri = client.GrantTypes.includes("authorization_code") && client.RedirectUris.length === 0;
  return (
    <>
      {lacksRedirectUri && (
        <p class="warning">
          {"Users cannot sign in yet: it has no redirect URI. "}
          {mayChangeCredentials(visit, { Id }, client) && (
            <a href={visit.href(`${pathOf({ Id })}/credentials/change`)}>Add one</a>
          )}
        </p>
      )}
      {!!home && !client.PostLogoutRedirectUris.includes(home) && (
        <p class="fine">
          To return here after sign-out, add <Code text={home} /> to the redirect URIs after sign-out.
        </p>
      )}
      {client.ClientType === "confidential" && client.GrantTypes.length === 0 && !api && (
        <p class="warning">
          To accept tokens of other applications, it needs an API with its own audience and this application for
          introspection. <a href={visit.href("/settings/apis/add")}>Add one</a>
        </p>
      )}
      {USES.filter((use) => use.isFor(client, api)).map((use) => (
        <Program use={use} values={values} />
      ))}
    </>
  );
}

function Program({ use, values }: { use: Use; values: SnippetValues }): JSX.Element {
  return (
    <Section title={use.title}>
      <p safe>{use.text}</p>
      {values.client.ClientType === "confidential" && (
        <p class="fine">
          The variable <code>CLIENT_SECRET</code> contains the client's secret; the program does not.
        </p>
      )}
      <Choices
        label={`Library: ${use.title}`}
        choices={Object.entries(use.programs).map(([name, file]) => {
          const text = snippet(file, values);
          return {
            name,
            content: <Source label={name} text={text.trimEnd()} copy={{ text, label: "Copy the program" }} />,
          };
        })}
      />
    </Section>
  );
}
