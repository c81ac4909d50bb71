// The lines of a file, read as a stream: CSV (RFC 4180) with a first line of names, or JSON lines.

import { createReadStream } from "node:fs";
import { CannotStart } from "../../platform/errors.ts";
import { isObject } from "../../platform/http/body.ts";

/** The maximum number of lines of a file. */
const MAX_LINES = 1_000_000;
/** The maximum number of characters of a line. */
const MAX_LINE = 100_000;
/** The maximum number of lines that a row has, in quoted cells. */
const ROW_LINES = 20;
const SEPARATORS = [",", ";", "\t"];

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
  for await (const line of /\.(jsonl|ndjson|json)$/i.test(file) ? jsonLines(file) : csvLines(file)) {
    if (++count > MAX_LINES) throw new CannotStart(`${file} has more than ${MAX_LINES} lines. Use several files.`);
    yield line;
  }
}

async function* jsonLines(file: string): AsyncGenerator<FileLine> {
  let number = 0;
  for await (const text of physicalLines(file)) {
    number++;
    if (text.trim() !== "") yield text.length > MAX_LINE ? tooLong(number) : jsonLine(number, text);
  }
}

async function* csvLines(file: string): AsyncGenerator<FileLine> {
  let names: string[] | undefined;
  let separator = ",";
  let number = 0;
  /** Lines of a row that has not ended. */
  let row: string[] = [];
  function* read(text: string): Generator<FileLine> {
    number++;
    if (text.length > MAX_LINE) return yield tooLong(number);
    if (!names) {
      separator = SEPARATORS.find((one) => text.includes(one)) ?? ",";
      names = namesIn(cellsOf(text, separator), file);
      return;
    }
    row.push(text);
    const cells = cellsOf(row.join("\n"), separator);
    if (cells === "open" && row.length < ROW_LINES) return;
    // The mark that closes it may be that of a later row.
    if (cells === "open" || (cells === undefined && row.length > 1)) return yield* giveUp();
    const first = number - row.length + 1;
    row = [];
    if (text.trim() !== "" || cells?.some((cell) => cell.trim())) yield csvLine(first, names, cells);
  }
  /** The first line of the row is wrong; the others are read again. */
  function* giveUp(): Generator<FileLine> {
    const [, ...others] = row;
    row = [];
    number -= others.length;
    yield csvLine(number, names!, undefined);
    for (const one of others) yield* read(one);
  }
  for await (const text of physicalLines(file)) yield* read(text);
  while (row.length > 0) yield* giveUp();
}

const tooLong = (number: number): FileLine => ({
  number,
  cells: {},
  problem: `The line is longer than ${MAX_LINE} characters.`,
});

function jsonLine(number: number, text: string): FileLine {
  try {
    const cells: unknown = JSON.parse(text);
    if (isObject(cells)) return { number, cells };
  } catch {
    // Not JSON.
  }
  return { number, cells: {}, problem: "The line must be a JSON object." };
}

function csvLine(number: number, names: string[], cells: string[] | undefined): FileLine {
  if (!cells) return { number, cells: {}, problem: "A quotation mark is in the wrong place." };
  if (cells.length > names.length) return { number, cells: {}, problem: "It has more cells than the first line." };
  const filled = cells.flatMap((cell, index) => (cell.trim() === "" ? [] : [[names[index]!, cell]]));
  return { number, cells: Object.fromEntries(filled) };
}

function namesIn(cells: ReturnType<typeof cellsOf>, file: string): string[] {
  const names = Array.isArray(cells) ? cells.map((name) => name.trim()) : [];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (names.includes("") || twice !== undefined || names.length === 0) {
    throw new CannotStart(`The first line of ${file} must name each column once.`);
  }
  return names;
}

/** @returns undefined if a quotation mark is in the wrong place; "open" if the last cell has not ended */
function cellsOf(text: string, separator: string): string[] | "open" | undefined {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}]*))(${separator}|$)`, "y");
  const cells: string[] = [];
  for (;;) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (!found) return /^"([^"]|"")*$/.test(text.slice(at)) ? "open" : undefined;
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (found[3] === "") return cells;
  }
}

async function* physicalLines(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  try {
    for await (const bytes of createReadStream(file)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = parts.pop()!;
      if (rest.length > MAX_LINE) rest = rest.slice(0, MAX_LINE + 1);
      for (const part of parts) yield part.replace(/\r$/, "");
    }
    rest += decoder.decode();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw new CannotStart(`${file} ${syscall ? `cannot be read (${code})` : "must be a text in UTF-8"}.`);
  }
  if (rest !== "") yield rest;
}
