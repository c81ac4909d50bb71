// An outside Temporal that demands a client certificate or an API key, as Temporal Cloud does: nginx in front of ours.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@temporalio/client";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { findTemporal } from "../../server/appliance/embedded/temporal-binary.ts";
import { newAuthority } from "../support/client-certificates.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { runEntry } from "../support/entry.ts";
import { printedBy } from "../support/packages.ts";
import { ROOT } from "../support/pages.ts";
import { PROXIES } from "../support/proxies.ts";
import { startStack } from "../support/stack.ts";
import { temporal } from "../support/temporal.ts";
import { connected } from "../world/receiver.ts";
import { newTenant, setting } from "../world/tenant.ts";

const NAMESPACE = `secured-${Bun.randomUUIDv7()}`;
const KEY = "an-api-key-of-this-test";
const folder = temporaryDirectory("secured-temporal");
const file = (name: string) => join(folder, name);
let nginx: Bun.Subprocess;
let certificate: Record<string, string>;
let apiKey: Record<string, string>;

beforeAll(async () => {
  const [authority, stranger] = await Promise.all([newAuthority(), newAuthority()]);
  const [server, client, foreign] = await Promise.all([
    authority.issue("/CN=localhost", "DNS:localhost"),
    authority.issue("/CN=gatehouse", "DNS:gatehouse"),
    stranger.issue("/CN=gatehouse", "DNS:gatehouse"),
  ]);
  const pems = { ca: { cert: authority.ca, key: "" }, other: { cert: stranger.ca, key: "" }, server, client, foreign };
  for (const [name, { cert, key }] of Object.entries(pems)) {
    writeFileSync(file(`${name}.pem`), cert);
    writeFileSync(file(`${name}.key`), key);
  }
  const ports = [await nextFreePort(0, "127.0.0.1", new Set())];
  ports.push(await nextFreePort(0, "127.0.0.1", new Set(ports)));
  mkdirSync(file("logs"));
  writeFileSync(file("nginx.conf"), nginxConfig(ports[0]!, ports[1]!));
  const options = ["-p", folder, "-c", file("nginx.conf"), "-e", file("logs/error.log")];
  nginx = Bun.spawn(["nginx", ...options, "-g", `daemon off; pid ${folder}/pid;`], { stderr: "inherit" });

  const { path } = await findTemporal({ env: process.env, say: () => {}, signal: new AbortController().signal });
  const script = join(ROOT, "deploy/compose/temporal/namespace.sh");
  await printedBy(["sh", "-eu", script], ROOT, {
    env: {
      PATH: `${dirname(path)}:${process.env.PATH}`,
      TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
      TEMPORAL_NAMESPACE: NAMESPACE,
    },
  });
  certificate = {
    TEMPORAL_ADDRESS: `localhost:${ports[0]}`,
    TEMPORAL_NAMESPACE: NAMESPACE,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file("ca.pem"),
    TEMPORAL_TLS_CLIENT_CERT_PATH: file("client.pem"),
    TEMPORAL_TLS_CLIENT_KEY_PATH: file("client.key"),
  };
  apiKey = {
    TEMPORAL_ADDRESS: `localhost:${ports[1]}`,
    TEMPORAL_NAMESPACE: NAMESPACE,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file("ca.pem"),
    TEMPORAL_API_KEY: KEY,
  };
});

afterAll(async () => {
  nginx.kill();
  await nginx.exited;
});

function nginxConfig(withCertificate: number, withKey: number): string {
  const own = `ssl_certificate ${file("server.pem")}; ssl_certificate_key ${file("server.key")};`;
  const forward = `grpc_pass grpc://${setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS")}; grpc_read_timeout 90s;`;
  return `
    worker_processes 1;
    events {}
    http {
      access_log off;
      client_body_temp_path ${file("body")};
      client_max_body_size 0;
      map $http_authorization $rejected { default 1; "Bearer ${KEY}" 0; }
      server {
        listen 127.0.0.1:${withCertificate} ssl http2; ${own}
        ssl_client_certificate ${file("ca.pem")}; ssl_verify_client on;
        location / { ${forward} }
      }
      server {
        listen 127.0.0.1:${withKey} ssl http2; ${own}
        error_page 401 = @rejected;
        location / { if ($rejected) { return 401; } ${forward} }
        location @rejected {
          default_type application/grpc;
          add_header grpc-status 16;
          add_header grpc-message "Request unauthorized.";
          return 204;
        }
      }
    }`;
}

for (const [name, settings] of [
  ["a client certificate", () => certificate],
  ["an API key", () => apiKey],
] as const) {
  test(`changes are delivered through a Temporal that demands ${name}, in a namespace of their own`, async () => {
    await using stack = await startStack({ env: settings() });
    const api = await newTenant(stack);
    await using _ = await connected(api);
    const { State, WorkflowId } = await api.settledChange({ Name: "Gate" });
    expect(State).toBe("Delivered");
    const { connection } = await temporal();
    const { workflow } = new Client({ connection, namespace: NAMESPACE });
    expect((await workflow.getHandle(WorkflowId).describe()).workflowId).toBe(WorkflowId);
  });
}

/** A change to one of the two correct sets of settings, and what `start` and `worker` say about it. */
const WRONG: [kind: () => Record<string, string>, change: () => Record<string, string>, message: () => string][] = [
  [
    () => certificate,
    () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: "", TEMPORAL_TLS_CLIENT_KEY_PATH: "" }),
    () => "rejects a client without TEMPORAL_API_KEY or TEMPORAL_TLS_CLIENT_CERT_PATH.",
  ],
  [
    () => certificate,
    () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: file("foreign.pem"), TEMPORAL_TLS_CLIENT_KEY_PATH: file("foreign.key") }),
    () => "rejects the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH.",
  ],
  [() => apiKey, () => ({ TEMPORAL_API_KEY: "another" }), () => "rejects TEMPORAL_API_KEY."],
  [() => apiKey, () => ({ TEMPORAL_NAMESPACE: "unknown" }), () => `has no namespace "unknown". Create it, or set`],
];

const database = () => ({
  DATABASE_URL: setting("GATEHOUSE_TEST_DATABASE_URL"),
  MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
});

test("a worker that uses TLS does not wait for a cluster without it", async () => {
  const TEMPORAL_ADDRESS = setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS");
  const { exitCode, output } = await runEntry("worker", { ...database(), TEMPORAL_ADDRESS, TEMPORAL_TLS: "true" });
  expect(output).toContain(`Temporal at ${TEMPORAL_ADDRESS} does not use TLS. Set TEMPORAL_TLS to false`);
  expect(exitCode).toBe(1);
});

test("a cluster's refusal ends `start` and `worker`, with the variable to change", async () => {
  for (const [kind, change, message] of WRONG) {
    for (const entry of ["start", "worker"] as const) {
      const { exitCode, output } = await runEntry(entry, { ...database(), ...kind(), ...change(), ...PROXIES });
      expect(output).toContain(`Temporal at ${kind().TEMPORAL_ADDRESS} ${message()}`);
      expect(exitCode).toBe(1);
    }
  }
});
