// The alerts of deploy/prometheus and the board of deploy/grafana, with a real Prometheus.

import { afterAll, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTaken } from "../../server/appliance/embedded/ports.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { printedBy } from "../support/packages.ts";
import { ROOT, readPage } from "../support/pages.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const RULES = join(ROOT, "deploy/prometheus/rules.yaml");
const operations = readPage("docs/operations.md");
const boardText = readFileSync(join(ROOT, "deploy/grafana/gatehouse.json"), "utf8");
const folder = temporaryDirectory("monitoring");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Rule {
  alert: string;
  annotations: { runbook: string };
}
const { groups } = Bun.YAML.parse(readFileSync(RULES, "utf8")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const { panels } = JSON.parse(boardText) as { panels: Panel[] };

test("promtool accepts the alerts, and their tests pass", async () => {
  await printedBy(["promtool", "check", "rules", RULES]);
  await printedBy(["promtool", "test", "rules", "rules.test.yaml"], join(ROOT, "deploy/prometheus"));
});

test("each alert has a test in which it fires and one in which it does not", () => {
  const text = readFileSync(join(ROOT, "deploy/prometheus/rules.test.yaml"), "utf8");
  const { tests } = Bun.YAML.parse(text) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: { exp_labels: Record<string, string> }[] }[] }[];
  };
  const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
  for (const { alert } of rules) {
    const fired = cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts);
    expect({ alert, fired: [...new Set(fired.map(({ length }) => length > 0))] }).toEqual({
      alert,
      fired: [true, false],
    });
    expect({ alert, labels: fired[0]![0]!.exp_labels }).toMatchObject({
      alert,
      labels: { namespace: "one", job: "pods" },
    });
  }
});

test("each alert links to what to do, and each of these headings is an alert", () => {
  const headings = [...operations.matchAll(/^#### (\w+)$/gm)].map(([, name]) => name!);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
  expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
    headings.map((name) => `docs/operations.md#${name.toLowerCase()}`),
  );
});

test("alerts and board use documented metrics only", () => {
  const documented = [...operations.matchAll(/^\| `(gatehouse_[a-z_]+)/gm)].map(([, name]) => name!);
  const used = `${readFileSync(RULES, "utf8")}${boardText}`.match(/\bgatehouse_[a-z_]+/g)!;
  const plain = used.map((name) => (documented.includes(name) ? name : name.replace(/_(bucket|sum|count)$/, "")));
  expect([...new Set(plain)].filter((name) => !documented.includes(name))).toEqual([]);
});

test(
  "every query of the board returns a series from a Gatehouse that has delivered",
  async () => {
    const port = await threeFreePorts();
    await using stack = await startStack({ env: { METRICS_PORT: String(port) } });
    const api = await newTenant(stack);
    await using hook = startReceiver(200, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
    await api.connect(hook.url);
    await using prometheus = startPrometheus(port);
    const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    expect(queries.length).toBeGreaterThan(30);
    let empty = queries;
    let changes = 0;
    const areAllThere = async () => {
      await api.change({ Name: "Gate", Description: String(changes++) });
      const results = await Promise.all(queries.map(({ expr }) => prometheus.query(expr)));
      empty = queries.filter((_, at) => results[at] === 0);
      return empty.length === 0;
    };
    await until("the series", areAllThere).catch(() => {});
    expect(empty).toEqual([]);
    expect(await prometheus.firing()).toEqual([]);
  },
  { timeout: 180_000 },
);

function startPrometheus(port: number) {
  const config = join(folder, "prometheus.yaml");
  const targets = [`127.0.0.1:${port}`, `127.0.0.1:${port + 1}`];
  const scrape = { job_name: "gatehouse", scrape_interval: "1s", static_configs: [{ targets }] };
  writeFileSync(
    config,
    JSON.stringify({ global: { evaluation_interval: "1s" }, rule_files: [RULES], scrape_configs: [scrape] }),
  );
  const url = `http://127.0.0.1:${port + 2}`;
  const options = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, "data")}`];
  const child = Bun.spawn(["prometheus", ...options, `--web.listen-address=127.0.0.1:${port + 2}`], {
    stdout: "ignore",
    stderr: "ignore",
  });
  const ask = async (path: string) => {
    const answer = await fetch(`${url}/api/v1/${path}`).catch(() => undefined);
    if (!answer || answer.status === 503) return undefined;
    const { status, data, error } = await answer.json();
    if (status !== "success") throw new Error(`${path}: ${error}`);
    return data;
  };
  return {
    /** @returns the number of series */
    async query(expr: string): Promise<number> {
      const query = expr.replaceAll("$__rate_interval", "10s");
      return (await ask(`query?${new URLSearchParams({ query })}`))?.result.length ?? 0;
    },
    async firing(): Promise<string[]> {
      const { alerts } = await ask("alerts");
      return alerts.filter(({ state }: { state: string }) => state === "firing");
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

async function threeFreePorts(): Promise<number> {
  for (let first = 10_000 + Math.floor(Math.random() * 10_000); ; first += 3) {
    const taken = await Promise.all([0, 1, 2].map((more) => isTaken(first + more, "127.0.0.1")));
    if (!taken.includes(true)) return first;
  }
}
