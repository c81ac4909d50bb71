// `bun run bench NAME`: chooses a measurement.

const USAGE = `Usage: bun run bench NAME [--rounds=7] [--seconds=2]

  change    one change from the request to its receiver: time, memory and CPU
  entities  GET User and PATCH Application against raw postgres.js
  tokens    issuance, refresh, introspection and discovery against oidc-provider

--rounds and --seconds are for the last two, which measure both sides in turn.`;

const BENCHES: Record<string, () => Promise<unknown>> = {
  change: () => import("./one-change.ts"),
  entities: () => import("./entities.ts"),
  tokens: () => import("./tokens.ts"),
};

const bench = BENCHES[process.argv[2] ?? ""];
if (!bench) {
  console.error(USAGE);
  process.exit(2);
}
await bench();
