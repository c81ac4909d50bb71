// deploy/compose.yaml and the files that it gives to its services.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { findTemporal } from "../../server/appliance/embedded/temporal-binary.ts";
import { migrate } from "../../server/platform/db/migrate.ts";
import { SEARCH_ATTRIBUTES } from "../../workflows/contract.ts";
import { BUILD_TIMEOUT, goTools } from "../support/deploy-tools.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { newNamespace } from "../support/namespace.ts";
import { printedBy } from "../support/packages.ts";
import { ROOT } from "../support/pages.ts";
import { nameSuperuser, session, startPostgresql } from "../support/postgresql.ts";
import { sendRaw } from "../support/raw.ts";
import { until } from "../world/api.ts";
import { makeTable, ping } from "../world/postgresql.ts";
import { rowsOf } from "../world/rows.ts";
import { setting } from "../world/tenant.ts";

setDefaultTimeout(BUILD_TIMEOUT);

const FILE = join(ROOT, "deploy/compose.yaml");
const DEMO = join(ROOT, "deploy/compose.demo.yaml");
/** Of deploy/.env. */
const SECRETS = {
  MASTER_KEY: "key",
  ...{ POSTGRES_PASSWORD: "one", GATEHOUSE_PASSWORD: "two", TEMPORAL_PASSWORD: "three", GRAFANA_PASSWORD: "four" },
};
const folder = temporaryDirectory("compose");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  volumes?: { type: string; source: string; target: string; read_only?: boolean; bind?: { selinux?: string } }[];
  ports?: { host_ip?: string; published: string }[];
  environment?: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
}

const SERVICES = [
  ...["certificates", "grafana", "migrate", "nginx", "postgresql", "prometheus", "server", "temporal"],
  ...["temporal-namespace", "temporal-schema", "temporal-ui", "worker"],
];

test("Compose's library accepts the files, and names a missing secret", async () => {
  expect(Object.keys((await model(SECRETS)).services).toSorted()).toEqual(SERVICES);
  const { services } = await model(SECRETS, FILE, DEMO);
  expect(Object.keys(services).toSorted()).toEqual([...SERVICES, "receiver"].toSorted());
  for (const missing of Object.keys(SECRETS)) {
    await expect(model({ ...SECRETS, [missing]: "" })).rejects.toThrow(`variable ${missing} is missing`);
  }
});

test("only the demo may call private addresses", async () => {
  const allowed = async (...files: string[]) =>
    Object.entries((await model(SECRETS, ...files)).services).flatMap(([name, { environment = {} }]) =>
      Object.keys(environment).some((variable) => variable.startsWith("EGRESS_")) ? [name] : [],
    );
  expect(await allowed(FILE)).toEqual([]);
  expect((await allowed(FILE, DEMO)).toSorted()).toEqual(["server", "worker"]);
});

test("each service has its own secrets, none has a usual one, and no service has the superuser's", async () => {
  const { services } = await model(SECRETS);
  const given = Object.entries(services).flatMap(([name, { environment = {} }]) =>
    Object.entries(SECRETS).flatMap(([secret, value]) =>
      Object.values(environment).some((text) => text === value || text.includes(`:${value}@`)) ? [[secret, name]] : [],
    ),
  );
  const having = Object.fromEntries(
    Object.keys(SECRETS).map((secret) => [secret, given.flatMap(([one, name]) => (one === secret ? [name!] : []))]),
  );
  expect(having).toEqual({
    MASTER_KEY: ["migrate", "server", "worker"],
    POSTGRES_PASSWORD: ["postgresql"],
    GATEHOUSE_PASSWORD: ["migrate", "postgresql", "server", "worker"],
    TEMPORAL_PASSWORD: ["postgresql", "temporal", "temporal-schema"],
    GRAFANA_PASSWORD: ["grafana"],
  });
  // A secret with a fixed value is public.
  const known = new Set<string>(Object.values(SECRETS));
  const fixed = Object.entries(services).flatMap(([name, { environment = {} }]) =>
    Object.entries(environment).flatMap(([variable, text]) =>
      /PASSWORD|PWD|SECRET|TOKEN|_KEY$/.test(variable) && !known.has(text) ? [`${name} ${variable}`] : [],
    ),
  );
  expect(fixed).toEqual([]);
  expect(services.grafana!.environment).not.toHaveProperty("GF_AUTH_ANONYMOUS_ENABLED");
});

