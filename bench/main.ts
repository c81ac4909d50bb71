// `bun run bench NAME`: chooses a measurement.

const USAGE = `Usage: bun run bench NAME [--rounds=7] [--seconds=2]

  change    one change from the request to its receiver: time, memory and CPU
  console   pages of Settings with 100,000 deliveries and 100,000 users in the database; with --events=10000000, pages
            and lists with an activity log of that many events
  entities  GET User and PATCH Application, compared to raw postgres.js
  statements  the statements of each request, and its turns with PostgreSQL
  import    bun run import of 20,000 Users with bcrypt hashes: a plan, a first and a second run
  tokens    issuance, refresh, introspection and discovery, compared to oidc-provider
  sign-in   the time of rejected sign-ins: known accounts compared to unknown ones
  webhooks  changes at fixed rates to one receiver and to ten, compared to a bare Temporal workflow
  receivers the cost of a connection's options, and the speed of one consumer of a Pull connection
  store     PostgreSQL's work per change: CPU, write-ahead log, index writes and bytes; and its bloat
  profile   CPU per change by process and thread, and waiting queries, above the capacity
  isolation the effect of hanging receivers and of one tenant's burst on other tenants
  scale     CPU, transactions and write-ahead log per change with 1 and 2 APIs and 1, 2 and 4 workers, with a Temporal
            server on PostgreSQL of 4 and 16 history shards (built by Go, the first time in minutes)
  simulate  a prediction for 20 workers by a model, which --measure first compares to two real ones
  drain     the speed and order of a resumed connection with a backlog, during changes
  soak      memory, handles, connections and disk during hours of changes; --hours=2 --rate=20
  tenants   requests or deliveries of one tenant during each attack by another

--rounds and --seconds apply to entities and tokens, which measure both sides in turn. The first comments of
bench/sign-in.ts, bench/webhooks.ts, bench/receivers.ts, bench/profile.ts, bench/isolation.ts, bench/scale.ts,
bench/simulate.ts, bench/drain.ts, bench/soak.ts and bench/tenants.ts list further options.`;

const BENCHES: Record<string, () => Promise<unknown>> = {
  change: () => import("./one-change.ts"),
  console: () =>
    process.argv.some((argument) => argument.startsWith("--events="))
      ? import("./long-log.ts")
      : import("./console.ts"),
  entities: () => import("./entities.ts"),
  statements: () => import("./statements.ts"),
  tokens: () => import("./tokens.ts"),
  "sign-in": () => import("./sign-in.ts"),
  webhooks: () => import("./webhooks.ts"),
  receivers: () => import("./receivers.ts"),
  store: () => import("./store.ts"),
  profile: () => import("./profile.ts"),
  isolation: () => import("./isolation.ts"),
  import: () => import("./import.ts"),
  scale: () => import("./scale.ts"),
  simulate: () => import("./simulate.ts"),
  drain: () => import("./drain.ts"),
  soak: () => import("./soak.ts"),
  tenants: () => import("./tenants.ts"),
};

const bench = BENCHES[process.argv[2] ?? ""];
if (!bench) {
  console.error(USAGE);
  process.exit(2);
}
await bench();
