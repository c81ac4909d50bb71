import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureReceiverCertificate } from "../../examples/receiver/certificate.ts";
import { connect } from "../db/sql.ts";
import { createTenant, type NewTenant, tenantCount } from "../tenants/index.ts";
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

// --allow-receiver: allows webhooks to the example receiver on this machine, with its private address and its own
// certificate authority.

export const RECEIVER = "localhost:8443";

export async function allowReceiver(env: Record<string, string | undefined>, dataDir: string) {
  const { caFile } = await ensureReceiverCertificate(dataDir);
  return {
    ...env,
    EGRESS_ALLOW: [env.EGRESS_ALLOW, RECEIVER].filter(Boolean).join(","),
    EGRESS_CA_FILE: env.EGRESS_CA_FILE ? mergeCertificates(env.EGRESS_CA_FILE, caFile, dataDir) : caFile,
  };
}

function mergeCertificates(first: string, second: string, dataDir: string): string {
  const merged = join(dataDir, "receiver", "egress-ca.pem");
  writePrivately(merged, `${readFileSync(first, "utf8").trimEnd()}\n${readFileSync(second, "utf8")}`);
  return merged;
}
