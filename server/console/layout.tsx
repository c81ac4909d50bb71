// The frame of every page of Settings, and its navigation.

import type { Scope } from "../access/index.ts";
import { attribute, Mark } from "../ui/index.ts";
import type { SettingsSite } from "./assets.ts";
import type { Page, View } from "./page.tsx";
import { SearchBox } from "./search/box.tsx";
import type { Visit } from "./visit.ts";

export interface LayoutProps {
  site: SettingsSite;
  visit: Visit;
  navigation: Navigation;
  view: View;
  /** What was just done. */
  told: string | undefined;
}

/**
 * No style of its own, so that CSP needs no exception; errors are answers to show, not to swap in; and what the reader
 * has opened stays open.
 */
const HTMX = {
  includeIndicatorCSS: false,
  history: false,
  noSwap: [204, 304, "4xx", "5xx"],
  morphIgnore: ["data-htmx-powered", "open"],
};

/** The frame of every page: who is here, where one can go, and the page in the middle. */
export function Layout({ site, visit, navigation, view, told }: LayoutProps): JSX.Element {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="htmx-config" content={JSON.stringify(HTMX)} />
        <title safe>{`${view.title} · ${visit.organisation} · Gatehouse`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={site.asset("settings.css")} />
        <link rel="stylesheet" href={site.asset("parts.css")} />
        <link rel="stylesheet" href={site.asset("records.css")} />
        <script src={site.asset("htmx.js")} defer></script>
        <script src={site.asset("polling.js")} defer></script>
        <script src={site.asset("time.js")} defer></script>
        <script src={site.asset("copy.js")} defer></script>
        <script src={site.asset("search.js")} defer></script>
        <script src={site.asset("editor.js")} defer></script>
        <script src={site.asset("moments.js")} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the page
        </a>
        <Top site={site} visit={visit} />
        <div class="frame">
          <nav id="menu" class="menu" popover="auto" aria-label="Settings">
            <ul>
              {navigation.map(({ name, path, isCurrent }) => (
                <li>
                  <a href={site.href(path)} aria-current={isCurrent ? "page" : undefined} safe>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <main id="main" tabindex="-1">
            <Heading site={site} view={view} />
            {told === undefined ? (
              ""
            ) : (
              <p class="told" role="status" safe>
                {told}
              </p>
            )}
            {view.body as "safe"}
          </main>
        </div>
      </body>
    </html>
  );
}

function Top({ site, visit }: { site: SettingsSite; visit: Visit }): JSX.Element {
  const { name, username } = visit.session;
  return (
    <header class="top">
      <a class="brand" href={site.href("/settings")}>
        <Mark />
        <span>Gatehouse</span>
      </a>
      <span class="organisation" safe>
        {visit.organisation}
      </span>
      <SearchBox visit={visit} />
      <button type="button" class="quiet open-menu" popovertarget="menu">
        Menu
      </button>
      <div class="person">
        <a href={site.href("/account")} title={attribute(`${username}: your account`)} safe>
          {name || username}
        </a>
        <form method="post" action={site.href("/settings/sign-out")}>
          <input type="hidden" name="csrf" value={visit.csrf} />
          <button type="submit" class="quiet">
            Sign out
          </button>
        </form>
      </div>
    </header>
  );
}

function Heading({ site, view }: { site: SettingsSite; view: View }): JSX.Element {
  return (
    <div class="heading">
      {view.above ? (
        <nav class="above" aria-label="Above this page">
          {view.above.map(({ name, path }) => (
            <a href={site.href(path)} safe>
              {name}
            </a>
          ))}
        </nav>
      ) : (
        ""
      )}
      <h1 safe>{view.title}</h1>
      {view.actions ? <div class="actions">{view.actions as "safe"}</div> : ""}
      {view.lead ? <div class="lead">{view.lead as "safe"}</div> : ""}
    </div>
  );
}

interface Area {
  name: string;
  path: string;
  /** Without it there is nothing to see there. */
  needs?: Scope;
}

/** In the order they are shown. An area is there once a page stands at its path. */
const AREAS: readonly Area[] = [
  { name: "Overview", path: "/settings" },
  { name: "Webhooks", path: "/settings/webhooks", needs: "Webhooks:Read" },
  { name: "Activity", path: "/settings/activity", needs: "Webhooks:Read" },
  { name: "Applications", path: "/settings/applications", needs: "AccessManager:Read" },
  { name: "Users", path: "/settings/users", needs: "AccessManager:Read" },
  { name: "Departments", path: "/settings/departments", needs: "AccessManager:Read" },
  { name: "Identity providers", path: "/settings/identity-providers", needs: "Settings:Read" },
  { name: "Policies", path: "/settings/policies", needs: "Settings:Read" },
  { name: "Roles", path: "/settings/roles", needs: "Settings:Read" },
  { name: "Signing keys", path: "/settings/signing-keys", needs: "Settings:Read" },
  { name: "Audit log", path: "/settings/audit-log", needs: "Settings:Read" },
];

export type Navigation = readonly { name: string; path: string; isCurrent: boolean }[];

/** The areas that somebody with these scopes can see something in. */
export function navigationFor(pages: readonly Page[], scopes: ReadonlySet<string>, pathname: string): Navigation {
  return AREAS.filter(
    ({ path, needs }) => pages.some((page) => page.path === path) && (!needs || scopes.has(needs)),
  ).map(({ name, path }) => ({ name, path, isCurrent: isWithin(pathname, path) }));
}

function isWithin(pathname: string, path: string): boolean {
  return pathname === path || (path !== "/settings" && pathname.startsWith(`${path}/`));
}
