// Exports a list as a file: CSV (RFC 4180) or JSON lines.

import type { TSchema } from "@sinclair/typebox";
import { createCallersBudget } from "../budget.ts";
import { BadInput } from "../errors.ts";
import type { TenantId } from "../ids.ts";
import { NO_STORE } from "./conditions.ts";
import { type Filter, type Page, readWord, wordFilter } from "./query.ts";

const EXPORT_FORMATS = ["CSV", "NDJSON"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The maximum number of rows, before policies exclude some. */
export const MAX_EXPORTED = 100_000;
export const EXPORT_PAGE = 100;
/** An export counts until its reader has received everything, or takes nothing for a while. */
const EXPORTS = { name: "exports", perCaller: 2, perTenant: 4 };
/**
 * A download ends if its reader takes nothing for `stallMs`, or is that much behind `minRate` bytes in a millisecond. The
 * time that the service needs for a part is not counted.
 */
const PATIENCE = { stallMs: 30_000, minRate: 32 };
const CHUNK_BYTES = 64 * 1024;

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

/** The reader, whose permissions are checked again for each page. */
interface Reader<Judged> {
  tenantId: TenantId;
  actor: { type: string; id: number };
  again(): Promise<Judged>;
}

export interface Exported<Item, Judged> {
  /** The file name without date. */
  name: string;
  /** A row's. In CSV an object with fields has a column for each; another object is JSON. */
  schema: TSchema;
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
  const take = createCallersBudget(EXPORTS);
  return async (reader, format, exported) => {
    const release = await take(reader.tenantId, reader.actor);
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
 * @param onEnd as in streamFile
 */
async function exportAs<Item, Judged>(
  reader: Reader<Judged>,
  format: ExportFormat,
  exported: Exported<Item, Judged>,
  onEnd: () => void,
): Promise<Export> {
  const { type, head, line } = format === "CSV" ? csvOf(exported.schema) : NDJSON;
  const readPage = async (after: string | undefined) => exported.readPage(await reader.again(), after);
  async function* parts() {
    yield head;
    let next: string | undefined;
    do {
      const page = await readPage(next);
      next = page.Next ?? undefined;
      yield page.Items.map(line).join("");
    } while (next !== undefined);
  }
  await readPage(undefined);
  const day = new Date().toISOString().slice(0, 10);
  return {
    type,
    fileName: `${exported.name}-${day}.${format.toLowerCase()}`,
    body: streamFile(encoded(parts()), onEnd),
  };
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield new TextEncoder().encode(text);
}

/**
 * Makes the next part of a file whenever its reader has room. A reader that stalls is disconnected, so it cannot hold
 * what `onEnd` releases.
 * @param onEnd called after the last part, on failure, and when the reader stalls or disconnects; maybe more than once
 */
export function streamFile(
  parts: AsyncIterator<Uint8Array>,
  onEnd: () => void,
  { stallMs, minRate } = PATIENCE,
): ReadableStream<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  let sent = 0;
  /** Milliseconds for which parts waited for the reader. */
  let waited = 0;
  let since = performance.now();
  let stall: Timer | undefined;
  const end = () => {
    clearTimeout(stall);
    onEnd();
  };
  const expectProgress = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    since = performance.now();
    const left = stallMs + Math.min(0, sent / minRate - waited);
    stall = setTimeout(() => {
      end();
      // Resets the connection, so that the file is not taken for complete.
      controller.error(new Error("The reader of a download has stalled."));
    }, left);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: expectProgress,
      async pull(controller) {
        clearTimeout(stall);
        waited += performance.now() - since;
        try {
          while (rest.length === 0) {
            const began = performance.now();
            const { value, done } = await parts.next();
            // Limits a download to half of this thread's time.
            await Bun.sleep(performance.now() - began);
            if (done) {
              end();
              return controller.close();
            }
            rest = value;
          }
          const chunk = rest.subarray(0, CHUNK_BYTES);
          controller.enqueue(chunk);
          sent += chunk.length;
          rest = rest.subarray(CHUNK_BYTES);
          expectProgress(controller);
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** A download, not cached. */
export function exportResponse({ type, fileName, body }: Export): Response {
  const headers = { "content-type": type, "content-disposition": `attachment; filename="${fileName}"`, ...NO_STORE };
  return new Response(body, { headers });
}

const NDJSON = { type: "application/x-ndjson", head: "", line: (item: unknown) => `${JSON.stringify(item)}\n` };

function csvOf({ properties }: TSchema) {
  const columns = Object.entries<TSchema>(properties).flatMap(([name, field]): string[][] => {
    const inner = (field.anyOf?.[0] ?? field).properties;
    return inner ? Object.keys(inner).map((key) => [name, key]) : [[name]];
  });
  return {
    type: "text/csv; charset=utf-8; header=present",
    head: csvLine(columns.map((path) => path.join(""))),
    line: (item: unknown) => csvLine(columns.map((path) => textOf(path.reduce<unknown>(memberOf, item)))),
  };
}

export const csvLine = (texts: string[]) => `${texts.map(quoted).join(",")}\r\n`;

const memberOf = (of: unknown, name: string) => (of as Record<string, unknown> | null)?.[name];
const textOf = (value: unknown) => (value instanceof Object ? JSON.stringify(value) : String(value ?? ""));

/** Text that spreadsheets interpret as a formula; a User-Agent may be `=HYPERLINK(…)`. */
const FORMULA = /^[\t\r\n]|^[\s\p{C}]*[=+\-@＝＋－＠]/u;

/** An apostrophe makes spreadsheets treat it as text (OWASP, CSV Injection). */
function quoted(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
