// --allow-receiver: lets webhooks reach the example receiver on this machine, whose address is private and whose
// certificate nobody else trusts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureReceiverCertificate } from "../../examples/receiver/certificate.ts";
import { writePrivately } from "./data-directory.ts";

export const RECEIVER = "localhost:8443";

/** The environment with the receiver allowed beside whatever was allowed already. */
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
