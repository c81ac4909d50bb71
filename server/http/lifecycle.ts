// Where the process stands between its start and its end, and which requests are under way.

/** "starting": it listens, and waits for its database. "stopping": it answers, and nobody should send it more. */
export type Phase = "starting" | "serving" | "stopping";

export interface Lifecycle {
  readonly phase: Phase;
  begin(request: Request): void;
  end(request: Request): void;
  /** The database is there and up to date. */
  serve(): void;
  /** @returns tells whether the requests that were under way by now are answered */
  stop(): () => boolean;
}

export function createLifecycle(): Lifecycle {
  let phase: Phase = "starting";
  const underWay = new Set<Request>();
  return {
    get phase() {
      return phase;
    },
    begin: (request) => void underWay.add(request),
    end: (request) => void underWay.delete(request),
    serve() {
      if (phase === "starting") phase = "serving";
    },
    stop() {
      phase = "stopping";
      const begun = [...underWay];
      return () => begun.every((request) => !underWay.has(request));
    },
  };
}

/** For an app whose database is there already. */
export function servingLifecycle(): Lifecycle {
  const lifecycle = createLifecycle();
  lifecycle.serve();
  return lifecycle;
}

/** What `shutDown` needs of Bun's server. */
interface Listening {
  readonly pendingRequests: number;
  stop(closeConnections?: boolean): Promise<void>;
}

const POLL_MS = 10;

/**
 * Ends an API without leaving anybody unanswered. /readyz says 503 from now on, and connections end with their next
 * answer. The port is closed after `delay`, but not before what is under way by now is answered; what came since is
 * answered as well. All of it has `grace` milliseconds; then connections are closed.
 */
export async function shutDown(
  server: Listening,
  lifecycle: Lifecycle,
  { delay, grace }: { delay: number; grace: number },
): Promise<void> {
  const isAnswered = lifecycle.stop();
  await Bun.sleep(delay);
  const end = performance.now() + grace;
  while (!isAnswered() && server.pendingRequests > 0 && performance.now() < end) await Bun.sleep(POLL_MS);
  await Promise.race([server.stop(), Bun.sleep(Math.max(0, end - performance.now()))]);
  await server.stop(true);
}
