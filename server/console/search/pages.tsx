// Search over all pages: a form with a result page, and suggestions while typing in browsers with scripts.

import { ApiError, BadInput } from "../../platform/errors.ts";
import { asTyped } from "../../platform/text.ts";
import { attribute, EmptyState, pageResponse, Table, Text } from "../../ui/index.ts";
import type { ConsolePage, ConsoleServices, View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { type SearchAnswer, type SearchResult, search } from "./sources.ts";

export const MAX_CHARACTERS = 200;
/** The maximum number of suggestions; the result page has all. */
const MAX_OFFERED = 10;

export const SEARCH = "/settings/search";

export function searchPages(deps: ConsoleServices): ConsolePage[] {
  return [{ path: SEARCH, GET: { needs: [], answer: (visit) => searchPage(deps, visit) } }];
}

async function searchPage(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const isOffer = visit.request.headers.has("hx-request");
  try {
    const text = readSearch(visit.url.searchParams.get("q") ?? "");
    const found = text === "" ? NOTHING : await search(deps, visit, text);
    if (isOffer) return pageResponse(<Offers visit={visit} text={text} found={found} />);
    const [only, ...more] = found.answers;
    if (only && more.length === 0 && !found.isPartial) return visit.goTo(only.path);
    return { title: "Search", body: <Answers visit={visit} text={text} found={found} /> };
  } catch (error) {
    if (isOffer || !(error instanceof ApiError) || error.status >= 500) throw error;
    return {
      title: "Search",
      status: error.status,
      body: (
        <div class="problem" role="alert">
          {error.errors.map((line) => (
            <p safe>{line}</p>
          ))}
        </div>
      ),
    };
  }
}

const NOTHING: SearchResult = { answers: [], isPartial: false };

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

const PARTIAL = "The search is incomplete: parts took too long or are busy.";

function Answers({ visit, text, found: { answers, isPartial } }: AnswersProps): JSX.Element {
  return (
    <>
      {isPartial ? (
        <p class="problem" role="alert" safe>
          {`${PARTIAL} Try again in a moment, or search in a single list.`}
        </p>
      ) : (
        ""
      )}
      {answers.length > 0 ? (
        <Table caption="Results" columns={columns(visit)} rows={answers} />
      ) : (
        <Nothing title={text === "" ? "Enter a search" : isPartial ? "Nothing found yet" : "No matches"} />
      )}
    </>
  );
}

function Nothing({ title }: { title: string }): JSX.Element {
  return (
    <EmptyState title={title}>
      <p>
        {"A part of the name of a record, a connection, a policy or a role; a user name or an e-mail address; any Id: " +
          "an EventId, a client_id, a row of the audit log; or a RequestKey."}
      </p>
    </EmptyState>
  );
}

function columns(visit: Visit) {
  return [
    {
      name: "Name",
      cell: ({ title, path }: SearchAnswer) => (
        <a href={visit.href(path)} safe>
          {title}
        </a>
      ),
    },
    { name: "Description", cell: ({ detail }: SearchAnswer) => <Text text={detail} /> },
  ];
}

/** The script moves focus among options. */
const OPTION = { role: "option", tabindex: "-1", "aria-selected": "false" } as const;

function Offers({ visit, text, found: { answers, isPartial } }: AnswersProps): JSX.Element {
  if (text === "") return "";
  const notice = isPartial ? PARTIAL : answers.length === 0 ? "No matches" : undefined;
  return (
    <>
      {answers.slice(0, MAX_OFFERED).map(({ title, detail, path }, index) => (
        <div id={`offer-${index}`} {...OPTION} data-href={attribute(visit.href(path))}>
          <span safe>{title}</span>
          <small safe>{detail}</small>
        </div>
      ))}
      {notice === undefined ? (
        ""
      ) : (
        <div id="offer-none" {...OPTION} aria-disabled="true">
          <small safe>{notice}</small>
        </div>
      )}
    </>
  );
}
