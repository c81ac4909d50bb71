// The services of deploy/compose.yaml and compose.demo.yaml from programs of this machine, with the same configuration files. They run in
// namespaces of Linux of their own, where each service has its name and its ports.

import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newMasterKey, newPassword } from "../../server/appliance/embedded/data-directory.ts";
import type { NewTenant } from "../../server/identity/tenants/index.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { startNameServer } from "../support/dns.ts";
import type { Drill, Verdict } from "../support/drill.ts";
import { printedBy } from "../support/packages.ts";
import { nameSuperuser, startPostgresql } from "../support/postgresql.ts";
import { temporalPath, temporalPrograms } from "../support/temporal-server.ts";
import { signIn, until } from "../world/api.ts";

/** Set in the namespaces, to the drill's folder. */
const INSIDE = "GATEHOUSE_DRILL_FOLDER";
const DEPLOY = join(PROJECT_ROOT, "deploy");
const CHANGES = 100;
const PATIENCE_MS = 120_000;
/** `stop_grace_period` */
const GRACE_MS = 45_000;
/** The exit code of the UI, which does not handle the signal. */
const SIGTERM = 143;
/** Both have a port 9464, so each has its own address. */
const ADDRESSES = { server: "127.0.1.1", worker: "127.0.1.2" };
const LOOPBACK = ["postgresql", "temporal", "temporal-ui", "prometheus"];
/** Of deploy/Dockerfile, apart from the addresses. */
const IMAGE = { PORT: "3000", WORKER_PORT: "3001" };
/** As in deploy/gatehouse. */
const ENTRIES: Record<string, string> = {
  server: "server/serve.ts",
  worker: "activities/worker.ts",
  migrate: "server/appliance/commands/migrate.ts",
  tenant: "server/appliance/commands/tenant.ts",
};
const TASKS = ["certificates", "migrate", "temporal-schema", "temporal-namespace"];
const RUNNING = ["postgresql", "temporal", "temporal-ui", "worker", "server", "receiver", "nginx", "prometheus"];
const ABSENT = ["grafana"];

interface Service {
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
}

export const compose: Drill = {
  what: "the services of deploy/compose.yaml, from programs of this machine: changes, deliveries, metrics (root)",
  run: (say) => (process.env[INSIDE] ? drill(say, process.env[INSIDE]) : enter()),
};

