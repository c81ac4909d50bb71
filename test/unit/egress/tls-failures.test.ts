// Receivers whose TLS fails: each kind has its own sentence, which says what to change.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { nextFreePort } from "../../../server/appliance/embedded/ports.ts";
import { createEgress, EgressError } from "../../../server/platform/egress/index.ts";
import { TLS_PROBLEMS } from "../../../server/platform/egress/tls-failures.ts";
import { failureOf, request, startRawReceiver, TENANT, trustingEgress } from "../../support/egress.ts";
import { AUTHORITY, certificates } from "../../support/egress-certificates.ts";
import { until } from "../../world/api.ts";

const { at, issue, issueFor, remove } = certificates();
afterAll(remove);
const NAME = "subjectAltName=DNS:localhost";
const THIS_YEAR = new Date().getUTCFullYear();

beforeAll(async () => {
  await issue("root", AUTHORITY);
  await issue("unknown", AUTHORITY);
  await issue("intermediate", AUTHORITY, "root");
  await issue("good", NAME, "root");
  await issue("chainless", NAME, "intermediate");
  await issue("stranger", NAME, "unknown");
  await issue("alone", NAME);
  await issue("other", "subjectAltName=DNS:other.test", "root");
  await issue("client", "extendedKeyUsage=clientAuth", "root");
  await issueFor([THIS_YEAR - 2, THIS_YEAR - 1], "expired", NAME, "root");
  await issueFor([THIS_YEAR + 2, THIS_YEAR + 3], "future", NAME, "root");
});

interface Server extends AsyncDisposable {
  port: number;
}

const withCertificate = (name: string) => ["-cert", at(`${name}.pem`), "-key", at(`${name}.key`)];

/** TLS by OpenSSL, which can also do what the runtime's library refuses. */
async function startOpenssl(...options: string[]): Promise<Server> {
  const port = await nextFreePort(0, "127.0.0.1", new Set());
  const args = ["-accept", `127.0.0.1:${port}`, "-quiet", "-naccept", "9", ...options];
  const child = Bun.spawn(["openssl", "s_server", ...args], { stdin: "pipe", stdout: "ignore", stderr: "ignore" });
  await until("s_server to listen", () => connects(port));
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

async function connects(port: number): Promise<boolean> {
  try {
    (await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } })).end();
    return true;
  } catch {
    return false;
  }
}

