// Schemathesis, a fuzzer, tries the running Gatehouse against its own OpenAPI document with thousands of generated
// requests. It is installed from PyPI once per machine. For some of the requests, fresh.ts makes the records and tokens
// that they name.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { cachedFolder, markOf } from "../support/cache.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { printedBy } from "../support/packages.ts";
import { API } from "../world/api.ts";
import { operationsOf, readDocument } from "../world/documented.ts";
import { freshRecords } from "../world/fresh.ts";
import { newTenant, savePolicy } from "../world/tenant.ts";

const VERSION = "4.32.5";
const PATIENCE_MS = 30 * 60_000;
const FRESH_PER_OPERATION = "2";
/** The share of operations that are answered with a status below 400 at least once. */
const MIN_JUDGED = 0.9;
/** Its stateful phase takes X-Request-Id for a record's Id and stumbles over a number in a header. */
const CONFIGURATION = '[parameters]\n"header.X-Request-Id" = "schemathesis"\n';
/** The fuzzer changes and deletes all other records. */
const CLIENT_LASTS = `
  forbid (principal, action, resource is Application) when { resource.Id == CLIENT }
  unless { action == Action::"AccessManager:Read" };
  forbid (principal, action, resource is Credentials) when { resource.Id == "CLIENT" }
  unless { action == Action::"Settings:Read" };`;
const OPTIONS = [
  // No schema says whether an ETag, a Cursor or a foreign key is right.
  ...["--exclude-checks", "positive_data_acceptance", "--continue-on-failure"],
  // NUL is rejected in every text, which the document says in words.
  ...["--generation-allow-x00", "false", "--generation-database", "none"],
  // A stream of changes does not end.
  ...["--exclude-path", `${API}/WebhookEvent/Stream`],
  ...["--max-examples", "5", "--seed", "1", "--request-timeout", "30"],
];

/** Installs it once. @returns the folder for PYTHONPATH */
async function schemathesis(): Promise<string> {
  const options = ["--quiet", "--disable-pip-version-check", "--retries", "10"];
  const mark = markOf(VERSION, await printedBy(["python3", "--version"]));
  return cachedFolder(`schemathesis-${mark}`, (folder) =>
    printedBy(["python3", "-m", "pip", "install", ...options, "--target", folder, `schemathesis==${VERSION}`]),
  );
}

test(
  "every operation answers as documented, and most are judged by answers below 400",
  async () => {
    const api = await newTenant();
    await savePolicy(api, "The client lasts", CLIENT_LASTS.replaceAll("CLIENT", api.clientId));
    const fresh = await freshRecords(api);
    const failures: string[] = [];
    const server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 120 },
      async fetch(request) {
        const { operation, path } = (await request.json()) as { operation: string; path: string };
        return Response.json(
          await fresh(operation, path).catch((error: Error) => {
            failures.push(`${operation}: ${error.message}`);
            return {};
          }),
        );
      },
    });
    const folder = temporaryDirectory("schemathesis");
    await Bun.write(join(folder, "schemathesis.toml"), CONFIGURATION);
    const answersFile = join(folder, "answers.json");
    const PYTHONPATH = await schemathesis();
    const child = Bun.spawn([...["python3", "-m", "schemathesis.cli", "run", `${api.url}/openapi.json`], ...OPTIONS], {
      cwd: folder,
      env: {
        ...process.env,
        PYTHONPATH,
        SCHEMATHESIS_HOOKS: join(import.meta.dir, "schemathesis-hooks.py"),
        AUTHORIZATION: api.authorization,
        FRESH_URL: server.url.href,
        FRESH_PER_OPERATION,
        ANSWERS_FILE: answersFile,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    const code = await child.exited;
    const answers = (await Bun.file(answersFile).json()) as Record<string, Record<string, number>>;
    const operations = operationsOf(await readDocument())
      .filter(({ path }) => path.startsWith("/"))
      .map(({ operation }) => operation.operationId as string);
    const isJudged = (operation: string) =>
      Object.keys(answers[operation] ?? {}).some((status) => Number(status) < 400);
    const unjudged = operations.filter((operation) => !isJudged(operation));
    expect({ code, output: code === 0 ? "" : output.slice(-20_000) }).toEqual({ code: 0, output: "" });
    const isEnough = unjudged.length <= (1 - MIN_JUDGED) * operations.length;
    const found = unjudged.map((operation) => `${operation} ${JSON.stringify(answers[operation])}`);
    expect(isEnough ? [] : [...found, ...failures]).toEqual([]);
    await server.stop(true);
  },
  PATIENCE_MS,
);
