// The lines of a file, read as a stream: CSV with a first line of names, or JSON lines.

import { createReadStream } from "node:fs";
import { csvRows, isBlank, isTooLong, MAX_ROW, TOO_LONG } from "../../platform/csv.ts";
import { CannotStart } from "../../platform/errors.ts";
import { isObject } from "../../platform/http/body.ts";

/** The maximum number of lines of a file. */
const MAX_LINES = 1_000_000;

export interface FileLine {
  /** The first line of the file is 1. */
  number: number;
  /** By the names of the columns. In CSV, all are texts. */
  cells: Record<string, unknown>;
  problem?: string;
}

/** @throws CannotStart if it cannot be read */
export async function* linesOf(file: string): AsyncGenerator<FileLine> {
  let count = 0;
  const texts = physicalLines(file);
  for await (const line of /\.(jsonl|ndjson|json)$/i.test(file) ? jsonLines(texts) : csvLines(texts, file)) {
    if (++count > MAX_LINES) throw new CannotStart(`${file} has more than ${MAX_LINES} lines. Use several files.`);
    yield line;
  }
}

async function* jsonLines(texts: AsyncIterable<string>): AsyncGenerator<FileLine> {
  let number = 0;
  for await (const text of texts) {
    number++;
    if (text.trim() !== "") yield isTooLong(text) ? { number, cells: {}, problem: TOO_LONG } : jsonLine(number, text);
  }
}

function jsonLine(number: number, text: string): FileLine {
  try {
    const cells: unknown = JSON.parse(text);
    if (isObject(cells)) return { number, cells };
  } catch {
    // Not JSON.
  }
  return { number, cells: {}, problem: "The line must be a JSON object." };
}

async function* csvLines(texts: AsyncIterable<string>, file: string): AsyncGenerator<FileLine> {
  for await (const row of csvRows(texts, (cells) => namesIn(cells, file))) if (!isBlank(row)) yield row;
}

function namesIn(cells: string[], file: string): string[] {
  const names = cells.map((name) => name.trim());
  if (names.length > 0 && !names.includes("") && new Set(names).size === names.length) return names;
  throw new CannotStart(`The first line of ${file} must name each column once.`);
}

async function* physicalLines(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  try {
    for await (const bytes of createReadStream(file)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = parts.pop()!;
      // Enough to see that it is too long.
      if (rest.length > MAX_ROW) rest = rest.slice(0, MAX_ROW + 1);
      for (const part of parts) yield part.replace(/\r$/, "");
    }
    rest += decoder.decode();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw new CannotStart(`${file} ${syscall ? `cannot be read (${code})` : "must be a text in UTF-8"}.`);
  }
  if (rest !== "") yield rest;
}
