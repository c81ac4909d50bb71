import { ActionButton, Badge, ButtonLink, Code, Facts, Section, Text } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { PROVIDERS, type ProviderRecord, pathOf, TYPES, whoComesIn } from "./provider.ts";

export async function providerPage({ providers }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: provider } = await providers.read(visit.permitted("Settings:Read"), visit.params.id!);
  const mayChange = visit.may("Settings:Update", "IdentityProvider", provider);
  return {
    title: provider.Name,
    above: [{ name: "Identity providers", path: PROVIDERS }],
    actions: mayChange ? <Actions visit={visit} provider={provider} /> : undefined,
    body: (
      <>
        <Section title="Provider">
          <Facts facts={factsOf(provider)} />
        </Section>
        <Section title="Who comes in">
          <Facts
            facts={[
              ["Accounts", <Text text={whoComesIn(provider)} />],
              ...rulesOf(provider),
              [
                "By password too",
                <Text text={provider.AllowLocal ? "yes" : "not to an application that names this provider"} />,
              ],
              ...Object.entries(provider.Mapping).map(([field, claim]): [string, JSX.Element] => [
                `Claim that becomes ${field}`,
                <Code text={claim} />,
              ]),
            ]}
          />
          <p>
            <a href={visit.href(`/settings/applications?AuthenticationId=${provider.Id}`)}>
              Applications that are signed in to by it alone
            </a>
          </p>
        </Section>
      </>
    ),
  };
}

/** Who may be new, where there is a rule. */
function rulesOf({ AllowedDomains, AllowedTenants, RequireVerifiedEmail }: ProviderRecord): [string, JSX.Element][] {
  const rules: [string, string][] = [
    ["Domains of who is new", AllowedDomains.join(", ")],
    ["Organisations of who is new", AllowedTenants.join(", ")],
    ["Verified e-mail address of who is new", RequireVerifiedEmail ? "needed" : ""],
  ];
  return rules.filter(([, text]) => text !== "").map(([name, text]) => [name, <Text text={text} />]);
}

function factsOf(provider: ProviderRecord): [string, JSX.Element][] {
  const addresses: [string, string][] =
    provider.Type === "OpenIDConnect"
      ? [["Issuer", provider.Issuer]]
      : [
          ["Authorization endpoint", provider.AuthorizationEndpoint],
          ["Token endpoint", provider.TokenEndpoint],
          ["Userinfo endpoint", provider.UserinfoEndpoint],
        ];
  return [
    ["State", <Badge state={provider.Is_Active ? "Active" : "Inactive"} />],
    ["Protocol", <Text text={TYPES[provider.Type]} />],
    ...addresses.map(([name, address]): [string, JSX.Element] => [name, <Code text={address} />]),
    ["ClientId", <Code text={provider.ClientId} />],
    ["How the secret is sent", <Text text={provider.TokenEndpointAuthMethod || "as its metadata says"} />],
    ["Scopes", <Value text={provider.Scopes.join(" ")} />],
    ["Redirect URI", <Code text={provider.RedirectUri} copy />],
    ["External Id", <Value text={provider.ExternalId} />],
  ];
}

function Actions({ visit, provider }: { visit: Visit; provider: ProviderRecord }): JSX.Element {
  const path = pathOf(provider);
  return (
    <>
      <ActionButton visit={visit} action={`${path}/test`} label="Test this connection" kind="main" />
      <ButtonLink href={visit.href(`${path}/change`)}>Change</ButtonLink>
      <ButtonLink href={visit.href(`${path}/delete`)} kind="danger">
        Delete
      </ButtonLink>
    </>
  );
}
