import { API, type ApiRecord } from "../../identity/index.ts";
import { firstPage } from "../../platform/http/query.ts";
import { isOwnScope } from "../../records/index.ts";
import { Code, ListSection, type Option, phrase, Section, Text } from "../../ui/index.ts";
import type { ConsolePage, ConsoleServices, Visit } from "../page.tsx";
import { declaredPages } from "../records/declared.tsx";
import { Changed, Value } from "../records/records.tsx";

const ALL = firstPage(100);

export function apiPages(deps: ConsoleServices): ConsolePage[] {
  return declaredPages(API, deps.apis, {
    columns: [
      { name: "Audience", cell: ({ Audience }) => <Code text={Audience} /> },
      { name: "Scopes", cell: ({ Scopes }) => <small safe>{Scopes.map(({ Name }) => Name).join(", ")}</small> },
    ],
    list: {
      lead: (visit) => (
        <p class="fine">
          An API accepts tokens issued for it only. <a href={visit.href("/settings/applications")}>Applications</a> and{" "}
          <a href={visit.href("/settings/roles")}>roles</a> are granted its scopes.
        </p>
      ),
      none: ["No APIs to see", "Add an API so that applications can request tokens for it."],
    },
    page: {
      show: async (visit, { record }) => <ApiSections visit={visit} api={record} />,
      effects: () => [
        "No more tokens are issued for it, and introspection reports its tokens as inactive.",
        "If the API verifies only signatures, issued tokens stay valid until they expire.",
        "Its scopes are removed from applications, roles and consents.",
      ],
    },
    messages: { added: () => "The API is added. Now give its scopes to applications, and to roles for people." },
  });
}

/** Scopes of readable APIs, which forms offer beside ours. @param had the record's present scopes, always offered */
export async function scopesOfApis(deps: ConsoleServices, visit: Visit, had: string[] = []): Promise<Option[]> {
  const known = scopeOptions(await apisOf(deps, visit));
  const others = had.filter((scope) => !isOwnScope(scope) && !known.some(({ value }) => value === scope));
  return [...known, ...others.map((scope) => ({ value: scope, label: scope }))];
}

export async function apisOf({ apis }: ConsoleServices, visit: Visit): Promise<ApiRecord[]> {
  return (await apis.list(visit.permitted("Settings:Read"), {}, ALL)).Items;
}

export function scopeOptions(apis: readonly ApiRecord[]): Option[] {
  return apis.flatMap(({ Name: api, Scopes }) =>
    Scopes.map(({ Name, Description }) => ({ value: Name, label: phrase`${Name} (${api})`, text: Description })),
  );
}

function ApiSections({ visit, api }: { visit: Visit; api: ApiRecord }): JSX.Element {
  const {
    Id,
    Audience,
    Scopes,
    AccessTokenAlg,
    AccessTokenType,
    TokenLifetime,
    IncludeClaims,
    ClaimMapping,
    ApplicationId,
  } = api;
  const lifetime =
    TokenLifetime === null ? "the application's setting" : `${TokenLifetime.toLocaleString("en")} s at most`;
  const client = visit.pathOf({ Type: "Application", Id: Number(ApplicationId) });
  return (
    <>
      <Section
        title="API"
        facts={[
          ["Audience", <Code text={Audience} copy />],
          ["Tokens", <Text text={`${AccessTokenType}, signed with ${AccessTokenAlg}`} />],
          ["Lifetime", <Text text={lifetime} />],
          [
            "Name, e-mail and phone",
            <Text text={IncludeClaims ? "if the user has allowed it" : "not in its tokens"} />,
          ],
          ["More claims", <Value text={ClaimMapping.map(({ Claim }) => Claim).join(", ")} />],
          [
            "Introspects as",
            ApplicationId && client ? (
              <a href={visit.href(client)}>{`client_id ${ApplicationId}` as "safe"}</a>
            ) : (
              <Value text="" />
            ),
          ],
          ["Changed", <Changed CreatedOn={api.CreatedOn} ModifiedOn={api.ModifiedOn} />],
          ["Id", <Code text={Id} copy />],
        ]}
      />
      <ListSection
        title="Scopes"
        id="scopes"
        columns={SCOPE_COLUMNS}
        rows={Scopes}
        none="None yet. An application with one of its scopes can request tokens for it."
      />
    </>
  );
}

const SCOPE_COLUMNS = [
  { name: "Name", cell: ({ Name }: ApiRecord["Scopes"][number]) => <Code text={Name} /> },
  { name: "Shown to users", cell: ({ Description }: ApiRecord["Scopes"][number]) => <Value text={Description} /> },
];
