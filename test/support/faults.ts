// The logged cause of an answer with status 500, for the reader of a failing test.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shortened } from "./until.ts";

const STACK_LINES = 6;

interface Line {
  requestKey?: string;
  err?: { stack?: string; message?: string };
}

/** Writes the cause of a 500 beside the test's own failure. */
export function tellFault(method: string, response: Response): void {
  if (response.status !== 500) return;
  const key = response.headers.get("x-request-id") ?? undefined;
  console.error(`${method} ${response.url} answered 500: ${causeOf(key, logText()) ?? `its request ID is ${key}`}`);
}

/** @param log JSON, one entry per line */
export function causeOf(key: string | undefined, log: string): string | undefined {
  const line = key && log.split("\n").findLast((one) => one.includes(key) && one.includes('"err":'));
  if (!line) return undefined;
  const { err } = JSON.parse(line) as Line;
  const stack = err?.stack ?? err?.message ?? "";
  return stack
    .split("\n")
    .slice(0, STACK_LINES)
    .map((one) => shortened(one))
    .join("\n  ");
}

/** The log of the shared Gatehouse; empty for others. */
function logText(): string {
  const folder = process.env.GATEHOUSE_TEST_DATA_DIR;
  if (!folder) return "";
  try {
    return readFileSync(join(folder, "logs", "gatehouse.log"), "utf8");
  } catch {
    return "";
  }
}
