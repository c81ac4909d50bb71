// Output of an entry beside its log: text on a terminal, otherwise log lines.

import { createLog, LEVEL_FORMATS } from "./log.ts";

export interface Output {
  say(text: string, fields?: object, message?: string): void;
  fail(error: unknown): void;
}

type Env = Record<string, string | undefined>;

/** Whether LOG_FORMAT selects text for a stream; invalid values are reported elsewhere. */
export function isText({ LOG_FORMAT }: Env, stream: { isTTY?: boolean }): boolean {
  return LOG_FORMAT === "text" || (LOG_FORMAT !== "json" && stream.isTTY === true);
}

/** @param print prints a line of text; default: to standard output */
export function createOutput(env: Env, part: string, print: (text: string) => void = console.log): Output {
  const levels = LEVEL_FORMATS.find((known) => known === env.LOG_LEVEL_FORMAT);
  return {
    say(text, fields = {}, message = asMessage(text)) {
      if (isText(env, process.stdout)) print(text);
      else if (message) createLog("info", part, undefined, levels).info(fields, message);
    },
    fail(error) {
      if (isText(env, process.stderr)) return console.error(error);
      const log = createLog("fatal", part, { write: (line) => console.error(line.trimEnd()) }, levels);
      if (error instanceof Error) log.fatal({ err: error }, error.message);
      else log.fatal(String(error).trim());
    },
  };
}

/** Replaces the alignment of columns. */
function asMessage(text: string): string {
  return text.trim().replace(/ {2,}/g, ": ");
}
