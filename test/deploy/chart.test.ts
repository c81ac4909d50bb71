// deploy/chart, by Helm and by the schemas of Kubernetes.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { BUILD_TIMEOUT, goTools, kubernetesSchemas } from "../support/deploy-tools.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { variableRows } from "../support/environment.ts";
import { printedBy } from "../support/packages.ts";
import { blockMarked, ROOT } from "../support/pages.ts";
import { readDockerfile } from "./container.ts";

setDefaultTimeout(BUILD_TIMEOUT);

const CHART = join(ROOT, "deploy/chart");
/** The oldest version that the chart accepts, and a recent one. */
const VERSIONS = ["1.30.0", "1.37.0"];

const folder = temporaryDirectory("chart");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
type Resource = any;

const CONFIG = { PUBLIC_URL: "https://id.example.com", TEMPORAL_ADDRESS: "temporal.temporal:7233" };
const INGRESS = { matchLabels: { "kubernetes.io/metadata.name": "ingress" } };
const REQUIRED = { existingSecret: "gatehouse", config: CONFIG, networkPolicy: { proxyNamespace: INGRESS } };
const EVERYTHING = {
  ...REQUIRED,
  config: { ...CONFIG, RATE_LIMIT: 100, EGRESS_CA_FILE: "/run/ca/ca.pem" },
  image: {
    repository: "registry.example.com/gatehouse",
    tag: "1.2.3",
    digest: `sha256:${"a".repeat(64)}`,
    pullSecrets: ["registry"],
  },
  extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
  extraVolumeMounts: [{ name: "ca", mountPath: "/run/ca" }],
  migrate: { existingSecret: "owner" },
  worker: { autoscaling: { enabled: true } },
  ingress: {
    enabled: true,
    host: "id.example.com",
    className: "nginx",
    tlsSecret: "tls",
    annotations: { "a.b/c": "d" },
  },
  networkPolicy: {
    proxyNamespace: INGRESS,
    proxyPods: { matchLabels: { "app.kubernetes.io/name": "ingress-nginx" } },
    workerPorts: [443, 8443],
    extraEgress: [{ ports: [{ port: 4318 }] }],
  },
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
};
/** An IPv6 cluster of OpenShift with a service mesh, and a proxy outside of pods. */
const FOREIGN = {
  existingSecret: "gatehouse",
  config: { ...CONFIG, TEMPORAL_ADDRESS: "[fd00::7]:7233", WEBHOOK_TIMEOUT: "2m", SHUTDOWN_DELAY: "40s" },
  host: "::",
  podSecurityContext: { runAsUser: null, runAsGroup: null },
  podAnnotations: { "prometheus.io/scrape": "false", "example.com/team": "identity" },
  podLabels: { "example.com/team": "identity", "app.kubernetes.io/component": "other" },
  worker: { podAnnotations: { "example.com/team": "webhooks" } },
  networkPolicy: { proxyRanges: ["fd00:1::/64", "10.1.0.0/16"], metricsRanges: ["10.2.0.0/16"] },
};
const FIXED = { server: { autoscaling: { enabled: false } }, networkPolicy: { enabled: false } };
const CASES = { REQUIRED, EVERYTHING, FOREIGN, FIXED: { ...REQUIRED, ...FIXED } };

test.each(Object.entries(CASES))("Helm accepts the chart with values of %s", async (_, values) => {
  await helm("lint", values, { options: ["--strict"] });
});

test.each(VERSIONS)("the schemas of Kubernetes %s accept all resources, and find a wrong field", async (version) => {
  const files = Object.entries(CASES).map(async ([name, values]) => {
    const path = join(folder, `${name}.yaml`);
    writeFileSync(path, await helm("template", values));
    return path;
  });
  const paths = await Promise.all(files);
  const counts = Object.values(CASES).map(async (values) => (await render(values)).length);
  const valid = (await Promise.all(counts)).reduce((sum, count) => sum + count);
  const accepted = JSON.parse(await conform(version, "-summary", "-output", "json", ...paths));
  expect(accepted.summary).toEqual({ valid, invalid: 0, errors: 0, skipped: 0 });

  const wrong = join(folder, "wrong.yaml");
  writeFileSync(wrong, (await helm("template", REQUIRED)).replace("maxUnavailable: 1\n", "maxUnavailble: 1\n"));
  await expect(conform(version, wrong)).rejects.toThrow("maxUnavailble");
});

