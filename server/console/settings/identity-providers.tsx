// Identity providers: external services where users may sign in.

import { PROVIDER, type ProviderRecord, providerWords } from "../../identity/index.ts";
import { NotFound } from "../../platform/errors.ts";
import { ActionButton, Badge, ButtonLink, Code, type Fact, phrase, Section, Table, Text } from "../../ui/index.ts";
import type { ConsolePage, ConsoleServices, View, Visit } from "../page.tsx";
import { declaredPages } from "../records/declared.tsx";
import { Value } from "../records/records.tsx";
import { changeForm, FIELDS, newForm, providerBody, RESERVATION } from "./provider-form.tsx";

const PROVIDERS = "/settings/identity-providers";

export function identityProviderPages(deps: ConsoleServices): ConsolePage[] {
  const read = ["Settings:Read"] as const;
  const about = "With an identity provider they sign in at an external service, such as the organisation's directory.";
  const readOne = (visit: Visit) => deps.providers.read(visit.permitted("Settings:Read"), visit.params.id!);
  return declaredPages(deps.settings.providers.type, deps.providers, {
    nouns: ["provider", "Identity providers"],
    records: {
      async save(visit, body, conditions) {
        const reservation = visit.form.get(RESERVATION) ?? undefined;
        const by = visit.permitted("Settings:Update");
        return (await deps.providers.save(by, PROVIDER.parse(body), conditions, body, reservation)).record;
      },
    },
    columns: [
      { name: "Protocol", cell: ({ Type }) => <Text text={TYPES[Type]} /> },
      {
        name: "Where",
        cell: ({ Issuer, AuthorizationEndpoint }) => (
          <small class="address" safe>
            {Issuer || AuthorizationEndpoint}
          </small>
        ),
      },
      { name: "State", cell: ({ Is_Active }) => <Badge state={Is_Active ? "Active" : "Inactive"} /> },
    ],
    list: {
      none: ["People sign in by password here", about],
    },
    form: {
      names: FIELDS,
      add: {
        path: "add/:type",
        title: (visit) => `Add ${TYPES[typeOf(visit)]} provider`,
        links: (visit) => <AddLinks visit={visit} />,
      },
      async of(visit, held) {
        if (held) return changeForm(held.record);
        const kept = visit.form.get(RESERVATION) ?? visit.url.searchParams.get(RESERVATION) ?? undefined;
        const redirect = await deps.providers.reserve(visit.permitted("Settings:Update"), kept);
        return newForm(visit, typeOf(visit), `${PROVIDERS}/add`, redirect);
      },
      async body(visit, isNew) {
        const type = isNew ? typeOf(visit) : (await readOne(visit)).record.Type;
        return { ...providerBody(visit.form, type), ...(isNew && { Type: type }) };
      },
      taken: () => "Name or ExternalId is already used by another identity provider.",
    },
    page: {
      show: async (visit, { record }) => <Provider visit={visit} provider={record} />,
      actions: (visit, { record: { Id } }) => ({
        first: (
          <ActionButton visit={visit} action={`${PROVIDERS}/${Id}/test`} label="Test this connection" kind="main" />
        ),
      }),
      effects: ({ Name }) => [
        phrase`Users can no longer sign in with ${Name}, and all links to accounts there are deleted.`,
        "Users without a password need a password link to sign in again.",
        "It cannot be deleted while an application requires it.",
      ],
    },
    messages: {
      added: () => "The provider is added. Test the connection, then make it active.",
      deleted: ({ Name, Id }) => phrase`${Name ?? `Identity provider ${Id}`} is deleted.`,
    },
    more: [
      {
        path: `${PROVIDERS}/:id/test`,
        // Reloading the page does not repeat the test.
        GET: { needs: read, answer: async (visit) => visit.goTo(`${PROVIDERS}/${visit.params.id}`) },
        POST: { needs: [...read, "Settings:Update"], answer: (visit) => testProvider(deps, visit) },
      },
    ],
  });
}

function AddLinks({ visit }: { visit: Visit }): JSX.Element {
  return (
    <>
      <ButtonLink href={visit.href(`${PROVIDERS}/add/OpenIDConnect`)} label="Add OpenID Connect" kind="main" />
      <ButtonLink href={visit.href(`${PROVIDERS}/add/OAuth2`)} label="Add OAuth 2.0" />
    </>
  );
}

