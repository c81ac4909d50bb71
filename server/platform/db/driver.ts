// One session with PostgreSQL: a client of the driver with one connection. When that is lost the client is dropped, so
// no statement, row or error of a session reaches its successor. Statements run in order, each after the answer to the one
// before it, unless it follows that directly.

import postgres from "postgres";
import type { DriverOptions } from "./address.ts";
import { connectionFailure, READ_ONLY } from "./failures.ts";
import { type Driver, type DriverQuery, PlainText, Template } from "./template.ts";

export type { Driver, DriverQuery } from "./template.ts";
export type Statements = postgres.ISql<{ int8: number }>;

/** @param driver never connects @param run executes its statements */
export function queriesOf(driver: Driver, run: (statement: DriverQuery) => void): Statements {
  const make = driver as unknown as (...parts: unknown[]) => unknown;
  const template = (first: unknown, ...values: unknown[]) =>
    Array.isArray(first) && "raw" in first ? new Template(driver, run, first, values) : make(first, ...values);
  const { array, json, typed, types } = driver;
  return Object.assign(template, {
    ...{ array, json, typed, types },
    unsafe: (...parts: Parameters<Driver["unsafe"]>) => new PlainText(driver, run, parts),
    notify: (channel: string, payload: string) => template`select pg_notify(${channel}, ${payload})`,
  }) as unknown as Statements;
}

export interface SessionOptions {
  driver: DriverOptions;
  /** Sent first. */
  settings: string;
  /** Seconds for each statement; then the session counts as lost. */
  answerTimeout: number | undefined;
  onNotification?: (channel: string, payload: string) => void;
  /** PostgreSQL rejected a statement. */
  onFailure: (error: postgres.PostgresError) => void;
  /** This server takes no writes. */
  onReadOnly: (session: DatabaseSession) => void;
  onEnd: (session: DatabaseSession, end: End) => void;
}

/** By `close`, by a failure of its connection or of a statement, without an answer in time, or before it was open. */
export type End = "closed" | "lost" | "silent" | "not opened";

export interface DatabaseSession {
  readonly openedAt: number;
  /** Called when the session ends, for its user. */
  fail: ((error: Error) => void) | undefined;
  /** Sends the statement after earlier ones, or rejects it if the session has ended. */
  run(statement: DriverQuery, options?: RunOptions): void;
  /** @param timeout in seconds, for the server's goodbye and a running statement */
  close(timeout: number): Promise<void>;
}

export interface RunOptions {
  settled?: () => void;
  /** It is sent at once behind the one before it. Only for statements that do no harm if that fails. */
  follows?: boolean;
}

/** Parameters that PostgreSQL reports at login, and when they change. */
const READ_ONLY_PARAMETERS = ["in_hot_standby", "default_transaction_read_only"];

/** Statements wait until it is open. @param delayMs before it connects */
export function openSession(options: SessionOptions, delayMs: number): DatabaseSession {
  const { driver, settings, answerTimeout, onFailure, onReadOnly, onEnd } = options;
  const waiting: ({ statement: DriverQuery } & RunOptions)[] = [];
  let isOpen = false;
  /** Sent and not answered; the settings come first. */
  let running = 1;
  /**
   * Whether another statement may be sent now. While the driver reads the types of the last one, it would keep it for a
   * later connection.
   */
  let mayFollow = false;
  let end: Error | undefined;
  /** When the oldest answer is late, in milliseconds of `performance.now()`. */
  let lateAt = Number.POSITIVE_INFINITY;
  let watch: Timer | undefined;

  const client = postgres({
    ...driver,
    max: 1,
    // These would also end the connection between two statements of a transaction.
    max_lifetime: null,
    idle_timeout: undefined,
    onclose: () => lose(connectionFailure("CONNECTION_CLOSED")),
    onnotify: options.onNotification,
    onparameter(name: string, value: unknown) {
      if (value === "on" && READ_ONLY_PARAMETERS.includes(name)) onReadOnly(session);
    },
  } as DriverOptions);
  const { handler: execute } = client.unsafe("") as unknown as DriverQuery;

  function open(): void {
    if (end) return;
    const opened = () => {
      isOpen = true;
      answered();
    };
    expectAnswer();
    client.unsafe(settings).then(opened, lose);
  }

  function next(): void {
    for (;;) {
      const [first] = waiting;
      if (!first || (running > 0 && !(first.follows && mayFollow))) return;
      waiting.shift();
      send(first);
    }
  }

  function send({ statement, settled }: (typeof waiting)[number]): void {
    running++;
    // In the microtask of the answer, so the session is free before its caller continues.
    const proceed = () => {
      answered();
      settled?.();
    };
    expectAnswer();
    statement.then(proceed, (error) => {
      noteFailure(error);
      proceed();
    });
    execute(statement);
    mayFollow = !statement.describeFirst;
  }

  function answered(): void {
    running--;
    lateAt = Number.POSITIVE_INFINITY;
    if (running > 0) expectAnswer();
    next();
  }

  /** One timer for many statements, because each would cost more than the rest of its session. */
  function expectAnswer(): void {
    if (!answerTimeout || end) return;
    lateAt = Math.min(lateAt, performance.now() + answerTimeout * 1_000);
    watch ??= setTimeout(lookForAnswer, answerTimeout * 1_000);
  }

  function lookForAnswer(): void {
    watch = undefined;
    const left = lateAt - performance.now();
    if (left <= 0) lose(connectionFailure("CONNECTION_CLOSED"), "silent");
    else if (running > 0) watch = setTimeout(lookForAnswer, left);
  }

  function noteFailure(error: Error): void {
    if (error instanceof postgres.PostgresError) {
      if (error.code === READ_ONLY) onReadOnly(session);
      onFailure(error);
    } else {
      // The driver would connect again, and continue a transaction outside it.
      lose(error);
    }
  }

  function lose(error: Error, how: End = "lost"): void {
    if (!end) void stop(isOpen ? how : "not opened", error, 0);
  }

  function stop(how: End, error: Error, timeout: number): Promise<void> {
    end = error;
    clearTimeout(watch);
    session.fail?.(error);
    for (const { statement } of waiting.splice(0)) statement.reject(error);
    onEnd(session, how);
    return client.end({ timeout });
  }

  const session: DatabaseSession = {
    openedAt: performance.now(),
    fail: undefined,
    run(statement, options) {
      if (end) return statement.reject(end);
      waiting.push({ statement, ...options });
      next();
    },
    async close(timeout) {
      if (!end) await stop("closed", connectionFailure("CONNECTION_DESTROYED"), timeout);
    },
  };
  if (delayMs > 0) setTimeout(open, delayMs);
  else open();
  return session;
}
