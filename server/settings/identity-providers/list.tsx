import { Badge, ButtonLink, EmptyState, find, List, statusOf, Text } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { askedByName } from "../records/records.ts";
import type { Visit } from "../visit.ts";
import { PROVIDERS, type ProviderRecord, pathOf, TYPES } from "./provider.ts";

const FILTERS = [{ name: "Name", label: "Name, in full" }];

export async function listPage({ providers }: SettingsDependencies, visit: Visit): Promise<View> {
  const found = await find(visit, FILTERS, async () => {
    const { filter, paging } = askedByName(visit);
    return providers.list(visit.permitted("Settings:Read"), filter, paging);
  });
  return {
    title: "Identity providers",
    status: statusOf(found),
    actions: visit.may("Settings:Update") ? <AddLinks visit={visit} /> : undefined,
    body: (
      <List
        visit={visit}
        caption="Identity providers"
        filters={FILTERS}
        found={found}
        columns={columns(visit)}
        empty={
          <EmptyState
            title={
              visit.url.searchParams.get("Name")
                ? "No identity provider has this name"
                : "People sign in by password here"
            }
          >
            <p>With an identity provider they sign in at another service, such as the organisation's directory.</p>
          </EmptyState>
        }
      />
    ),
  };
}

function AddLinks({ visit }: { visit: Visit }): JSX.Element {
  return (
    <>
      <ButtonLink href={visit.href(`${PROVIDERS}/add/OpenIDConnect`)} kind="main">
        Add OpenID Connect
      </ButtonLink>
      <ButtonLink href={visit.href(`${PROVIDERS}/add/OAuth2`)}>Add OAuth 2.0</ButtonLink>
    </>
  );
}

function columns(visit: Visit) {
  return [
    {
      name: "Name",
      cell: (provider: ProviderRecord) => (
        <a href={visit.href(pathOf(provider))} safe>
          {provider.Name}
        </a>
      ),
    },
    { name: "Protocol", cell: ({ Type }: ProviderRecord) => <Text text={TYPES[Type]} /> },
    {
      name: "Where",
      cell: ({ Issuer, AuthorizationEndpoint }: ProviderRecord) => (
        <small class="address" safe>
          {Issuer || AuthorizationEndpoint}
        </small>
      ),
    },
    { name: "State", cell: ({ Is_Active }: ProviderRecord) => <Badge state={Is_Active ? "Active" : "Inactive"} /> },
  ];
}
