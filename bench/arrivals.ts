// Receivers, and the time from a request to its webhooks. Requests are sent at a fixed rate, so a slow service cannot
// slow down its own measurement.

import type { ReceiverCertificate } from "../examples/receiver/certificate.ts";

const POLL_MS = 20;

export interface Arrivals extends AsyncDisposable {
  /** The receivers' URLs, by number from 0. */
  urls: string[];
  /** Makes these receivers answer after that many milliseconds. */
  hang(receivers: number[], milliseconds: number): void;
  /** Answers all delayed requests, and ends the delay. */
  release(): void;
  /** One received body. */
  sample: string | undefined;
  /** When a receiver first received this id. */
  at(id: string, receiver: number): number | undefined;
  /** Received posts, including repeats. */
  posts: number;
}

export function startArrivals(count: number, certificate: ReceiverCertificate): Arrivals {
  const first = new Map<string, number>();
  const hanging = new Map<number, number>();
  let released = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    tls: { cert: Bun.file(certificate.certFile), key: Bun.file(certificate.keyFile) },
    async fetch(request) {
      const at = performance.now();
      const receiver = Number(/\/(\d+)/.exec(new URL(request.url).pathname)?.[1]);
      const body = await request.text();
      arrivals.posts++;
      arrivals.sample ??= body;
      const id = /"ExternalId":"([^"]+)"/.exec(body)?.[1];
      if (id && !first.has(`${id} ${receiver}`)) first.set(`${id} ${receiver}`, at);
      const milliseconds = hanging.get(receiver);
      if (milliseconds !== undefined) await Promise.race([released.promise, Bun.sleep(milliseconds)]);
      return new Response("ok");
    },
  });
  const arrivals: Arrivals = {
    urls: Array.from({ length: count }, (_, index) => `https://localhost:${server.port}/${index}`),
    hang(receivers, milliseconds) {
      for (const receiver of receivers) hanging.set(receiver, milliseconds);
    },
    release() {
      hanging.clear();
      released.resolve();
      released = Promise.withResolvers();
    },
    sample: undefined,
    at: (id, receiver) => first.get(`${id} ${receiver}`),
    posts: 0,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return arrivals;
}

export interface Sent {
  id: string;
  at: number;
  /** The receivers of this change. */
  receivers: number[];
}

export interface Load {
  sent: Sent[];
  refused: number;
  /** The response time of each request in milliseconds. */
  answers: number[];
}

/**
 * Sends at a fixed rate.
 * @param send makes the change with this id; rejects if the service refuses it
 * @param receivers the receivers of a change, by its number
 */
export async function sendOpenLoop(
  rate: number,
  seconds: number,
  send: (id: string, index: number) => Promise<void>,
  receivers: (index: number) => number[],
): Promise<Load> {
  const load: Load = { sent: [], refused: 0, answers: [] };
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < rate * seconds; index++) {
    const due = startedAt + (index * 1_000) / rate;
    if (due > performance.now()) await Bun.sleep(due - performance.now());
    const sent = { id: Bun.randomUUIDv7(), at: performance.now(), receivers: receivers(index) };
    pending.push(
      send(sent.id, index).then(
        () => {
          load.answers.push(performance.now() - sent.at);
          load.sent.push(sent);
        },
        () => void load.refused++,
      ),
    );
  }
  await Promise.all(pending);
  return load;
}

export interface Latencies {
  p50: number;
  p99: number;
  longest: number;
  /** Milliseconds from the first request to the last arrival. */
  span: number;
  delivered: number;
  missing: number;
}

/** Waits until all accepted changes have arrived, but at most patienceMs. */
export async function settle(arrivals: Arrivals, sent: Sent[], patienceMs: number): Promise<Latencies> {
  const end = performance.now() + patienceMs;
  const due = sent.flatMap(({ id, at, receivers }) => receivers.map((receiver) => ({ id, at, receiver })));
  let open = due;
  for (;;) {
    open = open.filter(({ id, receiver }) => arrivals.at(id, receiver) === undefined);
    if (open.length === 0 || performance.now() > end) break;
    await Bun.sleep(POLL_MS);
  }
  const arrived = due.flatMap(({ id, at, receiver }) => {
    const arrivedAt = arrivals.at(id, receiver);
    return arrivedAt === undefined ? [] : [{ took: arrivedAt - at, arrivedAt }];
  });
  const took = arrived.map((each) => each.took).sort((a, b) => a - b);
  return {
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    longest: took.at(-1) ?? Number.NaN,
    span: Math.max(...arrived.map(({ arrivedAt }) => arrivedAt)) - Math.min(...sent.map(({ at }) => at)),
    delivered: took.length,
    missing: open.length,
  };
}

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