const TYPES: Record<ProviderRecord["Type"], string> = {
  OpenIDConnect: "OpenID Connect",
  OAuth2: "OAuth 2.0",
};

function typeOf({ params }: Visit): ProviderRecord["Type"] {
  const type = providerWords.PROVIDER_TYPES.find((known) => known === params.type);
  if (!type) throw new NotFound("Unknown kind of identity provider.");
  return type;
}

function whoComesIn({ Provisioning }: ProviderRecord): string {
  return PROVIDER.field.Provisioning.form!.words![Provisioning]!;
}

function Provider({ visit, provider }: { visit: Visit; provider: ProviderRecord }): JSX.Element {
  return (
    <>
      <Section title="Provider" facts={factsOf(provider)} />
      <Section
        title="New users"
        facts={[
          ["Accounts", <Text text={whoComesIn(provider)} />],
          ...rulesOf(provider),
          [
            "Passwords too",
            <Text text={provider.AllowLocal ? "yes" : "not in applications that require this provider"} />,
          ],
          ...Object.entries(provider.Mapping).map(
            ([field, claim]): Fact => [`Claim that becomes ${field}`, <Code text={claim} />],
          ),
        ]}
      >
        <p>
          <a href={visit.href(`/settings/applications?AuthenticationId=${provider.Id}`)}>
            Applications that require it
          </a>
        </p>
      </Section>
    </>
  );
}

function rulesOf({ AllowedDomains, AllowedTenants, RequireVerifiedEmail }: ProviderRecord): Fact[] {
  const rules: [string, string][] = [
    ["Domains of new users", AllowedDomains.join(", ")],
    ["Organisations of new users", AllowedTenants.join(", ")],
    ["Verified e-mail address for new users", RequireVerifiedEmail ? "needed" : ""],
  ];
  return rules.filter(([, text]) => text !== "").map(([name, text]) => [name, <Text text={text} />]);
}

function factsOf(provider: ProviderRecord): (Fact | false)[] {
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
    ...addresses.map(([name, address]): Fact => [name, <Code text={address} />]),
    ["ClientId", <Code text={provider.ClientId} />],
    ["Client authentication", <Text text={provider.TokenEndpointAuthMethod || "by the secret, as in its metadata"} />],
    provider.TokenEndpointAuthMethod === "private_key_jwt" && ["Our key (JWKS)", <Code text={provider.JwksUri} copy />],
    ["Scopes", <Value text={provider.Scopes.join(" ")} />],
    ["Additional parameters", <Value text={parametersOf(provider)} />],
    ["Redirect URI", <Code text={provider.RedirectUri} copy />],
    provider.SignOut && ["Redirect URI after sign-out", <Code text={provider.PostLogoutRedirectUri} copy />],
    ["External Id", <Value text={provider.ExternalId} />],
  ];
}

function parametersOf({ AuthorizationParameters }: ProviderRecord): string {
  return Object.entries(AuthorizationParameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

const TONES = { Passed: "good", Failed: "bad", Unknown: "quiet" } as const;

/** Makes the requests of a sign-in that need no user. */
async function testProvider({ providers }: ConsoleServices, visit: Visit): Promise<View> {
  const { params } = visit;
  const { record: provider } = await providers.read(visit.permitted("Settings:Read"), params.id!);
  const { Works, Checks } = await providers.test(visit.permitted("Settings:Update"), params.id!);
  const path = `${PROVIDERS}/${provider.Id}`;
  return {
    title: "Test of the connection",
    above: [
      { name: "Identity providers", path: PROVIDERS },
      { name: provider.Name, path },
    ],
    lead: (
      <Badge
        state={Works ? "All checks passed that need no user" : "Sign-in would fail"}
        tone={Works ? "good" : "bad"}
      />
    ),
    body: (
      <>
        <Table
          caption="Check"
          rows={Checks}
          columns={[
            { name: "Requested", cell: ({ Name }) => <Text text={Name} /> },
            { name: "Outcome", cell: ({ Outcome }) => <Badge state={Outcome} tone={TONES[Outcome]} /> },
            { name: "Result", cell: ({ Message }) => <Text text={Message} /> },
          ]}
        />
        <div class="buttons">
          <ActionButton visit={visit} action={`${path}/test`} label="Test again" />
          <ButtonLink href={visit.href(path)} label="Back to the provider" />
        </div>
      </>
    ),
  };
}
