// The sessions of a process with PostgreSQL: as many as its statements and transactions use at once, up to a maximum.
// Further ones wait in order. Each has its session to itself, so a slow one delays no other.

import { type DatabaseSession, type DriverQuery, type End, openSession, type SessionOptions } from "./driver.ts";
import { connectionFailure } from "./failures.ts";

/** The age at which a session with a server that takes no writes ends: a new one may reach its successor. */
const READ_ONLY_MS = 1_000;
/** After a failure to connect. It is constant, so a restarted PostgreSQL is found at once. */
export const RETRY_MS = 250;
const GOODBYE_SECONDS = 1;

/** Times are in seconds. */
export interface PoolOptions extends Omit<SessionOptions, "onEnd" | "onReadOnly"> {
  max: number;
  waitTimeout?: number;
  idleTimeout?: number;
  maxLifetime: number;
  /** A statement or a transaction has waited for a session, also in vain. */
  onWait: (milliseconds: number) => void;
  onRenew: () => void;
}

export interface Pool {
  run(statement: DriverQuery): void;
  /** @throws CONNECT_TIMEOUT, CONNECTION_ENDED */
  take(): Promise<DatabaseSession>;
  release(session: DatabaseSession): void;
  /** All sessions are renewed, also those that have not noticed that their server takes no writes. */
  noticeReadOnly(session: DatabaseSession): void;
  use(): { active: number; idle: number; waiting: number };
  /** Waits until nothing runs. @param timeout in seconds; then the rest fails */
  end(timeout?: number): Promise<void>;
}

export function createPool(options: PoolOptions): Pool {
  const { max, waitTimeout, idleTimeout, maxLifetime, onWait, onRenew } = options;
  const sessions = new Set<DatabaseSession>();
  const idle: { session: DatabaseSession; timer: Timer | undefined }[] = [];
  const waiting = new Set<(session: DatabaseSession | Error) => void>();
  let failedAt = Number.NEGATIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let renewal: Timer | undefined;
  let ending: Promise<void> | undefined;
  let whenUnused = () => {};

  function open(): DatabaseSession {
    const delayMs = failedAt + RETRY_MS - performance.now();
    const session = openSession({ ...options, onReadOnly: noticeReadOnly, onEnd }, delayMs);
    sessions.add(session);
    return session;
  }

  function onEnd(session: DatabaseSession, how: End): void {
    if (how === "not opened") failedAt = performance.now();
    sessions.delete(session);
    const at = idle.findIndex((each) => each.session === session);
    if (at >= 0) clearTimeout(idle.splice(at, 1)[0]!.timer);
    // The others may lead nowhere as well, also those that would not be used for long.
    if (how === "silent" && session.openedAt > renewedAt) renew();
    serve();
  }

  /** The session that was used last, so that few are used. */
  function takeNow(): DatabaseSession | undefined {
    const last = idle.pop();
    if (!last) return sessions.size < max ? open() : undefined;
    clearTimeout(last.timer);
    return last.session;
  }

  function take(): Promise<DatabaseSession> {
    if (ending) return Promise.reject(connectionFailure("CONNECTION_ENDED"));
    const session = takeNow();
    return session ? Promise.resolve(session) : wait();
  }

  function wait(): Promise<DatabaseSession> {
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const expire = () => finish(connectionFailure("CONNECT_TIMEOUT"));
      const timer = waitTimeout === undefined ? undefined : setTimeout(expire, waitTimeout * 1_000);
      const finish = (result: DatabaseSession | Error) => {
        clearTimeout(timer);
        waiting.delete(finish);
        onWait(performance.now() - since);
        if (result instanceof Error) reject(result);
        else resolve(result);
      };
      waiting.add(finish);
    });
  }

  function release(session: DatabaseSession): void {
    if (!sessions.has(session)) return;
    const now = performance.now();
    if (session.openedAt < Math.max(renewedAt, now - maxLifetime * 1_000)) return void session.close(GOODBYE_SECONDS);
    const timer = idleTimeout && setTimeout(() => session.close(GOODBYE_SECONDS), idleTimeout * 1_000);
    idle.push({ session, timer: timer || undefined });
    serve();
  }

  function serve(): void {
    for (const finish of waiting) {
      const session = takeNow();
      if (!session) return;
      finish(session);
    }
    if (sessions.size === idle.length) whenUnused();
  }

  function noticeReadOnly({ openedAt }: DatabaseSession): void {
    renewal ??= setTimeout(renew, Math.max(0, openedAt + READ_ONLY_MS - performance.now()));
  }

  function renew(): void {
    clearTimeout(renewal);
    renewal = undefined;
    renewedAt = performance.now();
    for (const { session } of [...idle]) void session.close(GOODBYE_SECONDS);
    onRenew();
  }

  async function end(timeout?: number): Promise<void> {
    const unused = Promise.withResolvers<void>();
    whenUnused = unused.resolve;
    serve();
    const timer = timeout === undefined ? undefined : setTimeout(unused.resolve, timeout * 1_000);
    await unused.promise;
    clearTimeout(timer);
    clearTimeout(renewal);
    for (const finish of waiting) finish(connectionFailure("CONNECTION_DESTROYED"));
    const unusedSessions = new Set(idle.map(({ session }) => session));
    await Promise.all([...sessions].map((each) => each.close(unusedSessions.has(each) ? GOODBYE_SECONDS : 0)));
  }

  return {
    run(statement) {
      const runIn = (session: DatabaseSession) => session.run(statement, { settled: () => release(session) });
      const session = ending ? undefined : takeNow();
      if (session) runIn(session);
      else take().then(runIn, statement.reject);
    },
    take,
    release,
    noticeReadOnly,
    use: () => ({ active: sessions.size - idle.length, idle: idle.length, waiting: waiting.size }),
    end(timeout) {
      ending ??= end(timeout);
      return ending;
    },
  };
}
