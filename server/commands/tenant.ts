// `bun run tenant create NAME`: makes a tenant and prints its admin's and its client's credentials, once.

import { readConfig } from "../config.ts";
import { connect } from "../db/connection.ts";
import { demoRecord } from "../embedded/demo.ts";
import { runEntry } from "../process.ts";
import { createTenant } from "../tenants/index.ts";
import { installationOf } from "./target.ts";

const USAGE = "Usage: bun run tenant create NAME";

await runEntry(async () => {
  const [command, name, ...rest] = process.argv.slice(2);
  if (process.argv.includes("--help")) {
    console.log(USAGE);
    process.exit(0);
  }
  // What begins with a dash is an option that there is not.
  if (command !== "create" || name === undefined || name.startsWith("-") || rest.length > 0) {
    console.error(USAGE);
    process.exit(2);
  }
  const { databaseUrl, ...addresses } = await installationOf(readConfig(process.env));
  const sql = connect(databaseUrl, "gatehouse tenant", 1);
  try {
    console.log(JSON.stringify(demoRecord(await createTenant(sql, name), addresses), null, 2));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await sql.end();
  }
});
