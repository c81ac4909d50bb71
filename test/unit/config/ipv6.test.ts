// IPv6 literals wherever the configuration has a host: with brackets, and without them if there is no port.

import { expect, test } from "bun:test";
import { readConfig } from "../../../server/platform/config/config.ts";
import { connect } from "../../../server/platform/db/sql.ts";
import { createEgress } from "../../../server/platform/egress/index.ts";
import { ping } from "../../world/postgresql.ts";

const HOSTS: [name: string, texts: string[]][] = [
  ["HOST", ["::1", "[::1]", "::", "[::]"]],
  ["METRICS_HOST", ["::1", "[::1]"]],
  ["WORKER_HOST", ["::1", "[::1]"]],
  ["PUBLIC_URL", ["https://[2001:db8::1]", "http://[::1]:3000/id"]],
  ["DATABASE_URL", ["postgres://u:p@[::1]:5433/db", "postgres://u@[fd00::1]/db"]],
  ["TEMPORAL_ADDRESS", ["[::1]:7233"]],
  ["TRUST_PROXY", ["::1", "[::1]", "fd00::/8", "[fd00::]/8"]],
  ["EGRESS_ALLOW", ["::1", "[::1]", "[::1]:8443", "fd00::/8", "[fd00::]/8"]],
  ["EGRESS_ALLOW_STRANGERS", ["[::1]:8443"]],
  ["EGRESS_DENY", ["fd00::1", "[fd00::1]", "fd00::/8"]],
  ["EGRESS_DNS", ["2001:db8::53", "[2001:db8::53]:5353"]],
  ["HTTPS_PROXY", ["http://[::1]:3128", "[::1]:3128"]],
  ["NO_PROXY", ["::1,[::1]"]],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", ["http://[::1]:4318"]],
];
const MASTER_KEY = Buffer.alloc(32).toString("base64");
const configured = (env: Record<string, string>) =>
  readConfig({ DATABASE_URL: "postgres://localhost/none", MASTER_KEY, ...env });

test.each(HOSTS)("%s accepts an IPv6 address", (name, texts) => {
  for (const text of texts) expect(() => configured({ [name]: text })).not.toThrow();
});

test("MTLS_URL accepts an IPv6 address", () => {
  const { mtls } = configured({ MTLS_URL: "https://[2001:db8::1]:8443", TRUST_PROXY: "[::1]" });
  expect(mtls?.url).toBe("https://[2001:db8::1]:8443");
});

test("listeners use the address without brackets", () => {
  const config = configured({ HOST: "[::1]", METRICS_HOST: "[::1]", WORKER_HOST: "[::1]" });
  expect([config.host, config.metrics.host, config.workerProbes.host]).toEqual(["::1", "::1", "::1"]);
});

test("PostgreSQL is reached at the address and its port", async () => {
  const sql = connect("postgres://somebody@[::1]:1/none", "gatehouse test", 1);
  const failure = await ping(sql).catch((error: { address?: string; port?: number; code?: string }) => error);
  expect(failure).toMatchObject({ code: "ECONNREFUSED", address: "::1", port: 1 });
  await sql.end();
});

test("a range in brackets allows the same addresses as without", () => {
  for (const allow of ["fd00::/8", "[fd00::]/8", "[fd00::1]:8443"]) {
    const { egress } = configured({ EGRESS_ALLOW: allow });
    expect(createEgress(egress).checkUrl("https://[fd00::1]:8443/")).toBeUndefined();
  }
});