test("processes have the ports, the user and the variables of the image, without a writable root", async () => {
  const dockerfile = readDockerfile(join(ROOT, "deploy/Dockerfile"));
  const image = dockerfile.findLast(({ word }) => word === "ENV")!.args.split(" ");
  const known = variableRows().flatMap(({ variables }) => variables.map(({ name }) => name));
  for (const { spec, metadata } of await podsOf(EVERYTHING)) {
    const [container] = spec.containers;
    const command = metadata.labels["app.kubernetes.io/component"];
    const env = Object.fromEntries(container.env.map((one: Resource) => [one.name, one.value]));
    expect(Object.keys(env).filter((name) => !known.includes(name) && !name.startsWith("TEMPORAL_"))).toEqual([]);
    expect(env).toMatchObject({ ...CONFIG, RATE_LIMIT: "100" });
    const own = Object.entries(env).filter(([name]) => image.some((pair) => pair.startsWith(`${name}=`)));
    expect(own.map((pair) => pair.join("=")).filter((pair) => !image.includes(pair))).toEqual([]);
    expect(container.args).toEqual([command]);
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const { readOnlyRootFilesystem, capabilities } = container.securityContext;
    expect([readOnlyRootFilesystem, capabilities]).toEqual([true, { drop: ["ALL"] }]);
    if (command === "migrate") continue;
    const port = env[command === "server" ? "PORT" : "WORKER_PORT"];
    const ports = Object.fromEntries(container.ports.map((one: Resource) => [one.name, one.containerPort]));
    expect(ports).toEqual({ http: Number(port), metrics: Number(env.METRICS_PORT) });
    const paths = ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => container[probe].httpGet.path);
    expect(paths).toEqual(["/healthz", "/healthz", "/readyz"]);
    expect(container.lifecycle).toEqual(command === "server" ? { preStop: { sleep: { seconds: 5 } } } : undefined);
  }
});

test("secrets come from existing Secrets, and the migration may have that of the owner", async () => {
  const secrets = (await podsOf(EVERYTHING)).map(({ spec }) =>
    spec.containers[0].envFrom.map(({ secretRef }: Resource) => secretRef.name),
  );
  // The last one takes precedence.
  expect(secrets).toEqual([["gatehouse", "owner"], ["gatehouse"], ["gatehouse"]]);
  expect((await render(EVERYTHING)).filter(({ kind }) => kind === "Secret")).toEqual([]);
});

test("the migration runs before an installation and before an upgrade, after its network policy", async () => {
  const hooks = (await render(REQUIRED)).filter(({ metadata }) => metadata.annotations?.["helm.sh/hook"]);
  const of = (name: string) => hooks.map(({ metadata }) => metadata.annotations[`helm.sh/${name}`]);
  expect(hooks.map(({ kind }) => kind).toSorted()).toEqual(["Job", "NetworkPolicy"]);
  expect(of("hook")).toEqual(["pre-install,pre-upgrade", "pre-install,pre-upgrade"]);
  expect(of("hook-weight").toSorted()).toEqual(["-1", undefined]);
});

test("the API scales by CPU and workers by waiting dispatches, a metric that the documented rule serves", async () => {
  const scalers = await resources(EVERYTHING, "HorizontalPodAutoscaler");
  const metrics = scalers.map(({ spec }) => [spec.scaleTargetRef.name, spec.metrics[0].type]);
  expect(metrics).toEqual([
    ["gatehouse-server", "Resource"],
    ["gatehouse-worker", "External"],
  ]);
  const { name } = scalers[1].spec.metrics[0].external.metric;
  const backlog = await Bun.file(join(ROOT, "server/data/backlog.ts")).text();
  expect(backlog).toContain(`"${name}"`);
  const [rule] = (Bun.YAML.parse(blockMarked("not run: the values of prometheus-adapter").text) as Resource).rules
    .external;
  expect([rule.name.as, rule.seriesQuery]).toEqual([name, `${name}{namespace!=""}`]);
  // A fixed number would undo the scaler's.
  const deployments = await resources(EVERYTHING, "Deployment");
  expect(deployments.map(({ spec }) => spec.replicas)).toEqual([undefined, undefined]);
  const fixed = await resources(CASES.FIXED, "Deployment");
  expect(fixed.map(({ spec }) => spec.replicas)).toEqual([2, 2]);
});

test("one pod of each process may be away, and selectors find its pods only", async () => {
  const deployments = await resources(REQUIRED, "Deployment");
  const budgets = await resources(REQUIRED, "PodDisruptionBudget");
  expect(budgets.map(({ spec }) => spec.maxUnavailable)).toEqual([1, 1]);
  for (const [index, { spec }] of deployments.entries()) {
    expect(budgets[index].spec.selector).toEqual(spec.selector);
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  }
  const [service] = await resources(REQUIRED, "Service");
  expect(service.spec.selector).toEqual(deployments[0].spec.selector.matchLabels);
});

