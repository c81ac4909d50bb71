// Exports a list as a file: CSV (RFC 4180) or JSON lines.

import { createBudget } from "../budget.ts";
import { BadInput } from "../errors.ts";
import type { TenantId } from "../ids.ts";
import { NO_STORE } from "./conditions.ts";
import { type Filter, type Page, readWord, wordFilter } from "./query.ts";

const EXPORT_FORMATS = ["CSV", "NDJSON"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The maximum number of rows, before policies exclude some. */
export const MAX_EXPORTED = 100_000;
export const EXPORT_PAGE = 100;
/** An export counts until its reader has received everything. */
const EXPORTS = { name: "exports", perTenant: 2, waiting: 0 };

export const EXPORT_NOTE =
  `At most ${MAX_EXPORTED.toLocaleString("en")} rows; a longer export is 400. In CSV a text that a ` +
  "spreadsheet could evaluate as a formula is prefixed with an apostrophe.";
export const EXPORT_FILES = ["text/csv", "application/x-ndjson"];

/** A file has no pages. */
export const formatFilter = {
  ...wordFilter(EXPORT_FORMATS, "Default: CSV."),
  read(query, name): ExportFormat {
    if (query.has("Limit") || query.has("Cursor")) throw new BadInput("An export has no pages: no Limit, no Cursor.");
    return readWord(query, name, EXPORT_FORMATS) ?? "CSV";
  },
} satisfies Filter<ExportFormat>;

export type Cell<Item> = [column: string, text: (item: Item) => string];

/** The reader, whose permissions are checked again for each page. */
interface Reader<Judged> {
  tenantId: TenantId;
  again(): Promise<Judged>;
}

export interface Exported<Item, Judged> {
  /** The file name without date. */
  name: string;
  cells: Cell<Item>[];
  /** The number of rows, counted up to `max`. */
  count(max: number): Promise<number>;
  /** @param after the last row's Id of the previous page; the result's Next is for the next page */
  readPage(reader: Judged, after: string | undefined): Promise<Page<Item>>;
}

/** A file that is streamed while it is read. */
export interface Export {
  type: string;
  fileName: string;
  body: ReadableStream<Uint8Array>;
}

/** @throws BadInput if it would exceed MAX_EXPORTED rows, TenantBusy */
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
        throw new BadInput(`An export has at most ${MAX_EXPORTED} rows. Narrow it with From and To.`);
      }
      return await exportAs(reader, format, exported, release);
    } catch (error) {
      release();
      throw error;
    }
  };
}

/**
 * Reads the first page before returning, so errors of the request get their own status; it is read again when streamed.
 * @param onEnd called after the last row, on failure, or when the reader disconnects
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
    // Limits an export to half of this thread's time.
    await Bun.sleep(performance.now() - began);
    return page;
  };
  await readPage(undefined);
  let isBegun = false;
  let next: string | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      // Reads one page whenever the reader has room.
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

/** A download, not cached. */
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

/** Text that spreadsheets interpret as a formula; a User-Agent may be `=HYPERLINK(…)`. */
const FORMULA = /^[\t\r\n]|^[\s\p{C}]*[=+\-@＝＋－＠]/u;

/** An apostrophe makes spreadsheets treat it as text (OWASP, CSV Injection). */
function quoted(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
