// `bun run bench NAME`: chooses a measurement.

const USAGE = `Usage: bun run bench NAME [--rounds=7] [--seconds=2]

  change    one change from the request to its receiver: time, memory and CPU
  console   pages of Settings with 100,000 deliveries and 100,000 users in the database; with --events=10000000 pages and
            lists with an activity log of so many
  entities  GET User and PATCH Application against raw postgres.js
  tokens    issuance, refresh, introspection and discovery against oidc-provider
  sign-in rejected sign-ins of known against unknown accounts: whether their times differ
  webhooks  changes at fixed rates to one receiver and to ten, against a bare Temporal workflow
  profile CPU per change by process and thread, and waiting queries, above the capacity
  isolation how hanging receivers and another tenant's burst affect other tenants
  drain a resumed connection with a backlog, during changes: its speed and its order
  tenants requests or deliveries of one tenant during each attack by another

--rounds and --seconds are for entities and tokens, which measure both sides in turn. The heads of bench/sign-in.ts,
bench/webhooks.ts, bench/profile.ts, bench/isolation.ts, bench/drain.ts and bench/tenants.ts name their own options.`;

const BENCHES: Record<string, () => Promise<unknown>> = {
  change: () => import("./one-change.ts"),
  console: () =>
    process.argv.some((argument) => argument.startsWith("--events="))
      ? import("./long-log.ts")
      : import("./console.ts"),
  entities: () => import("./entities.ts"),
  tokens: () => import("./tokens.ts"),
  "sign-in": () => import("./sign-in.ts"),
  webhooks: () => import("./webhooks.ts"),
  profile: () => import("./profile.ts"),
  isolation: () => import("./isolation.ts"),
  drain: () => import("./drain.ts"),
  tenants: () => import("./tenants.ts"),
};

const bench = BENCHES[process.argv[2] ?? ""];
if (!bench) {
  console.error(USAGE);
  process.exit(2);
}
await bench();
