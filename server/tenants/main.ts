// `bun run tenant create NAME`: makes a tenant and prints its admin's and its client's credentials, once.

import { readConfig } from "../config.ts";
import { connect } from "../db/connection.ts";
import { migrate } from "../db/migrate.ts";
import { databaseOf, runEntry } from "../process.ts";
import { createTenant } from "./index.ts";

await runEntry(async () => {
  const [command, name, ...rest] = process.argv.slice(2);
  if (command !== "create" || name === undefined || rest.length > 0) {
    console.error("Usage: bun run tenant create NAME");
    process.exit(2);
  }
  const config = readConfig(process.env);
  const databaseUrl = await databaseOf(config);
  await migrate(databaseUrl);
  const sql = connect(databaseUrl, "gatehouse tenant", 1);
  try {
    console.log(JSON.stringify(await createTenant(sql, name), null, 2));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await sql.end();
  }
});
