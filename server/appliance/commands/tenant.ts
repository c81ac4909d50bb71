// `bun run tenant create NAME`: creates a tenant and prints the credentials of its admin and client once. `bun run
// tenant recover NAME`: creates a client for a tenant without any permitted administrator.

import { tenants } from "../../identity/index.ts";
import { readConfig } from "../../platform/config/config.ts";
import { connect, type Sql } from "../../platform/db/sql.ts";
import { isText } from "../../platform/output.ts";
import { refuseUsage, runEntry } from "../../platform/process.ts";
import { demoRecord } from "../embedded/demo.ts";
import { recoverTenant } from "./recover-tenant.ts";
import { installationOf } from "./target.ts";

const USAGE = `Usage: bun run tenant create NAME [REDIRECT_URI ...]
       bun run tenant recover NAME

REDIRECT_URI is where users of the tenant's client return after signing in. By default there is none, or a loopback address if PUBLIC_URL is on this machine.`;

type Addresses = Parameters<typeof demoRecord>[1];

interface Command {
  takesMore: boolean;
  run(sql: Sql, name: string, more: string[], addresses: Addresses): Promise<object>;
}

const COMMANDS: Record<string, Command> = {
  create: {
    takesMore: true,
    async run(sql, name, redirectUris, addresses) {
      const uris = redirectUris.length > 0 ? redirectUris : tenants.tryOutUris(addresses.publicUrl);
      return demoRecord(await tenants.createTenant(sql, name, undefined, uris), addresses);
    },
  },
  recover: {
    takesMore: false,
    run: async (sql, name, _, { publicUrl }) => ({ publicUrl, ...(await recoverTenant(sql, name)) }),
  },
};

await runEntry("tenant", async (output) => {
  const [word = "", name, ...rest] = process.argv.slice(2);
  if (process.argv.includes("--help")) {
    console.log(USAGE);
    process.exit(0);
  }
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  const isOption = (text: string) => text.startsWith("-");
  if (!command || name === undefined || [name, ...rest].some(isOption) || (rest.length > 0 && !command.takesMore)) {
    refuseUsage(output, USAGE);
  }
  const { databaseUrl, ...addresses } = await installationOf(readConfig(process.env));
  const sql = connect(databaseUrl, "gatehouse tenant", 1);
  try {
    const made = await command.run(sql, name, rest, addresses);
    console.log(isText(process.env, process.stdout) ? JSON.stringify(made, null, 2) : JSON.stringify(made));
  } catch (error) {
    output.fail((error as Error).message);
    process.exitCode = 1;
  } finally {
    await sql.end();
  }
});
