// Certificates of clients, an authority that issues them, and a proxy that requests them as nginx does.

import { mkdtempSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer, type TLSSocket } from "node:tls";
import { type Api, ok, unique } from "../world/api.ts";
import { setting } from "../world/tenant.ts";

/** In PEM. */
export interface KeyPair {
  cert: string;
  key: string;
}

export interface Authority {
  ca: string;
  /** @param subject in openssl's format: `/C=DE/CN=payroll` */
  issue(subject: string, alternatives?: string): Promise<KeyPair>;
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

async function openssl(...args: string[]): Promise<void> {
  const run = Bun.spawn(["openssl", ...args], { stderr: "pipe" });
  if ((await run.exited) !== 0) throw new Error(`openssl ${args[0]}: ${await new Response(run.stderr).text()}`);
}

export async function newAuthority(): Promise<Authority> {
  const folder = mkdtempSync(join(setting("GATEHOUSE_TEST_ROOT"), "authority-"));
  const at = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(at(name), "utf8");
  const isAuthority = ["-addext", "basicConstraints=critical,CA:TRUE"];
  const own = ["-keyout", at("ca.key"), "-out", at("ca.pem"), "-days", "2", "-subj", "/CN=authority"];
  await openssl("req", "-x509", ...KEY, ...own, ...isAuthority);
  return {
    ca: read("ca.pem"),
    async issue(subject, alternatives) {
      const name = Bun.randomUUIDv7();
      const [key, request, cert] = [at(`${name}.key`), at(`${name}.csr`), at(`${name}.pem`)];
      const names = alternatives ? ["-addext", `subjectAltName=${alternatives}`] : [];
      const by = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-copy_extensions", "copy"];
      const asked = ["-keyout", key, "-out", request, "-multivalue-rdn", "-utf8", "-subj", subject];
      await openssl("req", ...KEY, ...asked, ...names);
      await openssl("x509", "-req", "-in", request, "-out", cert, ...by, "-days", "1");
      return { cert: read(`${name}.pem`), key: read(`${name}.key`) };
    },
  };
}

export interface TlsProxy extends AsyncDisposable {
  url: string;
  /** The address to which it forwards requests. */
  target: string;
}

/** RFC 9440 2.1. */
export const asField = (cert: string) => `:${cert.replace(/-----[^-]+-----|\s/g, "")}:`;
/** nginx's `$ssl_client_escaped_cert`. */
export const asEscaped = (cert: string) => encodeURIComponent(cert);

/**
 * Terminates TLS, rejects certificates of other authorities, and forwards the certificate in the header, which it
 * replaces in every request.
 */
export async function startProxy({ ca, issue }: Authority): Promise<TlsProxy> {
  const own = await issue("/CN=localhost", "DNS:localhost");
  const sockets = new Set<TLSSocket>();
  const server = createServer({ ...own, ca, requestCert: true, rejectUnauthorized: false }, (near) => {
    sockets.add(near);
    const { hostname, port } = new URL(proxy.target);
    const far = connect(Number(port), hostname);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on("error", () => {}).on("close", end);
    const shown = near.authorized ? near.getPeerCertificate(true).raw : undefined;
    let head = "";
    near.on("data", function first(bytes: Buffer) {
      head += bytes.toString("latin1");
      const length = head.indexOf("\r\n\r\n");
      if (length < 0) return;
      near.off("data", first);
      const lines = head.slice(0, length).split("\r\n");
      const passed = lines.filter((line) => !/^(client-cert|x-forwarded-for|connection):/i.test(line));
      if (shown) passed.push(`Client-Cert: :${shown.toString("base64")}:`);
      passed.push("X-Forwarded-For: 127.0.0.1", "Connection: close");
      far.write(Buffer.from(`${passed.join("\r\n")}${head.slice(length)}`, "latin1"));
      near.pipe(far);
    });
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: TlsProxy = {
    url: `https://localhost:${(server.address() as { port: number }).port}`,
    target: "",
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return proxy;
}

/** A client that is identified by a name in its certificate. @returns its client_id */
export async function newCertified(admin: Api, TlsClientAuthName: string, TlsClientAuthValue: string): Promise<string> {
  const { Id } = await ok(admin.patch("/Application", { Name: unique("payroll"), Is_Active: true }));
  const named = { TokenEndpointAuthMethod: "tls_client_auth", TlsClientAuthName, TlsClientAuthValue };
  await ok(admin.patch(`/Application/${Id}/Credentials`, { Scopes: ["AccessManager:Read"], ...named }));
  return Id;
}
