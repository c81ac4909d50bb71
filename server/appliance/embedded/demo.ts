import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tenants } from "../../identity/index.ts";
import { connect } from "../../platform/db/sql.ts";
import { writePrivately } from "./data-directory.ts";

const TENANT_NAME = "demo";

export interface Addresses {
  publicUrl: string;
  temporalUi: string;
  temporalAddress: string;
}

export type Demo = tenants.NewTenant & Addresses;

/** "unknown": the database has tenants, but none was created with this DATA_DIR. */
export type DemoState = "created" | "kept" | "unknown";

export function demoFile(dataDir: string): string {
  return join(dataDir, "demo.json");
}

/** Creates the demo tenant in an empty database, and updates the addresses in demo.json. */
export async function ensureDemoTenant(databaseUrl: string, dataDir: string, addresses: Addresses): Promise<DemoState> {
  const sql = connect(databaseUrl, "gatehouse start", 1);
  try {
    const file = demoFile(dataDir);
    if ((await tenants.tenantCount(sql)) === 0) {
      writeDemo(file, await tenants.createTenant(sql, TENANT_NAME), addresses);
      return "created";
    }
    if (!existsSync(file)) return "unknown";
    writeDemo(file, JSON.parse(readFileSync(file, "utf8")) as tenants.NewTenant, addresses);
    return "kept";
  } finally {
    await sql.end();
  }
}

export function demoRecord({ tenantId, admin, client }: tenants.NewTenant, addresses: Addresses): Demo {
  const { publicUrl, temporalUi, temporalAddress } = addresses;
  return { tenantId, publicUrl, temporalUi, temporalAddress, admin, client };
}

function writeDemo(file: string, tenant: tenants.NewTenant, addresses: Addresses): void {
  writePrivately(file, `${JSON.stringify(demoRecord(tenant, addresses), null, 2)}\n`);
}
