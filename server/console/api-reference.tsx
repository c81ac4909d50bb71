// The API for application developers: its address, its document, and a first call.

import { Code, Section } from "../ui/index.ts";
import type { ConsolePage, ConsoleServices, View, Visit } from "./page.tsx";

export function apiReferencePages({ publicUrl }: ConsoleServices): ConsolePage[] {
  return [
    {
      path: "/settings/api",
      area: "API reference",
      // Without a scope, because the API reference is public.
      GET: { needs: [], answer: async (visit) => apiReference(visit, publicUrl) },
    },
  ];
}

function apiReference(visit: Visit, publicUrl: string): View {
  const discovery = `${publicUrl}/.well-known/openid-configuration`;
  return {
    title: "API reference",
    body: (
      <>
        <Section
          title="Addresses"
          facts={[
            ["Documentation", <a href={visit.href("/openapi")}>OpenAPI viewer</a>],
            ["OpenAPI document", <Code text={`${publicUrl}/openapi.json`} copy />],
            ["Entity API", <Code text={`${publicUrl}/Endpoint/rest/api/v1`} copy />],
            ["Issuer", <Code text={publicUrl} copy />],
            ["OpenID discovery", <Code text={discovery} copy />],
          ]}
        />
        <Section
          title="A directory (SCIM 2.0)"
          facts={[
            ["Tenant URL", <Code text={`${publicUrl}/scim/v2`} copy />],
            ["Secret token", "An application's Id, a dot and one of its secrets: 1042.SECRET"],
          ]}
        >
          <p>
            Add an <a href={visit.href("/settings/applications")}>application</a> for the directory, with the scopes of
            AccessManager and a secret, which is shown once. For a new secret, add a second one and delete the first
            when the directory has it.
          </p>
        </Section>
        <Section title="A first call">
          <p>
            A machine's <a href={visit.href("/settings/applications")}>application</a> has a client_id and a secret. Its
            page Connect has ready-to-run programs.
          </p>
        </Section>
      </>
    ),
  };
}