/** Starts this drill again in its namespaces, where its end ends all processes. */
async function enter(): Promise<never> {
  // Built outside, where Go reaches its modules.
  const PATH = await temporalPath();
  const folder = temporaryDirectory("compose");
  const certificates = join(folder, "certificates");
  mkdirSync(certificates);
  const [shell, flags, script] = services().certificates!.entrypoint!;
  const paths: [string, string][] = [
    ["/app/", `${PROJECT_ROOT}/`],
    ["/run/certificates", certificates],
  ];
  const local = paths.reduce((text, [from, to]) => text.replaceAll(from, to), script!);
  await printedBy([shell!, flags!, local], PROJECT_ROOT, { env: { PATH: `${dirname(process.execPath)}:${PATH}` } });
  const unshare = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const child = Bun.spawn([...unshare, process.execPath, ...process.argv.slice(1)], {
    env: { ...process.env, PATH, [INSIDE]: folder, NODE_EXTRA_CA_CERTS: join(certificates, "receiver/ca.pem") },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await child.exited;
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

async function drill(say: (line: string) => void, folder: string): Promise<Verdict> {
  const left = Object.keys(services()).filter((name) => ![...TASKS, ...RUNNING, ...ABSENT].includes(name));
  if (left.length > 0) return { passed: false, summary: `this drill does not know ${left.join(", ")}` };
  say(
    `${ABSENT.join(", ")}: not on this machine, so left out; test/deploy/monitoring.test.ts runs the board's queries`,
  );
  using _names = await startNetwork(folder);
  await using started = new AsyncDisposableStack();
  const { gatehouse, ended, received } = await startAll(started, folder);
  say(`${RUNNING.join(", ")}: started`);

  const tenant = JSON.parse(await gatehouse("tenant", "create", "drill")) as NewTenant;
  const api = await signIn("https://localhost", tenant);
  await api.connect("https://localhost:8443/");
  for (let change = 0; change < CHANGES; change++) await api.change({ Name: `Gate ${change}` });
  const delivered = async () => (await api.events(`State=Delivered&Limit=${CHANGES}`)).Items.length;
  await until("every delivery", async () => (await delivered()) === CHANGES, PATIENCE_MS);
  say(`${CHANGES} changes through nginx with TLS, all delivered; the receiver has printed ${received()}`);

  const scraped = async () => Number((await query('sum(gatehouse_webhook_deliveries_total{state="Delivered"})'))[0]);
  await until("Prometheus to know", async () => (await scraped()) >= CHANGES, PATIENCE_MS);
  let up: string[] = [];
  const areUp = async () => {
    up = await query('up{job="gatehouse"}');
    return up.join() === "1,1";
  };
  await until("both targets to be scraped", areUp, PATIENCE_MS).catch(() => {});
  let rules: { name: string; health: string }[] = [];
  const unwell = () => rules.filter(({ health }) => health !== "ok").map(({ name }) => name);
  const areEvaluated = async () => {
    rules = (await prometheus("rules")).groups.flatMap((group: { rules: typeof rules }) => group.rules);
    return rules.length > 0 && unwell().length === 0;
  };
  await until("the rules to be evaluated", areEvaluated, PATIENCE_MS).catch(() => {});
  const alerts = (await prometheus("alerts")).alerts as { state: string; labels: { alertname: string } }[];
  const firing = alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname);
  say(
    `Prometheus: ${up.length} targets, up ${up.join(" and ")}; ${rules.length} rules, not evaluated: ` +
      `${unwell().join(", ") || "none"}, firing: ${firing.join(", ") || "none"}`,
  );
  const workflows = await listWorkflows();
  say(`Temporal UI: lists ${workflows} workflows`);

  const stopped = await ended();
  say(`stopped: ${stopped.map(([name, code]) => `${name} ${code}`).join(", ")}`);
  const passed =
    received() >= CHANGES &&
    up.join() === "1,1" &&
    rules.length > 0 &&
    unwell().length + firing.length === 0 &&
    workflows > 0 &&
    stopped.every(([name, code]) => code === (name === "temporal-ui" ? SIGTERM : 0));
  return { passed, summary: `${CHANGES} changes delivered, ${rules.length} rules, all parts ended` };
}

/** Names for /etc/hosts and for Prometheus, which asks a name server. */
async function startNetwork(folder: string): Promise<Disposable> {
  await printedBy(["ip", "link", "set", "lo", "up"]);
  const addresses = new Map(
    Object.entries({ ...Object.fromEntries(LOOPBACK.map((name) => [name, "127.0.0.1"])), ...ADDRESSES }),
  );
  const lines = [...addresses].map(([name, address]) => `${address} ${name}\n`);
  writeFileSync(join(folder, "hosts"), `127.0.0.1 localhost\n::1 localhost\n${lines.join("")}`);
  writeFileSync(join(folder, "resolv.conf"), "nameserver 127.0.0.1\n");
  for (const name of ["hosts", "resolv.conf"]) await printedBy(["mount", "--bind", join(folder, name), `/etc/${name}`]);
  await printedBy(["mount", "-t", "tmpfs", "tmpfs", "/run"]);
  mkdirSync("/run/certificates");
  await printedBy(["mount", "--bind", join(folder, "certificates"), "/run/certificates"]);
  return startNameServer((name) => {
    const address = addresses.get(name);
    return address ? { address } : "nowhere";
  }, 53);
}

/** In the order of `depends_on`. */
async function startAll(started: AsyncDisposableStack, folder: string) {
  const database = join(folder, "postgresql");
  mkdirSync(database, { mode: 0o711 });
  const settings = Object.fromEntries(
    services()
      .postgresql!.command!.slice(1)
      .filter((word) => word !== "-c")
      .map((word) => word.split("=")),
  );
  const { url } = started.use(await startPostgresql(database, settings, 5432));
  const { username, password } = new URL(await nameSuperuser(url));
  const secrets = new Map([
    ["POSTGRES_PASSWORD", password],
    ["GATEHOUSE_PASSWORD", newPassword()],
    ["TEMPORAL_PASSWORD", newPassword()],
    ["MASTER_KEY", newMasterKey()],
  ]);

  const envOf = (name: string): Record<string, string> => {
    const { environment = {} } = services()[name]!;
    const filled = (text: string) => text.replace(/\$\{(\w+)[^}]*\}/g, (_, variable) => secrets.get(variable)!);
    const own = Object.entries(environment).map(([variable, text]) => [variable, filled(String(text))]);
    return { PATH: process.env.PATH!, HOME: folder, DATA_DIR: folder, ...Object.fromEntries(own) };
  };
  const script = (name: string) => {
    const [shell, flags, path] = services()[name]!.entrypoint!;
    return printedBy([shell!, flags!, path!.replace("/temporal/", `${DEPLOY}/compose/temporal/`)], folder, {
      env: envOf(name),
    });
  };
  const superuser = { PGHOST: "127.0.0.1", PGPASSWORD: password, POSTGRES_USER: username };
  await printedBy(["sh", "-eu", join(DEPLOY, "compose/postgresql/roles.sh")], folder, {
    env: { ...envOf("postgresql"), ...superuser },
  });
  const running = new Map<string, Bun.Subprocess>();
  const logs = new Map<string, string>();
  const run = (name: string, command: string[], env: Record<string, string> = {}, cwd = PROJECT_ROOT) => {
    logs.set(name, join(folder, `${name}.log`));
    const log = openSync(logs.get(name)!, "a");
    const child = Bun.spawn(command, { cwd, env: { ...envOf(name), ...env }, stdio: ["ignore", log, log] });
    closeSync(log);
    running.set(name, child);
  };
  const said = (name: string, text: string) =>
    until(`${name} to say "${text}"`, () => readFileSync(logs.get(name)!, "utf8").includes(text), PATIENCE_MS);
  const programs = await temporalPrograms();

  await script("temporal-schema");
  const dynamic = join(DEPLOY, "compose/temporal/dynamic.yaml");
  run("temporal", [join(programs, "temporal-server"), "start"], {
    DYNAMIC_CONFIG_FILE_PATH: dynamic,
    // As the image's entry point does.
    TEMPORAL_BROADCAST_ADDRESS: "127.0.0.1",
  });
  await script("temporal-namespace");
  run("temporal-ui", [join(programs, "temporal-ui-server"), "--env", "docker", "start"], {}, programs);

  const image = (name: "server" | "worker") => ({
    ...IMAGE,
    ...Object.fromEntries(["HOST", "WORKER_HOST", "METRICS_HOST"].map((variable) => [variable, ADDRESSES[name]])),
  });
  const entry = (name: string) => [process.execPath, "--no-env-file", join(PROJECT_ROOT, ENTRIES[name]!)];
  await printedBy(entry("migrate"), PROJECT_ROOT, { env: envOf("migrate") });
  for (const name of ["worker", "server"] as const) run(name, entry(name), image(name));
  await Promise.all([said("worker", "worker ready"), said("server", "api ready")]);
  run("receiver", [process.execPath, join(PROJECT_ROOT, "examples/receiver/main.ts")]);
  await said("receiver", "Receiver is listening");
  const nginx = ["-c", join(DEPLOY, "compose/nginx.conf"), "-p", folder, "-e", join(folder, "nginx-error.log")];
  run("nginx", ["nginx", ...nginx, "-g", `daemon off; pid ${folder}/nginx.pid;`]);
  await until("nginx", async () => (await fetch("https://localhost/readyz").catch(() => undefined))?.status === 200);
  const config = `--config.file=${DEPLOY}/compose/prometheus.yaml`;
  run("prometheus", ["prometheus", config, `--storage.tsdb.path=${folder}/prometheus`]);

  return {
    gatehouse: (...command: string[]) =>
      printedBy([...entry("tenant"), ...command.slice(1)], PROJECT_ROOT, { env: envOf("server") }),
    /** The lines of received events. */
    received: () => readFileSync(logs.get("receiver")!, "utf8").match(/Created Application/g)?.length ?? 0,
    /** Stops all, the last first. @returns the exit code of each */
    async ended(): Promise<[string, number | string][]> {
      const codes: [string, number | string][] = [];
      for (const [name, child] of [...running].toReversed()) {
        child.kill("SIGTERM");
        const code = await Promise.race([child.exited, Bun.sleep(GRACE_MS).then(() => "killed")]);
        codes.push([name, code]);
        running.delete(name);
      }
      return codes;
    },
  };
}

async function prometheus(path: string) {
  const answer = await fetch(`http://prometheus:9090/api/v1/${path}`);
  const { status, data, error } = await answer.json();
  if (status !== "success") throw new Error(`${path}: ${error}`);
  return data;
}

/** @returns the value of each series */
async function query(text: string): Promise<string[]> {
  const { result } = await prometheus(`query?${new URLSearchParams({ query: text })}`);
  return result.map(({ value }: { value: [number, string] }) => value[1]);
}

/** Through nginx. */
async function listWorkflows(): Promise<number> {
  const answer = await fetch("http://localhost:8233/api/v1/namespaces/default/workflows");
  const { executions } = (await answer.json()) as { executions: unknown[] };
  return executions.length;
}

/** Those of both files. */
function services(): Record<string, Service> {
  const [own, demo] = ["compose.yaml", "compose.demo.yaml"].map(
    (name) =>
      (Bun.YAML.parse(readFileSync(join(DEPLOY, name), "utf8")) as { services: Record<string, Service> }).services,
  ) as [Record<string, Service>, Record<string, Service>];
  const merged = Object.entries(demo).map(([name, service]) => {
    const environment = { ...own[name]?.environment, ...service.environment };
    return [name, { ...own[name], ...service, environment }] as const;
  });
  return { ...own, ...Object.fromEntries(merged) };
}
