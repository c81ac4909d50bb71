// The status at the bottom of a terminal. Deliveries are read from the log file, without queries to PostgreSQL.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { styleText } from "node:util";
import { type PartStates, statesOf } from "./api.ts";

const LOOK_MS = 1_000;
const MAX_DELIVERIES = 5;
/** The maximum bytes read per update; older ones are skipped. */
const MAX_LOG_BYTES = 1024 * 1024;
/** pino's level of warnings. */
const WARNING = 40;

export interface Terminal {
  columns: number;
  write(text: string): void;
}

export interface WatchedService {
  localUrl: string;
  logFile: string;
  logName: string;
}

export interface Status {
  say(line: string): void;
  show(watched: WatchedService): void;
  /** Ends the display and leaves its last state. */
  end(): void;
}

export function createStatus(terminal: Terminal): Status {
  let shown: string[] = [];
  let look: Timer | undefined;
  let log: LogTail | undefined;

  function paint(lines: string[]): void {
    if (lines.join("\n") === shown.join("\n")) return;
    terminal.write(clear() + lines.map((line) => `${line}\n`).join(""));
    shown = lines;
  }

  const clear = () => (shown.length > 0 ? `\x1b[${shown.length}A\x1b[J` : "");

  return {
    say(line) {
      const below = shown;
      const cleared = clear();
      shown = [];
      terminal.write(`${cleared}${line}\n`);
      paint(below);
    },
    show({ localUrl, logFile, logName }) {
      const seen: Seen = { deliveries: [], warnings: 0, logName };
      log = openTail(logFile);
      const next = async () => {
        const parts = await statesOf(localUrl);
        if (!log) return;
        for (const line of log.newLines()) note(seen, line);
        paint(linesOf(parts, seen).map((line) => Bun.sliceAnsi(line, 0, terminal.columns, "…")));
        look = setTimeout(next, LOOK_MS);
      };
      void next();
    },
    end() {
      clearTimeout(look);
      log?.close();
      log = undefined;
      shown = [];
    },
  };
}

interface Seen {
  deliveries: string[];
  warnings: number;
  lastWarning?: string;
  logName: string;
}

function note(seen: Seen, line: string): void {
  const entry = readEntry(line);
  if (!entry) return;
  const { level, time, msg } = entry;
  if (typeof level !== "number") return;
  if (msg === "webhook attempt") {
    const { state, reason, attempt, eventId } = entry;
    const at = new Date(Number(time)).toLocaleTimeString("en-GB");
    const why = plain(reason);
    const line = [at, colored(String(state).padEnd(9)), `attempt ${attempt}`, why, `event ${eventId}`].join("  ");
    seen.deliveries = [line, ...seen.deliveries].slice(0, MAX_DELIVERIES);
  }
  if (level < WARNING) return;
  seen.warnings++;
  seen.lastWarning = plain(msg);
}

/** On one line, without characters that control the terminal. */
const plain = (text: unknown) => String(text).replace(/\s+/g, " ").replace(/\p{C}/gu, "");

function linesOf(parts: PartStates, { deliveries, warnings, lastWarning, logName }: Seen): string[] {
  const trouble =
    warnings > 0 ? `, ${warnings} ${warnings === 1 ? "warning" : "warnings, the last"}: ${lastWarning}` : "";
  return [
    "",
    `  ${parts.map(([name, state]) => `${name} ${colored(state)}`).join("   ")}`,
    `  log ${logName}${trouble}`,
    "",
    ...(deliveries.length > 0
      ? ["  Last deliveries", ...deliveries.map((line) => `  ${line}`)]
      : ["  No deliveries yet"]),
  ];
}

const COLORS = {
  green: ["up", "Delivered"],
  yellow: ["read-only", "unknown", "starting", "Retrying", "Held"],
  red: ["down", "disk-full", "Exhausted"],
} as const;

/** styleText respects NO_COLOR. */
function colored(word: string): string {
  for (const [color, words] of Object.entries(COLORS)) {
    if ((words as readonly string[]).includes(word.trim())) return styleText(color as keyof typeof COLORS, word);
  }
  return word;
}

function readEntry(line: string): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(line));
  } catch {
    // Lines that are not JSON, such as a runtime's crash message, are not displayed.
    return undefined;
  }
}

interface LogTail {
  newLines(): string[];
  close(): void;
}

/** Follows what is appended to a file from now on. */
function openTail(file: string): LogTail {
  const fd = openSync(file, "r");
  const decoder = new TextDecoder();
  let at = fstatSync(fd).size;
  let rest = "";
  return {
    newLines() {
      const { size } = fstatSync(fd);
      // A truncated log starts at 0.
      at = Math.max(size < at ? 0 : at, size - MAX_LOG_BYTES);
      const bytes = Buffer.alloc(size - at);
      at += readSync(fd, bytes, 0, bytes.length, at);
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      return lines;
    },
    close: () => closeSync(fd),
  };
}