test("a script creates roles that are no superusers, and cannot read each other's database", async () => {
  const dataDir = join(folder, "postgresql");
  mkdirSync(dataDir, { mode: 0o711 });
  await using postgresql = await startPostgresql(dataDir);
  const superuser = await nameSuperuser(postgresql.url);
  const { hostname, port, username, password } = new URL(superuser);
  const env = {
    ...{ ...SECRETS, GATEHOUSE_PASSWORD: "it's \\ two", POSTGRES_USER: username, PATH: process.env.PATH! },
    ...{ PGHOST: hostname, PGPORT: port, PGPASSWORD: password },
  };
  await printedBy(["sh", "-eu", join(ROOT, "deploy/compose/postgresql/roles.sh")], ROOT, { env });
  const as = (user: "gatehouse" | "temporal", database: string) => {
    const url = new URL(`postgres://${hostname}:${port}/${database}`);
    url.username = user;
    url.password = encodeURIComponent(user === "gatehouse" ? env.GATEHOUSE_PASSWORD : env.TEMPORAL_PASSWORD);
    return url.href;
  };
  await migrate(as("gatehouse", "gatehouse"));
  for (const database of ["temporal", "temporal_visibility"]) {
    await using own = session(as("temporal", database));
    await makeTable("of_temporal", own);
    await using foreign = session(as("gatehouse", database));
    await expect((async () => ping(foreign))()).rejects.toThrow("permission denied for database");
  }
  await using foreign = session(as("temporal", "gatehouse"));
  await expect((async () => ping(foreign))()).rejects.toThrow("permission denied for database");
  await using admin = session(superuser);
  const rights = { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: false };
  const roles = await rowsOf("pg_roles", { rolname: ["gatehouse", "temporal"], ...rights }, admin);
  expect(roles.map(({ rolname }) => rolname).toSorted()).toEqual(["gatehouse", "temporal"]);
});

test("mounted files exist, ports are local, images have versions, and our own containers are confined", async () => {
  const all = Object.values((await model(SECRETS, FILE, DEMO)).services);
  const mounted = all.flatMap(({ volumes = [] }) => volumes.filter(({ type }) => type === "bind"));
  expect(mounted.filter(({ source }) => !existsSync(source))).toEqual([]);
  // With SELinux, as on Fedora and RHEL, other containers cannot read them. Several services share some of them.
  expect(mounted.filter(({ read_only, bind }) => !read_only || bind?.selinux !== "z")).toEqual([]);
  expect(all.flatMap(({ ports = [] }) => ports.filter(({ host_ip }) => host_ip !== "127.0.0.1"))).toEqual([]);
  expect(all.filter(({ image }) => image !== "gatehouse" && !/:v?\d/.test(image))).toEqual([]);
  const own = all.filter(({ image }) => image === "gatehouse");
  expect(own.filter(({ read_only, cap_drop }) => !read_only || cap_drop?.[0] !== "ALL")).toEqual([]);
});

test("nginx forwards a TLS request to the API, and only requests of local pages to the Temporal UI", async () => {
  const [port, uiPort] = [await freePort(), await freePort()];
  const certificates = join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver");
  await using ui = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("workflows") });
  const config = readFileSync(join(ROOT, "deploy/compose/nginx.conf"), "utf8")
    .replace("server:3000", new URL(setting("GATEHOUSE_TEST_URL")).host)
    .replace("temporal-ui:8080", `127.0.0.1:${ui.port}`)
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replaceAll("listen 8233", `listen 127.0.0.1:${uiPort}`)
    .replaceAll("/run/certificates/receiver", certificates);
  mkdirSync(join(folder, "logs"));
  writeFileSync(join(folder, "nginx.conf"), config);
  const options = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "logs/error.log")];
  const nginx = Bun.spawn(["nginx", ...options, "-g", `daemon off; pid ${folder}/nginx.pid;`], { stderr: "inherit" });
  try {
    const tls = { ca: readFileSync(join(certificates, "ca.pem"), "utf8") };
    const ask = () => fetch(`https://localhost:${port}/readyz`, { tls }).catch(() => undefined);
    await until("an answer through nginx", async () => (await ask())?.status === 200);
    const open = (host: string) =>
      sendRaw(`http://127.0.0.1:${uiPort}`, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of ["localhost:8233", "127.0.0.1:8233"]) expect(await open(host)).toContain("workflows");
    for (const host of ["evil.example", "evil.example:8233", "127.0.0.1.evil.example", "localhost.evil.example"]) {
      const answer = await open(host);
      expect(answer).toStartWith("HTTP/1.1 421");
      expect(answer).not.toContain("workflows");
    }
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

test("the script ends with the name of a search attribute that has a different type", async () => {
  const { path } = await findTemporal({ env: process.env, say: () => {}, signal: new AbortController().signal });
  await using namespace = await newNamespace();
  const env = {
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: namespace.name,
    PATH: `${dirname(path)}:${process.env.PATH}`,
  };
  const create = [path, "operator", "search-attribute", "create", "--name", "EventType", "--type", "Int"];
  await until("the attribute", () =>
    printedBy(create, ROOT, { env }).then(
      () => true,
      () => false,
    ),
  );
  const script = ["sh", "-eu", join(ROOT, "deploy/compose/temporal/namespace.sh")];
  const run = Bun.spawn(script, { env: { ...process.env, ...env }, stdout: "ignore", stderr: "pipe" });
  const late = setTimeout(() => run.kill(), 60_000);
  expect(await new Response(run.stderr).text()).toContain("search attribute EventType already exists");
  expect(await run.exited).toBe(1);
  clearTimeout(late);
});

/** As `docker compose config` shows it. */
async function model(env: Record<string, string>, ...files: string[]): Promise<{ services: Record<string, Service> }> {
  const given = files.length > 0 ? files : [FILE];
  return JSON.parse(await printedBy([join(await goTools(), "compose"), ...given], ROOT, { env }));
}

const freePort = () => nextFreePort(0, "127.0.0.1", new Set());
