// In-memory copies of PostgreSQL data, and notifications of changes by other processes.

import { onCommit, type Queries, type Sql } from "./sql.ts";

/** A fallback for NOTIFY, which is lost while PostgreSQL restarts: it bounds the age of copies in use. */
export const POLL_MS = 2_000;

export interface Watched {
  /** Resolves when all announced changes are loaded. */
  current(): Promise<void>;
  reload(): Promise<void>;
}

const hearers = new Map<string, (() => void)[]>();

/** Call before notifying: this process handles its change at commit, so a caller sees it after the response. */
export function hearOwn(sql: Queries, channel: string): void {
  onCommit(sql, () => {
    for (const hear of hearers.get(channel) ?? []) hear();
  });
}

/** Loads and listens only from the first `current` on. @param load updates the copy; never runs concurrently */
export function watch(sql: Sql, channel: string, load: () => Promise<void>): Watched {
  /** Counts announced changes, starting with the initial state, and loaded ones. */
  let announced = 1;
  let loaded = 0;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let listening: Promise<unknown> | undefined;
  let running: { upTo: number; done: Promise<void> } | undefined;
  let next: Promise<void> | undefined;

  function hear(): void {
    announced++;
  }
  hearers.set(channel, [...(hearers.get(channel) ?? []), hear]);

  /** Callers share the load that starts next. */
  function reload(): Promise<void> {
    if (!running && !next) return begin();
    next ??= running!.done
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  }

  function begin(): Promise<void> {
    const [upTo, startedAt] = [announced, performance.now()];
    const done = load()
      .then(() => {
        loaded = upTo;
        loadedAt = startedAt;
      })
      .finally(() => {
        running = undefined;
      });
    running = { upTo, done };
    return done;
  }

  return {
    async current() {
      listening ??= sql.listen(channel, hear).catch(() => {});
      if (loaded === 0) await listening;
      if (loaded < announced) return running && running.upTo >= announced ? running.done : reload();
      if (performance.now() - loadedAt > POLL_MS && !running && !next) begin().catch(() => {});
    },
    reload,
  };
}

export interface Passes {
  /** Resolves after all work has ended. */
  stop(): Promise<void>;
}

/** Runs work periodically, never concurrently. @param failed called with the error of a failed run */
export function startEvery(everyMs: number, work: () => Promise<void>, failed: (error: unknown) => void): Passes {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** On notifications and periodically, never concurrently. @param failed called with the error of a failed run */
export function startPasses(
  sql: Sql,
  channel: string,
  pass: () => Promise<void>,
  failed: (error: unknown) => void,
): Passes {
  let running: Promise<void> = Promise.resolve();
  let isWaiting = false;
  const wake = () => {
    if (isWaiting) return;
    isWaiting = true;
    running = running
      .then(() => {
        isWaiting = false;
        return pass();
      })
      .catch(failed);
  };
  const stopListening = listen(sql, channel, wake);
  const poll = setInterval(wake, POLL_MS);
  return {
    async stop() {
      clearInterval(poll);
      await running;
      await stopListening();
    },
  };
}

/**
 * Wakes for every notification, and whenever listening starts, also after an outage. After a failure it continues to try.
 * @returns a function that stops listening
 */
export function listen(sql: Sql, channel: string, wake: (message?: string) => void): () => Promise<void> {
  const subscribed = sql.listen(channel, wake, () => wake()).catch(() => undefined);
  return async () => {
    const stop = await subscribed;
    await stop?.().catch(() => {});
  };
}
