// The search box of every page, and the command palette (Ctrl-K). assets/search.js turns them into comboboxes.

import { attribute } from "../../ui/index.ts";
import type { Visit } from "../visit.ts";
import { MAX_CHARACTERS, SEARCH } from "./pages.tsx";

export function SearchBox({ visit }: { visit: Visit }): JSX.Element {
  return (
    <search class="everywhere">
      <form method="get" action={visit.href(SEARCH)}>
        <SearchInput visit={visit} id="search-everywhere" offers="offers" label="Find anything" keys="/" />
        <span class="key"></span>
      </form>
      <div id="offers" class="offers" role="listbox" aria-label="Results" hidden></div>
    </search>
  );
}

/** Opened by the script only; the search page has the same content. */
export function Palette({ visit }: { visit: Visit }): JSX.Element {
  return (
    <dialog id="palette" class="palette" aria-label="Commands">
      <form method="get" action={visit.href(SEARCH)}>
        <SearchInput
          visit={visit}
          id="search-commands"
          offers="commands"
          label="Go to a page, find a record, or do something"
          keys="Control+K"
        />
      </form>
      <div id="commands" class="offers" role="listbox" aria-label="Commands"></div>
      <p class="keys" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close
      </p>
    </dialog>
  );
}

interface SearchInputProps {
  visit: Visit;
  id: string;
  /** The id of the list of results. */
  offers: string;
  label: string;
  keys: string;
}

function SearchInput({ visit, id, offers, label, keys }: SearchInputProps): JSX.Element {
  const { pathname, searchParams } = visit.url;
  const given = pathname === SEARCH && id !== "search-commands" ? (searchParams.get("q") ?? "") : "";
  return (
    <input
      id={id}
      type="search"
      name="q"
      value={attribute(given)}
      maxlength={MAX_CHARACTERS}
      placeholder={label}
      aria-label={label}
      aria-keyshortcuts={keys}
      autocomplete="off"
      spellcheck="false"
      hx-get={visit.href(SEARCH)}
      hx-trigger="input changed delay:200ms, opened"
      hx-target={`#${offers}`}
      hx-swap="innerHTML"
      hx-sync="this:replace"
    />
  );
}
