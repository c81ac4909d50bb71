// A discrete-event model of APIs, workers and stores: how long changes wait, and for which part. It is deterministic by
// its seed, and uses the rules and constants of docs/windows.md.

import { KNOWN_SIZE } from "../server/webhooks/deliveries/windows.ts";

const [MAX_SIZE, MAX_DISPATCHED, TENANT_SHARE, BATCH] = [64, 40, 20, 16];
const POLL_MS = 2_000;
/** Until Temporal gives a dead worker's task to another worker. */
const TASK_TIMEOUT_MS = 10_000;
const RETRY_MS = [10_000, 60_000];
/** Of the work, by the arrivals in `bench scale`: 22 ms of 46 ms of CPU, with the API's. The rest follows the answer. */
const BEFORE_POST = 0.45;

export interface Arrival {
  /** Milliseconds from the start. */
  at: number;
  /** The tenant's rank; the biggest tenant is 0. */
  tenant: number;
}

export interface World {
  seed: number;
  rate: number;
  seconds: number;
  tenants: number;
  /** Default: at random times, of tenants with Zipf sizes. */
  arrivals?: Arrival[];
  /** Ranks of tenants with a hanging receiver; the biggest tenant is 0. */
  hanging: number[];
  workers: number;
  /** Workers that stop without a sign at this second; the others know after noticedMs. */
  lost: { workers: number; at: number };
  noticedMs: number;
  cost: Record<Part, number>;
  /** Cores of each part; a worker has its own. Undefined: all parts share two. */
  cores?: Record<Store, number>;
  answerMs: number;
  timeoutMs: number;
}

export const PARTS = ["API", "worker", "PostgreSQL", "Temporal", "Temporal's PostgreSQL"] as const;
export type Part = (typeof PARTS)[number];
const STORES = ["API", "PostgreSQL", "Temporal", "Temporal's PostgreSQL"] as const;
type Store = (typeof STORES)[number];

export interface Outcome {
  /** Milliseconds of the changes to healthy receivers, by the second of the change; and those that never arrived. */
  took: { at: number; ms: number }[];
  /** Posts to hanging receivers, by their second. */
  hung: number[];
  missing: number;
  /** The used share of each part's cores. */
  used: Record<Part, number>;
}

type Change = Record<"tenant" | "at" | "attempt", number>;

/** Cores with one queue in the order of arrival; `use` returns when the work is done. */
class Station {
  busyMs = 0;
  private readonly freeAt: number[];

  constructor(readonly cores: number) {
    this.freeAt = Array.from({ length: cores }, () => 0);
  }

  use(now: number, ms: number): number {
    let first = 0;
    for (let core = 1; core < this.cores; core++) if (this.freeAt[core]! < this.freeAt[first]!) first = core;
    this.busyMs += ms;
    this.freeAt[first] = Math.max(now, this.freeAt[first]!) + ms;
    return this.freeAt[first]!;
  }
}

class Worker {
  alive = true;
  dispatched = 0;
  readonly ofTenant = new Map<number, number>();
  readonly started = new Set<Change>();
  readonly waiting: Change[] = [];
  private readonly windows = new Map<number, { size: number; out: number; halvedAt: number }>();

  constructor(readonly cpu: Station) {}

  windowOf({ tenant }: Change) {
    const window = this.windows.get(tenant) ?? { size: KNOWN_SIZE, out: 0, halvedAt: 0 };
    this.windows.set(tenant, window);
    return window;
  }

  take({ tenant }: Change, by: 1 | -1): void {
    this.dispatched += by;
    this.ofTenant.set(tenant, (this.ofTenant.get(tenant) ?? 0) + by);
  }
}

