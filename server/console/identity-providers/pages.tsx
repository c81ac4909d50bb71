// Identity providers: where people may sign in instead of here.

import { ActionButton, Badge, ButtonLink, Code, Facts, Section, Table, Text } from "../../ui/index.ts";
import type { Page, SettingsDependencies, View } from "../page.tsx";
import { Value } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, listPage, PROVIDERS, type ProviderRecord, pathOf, TYPES, whoComesIn } from "./list.tsx";
import { addPage, addProvider, changePage, changeProvider, deletePage, deleteProvider } from "./save.tsx";

export function identityProviderPages(deps: SettingsDependencies): Page[] {
  const one = `${PROVIDERS}/:id`;
  const read = ["Settings:Read"] as const;
  const write = ["Settings:Update"] as const;
  const both = [...read, ...write] as const;
  return [
    { path: PROVIDERS, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${PROVIDERS}/add/:type`,
      GET: { needs: write, answer: (visit) => addPage(visit) },
      POST: { needs: write, answer: (visit) => addProvider(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => providerPage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: both, answer: (visit) => changePage(deps, visit) },
      POST: { needs: both, answer: (visit) => changeProvider(deps, visit) },
    },
    {
      path: `${one}/test`,
      // Who loads the page anew is not asked to test again.
      GET: { needs: read, answer: async (visit) => visit.goTo(`${PROVIDERS}/${visit.params.id}`) },
      POST: { needs: both, answer: (visit) => testProvider(deps, visit) },
    },
    {
      path: `${one}/delete`,
      GET: { needs: both, answer: (visit) => deletePage(deps, visit) },
      POST: { needs: write, answer: (visit) => deleteProvider(deps, visit) },
    },
  ];
}

async function providerPage({ providers }: SettingsDependencies, visit: Visit): Promise<View> {
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

const TONES = { Passed: "good", Failed: "bad", Unknown: "quiet" } as const;

/** What a sign-in would ask the provider, but for the user. */
async function testProvider({ providers }: SettingsDependencies, visit: Visit): Promise<View> {
  const { params } = visit;
  const { record: provider } = await providers.read(visit.permitted("Settings:Read"), params.id!);
  const { Works, Checks } = await providers.test(visit.permitted("Settings:Update"), params.id!);
  return {
    title: "Test of the connection",
    above: aboveOf(provider),
    lead: (
      <Badge
        state={Works ? "Nothing is wrong, as far as that can be told without a user" : "Signing in would fail"}
        tone={Works ? "good" : "bad"}
      />
    ),
    body: (
      <>
        <Table
          caption="What was asked"
          rows={Checks}
          columns={[
            { name: "Asked for", cell: ({ Name }) => <Text text={Name} /> },
            { name: "Outcome", cell: ({ Outcome }) => <Badge state={Outcome} tone={TONES[Outcome]} /> },
            { name: "What was found", cell: ({ Message }) => <Text text={Message} /> },
          ]}
        />
        <div class="buttons">
          <ActionButton visit={visit} action={`${pathOf(provider)}/test`} label="Test again" />
          <ButtonLink href={visit.href(pathOf(provider))}>Back to the provider</ButtonLink>
        </div>
      </>
    ),
  };
}
