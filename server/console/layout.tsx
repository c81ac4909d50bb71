import { attribute, Head, Link, Mark } from "../ui/index.ts";
import type { AlertRecord } from "../webhooks/index.ts";
import { AlertBanner } from "./alerts.tsx";
import type { ConsoleSite } from "./assets.ts";
import { Icon } from "./icons.tsx";
import { iconOf, type Navigation } from "./navigation.ts";
import { GROUPS, type Group, type View, type Visit } from "./page.tsx";
import { Palette, SearchBox } from "./search/box.tsx";
import { SEARCH } from "./search/pages.tsx";

export interface LayoutProps {
  site: ConsoleSite;
  visit: Visit;
  navigation: Navigation;
  tabs: Navigation;
  view: View;
  notice: string | undefined;
  unseen: readonly AlertRecord[];
}

/** htmx's own style would violate CSP; error responses are displayed; opened elements stay open. */
const HTMX = {
  includeIndicatorCSS: false,
  history: false,
  noSwap: [204, 304, "4xx", "5xx"],
  morphIgnore: ["data-htmx-powered", "open"],
};

const STYLES = ["settings.css", "parts.css", "records.css"] as const;
const SCRIPTS = ["htmx.js", "polling.js", "time.js", "copy.js", "search.js", "moments.js"] as const;

export function Layout({ site, visit, navigation, tabs, view, notice, unseen }: LayoutProps): JSX.Element {
  return (
    <html lang="en">
      <Head
        title={`${view.title} · ${visit.organisation}`}
        styles={[site.asset("gatehouse.css"), { dark: site.asset("dark.css") }, ...STYLES.map(site.asset)]}
        scripts={[...SCRIPTS, ...(visit.editorNonce ? (["editor.js"] as const) : [])].map(site.asset)}
        styleNonce={visit.editorNonce}
      >
        <meta name="htmx-config" content={JSON.stringify(HTMX)} />
      </Head>
      <body>
        <a class="skip" href="#main">
          Skip to the page
        </a>
        <Top site={site} visit={visit} />
        <Palette visit={visit} />
        <div class="frame">
          <nav id="menu" class="menu" popover="auto" aria-label="Settings">
            {[undefined, ...GROUPS].map((group) => (
              <Areas site={site} group={group} areas={navigation.filter((area) => area.group === group)} />
            ))}
          </nav>
          <main id="main" tabindex="-1">
            <AlertBanner visit={visit} unseen={unseen} />
            <Heading site={site} visit={visit} view={view} />
            <Tabs site={site} tabs={tabs} />
            {notice !== undefined && (
              <p class="notice" role="status" safe>
                {notice}
              </p>
            )}
            {view.body as "safe"}
          </main>
        </div>
      </body>
    </html>
  );
}

function Areas({ site, group, areas }: { site: ConsoleSite; group: Group | undefined; areas: Navigation }) {
  if (areas.length === 0) return "";
  return (
    <>
      {group === undefined ? "" : <h2 safe>{group}</h2>}
      <ul aria-label={group}>
        {areas.map(({ name, path, isCurrent }) => (
          <li>
            <a href={site.href(path)} aria-current={isCurrent ? "page" : undefined}>
              <Icon name={iconOf(path)} />
              <span safe>{name}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** On a phone the menu and the account are popovers, and the search is a page or the palette. */
function Top({ site, visit }: { site: ConsoleSite; visit: Visit }): JSX.Element {
  const { name, username } = visit.session;
  return (
    <header class="top">
      <button type="button" class="quiet narrow-only" popovertarget="menu" aria-label="Menu">
        <Icon name="menu" />
      </button>
      <a class="brand" href={site.href("/settings")} aria-label="Gatehouse">
        <Mark />
        <span>Gatehouse</span>
      </a>
      <span class="organisation" safe>
        {visit.organisation}
      </span>
      <SearchBox visit={visit} />
      <a class="button quiet narrow-only" href={site.href(SEARCH)} data-palette aria-label="Find">
        <Icon name="search" />
      </a>
      <button type="button" class="quiet narrow-only" popovertarget="person" aria-label="Profile">
        <Icon name="circle-user-round" />
      </button>
      <div id="person" class="person" popover="auto">
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

function Heading({ site, visit, view }: Pick<LayoutProps, "site" | "visit" | "view">): JSX.Element {
  return (
    <div class="heading">
      {!!view.above && (
        <nav class="above" aria-label="Above this page">
          {view.above.map(({ name, path }) => (
            <Link href={site.href(path)} text={name} />
          ))}
        </nav>
      )}
      <h1 safe>{view.title}</h1>
      <Refreshes visit={visit} />
      {view.actions ? <div class="actions">{view.actions as "safe"}</div> : ""}
      {view.lead ? <div class="lead">{view.lead as "safe"}</div> : ""}
    </div>
  );
}

/** Says whether the page refreshes itself, and switches it (WCAG 2.2, 2.2.2). */
function Refreshes({ visit }: { visit: Visit }): JSX.Element {
  const { refreshes, refreshSeconds } = visit;
  if (refreshSeconds === undefined) return "";
  const title = refreshes ? `Refreshes every ${refreshSeconds} s. Stop` : "Does not refresh itself. Refresh";
  return (
    <>
      <p class="refreshing">
        <a class={refreshes ? "on" : undefined} href={attribute(visit.sameHref(!refreshes))} title={title}>
          <span>{refreshes ? "Live" : "Stopped"}</span>
          <span class="unseen" safe>{`. ${title}`}</span>
        </a>
      </p>
      <noscript>
        <a href={attribute(visit.sameHref(true))}>Reload</a>
      </noscript>
    </>
  );
}

function Tabs({ site, tabs }: { site: ConsoleSite; tabs: Navigation }): JSX.Element {
  if (tabs.length < 2) return "";
  return (
    <nav class="tabs" aria-label="This record">
      {tabs.map(({ name, path, isCurrent }) => (
        <a href={site.href(path)} aria-current={isCurrent ? "page" : undefined} safe>
          {name}
        </a>
      ))}
    </nav>
  );
}
