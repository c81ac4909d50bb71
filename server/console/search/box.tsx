// The search box of every page. assets/search.js turns it into a combobox.

import { attribute } from "../../ui/index.ts";
import type { Visit } from "../visit.ts";
import { MAX_CHARACTERS, SEARCH } from "./pages.tsx";

export function SearchBox({ visit }: { visit: Visit }): JSX.Element {
  const { pathname, searchParams } = visit.url;
  const given = pathname === SEARCH ? (searchParams.get("q") ?? "") : "";
  return (
    <search class="everywhere">
      <form method="get" action={visit.href(SEARCH)}>
        <input
          id="search-everywhere"
          type="search"
          name="q"
          value={attribute(given)}
          maxlength={MAX_CHARACTERS}
          placeholder="Find anything"
          aria-label="Find anything"
          aria-keyshortcuts="/ Control+K"
          autocomplete="off"
          spellcheck="false"
          hx-get={visit.href(SEARCH)}
          hx-trigger="input changed delay:200ms"
          hx-target="#offers"
          hx-swap="innerHTML"
          hx-sync="this:replace"
        />
        <span class="key"></span>
      </form>
      <div id="offers" role="listbox" aria-label="Results" hidden></div>
    </search>
  );
}
