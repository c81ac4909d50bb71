// `bun run migrate`: only migrates the database. It needs the role that owns the tables; the API and the workers can
// use one without DDL rights.

import { readConfig } from "../../platform/config/config.ts";
import { refuseUsage, runEntry } from "../../platform/process.ts";
import { databaseOf } from "./target.ts";

await runEntry("migrate", async (output) => {
  if (process.argv.length > 2) refuseUsage(output, "Usage: bun run migrate");
  const { applied } = await databaseOf(readConfig(process.env));
  output.say(applied.length === 0 ? "The database is up to date." : `Applied: ${applied.join(", ")}`);
});
