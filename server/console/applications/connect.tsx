// What a library has to be told to use an application as its client.

import { metadata } from "../../oauth/index.ts";
import { Code, Facts, Section } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, readApplication } from "./application.ts";

const ENDPOINTS = [
  ["Authorization endpoint", "authorization_endpoint"],
  ["Token endpoint", "token_endpoint"],
  ["Userinfo endpoint", "userinfo_endpoint"],
  ["Introspection endpoint", "introspection_endpoint"],
  ["Revocation endpoint", "revocation_endpoint"],
  ["Sign-out endpoint", "end_session_endpoint"],
  ["Signing keys", "jwks_uri"],
] as const;

export async function connectPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const application = await readApplication(deps, visit);
  const found = metadata(deps.publicUrl);
  return {
    title: "Connect",
    above: aboveOf(application),
    body: (
      <>
        <Section title="What to configure">
          <p>
            Most libraries need the issuer and the client_id, of a confidential client a secret too, and find the rest
            by discovery.
          </p>
          <Facts
            facts={[
              ["Issuer", <Code text={found.issuer} copy />],
              ["client_id", <Code text={application.Id} copy />],
              ["Discovery", <Code text={`${found.issuer}/.well-known/openid-configuration`} copy />],
            ]}
          />
        </Section>
        <Section title="Endpoints">
          <Facts facts={ENDPOINTS.map(([name, key]) => [name, <Code text={found[key]} copy />])} />
        </Section>
      </>
    ),
  };
}
