// Pages of the menu and what can be done, as results of the search.

import { navigationFor } from "../navigation.ts";
import type { ConsolePage, Visit } from "../page.tsx";
import type { SearchAnswer } from "./sources.ts";

export function commandsFor(pages: readonly ConsolePage[], visit: Visit): SearchAnswer[] {
  const areas = navigationFor(pages, visit.caller.scopes, "").map(({ name, path, group }) => ({
    title: name,
    detail: group ?? "Settings",
    path,
  }));
  const commands = pages.flatMap(({ command, path, GET }) => {
    const isOpen =
      command !== undefined && !path.includes(":") && GET?.needs.every((scope) => visit.caller.scopes.has(scope));
    return isOpen ? [{ title: command, detail: "Command", path }] : [];
  });
  return [...areas, ...commands, { title: "Your account", detail: "Command", path: "/account" }];
}
