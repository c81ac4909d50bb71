// Settings: the server-rendered console. Everything works without scripts; htmx only refreshes changing parts.
// It imports all rooms before it, by their index.ts; only the app imports it. Begin with page.tsx, then alerts.tsx.
//
// To add a page:
//
// 1. A kind of record gets its list, its own page, its form and its delete page from its declaration: an entity from its
//    definition (records/entities.tsx), a kind of settings from its line in server/identity/settings.ts (records/declared.tsx).
//    Special pages of a kind are listed in SPECIAL and SPECIAL_SETTINGS below. Any other page is a `Page`: a path, and for
//    GET and POST the scopes of the REST operation and `answer(visit)`. Its factory takes SettingsDependencies and is
//    listed in `ownPages`. With `area` the page appears in the navigation, in that order, in its group.
// 2. `answer` calls the service functions of the REST routes with `visit.caller`, and returns a `View`: title, actions,
//    body. Pages repeat no rule and contain no SQL; services count what only a page shows. Offer a button only if
//    `visit.may(action, type, record)`. Throw the errors of server/platform/errors.ts: they become pages.
// 3. A form is `<Form visit action state>` with `ContractFields`, or `Fields` by their names in the REST API. On POST, `visit.form` has the input, and its token is already checked. Call the service within try.
//    Answer a rejection with the same view, `refusedForm(visit.form, error, FIELDS)` and status 422, and success with
//    `visit.goTo(path, "The kind of action.")`. An irreversible action, or one that depends on counts, is a page made by
//    `confirming`: it asks, and does only what it showed. An `AskButton` asks the same on another page.
// 4. A page with one list is a `logPage` or a `listView`. `Section` has facts, a table (`ListSection`) and buttons; `Live`
//    is around changing parts. CSP blocks `style` attributes and inline scripts. Classes are in assets/parts.css.
// 5. Add the page to the list in test/console/pages.test.ts, which checks it with axe in both widths and themes.

import { Elysia } from "elysia";
import { activityPages } from "./activity/pages.ts";
import { alertPages } from "./alerts.tsx";
import { apiReferencePages } from "./api-reference.tsx";
import { applicationPages } from "./applications/pages.tsx";
import { createConsoleSite } from "./assets.ts";
import { auditLogPages } from "./audit-log.tsx";
import { brandingPages } from "./branding.tsx";
import { consolePages } from "./console.tsx";
import { dataPages } from "./data.tsx";
import { departmentPages } from "./departments.tsx";
import { historyPages } from "./history.tsx";
import { mailPages } from "./mail.tsx";
import { organisationPages } from "./organisation.tsx";
import { overviewPages } from "./overview/pages.tsx";
import type { ConsoleDependencies, ConsolePage, ConsoleServices, Group } from "./page.tsx";
import { policyPages } from "./policies/pages.tsx";
import { declaredKind } from "./records/declared.tsx";
import { entityPages } from "./records/entities.tsx";
import { withMembers } from "./records/members.tsx";
import { recordPages } from "./records/record-pages.tsx";
import { registrationTokenPages } from "./registration-tokens.tsx";
import { requestPage } from "./request.tsx";
import { requestPages } from "./requests.tsx";
import { rootController } from "./root.tsx";
import { searchPages } from "./search/pages.tsx";
import { apiPages } from "./settings/apis.tsx";
import { identityProviderPages } from "./settings/identity-providers.tsx";
import { invitationPages } from "./settings/invitations.tsx";
import { rolePages } from "./settings/roles.tsx";
import { signInController } from "./sign-in.tsx";
import { signingKeyPages } from "./signing-keys.tsx";
import { userPages } from "./users/pages.tsx";
import { webhookPages } from "./webhooks/pages.tsx";
import { workflowPages } from "./workflow.tsx";

export { createOnce } from "./once.ts";
export { nothingHere, refusal } from "./root.tsx";

const SPECIAL: Record<string, (deps: ConsoleServices) => ConsolePage[]> = {
  Application: applicationPages,
  User: userPages,
  Department: departmentPages,
};

/** Kinds of settings in the group Identity; the others are in the group Access. */
const OF_IDENTITY = ["invitations", "providers"];

const SPECIAL_SETTINGS: Record<string, (deps: ConsoleServices) => ConsolePage[]> = {
  invitations: invitationPages,
  providers: identityProviderPages,
  apis: apiPages,
  policies: policyPages,
  roles: rolePages,
};

function createPages(deps: ConsoleServices): ConsolePage[] {
  const pages = ownPages(deps);
  return [...pages, ...historyPages(deps, pages), ...searchPages(deps, pages)];
}

function ownPages(deps: ConsoleServices): ConsolePage[] {
  const ofSettings = (isWanted: (kind: string) => boolean) =>
    Object.entries(deps.settings).flatMap(([kind, resource]) =>
      isWanted(kind) ? (SPECIAL_SETTINGS[kind]?.(deps) ?? plainPages(resource)) : [],
    );
  const plainPages = ({ type, service }: (typeof deps.settings)[string]) =>
    recordPages(withMembers(deps, declaredKind(type, service), type));
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
      ...brandingPages(deps),
      ...mailPages(deps),
      ...registrationTokenPages(deps),
      ...requestPages(deps),
      requestPage(deps),
      ...auditLogPages(deps),
      ...dataPages(deps),
      ...apiReferencePages(deps),
    ]),
    ...workflowPages(deps),
  ];
}

function below(group: Group, pages: ConsolePage[]): ConsolePage[] {
  return pages.map((page) => ({ ...page, group }));
}

export function consoleController(deps: ConsoleServices) {
  const consoleSite = createConsoleSite(deps.publicUrl);
  const console: ConsoleDependencies = { ...deps, consoleSite };
  return new Elysia()
    .use(rootController(deps.site))
    .use(consoleSite.controller())
    .use(signInController(console))
    .use(consolePages(console, createPages(deps)));
}
