// Reads CSV (RFC 4180) line by line. The first row names the columns.

import { parse } from "csv-parse/sync";

/** The maximum number of characters of a row. */
export const MAX_ROW = 100_000;
/** The maximum number of lines of a row, in quoted cells. */
export const ROW_LINES = 20;
const SEPARATORS = [",", ";", "\t"];
export const TOO_LONG = `It has more than ${MAX_ROW} characters.`;

export interface CsvRow {
  /** Of its first line; the first line of the text is 1. */
  number: number;
  /** By the names of the columns; without empty ones. */
  cells: Record<string, string>;
  problem?: string;
}

export const isBlank = ({ cells, problem }: CsvRow) => problem === undefined && Object.keys(cells).length === 0;

export const isTooLong = (text: string) => text.length > MAX_ROW;

/**
 * A quotation mark without an end refuses its line, not the lines after it.
 * @param namesIn the names of the columns, by the cells of the first row; throws if they are wrong
 */
export async function* csvRows(
  lines: Iterable<string> | AsyncIterable<string>,
  namesIn: (cells: string[]) => string[],
): AsyncGenerator<CsvRow> {
  /** Lines that are in no row yet. */
  const open: string[] = [];
  let number = 1;
  let names: string[] | undefined;
  let separator = ",";

  /** @param patience the lines for which a row may wait for its end */
  function* read(patience: number): Generator<CsvRow> {
    while (open.length > 0) {
      const length = lengthOfRow(open);
      if (length === undefined && open.length < patience) return;
      const text = open.slice(0, length ?? 1).join("\n");
      if (!names) separator = SEPARATORS.find((one) => text.includes(one)) ?? ",";
      const cells = length === undefined || isTooLong(text) ? undefined : cellsOf(text, separator);
      if (names) yield { number, ...rowOf(names, cells, text) };
      else names = namesIn(cells ?? []);
      number += open.splice(0, cells ? length : 1).length;
    }
  }

  for await (const line of lines) {
    open.push(line);
    yield* read(ROW_LINES);
  }
  yield* read(0);
}

/** @returns the number of its lines; undefined if its last cell has not ended */
function lengthOfRow(lines: string[]): number | undefined {
  let marks = 0;
  for (const [index, line] of lines.entries()) {
    marks += line.split('"').length - 1;
    if (marks % 2 === 0) return index + 1;
  }
  return undefined;
}

/** @returns undefined if a quotation mark is in the wrong place */
function cellsOf(text: string, delimiter: string): string[] | undefined {
  // Rows without text, and most others, need no parser, which takes 30 µs.
  if (!/[^\s,;"]/.test(text)) return [];
  if (!text.includes('"')) return text.split(delimiter);
  try {
    return parse(text, { delimiter, record_delimiter: "\n" })[0];
  } catch {
    return undefined;
  }
}

function rowOf(names: string[], cells: string[] | undefined, text: string): Omit<CsvRow, "number"> {
  if (!cells) return { cells: {}, problem: isTooLong(text) ? TOO_LONG : "A quotation mark is in the wrong place." };
  if (cells.length > names.length) return { cells: {}, problem: "It has more cells than the first line." };
  const filled = cells.flatMap((cell, index) => (cell.trim() === "" ? [] : [[names[index]!, cell]]));
  return { cells: Object.fromEntries(filled) };
}
