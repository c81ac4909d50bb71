// The requested access in words, for the consent page.

import { ENTITIES, type Entity, type Scope } from "../../../records/index.ts";
import { texts } from "../../../ui/index.ts";
import type { Api } from "../apis/contract.ts";
import type { Consent } from "../clients/consents.store.ts";

/** Texts of an API's scopes come from the API. */
export function inWords(
  { scopes, resources, claims }: Consent,
  apis: readonly Pick<Api, "id" | "name" | "scopes">[],
  language: texts.Language,
  entities: readonly Entity[] = ENTITIES,
): string[] {
  const { t } = language;
  const ofScopes: Record<Scope, string> = t.scopes;
  const scopeTexts = new Map(Object.entries(ofScopes));
  const claimTexts = new Map<string, string>(Object.entries({ ...t.scopes, ...t.claims }));
  const shown = scopes.includes("profile") ? scopes.filter((scope) => scope !== "name") : scopes;
  const ofApis = new Map(
    apis.flatMap(({ name: api, scopes }) =>
      scopes.map(({ name, description }) => [name, texts.fill(t.useApi, { api, scope: description || name })] as const),
    ),
  );
  // Requested APIs without a requested scope.
  const named = apis.filter(({ id }) => resources.includes(id));
  const unheard = named.filter((api) => !api.scopes.some(({ name }) => scopes.includes(name)));
  return [
    ...shown.map(
      (scope) =>
        scopeTexts.get(scope)?.replace("{records}", () => severalOf(entities, language)) ??
        ofApis.get(scope) ??
        texts.fill(t.useScope, { scope }),
    ),
    ...claims.map((claim) => claimTexts.get(claim) ?? texts.fill(t.seeClaim, { claim })),
    ...unheard.map(({ name }) => texts.fill(t.tellApi, { api: name })),
  ];
}

/** In a sentence: those that can sign in come first. A kind without words in the catalogue has its English ones. */
function severalOf(entities: readonly Entity[], { t, locale }: texts.Language): string {
  const ordered = new Set(entities.flatMap(({ actors }) => actors)).union(new Set(entities));
  const words: Partial<Record<string, string>> = t.records;
  return new Intl.ListFormat(locale).format([...ordered].map(({ name, nouns }) => words[name] ?? nouns[1]));
}
