// deploy/compose.yaml and the files that it gives to its services.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nextFreePort } from "../../server/embedded/ports.ts";
import { findTemporal } from "../../server/embedded/temporal-binary.ts";
import { SEARCH_ATTRIBUTES } from "../../workflows/contract.ts";
import { ROOT } from "../documents/pages.ts";
import { until } from "../support/api.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { printedBy } from "../support/packages.ts";
import { setting } from "../support/tenant.ts";
import { BUILD_TIMEOUT, goTools } from "./tools.ts";

setDefaultTimeout(BUILD_TIMEOUT);

const FILE = join(ROOT, "deploy/compose.yaml");
const folder = temporaryDirectory("compose");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  volumes?: { type: string; source: string; target: string }[];
  ports?: { host_ip?: string; published: string }[];
  environment?: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
}

test("Compose's library accepts the file, and names a missing secret", async () => {
  const { services } = await model({ MASTER_KEY: "key", POSTGRES_PASSWORD: "word" });
  expect(Object.keys(services).toSorted()).toEqual([
    ...["certificates", "grafana", "migrate", "nginx", "postgresql", "prometheus", "receiver", "server", "temporal"],
    ...["temporal-namespace", "temporal-schema", "temporal-ui", "worker"],
  ]);
  for (const missing of ["MASTER_KEY", "POSTGRES_PASSWORD"]) {
    const others = { MASTER_KEY: "key", POSTGRES_PASSWORD: "word", [missing]: "" };
    await expect(model(others)).rejects.toThrow(`variable ${missing} is missing`);
  }
});

test("mounted files exist, ports are local, images have versions, and our own containers are confined", async () => {
  const all = Object.values((await model({ MASTER_KEY: "key", POSTGRES_PASSWORD: "word" })).services);
  const mounted = all.flatMap(({ volumes = [] }) => volumes.filter(({ type }) => type === "bind"));
  expect(mounted.filter(({ source }) => !existsSync(source))).toEqual([]);
  expect(all.flatMap(({ ports = [] }) => ports.filter(({ host_ip }) => host_ip !== "127.0.0.1"))).toEqual([]);
  expect(all.filter(({ image }) => image !== "gatehouse" && !/:v?\d/.test(image))).toEqual([]);
  const own = all.filter(({ image }) => image === "gatehouse");
  expect(own.filter(({ read_only, cap_drop }) => !read_only || cap_drop?.[0] !== "ALL")).toEqual([]);
});

test("nginx accepts its configuration and forwards a TLS request to the API", async () => {
  const port = await nextFreePort(0, "127.0.0.1", new Set());
  const certificates = join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver");
  const config = readFileSync(join(ROOT, "deploy/compose/nginx.conf"), "utf8")
    .replace("server:3000", new URL(setting("GATEHOUSE_TEST_URL")).host)
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replaceAll("/run/certificates/receiver", certificates);
  mkdirSync(join(folder, "logs"));
  writeFileSync(join(folder, "nginx.conf"), config);
  const options = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "logs/error.log")];
  const nginx = Bun.spawn(["nginx", ...options, "-g", `daemon off; pid ${folder}/pid;`], { stderr: "inherit" });
  try {
    const tls = { ca: readFileSync(join(certificates, "ca.pem"), "utf8") };
    const ask = () => fetch(`https://localhost:${port}/readyz`, { tls }).catch(() => undefined);
    await until("an answer through nginx", async () => (await ask())?.status === 200);
  } finally {
    nginx.kill();
    await nginx.exited;
  }
});

test("Prometheus accepts its configuration, and Grafana uses that Prometheus", async () => {
  await printedBy(["promtool", "check", "config", join(ROOT, "deploy/compose/prometheus.yaml")]);
  const { datasources } = Bun.YAML.parse(
    readFileSync(join(ROOT, "deploy/compose/grafana/prometheus.yaml"), "utf8"),
  ) as {
    datasources: { url: string }[];
  };
  expect(datasources.map(({ url }) => url)).toEqual(["http://prometheus:9090"]);
});

test("a script creates the namespace with its search attributes, and may run again", async () => {
  const { path } = await findTemporal({ env: process.env, say: () => {}, signal: new AbortController().signal });
  const env = {
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: `test-${Bun.randomUUIDv7()}`,
    PATH: `${dirname(path)}:${process.env.PATH}`,
  };
  const script = join(ROOT, "deploy/compose/temporal/namespace.sh");
  for (const _ of ["first", "again"]) await printedBy(["sh", "-eu", script], ROOT, { env });
  const list = await printedBy([path, "operator", "search-attribute", "list"], ROOT, { env });
  for (const name of Object.keys(SEARCH_ATTRIBUTES)) expect(list).toContain(name);
});

/** As `docker compose config` shows it. */
async function model(env: Record<string, string>): Promise<{ services: Record<string, Service> }> {
  return JSON.parse(await printedBy([join(await goTools(), "compose"), FILE], ROOT, { env }));
}
