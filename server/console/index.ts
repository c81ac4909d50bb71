// Settings: the console, server-rendered. Everything works without script; htmx only refreshes what changes by itself.
//
// How a page is added:
//
// 1. A kind of records has its list, its own page, its form and the page that deletes one by its declaration: an entity by
//    its definition (records/entities.tsx), a kind of settings by its line in server/settings.ts (records/settings.tsx).
//    What is special about their pages stands in SPECIAL and SPECIAL_SETTINGS below. Any other page is a `Page`: a path, and
//    for GET and POST the scopes that the REST operation needs, and `answer(visit)`. The function that makes them takes
//    SettingsDependencies and has its line in `ownPages`; with `area` it stands in the navigation, in that order, below
//    its group.
// 2. `answer` calls the service functions that the REST routes call, with `visit.caller`, and returns a `View`: title,
//    actions, body. No rule is repeated, and no page has SQL: what only a page counts, a service counts. Offer a
//    button only if `visit.may(action, type, record)`. Throw the errors of server/errors.ts: they become pages.
// 3. A form is `<Form visit action state>` with `<TextField state name>` and its like, where `name` is the field's name
//    in the REST API; on POST `visit.form` has what was sent, its token checked. Call the service within try, answer a
//    refusal by the same view with `refusedForm(visit.form, error, FIELDS)` and status 422, and success by
//    `visit.goTo(path, "What was done.")`. What cannot be undone, or counts what it is about, is a page by
//    `confirming`: it asks, and acts on what it has shown alone. An `AskButton` asks the same on another page.
// 4. Lists: `SearchForm` for filters in the address, `Table`, `Pager`, `EmptyState`; around what changes by itself
//    `Live`. No `style` attribute and no inline script: CSP refuses them. Classes stand in assets/parts.css.
// 5. test/console/pages.test.ts has a list of pages; one line there checks it by axe, in both widths and themes.

import { Elysia } from "elysia";
import { activityPages } from "./activity/pages.ts";
import { alertPages } from "./alerts.tsx";
import { apiReferencePages } from "./api-reference.tsx";
import { applicationPages } from "./applications/pages.tsx";
import { createSettingsSite } from "./assets.ts";
import { auditLogPages } from "./audit-log.tsx";
import { consolePages } from "./console.tsx";
import { departmentPages } from "./departments.tsx";
import { historyPages } from "./history.tsx";
import { organisationPages } from "./organisation.tsx";
import { overviewPages } from "./overview/pages.tsx";
import type { ConsoleDependencies, Group, Page, SettingsDependencies } from "./page.tsx";
import { policyPages } from "./policies/pages.tsx";
import { entityPages } from "./records/entities.tsx";
import { plainSettingsPages } from "./records/settings.tsx";
import { registrationTokenPages } from "./registration-tokens.tsx";
import { requestPages } from "./requests.tsx";
import { rootController } from "./root.tsx";
import { searchPages } from "./search/pages.tsx";
import { apiPages } from "./settings/apis.tsx";
import { identityProviderPages } from "./settings/identity-providers.tsx";
import { rolePages } from "./settings/roles.tsx";
import { signInController } from "./sign-in.tsx";
import { signingKeyPages } from "./signing-keys.tsx";
import { userPages } from "./users/pages.tsx";
import { webhookPages } from "./webhooks/pages.tsx";

export { createOnce } from "./once.ts";
export { nothingHere, refusal } from "./root.tsx";

/** Entities with more to their pages than what comes from their definitions. */
const SPECIAL: Record<string, (deps: SettingsDependencies) => Page[]> = {
  Application: applicationPages,
  User: userPages,
  Department: departmentPages,
};

/** Kinds of settings that say who somebody is; the others say what they may do. */
const OF_IDENTITY = ["providers"];

/** Kinds of settings with more to their pages than what comes from their contracts. */
const SPECIAL_SETTINGS: Record<string, (deps: SettingsDependencies) => Page[]> = {
  providers: identityProviderPages,
  apis: apiPages,
  policies: policyPages,
  roles: rolePages,
};

function createPages(deps: SettingsDependencies): Page[] {
  const pages = ownPages(deps);
  return [...pages, ...historyPages(deps, pages)];
}

function ownPages(deps: SettingsDependencies): Page[] {
  const ofSettings = (isWanted: (kind: string) => boolean) =>
    Object.entries(deps.settings).flatMap(([kind, resource]) =>
      isWanted(kind) ? (SPECIAL_SETTINGS[kind]?.(deps) ?? plainSettingsPages(resource)) : [],
    );
  return [
    ...overviewPages(deps),
    ...below("Webhooks", [...webhookPages(deps), ...activityPages(deps), ...alertPages(deps)]),
    ...below("Identity", [
      ...deps.records.all.flatMap(({ entity: { name } }) => SPECIAL[name]?.(deps) ?? entityPages(deps, name)),
      ...ofSettings((kind) => OF_IDENTITY.includes(kind)),
      ...signingKeyPages(deps),
    ]),
    ...below(
      "Access",
      ofSettings((kind) => !OF_IDENTITY.includes(kind)),
    ),
    ...below("System", [
      ...organisationPages(deps),
      ...registrationTokenPages(deps),
      ...requestPages(deps),
      ...auditLogPages(deps),
      ...apiReferencePages(deps),
    ]),
    ...searchPages(deps),
  ];
}

function below(group: Group, pages: Page[]): Page[] {
  return pages.map((page) => ({ ...page, group }));
}

export function settingsController(deps: SettingsDependencies) {
  const settingsSite = createSettingsSite(deps.publicUrl);
  const console: ConsoleDependencies = { ...deps, settingsSite };
  return new Elysia()
    .use(rootController(deps.site))
    .use(settingsSite.controller())
    .use(signInController(console))
    .use(consolePages(console, createPages(deps)));
}
