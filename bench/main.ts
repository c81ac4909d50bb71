// `bun run bench NAME`: chooses a measurement.

const USAGE = `Usage: bun run bench NAME [--rounds=7] [--seconds=2]

  change    one change from the request to its receiver: time, memory and CPU
  console   pages of Settings with 100,000 deliveries and 100,000 users in the database
  entities  GET User and PATCH Application against raw postgres.js
  tokens    issuance, refresh, introspection and discovery against oidc-provider
  sign-in   refused sign-ins of known against unknown accounts: whether the time tells
  webhooks  changes at fixed rates to one receiver and to ten, against a bare Temporal workflow
  profile   CPU a change by process and thread, and what waits, when more comes than can be delivered
  isolation what receivers that hang, and another tenant's burst, cost everybody else
  drain     a connection resumed with much to catch up on, while changes go on: its speed and its order
  tenants   another tenant's requests or deliveries beside each attack on what tenants share

--rounds and --seconds are for entities and tokens, which measure both sides in turn. The heads of bench/sign-in.ts,
bench/webhooks.ts, bench/profile.ts, bench/isolation.ts, bench/drain.ts and bench/tenants.ts name their own options.`;

const BENCHES: Record<string, () => Promise<unknown>> = {
  change: () => import("./one-change.ts"),
  console: () => import("./console.ts"),
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
