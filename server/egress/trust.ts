// EGRESS_CA_FILE: certificates trusted beside the system's.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";

/**
 * The certificates to trust, or undefined for the runtime's own (NODE_EXTRA_CA_CERTS included).
 * @throws Error saying why the file cannot be used.
 */
export function readTrustedCertificates(caFile: string | undefined): string[] | undefined {
  if (!caFile) return undefined;
  // fetch's `ca` replaces the default roots, where EGRESS_CA_FILE promises to add to them.
  return [...new Set([...getCACertificates("default"), ...readCertificates(caFile)])];
}

/** @throws Error saying why the file cannot be used. */
export function readCertificates(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  if (!certificates) throw new Error(`${file} holds no certificate in PEM form`);
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch {
      throw new Error(`${file} holds a certificate that cannot be read`);
    }
  }
  return certificates;
}
