// Search over all pages: a form with a result page, and suggestions while typing in browsers with scripts.

import { ApiError, BadInput } from "../../platform/errors.ts";
import { asTyped } from "../../platform/text.ts";
import { attribute, EmptyState, Link, pageResponse, Submit, Table, Text } from "../../ui/index.ts";
import { Icon } from "../icons.tsx";
import { iconOf } from "../navigation.ts";
import { type ConsolePage, type ConsoleServices, Refusals, type View, type Visit } from "../page.tsx";
import { commandsFor } from "./commands.ts";
import { type SearchAnswer, type SearchResult, search } from "./sources.ts";

export const MAX_CHARACTERS = 200;
/** The maximum number of suggestions; the result page has all. */
const MAX_OFFERED = 10;

export const SEARCH = "/settings/search";

/** @param pages found by their names */
export function searchPages(deps: ConsoleServices, pages: readonly ConsolePage[]): ConsolePage[] {
  return [{ path: SEARCH, GET: { needs: [], answer: (visit) => answer(deps, pages, visit) } }];
}

async function answer(deps: ConsoleServices, pages: readonly ConsolePage[], visit: Visit): Promise<View | Response> {
  const isOffer = visit.request.headers.has("hx-request");
  try {
    const text = readSearch(visit.url.searchParams.get("q") ?? "");
    const commands = commandsFor(pages, visit);
    const found = text === "" ? { answers: commands, isPartial: false } : await search(deps, visit, text, commands);
    if (isOffer) return pageResponse(<Offers visit={visit} text={text} found={found} />);
    const [only, ...more] = found.answers;
    if (text !== "" && only && more.length === 0 && !found.isPartial) return visit.goTo(only.path);
    return { title: "Search", body: <Answers visit={visit} text={text} found={found} /> };
  } catch (error) {
    if (isOffer || !(error instanceof ApiError) || error.status >= 500) throw error;
    return {
      title: "Search",
      status: error.status,
      body: (
        <>
          <Refusals lines={error.errors} />
          <FormHere visit={visit} text={visit.url.searchParams.get("q") ?? ""} />
        </>
      ),
    };
  }
}

/** Normalized like stored text. @throws BadInput */
function readSearch(given: string): string {
  const { text, problem } = asTyped(given, MAX_CHARACTERS);
  if (text === undefined) throw new BadInput(`The search ${problem}`);
  return text;
}

interface AnswersProps {
  visit: Visit;
  text: string;
  found: SearchResult;
}

const FINDABLE =
  "A part of the name of a record, a connection, a policy or a role; a user name or an e-mail address; any Id: " +
  "an EventId, a client_id, a row of the audit log; or a RequestKey.";
const PARTIAL = "The search is incomplete: parts took too long or are busy.";

function Answers({ visit, text, found: { answers, isPartial } }: AnswersProps): JSX.Element {
  return (
    <>
      <FormHere visit={visit} text={text} />
      {isPartial && (
        <p class="problem" role="alert" safe>
          {`${PARTIAL} Try again in a moment, or search in a single list.`}
        </p>
      )}
      {answers.length > 0 ? (
        <Table caption="Results" columns={columns(visit)} rows={answers} />
      ) : (
        <EmptyState title={isPartial ? "Nothing found yet" : "No matches"} text={FINDABLE} />
      )}
    </>
  );
}

function FormHere({ visit, text }: Pick<AnswersProps, "visit" | "text">): JSX.Element {
  return (
    <form method="get" action={visit.href(SEARCH)} class="filters">
      <div class="filter wide">
        <label for="search-here">Find anything</label>
        <input id="search-here" type="search" name="q" value={attribute(text)} maxlength={MAX_CHARACTERS} />
      </div>
      <div class="filter buttons">
        <Submit label="Search" kind="plain" />
      </div>
    </form>
  );
}

function columns(visit: Visit) {
  return [
    { name: "Name", cell: ({ title, path }: SearchAnswer) => <Link href={visit.href(path)} text={title} /> },
    { name: "Description", cell: ({ detail }: SearchAnswer) => <Text text={detail} /> },
  ];
}

/** The script moves focus among options. */
const OPTION = { role: "option", tabindex: "-1", "aria-selected": "false" } as const;

function Offers({ visit, text, found: { answers, isPartial } }: AnswersProps): JSX.Element {
  const notice = isPartial ? PARTIAL : answers.length === 0 ? "No matches" : undefined;
  return (
    <>
      {answers.slice(0, text === "" ? undefined : MAX_OFFERED).map(({ title, detail, path }, index) => (
        <div id={`offer-${index}`} {...OPTION} data-href={attribute(visit.href(path))}>
          <Icon name={iconOf(path)} />
          <span safe>{title}</span>
          <small safe>{detail}</small>
        </div>
      ))}
      {notice !== undefined && (
        <div id="offer-none" {...OPTION} aria-disabled="true">
          <small safe>{notice}</small>
        </div>
      )}
    </>
  );
}
