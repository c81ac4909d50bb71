import { PROVIDER, type ProviderRecord } from "../../signin/index.ts";
import { Badge, ButtonLink, EmptyState, find, List, statusOf, Text } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { askedByName } from "../records/records.tsx";
import type { Visit } from "../visit.ts";

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

export type { ProviderRecord };

export const PROVIDERS = "/settings/identity-providers";

/** As people know the two protocols. */
export const TYPES: Record<ProviderRecord["Type"], string> = {
  OpenIDConnect: "OpenID Connect",
  OAuth2: "OAuth 2.0",
};

export function whoComesIn({ Provisioning }: ProviderRecord): string {
  return PROVIDER.fields.Provisioning.form!.words![Provisioning]!;
}

export function pathOf({ Id }: Pick<ProviderRecord, "Id">): string {
  return `${PROVIDERS}/${Id}`;
}

export function aboveOf(provider: ProviderRecord) {
  return [
    { name: "Identity providers", path: PROVIDERS },
    { name: provider.Name, path: pathOf(provider) },
  ];
}
