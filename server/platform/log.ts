import pino, { type DestinationStream, type LogFn, type Logger, stdSerializers } from "pino";

/** Fields in which PostgreSQL repeats values. */
const VALUES = ["detail", "where", "internal_query"];

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
/** The level of a log line. */
export const LEVEL_FORMATS = ["number", "word", "severity"] as const;
export type LevelFormat = (typeof LEVEL_FORMATS)[number];
/** The words of Google Cloud, which Datadog and others read, too. */
const SEVERITIES: Record<string, string> = {
  ...{ trace: "DEBUG", debug: "DEBUG", info: "INFO", warn: "WARNING", error: "ERROR", fatal: "CRITICAL" },
};
const LEVELS = {
  number: (_name: string, level: number) => ({ level }),
  word: (level: string) => ({ level }),
  severity: (name: string) => ({ severity: SEVERITIES[name] }),
} satisfies Record<LevelFormat, unknown>;

/** JSON lines, by default to standard output. Callers never log secrets; the redaction below is a safety net. */
export function createLog(
  level: LogLevel,
  part: string,
  destination?: DestinationStream,
  levels: LevelFormat = "number",
): Logger {
  const options = {
    level,
    base: { part },
    redact: ["*.secret", "*.apiKey", "*.password", "*.authorization"],
    // The Temporal SDK uses `error`.
    serializers: { err: withoutValues, error: withoutValues },
    formatters: { log: shortened, level: LEVELS[levels] },
    hooks: { logMethod: withShortMessage },
  };
  return pino(options, destination ?? standardOutput());
}

/** The maximum number of characters of a text in a line. Callers supply some texts. Messages and stacks have own limits. */
const MAX_TEXT = 1_000;
const MAX_STACK = 4_000;
/** As in pino, which shows no deeper ones. */
const MAX_DEPTH = 5;

const isLong = (value: unknown) => typeof value === "string" && value.length > MAX_TEXT;

function shortened(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value)]));
}

/** Texts in objects and lists, too. Errors are serialized later. */
function cut(value: unknown, limit = MAX_TEXT, depth = 0): unknown {
  if (typeof value === "string") return value.length > limit ? `${value.slice(0, limit)}…` : value;
  if (typeof value !== "object" || value === null || depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((each) => cut(each, limit, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each, limit, depth + 1)]));
}

/** pino's message is the first text, or that of an error alone. */
function withShortMessage(this: Logger, args: Parameters<LogFn>, log: LogFn): void {
  const [first, ...others] = args as unknown[];
  const given = first instanceof Error && others.length === 0 ? [first, first.message] : [first, ...others];
  log.apply(this, given.map((each) => (typeof each === "string" ? cut(each, MAX_STACK) : each)) as Parameters<LogFn>);
}

/** The maximum number of characters buffered while writing fails, such as on a full disk. Further ones are dropped. */
const MAX_KEPT_CHARACTERS = 1024 * 1024;

function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: MAX_KEPT_CHARACTERS });
  // A log that cannot be written must not end the process.
  output.on("error", () => {});
  return output;
}

/** After this time without failures, an outage counts as over. */
const QUIET_MS = 60_000;

export type OutageLog = (fields: { err?: unknown; error?: unknown; [name: string]: unknown }, message: string) => void;

/** For failures that repeat during an outage: the first of a cause is a warning, the following are debug lines. */
export function createOutageLog(log: Logger): OutageLog {
  const lastOf = new Map<string, number>();
  return (fields, message) => {
    const now = performance.now();
    for (const [cause, last] of lastOf) if (now - last > QUIET_MS) lastOf.delete(cause);
    const failure = fields.err ?? fields.error;
    const cause = failure instanceof Error ? failure.message : String(failure);
    log[lastOf.has(cause) ? "debug" : "warn"](fields, message);
    lastOf.set(cause, now);
  };
}

function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { stack, ...others } = stdSerializers.err(error);
  // The stack repeats the message, and its frames come last.
  const frames = isLong(error.message) ? stack.replaceAll(error.message, () => String(cut(error.message))) : stack;
  const fields = Object.entries({ ...others, stack: frames }).filter(([key]) => !VALUES.includes(key));
  return Object.fromEntries(fields.map(([key, value]) => [key, cut(value, key === "stack" ? MAX_STACK : MAX_TEXT)]));
}
