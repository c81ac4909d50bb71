// What an entry says besides its log: text for people on a terminal, elsewhere a line of the log.

import { createLog } from "./log.ts";

export interface Output {
  /** @param fields what a line of the log has of it */
  say(text: string, fields?: object, message?: string): void;
  /** Why it ends. */
  fail(error: unknown): void;
}

type Env = Record<string, string | undefined>;

/** Whether LOG_FORMAT asks for text there; one that is neither is told of as a wrong setting. */
export function isText({ LOG_FORMAT }: Env, stream: { isTTY?: boolean }): boolean {
  return LOG_FORMAT === "text" || (LOG_FORMAT !== "json" && stream.isTTY === true);
}

/** @param print prints a line of text; to standard output unless it is given */
export function createOutput(env: Env, part: string, print: (text: string) => void = console.log): Output {
  return {
    say(text, fields = {}, message = asMessage(text)) {
      if (isText(env, process.stdout)) print(text);
      else if (message) createLog("info", part).info(fields, message);
    },
    fail(error) {
      if (isText(env, process.stderr)) return console.error(error);
      const log = createLog("fatal", part, { write: (line: string) => console.error(line.trimEnd()) });
      if (error instanceof Error) log.fatal({ err: error }, error.message);
      else log.fatal(String(error).trim());
    },
  };
}

/** Columns are for the eye. */
function asMessage(text: string): string {
  return text.trim().replace(/ {2,}/g, ": ");
}
