// Certificates of every kind, made by openssl.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const AUTHORITY = "basicConstraints=critical,CA:TRUE";

/** A folder of certificates: NAME.pem and NAME.key. */
export function certificates() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-certificates-"));
  const at = (name: string) => join(folder, name);

  async function openssl(...args: string[]): Promise<void> {
    const run = Bun.spawn(["openssl", ...args], { stderr: "pipe" });
    if ((await run.exited) !== 0) throw new Error(`openssl ${args[0]}: ${await new Response(run.stderr).text()}`);
  }

  const keyAt = (name: string) => [
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", at(`${name}.key`)],
    ...["-subj", `/CN=${name}`],
  ];

  return {
    at,
    read: (name: string) => readFileSync(at(name), "utf8"),

    /** Valid for two days. @param by the issuer; undefined: self-signed */
    async issue(name: string, extension: string, by?: string): Promise<void> {
      const signed = by ? ["-CA", at(`${by}.pem`), "-CAkey", at(`${by}.key`)] : [];
      const about = ["-addext", extension, "-days", "2", ...signed];
      await openssl("req", "-x509", ...keyAt(name), ...about, "-out", at(`${name}.pem`));
    },

    /** Valid in the given years only. */
    async issueFor(years: [number, number], name: string, extension: string, by: string): Promise<void> {
      const [from, to] = years.map((year) => `${year}0101000000Z`);
      await openssl("req", "-new", ...keyAt(name), "-out", at(`${name}.csr`));
      writeFileSync(at("index"), "");
      writeFileSync(
        at("ca.cnf"),
        `[ca]\ndefault_ca = own\n[own]\ndatabase = ${at("index")}\nnew_certs_dir = ${folder}\nrand_serial = yes\n` +
          `default_md = sha256\npolicy = any\n[any]\ncommonName = supplied\n[leaf]\n${extension}\n`,
      );
      await openssl(
        ...["ca", "-batch", "-notext", "-config", at("ca.cnf"), "-extensions", "leaf", "-in", at(`${name}.csr`)],
        ...["-cert", at(`${by}.pem`), "-keyfile", at(`${by}.key`), "-startdate", from!, "-enddate", to!],
        ...["-out", at(`${name}.pem`)],
      );
    },

    remove: () => rmSync(folder, { recursive: true }),
  };
}