export function simulate(world: World): Outcome {
  const random = randomOf(world.seed);
  const queue = new Agenda();
  const shared = world.cores ? undefined : new Station(2);
  const station = (part: Store) => shared ?? new Station(world.cores![part]);
  const stores = Object.fromEntries(STORES.map((part) => [part, station(part)])) as Record<Store, Station>;
  const workers = Array.from({ length: world.workers }, () => new Worker(shared ?? new Station(1)));
  const hanging = new Set(world.hanging);
  const parked = Array.from({ length: world.tenants }, (): Change[] => []);
  const orphans: Change[] = [];
  const outcome: Outcome = { took: [], hung: [], missing: 0, used: {} as Outcome["used"] };
  const pick = zipf(world.tenants, random);
  const alive = () => workers.filter((worker) => worker.alive);
  let known = workers;
  const anyOf = (some: Worker[]) => some[Math.floor(random() * some.length)]!;

  function work(worker: Worker, now: number, share: number): number {
    let at = now;
    for (const part of STORES.slice(1)) at = stores[part].use(at, world.cost[part] * share);
    return worker.cpu.use(at, world.cost.worker * share);
  }

  function arrive(now: number, tenant: number): void {
    const change = { tenant, at: now, attempt: 1 };
    outcome.missing += hanging.has(change.tenant) ? 0 : 1;
    const committed = stores.API.use(now, world.cost.API);
    queue.add(committed, () => dispatch(anyOf(known), change, committed));
  }

  function arriveAtRandom(now: number): void {
    arrive(now, pick());
    if (now < world.seconds * 1_000) queue.add(now - Math.log(1 - random()) * (1_000 / world.rate), arriveAtRandom);
  }

  function dispatch(first: Worker, change: Change, now: number): void {
    if (first.alive) pump(first, now, change);
    else orphans.push(change);
  }

  function poll(worker: Worker, now: number): void {
    pump(worker, now);
    if (now < world.seconds * 1_000) queue.add(now + POLL_MS, (at) => poll(worker, at));
  }

  /** It takes the changes of a dead worker, too. */
  function pump(worker: Worker, now: number, added?: Change): void {
    if (added) worker.waiting.push(added);
    if (worker.alive && worker.dispatched < MAX_DISPATCHED) worker.waiting.push(...orphans.splice(0, BATCH));
    while (worker.alive && worker.dispatched < MAX_DISPATCHED) {
      const next = worker.waiting.findIndex(({ tenant }) => (worker.ofTenant.get(tenant) ?? 0) < TENANT_SHARE);
      if (next === -1) return;
      const [change] = worker.waiting.splice(next, 1) as [Change];
      worker.take(change, 1);
      worker.started.add(change);
      queue.add(work(worker, now, BEFORE_POST), (at) => post(worker, change, at));
    }
  }

  /** Takes a place of the window, or waits in the receiver's queue. */
  function post(worker: Worker, change: Change, now: number): void {
    if (!worker.alive) return;
    worker.take(change, -1);
    parked[change.tenant]!.push(change);
    look(worker, change, now);
    if (parked[change.tenant]!.includes(change)) worker.started.delete(change);
    pump(worker, now);
  }

  function send(worker: Worker, change: Change, now: number): void {
    worker.windowOf(change).out++;
    const hangs = hanging.has(change.tenant);
    if (hangs) outcome.hung.push(now / 1_000);
    queue.add(now + (hangs ? world.timeoutMs : world.answerMs), (at) => end(worker, change, now, at));
  }

  function end(worker: Worker, change: Change, since: number, now: number): void {
    if (!worker.alive) return;
    const window = worker.windowOf(change);
    worker.started.delete(change);
    if (!hanging.has(change.tenant)) {
      window.size = Math.min(MAX_SIZE, Math.max(KNOWN_SIZE, window.size + (window.out >= window.size ? 1 : 0)));
      outcome.missing--;
      outcome.took.push({ at: change.at / 1_000, ms: now - change.at });
      work(worker, now, 1 - BEFORE_POST);
    } else if (since >= window.halvedAt) {
      window.size = Math.max(1, Math.floor(window.size / 2));
      window.halvedAt = now;
    }
    const wait = hanging.has(change.tenant) ? RETRY_MS[change.attempt - 1] : undefined;
    const retry = (at: number) => {
      parked[change.tenant]!.unshift({ ...change, attempt: change.attempt + 1 });
      for (const each of alive()) look(each, change, at);
    };
    if (wait !== undefined) queue.add(now + wait, retry);
    window.out--;
    look(worker, change, now);
  }

  function look(worker: Worker, change: Change, now: number): void {
    const window = worker.windowOf(change);
    while (parked[change.tenant]!.length > 0 && window.out < window.size)
      send(worker, parked[change.tenant]!.shift()!, now);
  }

  function lose(now: number): void {
    const dead = workers.slice(0, world.lost.workers);
    for (const worker of dead) worker.alive = false;
    queue.add(now + world.noticedMs, () => {
      known = alive();
    });
    for (const { started, waiting } of dead) {
      for (const change of waiting) dispatch(dead[0]!, change, now);
      for (const change of started) queue.add(now + TASK_TIMEOUT_MS, (at) => dispatch(anyOf(alive()), change, at));
    }
  }

  if (!world.arrivals) queue.add(0, arriveAtRandom);
  for (const { at, tenant } of world.arrivals ?? []) queue.add(at, () => arrive(at, tenant));
  for (const worker of workers) queue.add(random() * POLL_MS, (at) => poll(worker, at));
  if (world.lost.workers > 0) queue.add(world.lost.at * 1_000, lose);
  queue.run();
  for (const part of PARTS) {
    const all = part === "worker" ? workers.map(({ cpu }) => cpu) : [stores[part]];
    const busy = all.reduce((sum, { busyMs, cores }) => sum + busyMs / cores, 0);
    outcome.used[part] = busy / (all.length * world.seconds * 1_000);
  }
  return outcome;
}

/** Future events, in steps of a tenth of a millisecond. */
class Agenda {
  private readonly steps: ((at: number) => void)[][] = [];

  add(at: number, happen: (at: number) => void): void {
    const step = Math.ceil(at * 10);
    this.steps[step] ??= [];
    this.steps[step].push(happen);
  }

  run(): void {
    for (let step = 0; step < this.steps.length; step++) for (const happen of this.steps[step] ?? []) happen(step / 10);
  }
}

/** A tenant's rank; tenant n has a share of 1 / (n + 1). */
function zipf(count: number, random: () => number): () => number {
  let total = 0;
  const sums = Float64Array.from({ length: count }, (_, rank) => {
    total += 1 / (rank + 1);
    return total;
  });
  return () => {
    const at = random() * total;
    return sums.findIndex((sum) => sum >= at);
  };
}

/** Mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
