// One session with PostgreSQL: a client of the driver with one connection. When that is lost the client is dropped, so
// no statement, row or error of a session reaches its successor. Statements run one at a time, in order.

import postgres from "postgres";
import type { DriverOptions } from "./address.ts";
import { connectionFailure, READ_ONLY } from "./failures.ts";

export type Driver = postgres.Sql<{ int8: number }>;
export type Statements = postgres.ISql<{ int8: number }>;

/** The driver's types omit these members. `handler` is called when the statement is first awaited. */
export interface DriverQuery extends Promise<unknown> {
  handler(statement: DriverQuery): void;
  reject(error: unknown): void;
}

/** @param driver never connects @param run executes its statements */
export function queriesOf(driver: Driver, run: (statement: DriverQuery) => void): Statements {
  const own = <T>(made: T): T => {
    if (made instanceof Promise) (made as unknown as DriverQuery).handler = run;
    return made;
  };
  const make = driver as unknown as (...parts: unknown[]) => unknown;
  const { array, json, typed, types } = driver;
  return Object.assign((...parts: unknown[]) => own(make(...parts)), {
    ...{ array, json, typed, types },
    unsafe: (...parts: Parameters<Driver["unsafe"]>) => own(driver.unsafe(...parts)),
    file: (...parts: Parameters<Driver["file"]>) => own(driver.file(...parts)),
    notify: (channel: string, payload: string) => own(driver.unsafe("select pg_notify($1, $2)", [channel, payload])),
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

/** By `close`, by a failure of its connection or of a statement, or before it was open. */
export type End = "closed" | "lost" | "not opened";

export interface DatabaseSession {
  readonly openedAt: number;
  /** Called when the session ends, for its user. */
  fail: ((error: Error) => void) | undefined;
  /** Sends the statement after earlier ones, or rejects it if the session has ended. */
  run(statement: DriverQuery, settled?: () => void): void;
  /** @param timeout in seconds, for the server's goodbye and a running statement */
  close(timeout: number): Promise<void>;
}

/** Parameters that PostgreSQL reports at login, and when they change. */
const READ_ONLY_PARAMETERS = ["in_hot_standby", "default_transaction_read_only"];

/** Statements wait until it is open. @param delayMs before it connects */
export function openSession(options: SessionOptions, delayMs: number): DatabaseSession {
  const { driver, settings, answerTimeout, onFailure, onReadOnly, onEnd } = options;
  const waiting: { statement: DriverQuery; settled?: () => void }[] = [];
  let isOpen = false;
  let isBusy = true;
  let end: Error | undefined;

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
      next();
    };
    settle(client.unsafe(settings), opened, lose);
  }

  function next(): void {
    const first = waiting.shift();
    isBusy = first !== undefined;
    if (!first) return;
    const { statement, settled } = first;
    const proceed = () => {
      next();
      settled?.();
    };
    settle(statement, proceed, (error) => {
      noteFailure(error);
      proceed();
    });
    execute(statement);
  }

  /** In the microtask of the answer, so the session is free before its caller continues. */
  function settle(statement: PromiseLike<unknown>, succeed: () => void, fail: (error: Error) => void): void {
    const expire = () => lose(connectionFailure("CONNECTION_CLOSED"));
    const timer = answerTimeout ? setTimeout(expire, answerTimeout * 1_000) : undefined;
    statement.then(
      () => {
        clearTimeout(timer);
        succeed();
      },
      (error) => {
        clearTimeout(timer);
        fail(error);
      },
    );
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

  function lose(error: Error): void {
    if (!end) void stop(isOpen ? "lost" : "not opened", error, 0);
  }

  function stop(how: End, error: Error, timeout: number): Promise<void> {
    end = error;
    session.fail?.(error);
    for (const { statement } of waiting.splice(0)) statement.reject(error);
    onEnd(session, how);
    return client.end({ timeout });
  }

  const session: DatabaseSession = {
    openedAt: performance.now(),
    fail: undefined,
    run(statement, settled) {
      if (end) return statement.reject(end);
      waiting.push({ statement, settled });
      if (!isBusy) next();
    },
    async close(timeout) {
      if (!end) await stop("closed", connectionFailure("CONNECTION_DESTROYED"), timeout);
    },
  };
  if (delayMs > 0) setTimeout(open, delayMs);
  else open();
  return session;
}
