// The menu, and the tabs of a record.

import type { IconName } from "./icons.tsx";
import type { ConsolePage, Group, View, Visit } from "./page.tsx";

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

/** Of the areas in the menu. */
const ICONS = new Map<string, IconName>(
  Object.entries<IconName>({
    "/settings": "layout-dashboard",
    "/settings/webhooks": "webhook",
    "/settings/activity": "activity",
    "/settings/alerts": "bell",
    "/settings/applications": "app-window",
    "/settings/new-application": "app-window",
    "/settings/users": "users",
    "/settings/departments": "building-2",
    "/settings/groups": "users",
    "/settings/invitations": "user-plus",
    "/settings/invitation-imports": "user-plus",
    "/settings/mail": "mail",
    "/settings/identity-providers": "log-in",
    "/settings/signing-keys": "key-round",
    "/settings/apis": "plug",
    "/settings/policies": "shield-check",
    "/settings/roles": "user-round-cog",
    "/settings/organisation": "building",
    "/settings/branding": "app-window",
    "/settings/registration-tokens": "ticket",
    "/settings/requests": "arrow-left-right",
    "/settings/audit-log": "scroll-text",
    "/settings/data": "database",
    "/settings/api": "book-open",
  }),
);

/** Pages below an area have its icon. */
export function iconOf(path: string): IconName {
  if (path === "/account") return "circle-user-round";
  const area = /^\/settings\/[^/?#]+/.exec(path)?.[0] ?? path;
  return ICONS.get(area) ?? "folder";
}
