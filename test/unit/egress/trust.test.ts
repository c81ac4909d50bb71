// Trusted certificates, and messages about untrusted ones.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEgress } from "../../../server/platform/egress/index.ts";
import { certificate, request, startReceiver } from "../../support/egress.ts";
import { AUTHORITY, certificates } from "../../support/egress-certificates.ts";

const { at, read, issue, remove } = certificates();
afterAll(remove);

beforeAll(async () => {
  await issue("root", AUTHORITY);
  await issue("intermediate", AUTHORITY, "root");
  await issue("leaf", "subjectAltName=DNS:localhost", "intermediate");
  await issue("alone", "subjectAltName=DNS:localhost");
  writeFileSync(at("chain.pem"), read("leaf.pem") + read("intermediate.pem"));
});

function startServer(cert: string, key: string) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: read(cert), key: read(key) },
    fetch: () => new Response("ok"),
  });
  return { port: server.port!, [Symbol.asyncDispose]: () => server.stop(true) };
}

describe("a receiver that omits its intermediate certificate", () => {
  const post = async (cert: string, key: string) => {
    await using server = startServer(cert, key);
    const egress = createEgress({ allow: ["127.0.0.1", "::1"], deny: [], dns: [], caFile: at("root.pem") });
    return await egress.post(request(`https://localhost:${server.port}/`));
  };

  test("is distinguished from other failures", async () => {
    expect(await post("leaf.pem", "leaf.key")).toMatchObject({
      failure: "tls",
      detail: expect.stringContaining("intermediate certificate missing?"),
    });
    expect(await post("chain.pem", "leaf.key")).toMatchObject({ status: 200 });
  });

  test("is not confused with a self-signed certificate", async () => {
    const outcome = await post("alone.pem", "alone.key");
    expect(outcome).toMatchObject({ failure: "tls" });
    expect(JSON.stringify(outcome)).not.toContain("intermediate");
  });
});

describe("the system's certificates", () => {
  const POST = `
    const { createEgress } = await import(process.env.TEST_EGRESS);
    const egress = createEgress({ allow: ["127.0.0.1", "::1"], deny: [], dns: [], caFile: process.env.TEST_CA_FILE });
    const outcome = await egress.post({
      ...{ tenantId: "tenant", url: process.env.TEST_URL, headers: {}, body: "{}", timeoutMs: 5000 },
    });
    console.log(outcome.kind === "response" ? outcome.status : outcome.failure);
  `;

  /** In a separate process, because the system's certificates are read once. */
  async function posted(url: string, env: Record<string, string>): Promise<string> {
    const { SSL_CERT_FILE: _, SSL_CERT_DIR: __, NODE_EXTRA_CA_CERTS: ___, ...rest } = process.env;
    const egress = join(import.meta.dir, "../../../server/platform/egress/index.ts");
    const run = Bun.spawn([process.execPath, "-e", POST], {
      env: { ...rest, TEST_EGRESS: egress, TEST_URL: url, ...env },
      stderr: "inherit",
    });
    return (await new Response(run.stdout).text()).trim();
  }

  test("are trusted, with and without EGRESS_CA_FILE", async () => {
    await using receiver = startReceiver(() => new Response());
    const url = `https://localhost:${receiver.port}/`;
    expect(await posted(url, {})).toBe("tls");
    expect(await posted(url, { SSL_CERT_FILE: certificate.caFile })).toBe("200");
    expect(await posted(url, { SSL_CERT_FILE: certificate.caFile, TEST_CA_FILE: at("root.pem") })).toBe("200");
    expect(await posted(url, { NODE_EXTRA_CA_CERTS: certificate.caFile })).toBe("200");
    expect(await posted(url, { TEST_CA_FILE: certificate.caFile })).toBe("200");
  });
});
