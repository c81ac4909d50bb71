import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTenant, type NewTenant, tenantCount } from "../../identity/index.ts";
import { connect } from "../../platform/db/sql.ts";
import { writePrivately } from "./data-directory.ts";

const TENANT_NAME = "demo";

export interface Addresses {
  publicUrl: string;
  temporalUi: string;
  temporalAddress: string;
}

export type Demo = NewTenant & Addresses;

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
    if ((await tenantCount(sql)) === 0) {
      writeDemo(file, await createTenant(sql, TENANT_NAME), addresses);
      return "created";
    }
    if (!existsSync(file)) return "unknown";
    writeDemo(file, JSON.parse(readFileSync(file, "utf8")) as NewTenant, addresses);
    return "kept";
  } finally {
    await sql.end();
  }
}

export function demoRecord({ tenantId, admin, client }: NewTenant, addresses: Addresses): Demo {
  const { publicUrl, temporalUi, temporalAddress } = addresses;
  return { tenantId, publicUrl, temporalUi, temporalAddress, admin, client };
}

function writeDemo(file: string, tenant: NewTenant, addresses: Addresses): void {
  writePrivately(file, `${JSON.stringify(demoRecord(tenant, addresses), null, 2)}\n`);
}
