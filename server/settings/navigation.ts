import type { Scope } from "../access/index.ts";
import type { Page } from "./page.ts";

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
