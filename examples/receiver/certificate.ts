// The local receiver's certificate, issued by a certificate authority that is created for it.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "selfsigned";

const DAY_MS = 86_400_000;
/** TLS clients may reject certificates that live longer than 398 days. */
const LIFETIME_MS = 397 * DAY_MS;

export interface ReceiverCertificate {
  caFile: string;
  certFile: string;
  keyFile: string;
}

/**
 * The certificate in the data directory, created if it is missing, inconsistent or expired.
 * @example const { caFile } = await ensureReceiverCertificate(".gatehouse");
 */
export async function ensureReceiverCertificate(dataDir: string): Promise<ReceiverCertificate> {
  const folder = join(dataDir, "receiver");
  const files = {
    caFile: join(folder, "ca.pem"),
    certFile: join(folder, "cert.pem"),
    keyFile: join(folder, "key.pem"),
  };
  if (await isUsable(files)) return files;

  await mkdir(dataDir, { recursive: true });
  // Renaming a complete folder is atomic, because the receiver and `start` may run concurrently.
  const fresh = await mkdtemp(join(dataDir, "receiver-"));
  try {
    const made = await makeCertificates();
    await writeFile(join(fresh, "ca.pem"), made.ca);
    await writeFile(join(fresh, "cert.pem"), made.cert);
    await writeFile(join(fresh, "key.pem"), made.key, { mode: 0o600 });
    if (!(await isUsable(files))) {
      await rm(folder, { recursive: true, force: true });
      await rename(fresh, folder);
    }
  } catch (error) {
    if (!(await isUsable(files))) throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return files;
}

async function isUsable(files: ReceiverCertificate): Promise<boolean> {
  try {
    const authority = new X509Certificate(await readFile(files.caFile));
    const leaf = new X509Certificate(await readFile(files.certFile));
    const key = createPrivateKey(await readFile(files.keyFile));
    const lives = [authority, leaf].every(({ validTo }) => Date.parse(validTo) > Date.now() + DAY_MS);
    return lives && leaf.verify(authority.publicKey) && leaf.checkPrivateKey(key);
  } catch {
    return false;
  }
}

async function makeCertificates(): Promise<{ ca: string; cert: string; key: string }> {
  const notBeforeDate = new Date();
  const notAfterDate = new Date(notBeforeDate.getTime() + LIFETIME_MS);
  const kind = { keyType: "ec", curve: "P-256", algorithm: "sha256", notBeforeDate, notAfterDate } as const;
  const authority = await generate([{ name: "commonName", value: "Gatehouse example receiver CA" }], {
    ...kind,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const leaf = await generate([{ name: "commonName", value: "localhost" }], {
    ...kind,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
          { type: 7, ip: "::1" },
        ],
      },
    ],
  });
  // The authority's key is discarded, so no further certificate can be issued.
  return { ca: authority.cert, cert: leaf.cert, key: leaf.private };
}
