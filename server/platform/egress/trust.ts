// Trusted certificates: the system's, the runtime's, and those of EGRESS_CA_FILE.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";

/** Built at the first connection: it reads hundreds of certificates. @throws Error saying why the file is unusable */
export function createTrust(caFile: string | undefined): () => SecureContext {
  const own = caFile ? readCertificates(caFile) : [];
  let context: SecureContext | undefined;
  return () => {
    context ??= createSecureContext({ ca: trustedCertificates(own) });
    return context;
  };
}

/** The default set includes NODE_EXTRA_CA_CERTS, the system set SSL_CERT_FILE and SSL_CERT_DIR. */
export function trustedCertificates(own: string[]): string[] {
  return [...new Set([...getCACertificates("default"), ...getCACertificates("system"), ...own])];
}

/** @throws Error explaining why the file cannot be used */
export function readCertificates(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  if (!certificates) throw new Error(`${file} contains no certificate in PEM form`);
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch {
      throw new Error(`${file} contains an unreadable certificate`);
    }
  }
  return certificates;
}