test("only workers and sign-in reach public addresses, and only the API is called", async () => {
  const policies = await resources(EVERYTHING, "NetworkPolicy");
  const all: Record<string, Resource> = Object.fromEntries(
    policies.map(({ spec }) => [spec.podSelector.matchLabels["app.kubernetes.io/component"], spec]),
  );
  const outside = (name: string) => all[name].egress.find(({ to }: Resource) => to?.[0].ipBlock);
  const portsOf = (rule: Resource) => rule?.ports?.map(({ port }: Resource) => port);
  expect(Object.keys(all).toSorted()).toEqual(["migrate", "server", "worker"]);
  expect(Object.values(all).filter(({ policyTypes }) => policyTypes.join() !== "Ingress,Egress")).toEqual([]);
  expect(["migrate", "server", "worker"].map((name) => portsOf(outside(name)))).toEqual([
    undefined,
    [443],
    [443, 8443],
  ]);
  const dns = [53, 53, 5353, 5353];
  expect(all.migrate.egress.flatMap(portsOf)).toEqual([...dns, 5432]);
  expect(all.worker.egress.flatMap(portsOf)).toEqual([...dns, 5432, 7233, 443, 8443, 4318]);
  expect(outside("server").to[0].ipBlock.except).toContain("169.254.0.0/16");
  expect([all.migrate.ingress, portsOf(all.worker.ingress[0])]).toEqual([undefined, ["metrics"]]);
  expect(all.server.ingress.map(portsOf)).toEqual([["http"], ["metrics"]]);
  const { proxyNamespace, proxyPods } = EVERYTHING.networkPolicy;
  expect(all.server.ingress[0].from).toEqual([{ namespaceSelector: proxyNamespace, podSelector: proxyPods }]);
});

test("with TRUST_PROXY, only named namespaces reach the API; without it, every one may", async () => {
  const open = (config: object, networkPolicy: object = {}) =>
    helm("template", { ...REQUIRED, config: { ...CONFIG, ...config }, networkPolicy });
  const refusal = "networkPolicy.proxyNamespace is empty; with config.TRUST_PROXY";
  for (const TRUST_PROXY of [undefined, true, "true", 2, "10.0.0.0/8"]) {
    await expect(open({ TRUST_PROXY })).rejects.toThrow(refusal);
    expect(await open({ TRUST_PROXY }, { proxyNamespace: INGRESS })).toContain("kubernetes.io/metadata.name: ingress");
  }
  // Selectors that look like a choice, and choose all.
  for (const selector of [{ matchLabels: {} }, { matchExpressions: [] }, { matchLabel: { a: "b" } }]) {
    await expect(open({}, { proxyNamespace: selector })).rejects.toThrow("proxyNamespace");
  }
  for (const TRUST_PROXY of [false, "false"]) expect(await open({ TRUST_PROXY })).toContain("kind: NetworkPolicy");
});

test("a digest fixes the image, instead of its tag", async () => {
  const imagesOf = async (values: object) => (await podsOf(values)).map(({ spec }) => spec.containers[0].image);
  const { repository, digest } = EVERYTHING.image;
  expect(await imagesOf(EVERYTHING)).toEqual(Array(3).fill(`${repository}@${digest}`));
  expect(new Set(await imagesOf(REQUIRED)).size).toBe(1);
  expect((await imagesOf(REQUIRED))[0]).toMatch(/^gatehouse:[\d.]+$/);
});

test("an IPv6 cluster listens at ::, and its addresses have brackets", async () => {
  for (const { spec, metadata } of await podsOf(FOREIGN)) {
    const { env } = spec.containers[0];
    expect(env).toContainEqual({ name: "TEMPORAL_ADDRESS", value: "[fd00::7]:7233" });
    const hosts = env.filter(({ name }: Resource) => name.endsWith("HOST")).map(({ value }: Resource) => value);
    expect(hosts).toEqual(metadata.labels["app.kubernetes.io/component"] === "migrate" ? [] : ["::", "::"]);
  }
});

