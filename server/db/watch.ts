// What a process keeps in memory of PostgreSQL, and how it hears of other processes' changes.

import type { Sql } from "./connection.ts";

/** The net under NOTIFY, which is deaf while PostgreSQL restarts: in use, memory is never older than this. */
const NET_MS = 2_000;

export interface Watched {
  /** Resolves once everything announced so far is in memory. */
  current(): Promise<void>;
  /** Reads again, now. */
  reload(): Promise<void>;
}

/**
 * Nothing is read or listened to before the first `current`.
 * @param load brings memory up to date; never runs twice at once
 */
export function watch(sql: Sql, channel: string, load: () => Promise<void>): Watched {
  let listening: Promise<unknown> | undefined;
  let loading: Promise<void> | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let announced = true;

  function reload(): Promise<void> {
    // One under way may have read before the change.
    const before = loading?.catch(() => {});
    const next = (before ?? Promise.resolve()).then(read);
    loading = next;
    const done = () => {
      if (loading === next) loading = undefined;
    };
    next.then(done, done);
    return next;
  }

  async function read(): Promise<void> {
    const startedAt = performance.now();
    announced = false;
    try {
      await load();
      loadedAt = startedAt;
    } catch (error) {
      announced = true;
      throw error;
    }
  }

  function hear(): void {
    announced = true;
  }

  return {
    async current() {
      listening ??= sql.listen(channel, hear).catch(() => {});
      if (loadedAt === Number.NEGATIVE_INFINITY) await listening;
      if (announced) return loading ?? reload();
      if (performance.now() - loadedAt > NET_MS) void (loading ?? reload()).catch(() => {});
    },
    reload,
  };
}
