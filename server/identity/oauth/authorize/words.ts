// The requested access in words, for the consent page.

import { ENTITIES, type Entity, type Scope } from "../../../records/index.ts";
import { phrase } from "../../../ui/index.ts";
import type { Api } from "../apis/contract.ts";
import type { Consent } from "../clients/consents.store.ts";

const SCOPES = new Map<string, string>(
  Object.entries({
    openid: "know who you are",
    profile: "see your name and user name, and the rest of your profile, such as picture, date of birth and language",
    name: "see your name",
    email: "see your e-mail address",
    address: "see your postal address",
    phone: "see your phone number",
    "AccessManager:Read": "read {records} for you",
    "AccessManager:Create": "create {records} for you",
    "AccessManager:Update": "change {records} for you",
    "AccessManager:Delete": "delete {records} for you",
    "AccessManager:Erase": "erase all data about a person for you",
    "Settings:Read": "see credentials, policies and keys for you",
    "Settings:Update": "change credentials, policies and keys for you",
    "Webhooks:Read": "see webhook connections and their activity for you",
    "Webhooks:Create": "create webhook connections for you",
    "Webhooks:Update": "change webhook connections for you",
    "Webhooks:Delete": "delete webhook connections for you",
  } satisfies Record<Scope, string>),
);

const CLAIMS = new Map<string, string>(
  Object.entries({
    name: "see your name",
    given_name: "see your given name",
    family_name: "see your family name",
    middle_name: "see your middle name",
    nickname: "see your nickname",
    preferred_username: "see your user name",
    profile: "see the address of your profile page",
    picture: "see your picture",
    website: "see your website",
    gender: "see your gender",
    birthdate: "see your date of birth",
    zoneinfo: "see your time zone",
    locale: "see your language",
    email: "see your e-mail address",
    email_verified: "see whether your e-mail address is confirmed",
    phone_number: "see your phone number",
    phone_number_verified: "see whether your phone number is confirmed",
    address: "see your postal address",
    updated_at: "see when your profile was last changed",
  }),
);

/** Texts of an API's scopes come from the API. */
export function inWords(
  { scopes, resources, claims }: Consent,
  apis: readonly Pick<Api, "id" | "name" | "scopes">[],
  entities: readonly Entity[] = ENTITIES,
): string[] {
  const shown = scopes.includes("profile") ? scopes.filter((scope) => scope !== "name") : scopes;
  const ofApis = new Map(
    apis.flatMap((api) =>
      api.scopes.map(({ name, description }) => [name, phrase`use ${api.name}: ${description || name}`] as const),
    ),
  );
  // Requested APIs without a requested scope.
  const named = apis.filter(({ id }) => resources.includes(id));
  const unheard = named.filter((api) => !api.scopes.some(({ name }) => scopes.includes(name)));
  return [
    ...shown.map(
      (scope) =>
        SCOPES.get(scope)?.replace("{records}", () => severalOf(entities)) ??
        ofApis.get(scope) ??
        `use ${scope} for you`,
    ),
    ...claims.map((claim) => CLAIMS.get(claim) ?? `see your ${claim}`),
    ...unheard.map(({ name }) => phrase`tell ${name} who you are`),
  ];
}

/** In a sentence: those that can sign in come first. */
function severalOf(entities: readonly Entity[]): string {
  const ordered = new Set(entities.flatMap(({ actors }) => actors)).union(new Set(entities));
  return new Intl.ListFormat("en-GB").format([...ordered].map(({ nouns }) => nouns[1]));
}
