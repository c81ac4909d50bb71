// A list as a file: CSV for a spreadsheet (RFC 4180), or JSON lines for a program.

import { createBudget } from "../budget.ts";
import { BadInput } from "../errors.ts";
import type { TenantId } from "../ids.ts";
import { NO_STORE } from "./conditions.ts";
import { type Filter, type Page, readWord, wordFilter } from "./query.ts";

const EXPORT_FORMATS = ["CSV", "NDJSON"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Rows of an export, before policies leave some out. */
export const MAX_EXPORTED = 100_000;
/** Rows that an export reads at a time. */
export const EXPORT_PAGE = 100;
/** An export is under way until its reader has all of it. */
const EXPORTS = { name: "exports", perTenant: 2, waiting: 0 };

/** What an export's description says of all of them. */
export const EXPORT_NOTE =
  `At most ${MAX_EXPORTED.toLocaleString("en")} rows; what would have more is 400. In CSV a text that a ` +
  "spreadsheet could take for a formula begins with an apostrophe.";
export const EXPORT_FILES = ["text/csv", "application/x-ndjson"];

/** Of the file: it has no pages. */
export const formatFilter = {
  ...wordFilter(EXPORT_FORMATS, "CSV unless given."),
  read(query, name): ExportFormat {
    if (query.has("Limit") || query.has("Cursor")) throw new BadInput("An export has no pages: no Limit, no Cursor.");
    return readWord(query, name, EXPORT_FORMATS) ?? "CSV";
  },
} satisfies Filter<ExportFormat>;

/** A column of the CSV file, and what stands in it. */
export type Cell<Item> = [column: string, text: (item: Item) => string];

/** Who reads it: what they may see is judged anew for each page. */
interface Reader<Judged> {
  tenantId: TenantId;
  again(): Promise<Judged>;
}

export interface Exported<Item, Judged> {
  /** Of the file, without its day. */
  name: string;
  cells: Cell<Item>[];
  /** How many rows there are, counted no further than `most`. */
  count(most: number): Promise<number>;
  /** @param after the last row's Id of the page before; its page has the next one's as Next */
  readPage(reader: Judged, after: string | undefined): Promise<Page<Item>>;
}

/** A file that is written while it is read. */
export interface Export {
  /** A media type. */
  type: string;
  fileName: string;
  body: ReadableStream<Uint8Array>;
}

/** @throws BadInput if it would have more rows than MAX_EXPORTED, TenantBusy */
export type Exporter = <Item, Judged>(
  reader: Reader<Judged>,
  format: ExportFormat,
  exported: Exported<Item, Judged>,
) => Promise<Export>;

export function createExporter(): Exporter {
  const budget = createBudget(EXPORTS);
  return async (reader, format, exported) => {
    const release = await budget.take(reader.tenantId);
    try {
      if ((await exported.count(MAX_EXPORTED + 1)) > MAX_EXPORTED) {
        throw new BadInput(`An export has at most ${MAX_EXPORTED} rows. Ask for less by From and To.`);
      }
      return await exportAs(reader, format, exported, release);
    } catch (error) {
      release();
      throw error;
    }
  };
}

/**
 * The first page is read before it returns, so that what is wrong with the request is still an error of its own, and
 * again when it is sent.
 * @param onEnd called when all is read, when reading fails, or when nobody reads on
 */
async function exportAs<Item, Judged>(
  reader: Reader<Judged>,
  format: ExportFormat,
  exported: Exported<Item, Judged>,
  onEnd: () => void,
): Promise<Export> {
  const { type, head, line } = format === "CSV" ? csvOf(exported.cells) : NDJSON;
  const encode = (text: string) => new TextEncoder().encode(text);
  const ended = (error: unknown) => {
    onEnd();
    throw error;
  };
  const readPage = async (after: string | undefined) => {
    const now = await reader.again();
    const began = performance.now();
    const page = await exported.readPage(now, after);
    // It has this thread for half of the time at most, however fast its reader is.
    await Bun.sleep(performance.now() - began);
    return page;
  };
  await readPage(undefined);
  let isBegun = false;
  let next: string | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      // One page for each time that the reader has room, read then and not before.
      async pull(controller) {
        if (!isBegun) controller.enqueue(encode(head));
        else if (next === undefined) {
          onEnd();
          return controller.close();
        }
        isBegun = true;
        const page = await readPage(next).catch(ended);
        next = page.Next ?? undefined;
        controller.enqueue(encode(page.Items.map(line).join("")));
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
  const day = new Date().toISOString().slice(0, 10);
  return { type, fileName: `${exported.name}-${day}.${format.toLowerCase()}`, body };
}

/** A file to be kept, for who asked for it alone. */
export function exportResponse({ type, fileName, body }: Export): Response {
  const headers = { "content-type": type, "content-disposition": `attachment; filename="${fileName}"`, ...NO_STORE };
  return new Response(body, { headers });
}

const NDJSON = { type: "application/x-ndjson", head: "", line: (item: unknown) => `${JSON.stringify(item)}\n` };

function csvOf<Item>(cells: Cell<Item>[]) {
  const row = (texts: string[]) => `${texts.map(quoted).join(",")}\r\n`;
  return {
    type: "text/csv; charset=utf-8; header=present",
    head: row(cells.map(([column]) => column)),
    line: (item: Item) => row(cells.map(([, text]) => text(item))),
  };
}

/** What a spreadsheet would take for a formula: a browser may call itself `=HYPERLINK(…)`. */
const FORMULA = /^[\t\r\n]|^[\s\p{C}]*[=+\-@＝＋－＠]/u;

/** An apostrophe makes it text to a spreadsheet (OWASP, CSV Injection). */
function quoted(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
