// What a process keeps in memory of PostgreSQL, and how it hears of other processes' changes.

import { onCommit, type Queries, type Sql } from "./sql.ts";

/** The net under NOTIFY, which is deaf while PostgreSQL restarts: in use, memory is never much older than this. */
export const POLL_MS = 2_000;

export interface Watched {
  /** Resolves once everything announced so far is in memory. */
  current(): Promise<void>;
  /** Reads again what is there now. */
  reload(): Promise<void>;
}

/** Those in this process that hear of a channel. */
const hearers = new Map<string, (() => void)[]>();

/**
 * To be told where a channel is: this process hears of its own change with the commit, however late the notice is. Who
 * was answered that something has ended sees it ended.
 */
export function hearOwn(sql: Queries, channel: string): void {
  onCommit(sql, () => {
    for (const hear of hearers.get(channel) ?? []) hear();
  });
}

/**
 * Nothing is read or listened to before the first `current`.
 * @param load brings memory up to date; never runs twice at once
 */
export function watch(sql: Sql, channel: string, load: () => Promise<void>): Watched {
  /** Changes heard of, the state at the start being the first; and how many of them are in memory. */
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

  /** One load serves all who ask before it begins. */
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
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/**
 * Does the work every so often, never twice at once.
 * @param failed told of a pass that did not come to its end
 */
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

/**
 * Looks for work whenever the channel says that there may be some, and every now and then; never twice at once.
 * @param failed told of a pass that did not come to its end
 */
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
 * Calls `wake` for every message of the channel, and whenever listening begins, also after PostgreSQL was away. If it is
 * away at first, postgres.js goes on trying by itself: a process that starts just then need not end.
 * @returns stops it
 */
export function listen(sql: Sql, channel: string, wake: (message?: string) => void): () => Promise<void> {
  const subscribed = sql.listen(channel, wake, () => wake()).catch(() => undefined);
  return async () => {
    const subscription = await subscribed;
    await subscription?.unlisten().catch(() => {});
  };
}
