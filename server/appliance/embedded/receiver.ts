// --allow-receiver: allows webhooks to the example receiver on this machine, with its private address and its own
// certificate authority. The image has no examples, so no command imports this file.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureReceiverCertificate } from "../../../examples/receiver/certificate.ts";
import { writePrivately } from "./data-directory.ts";

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