test("a user that the cluster assigns is left out, and the rest of the security context stays", async () => {
  for (const { spec } of await podsOf(FOREIGN)) {
    expect(spec.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  }
});

test("pods have annotations and labels of the values, and the migration gets no proxy of a mesh", async () => {
  const all = (await podsOf(FOREIGN)).map(({ metadata }) => metadata);
  expect(all.map(({ annotations }) => annotations["example.com/team"])).toEqual(["identity", "identity", "webhooks"]);
  expect(all.map(({ annotations }) => annotations["prometheus.io/scrape"])).toEqual(["false", "false", "false"]);
  expect(all.map(({ labels }) => labels["example.com/team"])).toEqual(["identity", "identity", "identity"]);
  expect(all.map(({ labels }) => labels["app.kubernetes.io/component"])).toEqual(["migrate", "server", "worker"]);
  const injected = [all, (await podsOf(REQUIRED)).map(({ metadata }) => metadata)].map((pods) =>
    pods.map(({ labels, annotations }) => [labels, annotations].map((each) => each?.["sidecar.istio.io/inject"])),
  );
  const [none, proxied] = [
    ["false", "false"],
    [undefined, undefined],
  ];
  expect(injected).toEqual(Array(2).fill([none, proxied, proxied]));
});

test("ranges of addresses reach the API and the metrics, beside named namespaces or alone", async () => {
  const from = async (values: object) =>
    (await resources(values, "NetworkPolicy"))
      .filter(({ metadata }) => metadata.name === "gatehouse-server")
      .flatMap(({ spec }) => spec.ingress.map((rule: Resource) => rule.from));
  const blocks = (...cidrs: string[]) => cidrs.map((cidr) => ({ ipBlock: { cidr } }));
  expect(await from(FOREIGN)).toEqual([blocks("fd00:1::/64", "10.1.0.0/16"), blocks("10.2.0.0/16")]);
  const both = { ...REQUIRED, networkPolicy: { proxyNamespace: INGRESS, proxyRanges: ["10.1.0.0/16"] } };
  expect(await from(both)).toEqual([
    [{ namespaceSelector: INGRESS }, ...blocks("10.1.0.0/16")],
    [{ namespaceSelector: {} }],
  ]);
});

test("a pod may take as long to end as its requests or attempts", async () => {
  const secondsOf = async (config: object) =>
    (await podsOf({ ...REQUIRED, config: { ...CONFIG, ...config } })).map(
      (pod) => pod.spec.terminationGracePeriodSeconds,
    );
  expect(await secondsOf({})).toEqual([undefined, 45, 45]);
  expect(await secondsOf({ WEBHOOK_TIMEOUT: "500ms" })).toEqual([undefined, 45, 45]);
  expect(await secondsOf({ WEBHOOK_TIMEOUT: "45s" })).toEqual([undefined, 45, 60]);
  expect(await secondsOf({ SHUTDOWN_DELAY: "40s", SHUTDOWN_GRACE: "60500ms" })).toEqual([undefined, 121, 45]);
  expect((await podsOf(FOREIGN)).map(({ spec }) => spec.terminationGracePeriodSeconds)).toEqual([undefined, 70, 135]);
});

test.each(["a".repeat(53), "a".repeat(46), `gatehouse-${"b".repeat(43)}`, `${"b".repeat(43)}-gatehouse`])(
  "names of a release with a long name are short enough: %s",
  async (release) => {
    const all = resourcesIn(await helm("template", EVERYTHING, { release }));
    const names = all.map(({ metadata }) => metadata.name as string);
    expect(names.filter((name) => name.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name))).toEqual([]);
    expect(new Set(all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).size).toBe(all.length);
    const other = await helm("template", EVERYTHING, { release: `${release.slice(0, -1)}c` });
    expect(names.filter((name) => resourcesIn(other).some(({ metadata }) => metadata.name === name))).toEqual([]);
  },
);

test("a package with build metadata in its version has valid labels and a valid tag", async () => {
  const version = "0.1.0+g1";
  await printedBy(
    [join(await goTools(), "helm"), "package", CHART, "--version", version, "--app-version", version],
    folder,
    {
      env: { HELM_CACHE_HOME: folder },
    },
  );
  const all = resourcesIn(await helm("template", REQUIRED, { chart: join(folder, `gatehouse-${version}.tgz`) }));
  const labels = all.flatMap(({ metadata, spec }) => [metadata.labels, spec.template?.metadata.labels ?? {}]);
  const values = labels.flatMap((each) => Object.values<string>(each));
  expect(values).toContain("gatehouse-0.1.0_g1");
  expect(values.filter((value) => !/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(value))).toEqual([]);
  const images = all.flatMap(({ spec }) => spec.template?.spec.containers.map(({ image }: Resource) => image) ?? []);
  expect(new Set(images)).toEqual(new Set(["gatehouse:0.1.0_g1"]));
});