/** TCP, and then anything instead of TLS. */
async function startTcp(onHello: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => onHello(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** RFC 8446 6: a fatal alert as the whole answer. */
const alert = (description: number) =>
  startTcp((socket) => void socket.write(Buffer.from([0x15, 3, 3, 0, 2, 2, description])));

/** RFC 5246 7.4.1.3: a server that knows no later version chooses TLS 1.1. */
const OLD_HELLO = Buffer.from(
  `16030200510200004d0302${"11".repeat(32)}20${"22".repeat(32)}c013000005ff01000100`,
  "hex",
);

const withoutClient = ["-Verify", "1", ...withCertificate("good")];
const CASES: [says: string, start: () => Promise<Server>, failure: string, sentence: string][] = [
  ["expired", () => startOpenssl(...withCertificate("expired")), "tls", "has an expired certificate"],
  ["not yet valid", () => startOpenssl(...withCertificate("future")), "tls", "a certificate that is not valid yet"],
  ["another name", () => startOpenssl(...withCertificate("other")), "tls", "a certificate for a different name"],
  ["self-signed", () => startOpenssl(...withCertificate("alone")), "tls", "a self-signed certificate"],
  [
    "an unknown authority",
    () => startOpenssl(...withCertificate("stranger"), "-cert_chain", at("unknown.pem")),
    "tls",
    "an authority that is not trusted here",
  ],
  [
    "incomplete chain",
    () => startOpenssl(...withCertificate("chainless")),
    "tls",
    "is an intermediate certificate missing?",
  ],
  ["not for servers", () => startOpenssl(...withCertificate("client")), "tls", "a certificate that is not for servers"],
  [
    "TLS 1.1",
    () => startOpenssl(...withCertificate("good"), "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"),
    "tls",
    "supports neither TLS 1.2 nor TLS 1.3",
  ],
  ["chosen TLS 1.1", () => startTcp((socket) => void socket.write(OLD_HELLO)), "tls", "neither TLS 1.2 nor TLS 1.3"],
  [
    "no common cipher",
    () => startOpenssl(...withCertificate("good"), "-tls1_2", "-cipher", "ECDHE-ECDSA-CAMELLIA128-SHA256"),
    "tls",
    "no TLS cipher or curve in common",
  ],
  [
    "no common group",
    () => startOpenssl(...withCertificate("good"), "-tls1_3", "-groups", "ffdhe2048"),
    "tls",
    "no TLS cipher or curve in common",
  ],
  [
    "client certificate, TLS 1.3",
    () => startOpenssl(...withoutClient, "-tls1_3"),
    "tls",
    "demands a client certificate",
  ],
  [
    "client certificate, TLS 1.2",
    () => startOpenssl(...withoutClient, "-tls1_2"),
    "tls",
    "demands a client certificate",
  ],
  ["bad certificate", () => alert(42), "tls", "demands a client certificate"],
  [
    "another SNI",
    () =>
      startOpenssl(
        ...[...withCertificate("good"), "-servername", "other.test", "-servername_fatal"],
        ...["-cert2", at("other.pem"), "-key2", at("other.key")],
      ),
    "tls",
    "has no certificate for this name",
  ],
  ["no certificate for the name", () => alert(80), "tls", "failed during the TLS handshake"],
  ["an alert without words of its own", () => alert(49), "tls", "makes no valid TLS connection"],
  ["plain HTTP", () => startTcp((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")), "tls", "plain HTTP"],
  ["SSH", () => startTcp((socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n")), "tls", "does not speak TLS"],
  ["end", () => startTcp((socket) => void socket.end()), "reset", "closed the connection during the TLS handshake"],
  ["reset", () => startTcp((socket) => void socket.resetAndDestroy()), "reset", "during the TLS handshake"],
  ["close_notify", () => alert(0), "reset", "closed the connection during the TLS handshake"],
  ["HTTP/2 only", () => startOpenssl(...withCertificate("good"), "-alpn", "h2"), "protocol", "accepts only HTTP/2"],
];

const said: string[] = [];

test.each(CASES)("%s", async (_, start, failure, sentence) => {
  await using server = await start();
  const url = `https://localhost:${server.port}/path-secret?query-secret`;
  const egress = createEgress({ allow: ["127.0.0.1"], deny: [], dns: [], caFile: at("root.pem") }, async () => [
    "127.0.0.1",
  ]);
  const outcome = await egress.post(request(url));
  const { detail } = outcome as { detail: string };
  expect([failureOf(outcome), detail]).toEqual([failure, expect.stringContaining(sentence)]);
  expect(detail).toStartWith(`localhost:${server.port} `);
  expect(detail).not.toContain("secret");
  said.push(detail);
  // The same words where a response is needed, as by identity providers.
  const thrown = await egress.fetch(TENANT, url, { method: "GET", timeoutMs: 5_000 }).catch((error) => error);
  expect(thrown).toBeInstanceOf(EgressError);
  expect([thrown.failure, thrown.detail]).toEqual([failure, detail]);
});

test("each kind of TLS failure occurred, with its solution", () => {
  for (const { problem, solution } of TLS_PROBLEMS) {
    expect([problem, said.some((detail) => detail.includes(problem) && detail.endsWith(`: ${solution}`))]).toEqual([
      problem,
      true,
    ]);
  }
});

test("a receiver that sends HTTP/2 without negotiation has the words of HTTP/2, and a different service has not", async () => {
  const outcomeOf = async (bytes: string) => {
    using receiver = await startRawReceiver((socket) => void socket.write(Buffer.from(bytes, "latin1")));
    const egress = trustingEgress([`localhost:${receiver.port}`], async () => ["127.0.0.1"]);
    return await egress.post(request(`https://localhost:${receiver.port}/`));
  };
  const settings = await outcomeOf("\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64");
  expect(settings).toMatchObject({ failure: "protocol", detail: expect.stringContaining("accepts only HTTP/2") });
  const mail = await outcomeOf("+OK POP3 ready\r\n");
  expect(failureOf(mail)).toBe("protocol");
  expect(JSON.stringify(mail)).not.toContain("HTTP/2");
});
