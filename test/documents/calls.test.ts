// Runs the commands in the documents; the tour of README.md has its own test.

import { expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Connection } from "@temporalio/client";
import { findTemporal } from "../../server/appliance/embedded/temporal-binary.ts";
import { CLUSTER_ATTRIBUTES } from "../../server/platform/temporal/cluster.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { blockMarked, blocksMarked, blocksOf, ROOT } from "../support/pages.ts";
import { withoutSettings } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant, setting, shared } from "../world/tenant.ts";

/** Kinds with only one block, each with its own test; those of `chain`, `exchange`, `apply` and `statement` are in other folders. */
const SINGLE = [
  "run: chain",
  "run: temporal",
  "run: tenant",
  "run: grants",
  "run: drop",
  "run: policy",
  "run: editors",
  "run: exchange",
  "run: apply",
  "run: import",
  "run: statement",
];

test("every kind of block has a test", () => {
  const kinds = new Set(blocksMarked("run").map(({ mark }) => mark));
  expect([...kinds].toSorted()).toEqual(["run: call", ...SINGLE].toSorted());
  for (const kind of SINGLE) blockMarked(kind);
});

const calls = blocksMarked("run").filter(({ mark }) => mark === "run: call");

test.concurrent.each(calls.map((block) => [`${block.path}:${block.line}`, block.text]))("%s", async (_, text) => {
  await using receiver = startReceiver(200);
  const api = await newTenant();
  const connection = await api.connect(receiver.url);
  const folder = temporaryDirectory("calls");
  const { url } = shared();
  await mkdir(join(folder, ".gatehouse"));
  await writeFile(join(folder, ".gatehouse/demo.json"), JSON.stringify({ publicUrl: url, ...api.tenant }));
  await writeFile(join(folder, "sales.cedar"), blockMarked("run: policy").text);
  const [setUp] = blocksOf("README.md").filter(({ text }) => text.includes("api() {"));
  const printed = await paste(`${setUp!.text}\n${text}`, folder, {
    CONNECTION_ID: connection.Id,
    WEBHOOK_SECRET: crypto.randomUUID(),
  });
  const answers = printed.split(/^(?=\{)/m).map((answer) => JSON.parse(answer));
  expect(answers).toHaveLength(text.match(/\b(api|curl)\b/g)!.length);
  for (const answer of answers) {
    for (const word of ["Errors", "error"]) expect(answer).not.toHaveProperty(word);
    // The page has just got this token.
    if ("active" in answer) expect(answer.active).toBe(true);
  }
});

test("a tenant is created, and its client has the redirect URI", async () => {
  const printed = await paste(blockMarked("run: tenant").text, ROOT, {
    DATABASE_URL: shared().databaseUrl,
    MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
  });
  expect(JSON.parse(printed.slice(printed.indexOf("{")))).toMatchObject({
    admin: { username: "admin", password: expect.any(String) },
    client: { clientSecret: expect.any(String), redirectUris: ["https://app.example.com/callback"] },
  });
});

test("a namespace is created with our search attributes", async () => {
  const { path } = await findTemporal({ env: process.env, say: () => {}, signal: new AbortController().signal });
  const programs = temporaryDirectory("temporal");
  await symlink(path, join(programs, "temporal"));
  const namespace = `documents-${Bun.randomUUIDv7()}`;
  const address = setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS");
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
  };
  const [create, add] = blockMarked("run: temporal").text.split(/^(?=temporal operator search-attribute)/m);
  const connection = await Connection.connect({ address });
  try {
    await paste(create!.replace("--namespace default", `--namespace ${namespace}`), programs, env);
    await until("the namespace", () =>
      connection.workflowService.describeNamespace({ namespace }).then(
        () => true,
        () => false,
      ),
    );
    await paste(add!, programs, env);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const wanted = Object.fromEntries(CLUSTER_ATTRIBUTES.map(({ name, number }) => [name, number]));
    expect(customAttributes).toEqual(wanted);
  } finally {
    await connection.close();
  }
});

test("the payload shown equals a real one, field by field", async () => {
  await using receiver = startReceiver(200);
  const api = await newTenant();
  await api.connect(receiver.url, { Events: ["Updated"] });
  const shown = JSON.parse(blockMarked("shows: payload").text);
  const { Name, ApplicationKey, ExternalId, WebSiteURL, Is_EndUser, Is_Active, Description } = shown.Data;
  await api.change({ Name, ApplicationKey, ExternalId, WebSiteURL, Is_EndUser, Is_Active });
  await api.settledChange({ Name, Description });
  const sent = JSON.parse(receiver.calls[0]!.bytes.toString());
  expect(shapeOf(shown)).toEqual(shapeOf(sent));
  const set = { Name, ApplicationKey, ExternalId, WebSiteURL, Is_EndUser, Is_Active, Description };
  expect(sent).toMatchObject({ EventType: shown.EventType, Version: shown.Version, Data: set });
});

test("the error shown is that of an invalid Is_Active", async () => {
  const shown = JSON.parse(blockMarked("shows: error").text);
  const { body } = await (await newTenant()).call("PATCH", "/Application", { Name: "Payroll", Is_Active: "yes" });
  expect(body).toEqual({ ...shown, RequestKey: expect.any(String) });
});

/** Every field's path and type, in order. */
function shapeOf(value: unknown, path = ""): string[] {
  if (value === null || typeof value !== "object") return [`${path}: ${typeof value}`];
  return Object.entries(value).flatMap(([name, each]) => shapeOf(each, `${path}.${name}`));
}

async function paste(script: string, cwd: string, env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(["bash", "-e", "-c", script], {
    cwd,
    env: { ...withoutSettings(process.env), ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, problems] = await Promise.all([child.stdout, child.stderr].map((pipe) => new Response(pipe).text()));
  if ((await child.exited) !== 0) throw new Error(`${script}\nended with ${child.exitCode}:\n${problems}`);
  return printed!;
}