test("numbers among the variables are written with all their digits", async () => {
  const given = { TENANT_MAX_RECORDS: 20_000_000, WEBHOOK_RETRY_BACKOFF: 1.5, TRUST_PROXY: true, RETENTION: "30d" };
  const pairs = Object.entries(given).map(([name, value]) => ({ name, value: String(value) }));
  for (const { spec } of await podsOf({ ...REQUIRED, config: { ...CONFIG, ...given } })) {
    expect(spec.containers[0].env).toEqual(expect.arrayContaining(pairs));
  }
});

test.each([
  ["a missing secret", { existingSecret: "" }, "/existingSecret"],
  ["a missing address", { config: { PUBLIC_URL: null } }, "PUBLIC_URL"],
  ["a wrong address", { config: { TEMPORAL_ADDRESS: "http://temporal" } }, "/config/TEMPORAL_ADDRESS"],
  ["a secret among the variables", { config: { MASTER_KEY: "a" } }, "MASTER_KEY"],
  ["an unknown value", { sever: {} }, "sever"],
  ["an unknown value inside", { worker: { replica: 3 } }, "replica"],
  ["a text instead of a number", { server: { replicas: "3" } }, "/server/replicas"],
  ["a percentage above 100", { server: { autoscaling: { cpuPercent: 101 } } }, "/server/autoscaling/cpuPercent"],
  [
    "a minimum above the maximum",
    { server: { autoscaling: { minReplicas: 11 } } },
    "server.autoscaling.minReplicas is 11; it must be at most maxReplicas, 10",
  ],
  ["an ingress without a host", { ingress: { enabled: true } }, "/ingress/host"],
  ["a wrong digest", { image: { digest: "sha256:1" } }, "/image/digest"],
  ["a wrong range of a proxy", { networkPolicy: { proxyRanges: ["10.0.0.1"] } }, "/networkPolicy/proxyRanges/0"],
  ["an address to listen at", { host: "10.0.0.1" }, "/host"],
  ["an address without brackets", { config: { TEMPORAL_ADDRESS: "fd00::1:7233" } }, "/config/TEMPORAL_ADDRESS"],
  ["a duration without a unit", { config: { WEBHOOK_TIMEOUT: "10" } }, "/config/WEBHOOK_TIMEOUT"],
  ["a wrong range", { networkPolicy: { privateRanges: ["10.0.0.0"] } }, "/networkPolicy/privateRanges/0"],
])("%s is rejected by name", async (_, wrong: Record<string, object | string>, name) => {
  const config = { ...CONFIG, ...(wrong.config as object) };
  await expect(helm("template", { ...REQUIRED, ...wrong, config })).rejects.toThrow(name);
});

async function conform(version: string, ...args: string[]): Promise<string> {
  const schemas = join(await kubernetesSchemas(VERSIONS), `v${version}-local-strict`);
  const location = ["-schema-location", `${schemas}/{{ .ResourceKind }}{{ .KindSuffix }}.json`];
  return printedBy([join(await goTools(), "kubeconform"), "-strict", ...location, ...args]);
}

async function helm(
  command: string,
  values: object,
  { release = "gatehouse", chart = CHART, options = [] as string[] } = {},
): Promise<string> {
  const path = join(folder, `${Bun.randomUUIDv7()}.json`);
  writeFileSync(path, JSON.stringify(values));
  const env = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  const name = command === "template" ? [release] : [];
  const version = ["--kube-version", VERSIONS.at(-1)!];
  const args = [command, ...name, chart, "--values", path, ...version, ...options];
  return printedBy([join(await goTools(), "helm"), ...args], ROOT, { env });
}

const rendered = new Map<object, Promise<Resource[]>>();

function render(values: object): Promise<Resource[]> {
  const known = rendered.get(values) ?? helm("template", values).then(resourcesIn);
  rendered.set(values, known);
  return known;
}

const resourcesIn = (text: string): Resource[] =>
  parseAllDocuments(text).flatMap((one) => (("toJS" in one && one.toJS()) ?? []) as Resource[]);

const resources = async (values: object, kind: string) =>
  (await render(values)).filter((one) => one.kind === kind).toSorted(byName);

/** Those of the migration, the API and the worker. */
const podsOf = async (values: object) =>
  (await render(values))
    .flatMap(({ kind, spec }) => (kind === "Job" || kind === "Deployment" ? spec.template : []))
    .toSorted((one, other) =>
      one.metadata.labels["app.kubernetes.io/component"].localeCompare(
        other.metadata.labels["app.kubernetes.io/component"],
      ),
    );

const byName = (one: Resource, other: Resource) => one.metadata.name.localeCompare(other.metadata.name);
