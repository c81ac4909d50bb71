// Two APIs and three workers behind nginx, as in production: each is replaced under load, and then killed.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { type Drill, describeStatuses, percentile, startLoad } from "../support/drill.ts";
import { type StartedProcess, startProcess } from "../support/process.ts";
import { startStack } from "../support/stack.ts";
import { signIn, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const APIS = 2;
const WORKERS = 3;
const LANES = 8;
const REST_MS = 2_000;
/** Open deliveries exist only if one arrives within this time. */
const PATIENCE_MS = 60_000;

export const production: Drill = {
  what: "two APIs and three workers behind nginx are replaced under load, then killed (nginx on the PATH)",
  async run(say) {
    const nginx = Bun.which("nginx");
    if (!nginx)
      return { passed: false, summary: "there is no nginx on the PATH (Debian: apt-get install nginx-light)" };
    await using stack = await startStack();
    await Promise.all([stack.parts.api.stop(), stack.parts.worker.stop()]);
    await using running = new AsyncDisposableStack();
    const reserved = new Set<number>();
    const ports: number[] = [];
    for (let index = 0; index <= APIS; index++) ports.push(await nextFreePort(0, "127.0.0.1", reserved));
    const [front, ...behind] = ports as [number, ...number[]];
    const env = {
      ...{ DATABASE_URL: stack.databaseUrl, MASTER_KEY: stack.masterKey, TEMPORAL_ADDRESS: stack.temporalAddress },
      ...{ PUBLIC_URL: stack.publicUrl, TRUST_PROXY: "true", SHUTDOWN_DELAY: "2s" },
      ...{ RATE_LIMIT: "100000", RATE_LIMIT_BURST: "100000", WEBHOOK_RETRY_INITIAL_INTERVAL: "200ms" },
      ...{ EGRESS_ALLOW: "127.0.0.0/8", EGRESS_CA_FILE: join(stack.dataDir, "receiver", "ca.pem") },
    };
    const begin = async (entry: string, message: string, more: Record<string, string> = {}) => {
      const process = running.use(startProcess(entry, { ...env, ...more }));
      await until(`"${message}"`, () => process.lines.some(({ msg }) => msg === message), PATIENCE_MS * 2);
      return process;
    };
    const api = (port: number) => begin("server/serve.ts", "api ready", { PORT: String(port) });
    const worker = () => begin("activities/worker.ts", "worker ready");
    const apis = await Promise.all(behind.map(api));
    const workers = await Promise.all(Array.from({ length: WORKERS }, worker));
    running.use(startNginx(nginx, join(stack.dataDir, "nginx"), front, behind));
    const url = `http://127.0.0.1:${front}`;
    await until("nginx to answer", async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200);

    await using receiver = startReceiver(200, { dataDir: stack.dataDir });
    const { tenant } = await newTenant({ ...stack, url });
    const changes = await signIn(url, tenant);
    await changes.connect(receiver.url);
    const load = startLoad(changes, LANES, url);
    await Bun.sleep(REST_MS);
    const end = async (process: StartedProcess, signal: NodeJS.Signals) => {
      process.signal(signal);
      await process.exited;
    };
    for (const [index, port] of behind.entries()) {
      await end(apis[index]!, "SIGTERM");
      apis[index] = await api(port);
      await Bun.sleep(REST_MS);
    }
    for (const index of workers.keys()) {
      await end(workers[index]!, "SIGTERM");
      workers[index] = await worker();
    }
    const refused = [...load.statuses].filter(([status]) => status !== 200).reduce((sum, [, count]) => sum + count, 0);
    say(`replaced one by one: ${describeStatuses(load)}`);
    const nginxErrors = join(stack.dataDir, "nginx", "error.log");
    for (const [reason, count] of reasonsIn(readFileSync(nginxErrors, "utf8"))) say(`nginx ${count} times: ${reason}`);
    await Promise.all([end(apis[0]!, "SIGKILL"), end(workers[0]!, "SIGKILL"), end(workers[1]!, "SIGKILL")]);
    await Bun.sleep(REST_MS);
    await Promise.all([api(behind[0]!), worker(), worker()]);
    await load.end();
    say(`one API and two workers killed: ${describeStatuses(load)}`);

    const changed = load.statuses.get(200) ?? 0;
    const arrived = () => new Set(receiver.calls.map(({ payload }) => payload.EventId)).size;
    for (let before = -1; arrived() < changed && arrived() > before; ) {
      before = arrived();
      await until("more to arrive", () => arrived() > before + 100 || arrived() >= changed, PATIENCE_MS).catch(
        () => {},
      );
    }
    const lost = Math.max(0, changed - arrived());
    const others = [...load.statuses.keys()].filter((status) => status !== 200 && status < 502);
    const summary = `${refused} requests failed while each was replaced; ${describeStatuses(load)} with the kills, p99 `;
    const posts = `${lost} of ${changed} changes did not arrive, ${receiver.calls.length - arrived()} posts came twice`;
    return {
      passed: refused === 0 && lost === 0 && others.length === 0,
      summary: `${summary}${percentile(load.milliseconds, 0.99)} ms; ${posts}`,
    };
  },
};

/** Reasons in nginx's log, with their counts. */
function reasonsIn(log: string): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const [, reason] of log.matchAll(/\*\d+ (.*?), client/g)) reasons.set(reason!, (reasons.get(reason!) ?? 0) + 1);
  return reasons;
}

/** The configuration in docs/operations.md. */
function startNginx(nginx: string, folder: string, port: number, apis: number[]): AsyncDisposable {
  mkdirSync(folder);
  const config = join(folder, "nginx.conf");
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  writeFileSync(
    config,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
    http {
      access_log off; ${paths.join(" ")}
      upstream apis {
        ${apis.map((api) => `server 127.0.0.1:${api} max_fails=0;`).join(" ")}
        keepalive 32; keepalive_timeout 1s;
      }
      server {
        listen 127.0.0.1:${port}; client_max_body_size 2m; large_client_header_buffers 4 16k;
        location / {
          proxy_pass http://apis; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_connect_timeout 2s; proxy_next_upstream error timeout; proxy_next_upstream_tries 2;
          proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr;
        }
      }
    }`,
  );
  const child = Bun.spawn([nginx, "-p", folder, "-c", config], { stdio: ["ignore", "inherit", "inherit"] });
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}
