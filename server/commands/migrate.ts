// `bun run migrate`: brings the database up to date, and does nothing else. For a role that owns the tables, where the API
// and the workers run by one that only reads and writes them.

import { readConfig } from "../config.ts";
import { refuseUsage, runEntry } from "../process.ts";
import { databaseOf } from "./target.ts";

await runEntry("migrate", async (output) => {
  if (process.argv.length > 2) refuseUsage(output, "Usage: bun run migrate");
  const { applied } = await databaseOf(readConfig(process.env));
  output.say(applied.length === 0 ? "The database is up to date." : `Applied: ${applied.join(", ")}`);
});
