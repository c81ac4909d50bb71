// `bun run tenant create NAME`: makes a tenant and prints its admin's and its client's credentials, once.
// `bun run tenant recover NAME`: for one whose settings nobody can change any more, prints a client that can.

import { readConfig } from "../config.ts";
import { connect, type Sql } from "../db/connection.ts";
import { demoRecord } from "../embedded/demo.ts";
import { runEntry } from "../process.ts";
import { createTenant } from "../tenants/index.ts";
import { recoverTenant } from "./recover-tenant.ts";
import { installationOf } from "./target.ts";

const USAGE = `Usage: bun run tenant create NAME
       bun run tenant recover NAME`;

type Addresses = Parameters<typeof demoRecord>[1];

const COMMANDS: Record<string, (sql: Sql, name: string, addresses: Addresses) => Promise<object>> = {
  create: async (sql, name, addresses) => demoRecord(await createTenant(sql, name), addresses),
  recover: async (sql, name, { publicUrl }) => ({ publicUrl, ...(await recoverTenant(sql, name)) }),
};

await runEntry(async () => {
  const [word = "", name, ...rest] = process.argv.slice(2);
  if (process.argv.includes("--help")) {
    console.log(USAGE);
    process.exit(0);
  }
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  // What begins with a dash is an option that there is not.
  if (!command || name === undefined || name.startsWith("-") || rest.length > 0) {
    console.error(USAGE);
    process.exit(2);
  }
  const { databaseUrl, ...addresses } = await installationOf(readConfig(process.env));
  const sql = connect(databaseUrl, "gatehouse tenant", 1);
  try {
    console.log(JSON.stringify(await command(sql, name, addresses), null, 2));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await sql.end();
  }
});
