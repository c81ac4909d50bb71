// deploy/Dockerfile, followed step by step, and its image.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import packageJson from "../../package.json" with { type: "json" };
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { npmTools } from "../support/deploy-tools.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { newNamespace } from "../support/namespace.ts";
import { printedBy } from "../support/packages.ts";
import { ROOT } from "../support/pages.ts";
import { PROXIES } from "../support/proxies.ts";
import { signIn, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { setting } from "../world/tenant.ts";
import { buildImage, type Image, readDockerfile, runImage } from "./container.ts";

const DOCKERFILE = join(ROOT, "deploy/Dockerfile");
/** Of everything in /app. */
const MAX_MIB = 160;
/** Permissive licences. */
const LICENCES =
  /^\(?((MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|CC-BY-4\.0|Python-2\.0)( (AND|OR) )?)+\)?$/;

const folder = temporaryDirectory("image");
let image: Image;
let made: string;

beforeAll(async () => {
  image = await buildImage(DOCKERFILE, folder);
  made = join(image.layers.at(-1)!, "app");
  // The first time on a machine, this downloads a Debian.
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the Dockerfile has no problem, and the Bun that package.json asks for", async () => {
  const lint = [process.execPath, join(await npmTools(), "dockerfile-utils/bin/dockerfile-utils"), "lint", DOCKERFILE];
  expect(await printedBy(lint)).toBe("");
  expect(readDockerfile(DOCKERFILE).slice(0, 2)).toEqual([
    // A digest can be added to it.
    { word: "ARG", args: `BASE=oven/bun:${packageJson.engines.bun}-slim` },
    { word: "FROM", args: "$BASE AS base" },
  ]);
});

test("the image migrates, serves and delivers as an ordinary user on a read-only root, and stops on SIGTERM", async () => {
  await using database = await newEmptyDatabase();
  await using namespace = await newNamespace();
  await namespace.addSearchAttributes();
  await using receiver = startReceiver();
  const reserved = new Set<number>();
  const port = async () => String(await nextFreePort(0, "127.0.0.1", reserved));
  const env = {
    DATABASE_URL: database.url,
    MASTER_KEY: newMasterKey(),
    PORT: await port(),
    WORKER_PORT: await port(),
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: namespace.name,
    EGRESS_ALLOW: "127.0.0.0/8",
    EGRESS_CA_FILE: "/run/host/ca.pem",
    ...PROXIES,
  };
  const volume = join(folder, "volume");
  mkdirSync(volume);
  cpSync(join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver/ca.pem"), join(volume, "ca.pem"));
  const start = (...command: string[]) =>
    runImage(image, folder, { env, volume, ...(command.length > 0 && { command }) });
  const isHealthy = async () => (await start(...image.healthcheck.slice(1)).exited) === 0;

  expect(await start("serve").exited).toBe(2);
  expect(await isHealthy()).toBe(false);
  expect(await start("migrate").exited).toBe(0);
  await using worker = start("worker");
  await worker.said((message) => message === "worker ready");
  expect(worker.lines.filter(({ msg }) => /bundle/i.test(String(msg)))).toEqual([]);
  expect(await isHealthy()).toBe(true);
  await using server = start();
  await server.said((message) => message === "api ready");
  expect({ user: image.user, HOST: image.env.HOST }).toEqual({ user: "1000:1000", HOST: "0.0.0.0" });
  expect(await isHealthy()).toBe(true);

  const url = `http://127.0.0.1:${env.PORT}`;
  const api = await signIn(url, await createTenant(database.sql, "acme"));
  await api.connect(receiver.url);
  await api.change({ Name: "Front door" });
  await until("the delivery", () => receiver.calls.length === 1);

  for (const each of [server, worker]) {
    each.signal("SIGTERM");
    expect(await each.exited).toBe(0);
  }
});

test("entries of the image import only files that it has", async () => {
  const script = readFileSync(join(ROOT, "deploy/gatehouse"), "utf8");
  const commands = /^ {2}(migrate .*)\)/m.exec(script)![1]!.split(" | ");
  const entries = [...script.matchAll(/exec bun --no-env-file (\w+\/\w+\.ts)/g)].map(([, entry]) => entry!);
  expect(entries).toEqual(["server/serve.ts", "activities/worker.ts"]);
  for (const entry of [...entries, ...commands.map((command) => `server/appliance/commands/${command}.ts`)]) {
    const built = await Bun.build({
      entrypoints: [join(made, entry)],
      target: "bun",
      packages: "external",
      throw: false,
    });
    expect([entry, ...built.logs.map(({ message }) => message)]).toEqual([entry]);
  }
});

test("the image lists its packages and their licences in CycloneDX", async () => {
  const schemas = join(await npmTools(), "@cyclonedx/cyclonedx-library/res/schema");
  const schema = (file: string) => JSON.parse(readFileSync(join(schemas, file), "utf8"));
  const ajv = new Ajv({ strict: false, formats: { "iri-reference": true, "idn-email": true } });
  addFormats(ajv);
  for (const file of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"]) {
    ajv.addSchema(schema(file), `http://cyclonedx.org/schema/${file}`);
  }
  const bill = JSON.parse(readFileSync(join(made, "sbom.cdx.json"), "utf8"));
  const isValid = ajv.compile(schema("bom-1.6.SNAPSHOT.schema.json"));
  isValid(bill);
  expect(isValid.errors).toBeNull();
  const components: { name: string; licenses: { expression: string }[]; hashes?: unknown[] }[] = bill.components;
  expect(components.filter(({ licenses }) => !LICENCES.test(licenses[0]!.expression))).toEqual([]);
  expect(components.filter(({ name, hashes }) => name !== "bun" && hashes?.length !== 1)).toEqual([]);
  const names = components.map(({ name }) => name);
  expect(Object.keys(packageJson.dependencies).filter((name) => !names.includes(name))).toEqual([]);
  // Production packages depend on these, too.
  expect(Object.keys(packageJson.devDependencies).filter((name) => names.includes(name))).toEqual([
    "ajv",
    "ajv-formats",
    "oauth4webapi",
  ]);
});

test("the image has only files that it needs, which all users may read", async () => {
  const files = (await printedBy(["find", made, "-type", "f", "-printf", "%P %m %s\n"])).trim().split("\n");
  expect(files.filter((line) => !/ [67][45][45] \d+$/.test(line))).toEqual([]);
  const folders = new Set(files.map((line) => line.split(/[/ ]/)[0]!));
  expect([...folders].toSorted()).toEqual([
    ...["LICENSE", "activities", "bun.lock", "bunfig.toml", "examples", "node_modules", "package.json", "patches"],
    ...["sbom.cdx.json", "server", "tsconfig.json", "workflows"],
  ]);
  const mib = Math.round(files.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0) / 2 ** 20);
  console.log(`Beside Debian, Bun and tini, the image has ${mib} MiB.`);
  expect(mib).toBeLessThan(MAX_MIB);
});
