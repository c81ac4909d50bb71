// `bun run tenant create NAME`: makes a tenant and prints its admin's and its client's credentials, once.
// `bun run tenant recover NAME`: for one whose settings nobody can change any more, prints a client that can.

import { type DeletedPolicy, recoverAccess, SCOPES } from "../access/index.ts";
import { recordAudit } from "../audit/index.ts";
import { readConfig } from "../config.ts";
import { connect, type Sql } from "../db/connection.ts";
import { demoRecord } from "../embedded/demo.ts";
import { insertSystemApplication } from "../entities/index.ts";
import { makeClient } from "../oauth/index.ts";
import { runEntry } from "../process.ts";
import type { TenantId } from "../tenant-id.ts";
import { createTenant, findTenant, tryOutUris } from "../tenants/index.ts";
import { installationOf } from "./target.ts";

const USAGE = `Usage: bun run tenant create NAME [REDIRECT_URI ...]
       bun run tenant recover NAME

REDIRECT_URI is where the tenant's client has its users sent back to. Without one there is none, or, where PUBLIC_URL is
this machine's, one on this machine to try things out.`;

type Addresses = Parameters<typeof demoRecord>[1];

interface Command {
  takesMore: boolean;
  run(sql: Sql, name: string, more: string[], addresses: Addresses): Promise<object>;
}

const COMMANDS: Record<string, Command> = {
  create: {
    takesMore: true,
    async run(sql, name, redirectUris, addresses) {
      const uris = redirectUris.length > 0 ? redirectUris : tryOutUris(addresses.publicUrl);
      return demoRecord(await createTenant(sql, name, undefined, uris), addresses);
    },
  },
  recover: {
    takesMore: false,
    run: async (sql, name, _, { publicUrl }) => ({ publicUrl, ...(await recoverTenant(sql, name)) }),
  },
};

await runEntry(async () => {
  const [word = "", name, ...rest] = process.argv.slice(2);
  if (process.argv.includes("--help")) {
    console.log(USAGE);
    process.exit(0);
  }
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  // What begins with a dash is an option that there is not.
  const isOption = (text: string) => text.startsWith("-");
  if (!command || name === undefined || [name, ...rest].some(isOption) || (rest.length > 0 && !command.takesMore)) {
    console.error(USAGE);
    process.exit(2);
  }
  const { databaseUrl, ...addresses } = await installationOf(readConfig(process.env));
  const sql = connect(databaseUrl, "gatehouse tenant", 1);
  try {
    console.log(JSON.stringify(await command.run(sql, name, rest, addresses), null, 2));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await sql.end();
  }
});

// The way out for a tenant whose settings nobody can change any more.

export interface RecoveredTenant {
  tenantId: TenantId;
  /** May do everything; nothing of it can be read again. */
  client: { clientId: string; clientSecret: string };
  /** What let nobody in, to be made again once it is right. */
  deletedPolicies: DeletedPolicy[];
}

const APPLICATION = { name: "Recovery", description: "Made by `bun run tenant recover`. Delete it when it is done." };

/**
 * Makes a client that may do everything in a tenant, all of it or nothing.
 * @param nameOrId as somebody has typed it
 * @throws Error with a readable message if there is no such tenant
 */
export async function recoverTenant(sql: Sql, nameOrId: string): Promise<RecoveredTenant> {
  const tenant = await findTenant(sql, nameOrId);
  if (!tenant) throw new Error(`There is no tenant named "${nameOrId}".`);
  const tenantId = tenant.id;
  return sql.begin(async (tx) => {
    const id = await insertSystemApplication(tx, tenantId, APPLICATION);
    const client = await makeClient(tx, tenantId, id, { grantTypes: ["client_credentials"], scopes: [...SCOPES] });
    const deletedPolicies = await recoverAccess(tx, tenantId, { type: "Application", id });
    const origin = { address: "", userAgent: "bun run tenant recover", requestKey: Bun.randomUUIDv7() };
    await recordAudit(tx, tenantId, origin, {
      kind: "Access.Recovered",
      subject: { type: "Application", id },
      details: { DeletedPolicies: deletedPolicies.map(({ Name }) => Name) },
    });
    return { tenantId, client, deletedPolicies };
  }) as Promise<RecoveredTenant>;
}
