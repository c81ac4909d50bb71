import { attribute, Head, Mark } from "../ui/index.ts";
import type { AlertRecord } from "../webhooks/index.ts";
import { AlertBanner } from "./alerts.tsx";
import type { ConsoleSite } from "./assets.ts";
import { type ConsolePage, GROUPS, type Group, type View } from "./page.tsx";
import { SearchBox } from "./search/box.tsx";
import type { Visit } from "./visit.ts";

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

const STYLES = ["gatehouse.css", "settings.css", "parts.css", "records.css"] as const;
const SCRIPTS = ["htmx.js", "polling.js", "time.js", "copy.js", "search.js", "moments.js"] as const;

export function Layout({ site, visit, navigation, tabs, view, notice, unseen }: LayoutProps): JSX.Element {
  return (
    <html lang="en">
      <Head
        title={`${view.title} · ${visit.organisation}`}
        styles={STYLES.map(site.asset)}
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
        <div class="frame">
          <nav id="menu" class="menu" popover="auto" aria-label="Settings">
            {[undefined, ...GROUPS].map((group) => (
              <Areas site={site} group={group} areas={navigation.filter((area) => area.group === group)} />
            ))}
          </nav>
          <main id="main" tabindex="-1">
            <AlertBanner visit={visit} unseen={unseen} />
            <Heading site={site} view={view} />
            <Tabs site={site} tabs={tabs} />
            {notice === undefined ? (
              ""
            ) : (
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
            <a href={site.href(path)} aria-current={isCurrent ? "page" : undefined} safe>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Top({ site, visit }: { site: ConsoleSite; visit: Visit }): JSX.Element {
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

function Heading({ site, view }: { site: ConsoleSite; view: View }): JSX.Element {
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

export type Navigation = readonly { name: string; path: string; isCurrent: boolean; group?: Group | undefined }[];

/** The areas that these scopes can see, in page order. */
export function navigationFor(
  pages: readonly ConsolePage[],
  scopes: ReadonlySet<string>,
  pathname: string,
): Navigation {
  return pages.flatMap(({ area: name, group, path, GET }) => {
    if (!name || !GET?.needs.every((scope) => scopes.has(scope))) return [];
    return [{ name, path, group, isCurrent: isWithin(pathname, path) }];
  });
}

/** The tabs of a record that the visitor may see; none on an error page. */
export function tabsFor(
  pages: readonly ConsolePage[],
  { record, path: own }: ConsolePage,
  visit: Visit,
  view: View,
): Navigation {
  if (!record || ![200, 422].includes(view.status ?? 200)) return [];
  const id = encodeURIComponent(visit.params.id!);
  return pages.flatMap(({ record: other, tab, path, GET }) => {
    if (other !== record || !tab || !GET?.needs.every((scope) => visit.caller.scopes.has(scope))) return [];
    return [{ name: tab, path: path.replace(":id", id), isCurrent: path === own }];
  });
}

function isWithin(pathname: string, path: string): boolean {
  return pathname === path || (path !== "/settings" && pathname.startsWith(`${path}/`));
}
