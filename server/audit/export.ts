// The audit log as a file: CSV for a spreadsheet (RFC 4180), or JSON lines for a program.

import { type Permitted, permit } from "../access/index.ts";
import type { Page } from "../http/query.ts";
import type { AuditRecord } from "./service.ts";

export const EXPORT_FORMATS = ["CSV", "NDJSON"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A file that is written while it is read. */
export interface Export {
  /** A media type. */
  type: string;
  fileName: string;
  body: ReadableStream<Uint8Array>;
}

type Reader = Permitted<"Settings:Read">;

/** @param after the last row's Id of the page before; its page has the next one's as Next */
type ReadPage = (reader: Reader, after: string | undefined) => Promise<Page<AuditRecord>>;

const WRITERS: Record<ExportFormat, { type: string; head: () => string; line: (record: AuditRecord) => string }> = {
  CSV: { type: "text/csv; charset=utf-8; header=present", head: csvHead, line: csvLine },
  NDJSON: { type: "application/x-ndjson", head: () => "", line: (record) => `${JSON.stringify(record)}\n` },
};

/**
 * The first page is read before it returns, so that what is wrong with the request is still an error of its own, and
 * again when it is sent.
 * @param onEnd called when all is read, when reading fails, or when nobody reads on
 */
export async function exportAs(
  format: ExportFormat,
  reader: Reader,
  readPage: ReadPage,
  onEnd: () => void,
): Promise<Export> {
  const { type, head, line } = WRITERS[format];
  const encode = (text: string) => new TextEncoder().encode(text);
  const ended = (error: unknown) => {
    onEnd();
    throw error;
  };
  await readPage(reader, undefined);
  let isBegun = false;
  let next: string | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      // One page for each time that the reader has room, read then and not before.
      async pull(controller) {
        if (!isBegun) controller.enqueue(encode(head()));
        else if (next === undefined) {
          onEnd();
          return controller.close();
        }
        isBegun = true;
        const now = permit(await reader.again().catch(ended), ["Settings:Read"]);
        const page = await readPage(now, next).catch(ended);
        next = page.Next ?? undefined;
        controller.enqueue(encode(page.Items.map(line).join("")));
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
  const day = new Date().toISOString().slice(0, 10);
  return { type, fileName: `audit-log-${day}.${format.toLowerCase()}`, body };
}

type Cell = [column: string, text: (record: AuditRecord) => string];

const CELLS: Cell[] = [
  ["Id", ({ Id }) => Id],
  ["OccurredOn", ({ OccurredOn }) => OccurredOn],
  ["Kind", ({ Kind }) => Kind],
  ["Outcome", ({ Outcome }) => Outcome],
  ["ActorType", ({ Actor }) => Actor?.Type ?? ""],
  ["ActorId", ({ Actor }) => Actor?.Id ?? ""],
  ["ClientId", ({ ClientId }) => ClientId ?? ""],
  ["Address", ({ Address }) => Address],
  ["UserAgent", ({ UserAgent }) => UserAgent],
  ["SubjectType", ({ Subject }) => Subject?.Type ?? ""],
  ["SubjectId", ({ Subject }) => Subject?.Id ?? ""],
  ["Details", ({ Details }) => JSON.stringify(Details)],
  ["RequestKey", ({ RequestKey }) => RequestKey],
];

function csvHead(): string {
  return `${CELLS.map(([column]) => quoted(column)).join(",")}\r\n`;
}

function csvLine(record: AuditRecord): string {
  return `${CELLS.map(([, text]) => quoted(text(record))).join(",")}\r\n`;
}

/** What a spreadsheet would take for a formula: a browser may call itself `=HYPERLINK(…)`. */
const FORMULA = /^[\t\r\n]|^[\s\p{C}]*[=+\-@＝＋－＠]/u;

/** An apostrophe makes it text to a spreadsheet (OWASP, CSV Injection). */
function quoted(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
