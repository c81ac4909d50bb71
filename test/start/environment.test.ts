// Errors in a command's environment are reported in words, without a stack.

import { expect, test } from "bun:test";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { type Entry, runEntry } from "../support/entry.ts";
import { newNamespace } from "../support/namespace.ts";
import { setting, shared } from "../world/tenant.ts";

const KEY = () => setting("GATEHOUSE_TEST_MASTER_KEY");
const EVERY = [
  "server",
  "worker",
  "migrate",
  "tenant create acme",
  "tenant recover acme",
  "keys rotate",
  "keys reseal",
];
const WITH_KEY = EVERY.filter((command) => /^(server|worker|keys)/.test(command));

test.concurrent.each([...EVERY, "start"])("a wrong password: `bun run %s`", async (command) => {
  const url = new URL(shared().databaseUrl);
  url.password = "wrong";
  const words = await refusal(command, { DATABASE_URL: url.href, MASTER_KEY: KEY() });
  expect(words).toMatch(/^PostgreSQL at \S+ cannot be used: password authentication failed for user "gatehouse"$/);
});

test.concurrent.each(EVERY)("a missing database: `bun run %s`", async (command) => {
  const url = new URL(shared().databaseUrl);
  url.pathname = "/none";
  const words = await refusal(command, { DATABASE_URL: url.href, MASTER_KEY: KEY() });
  expect(words).toMatch(/^PostgreSQL at \S+\/none cannot be used: database "none" does not exist$/);
});

test.concurrent.each(WITH_KEY)("another MASTER_KEY: `bun run %s`", async (command) => {
  const words = await refusal(command, { DATABASE_URL: shared().databaseUrl, MASTER_KEY: newMasterKey() });
  expect(words).toMatch(
    /^A stored [\w ]+ cannot be decrypted with this MASTER_KEY\. Start with the key that encrypted it/,
  );
});

test.concurrent.each(["worker", "start"])("a missing Temporal namespace: `bun run %s`", async (command) => {
  const words = await refusal(command, {
    DATABASE_URL: shared().databaseUrl,
    MASTER_KEY: KEY(),
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: "none",
  });
  expect(words).toContain('has no namespace "none". Create it, or set TEMPORAL_NAMESPACE to an existing one:');
  expect(words).toMatch(/\n {2}temporal operator namespace create --address \S+ --namespace none --retention 7d$/);
});

test("a search attribute of a different type: `bun run start`", async () => {
  await using namespace = await newNamespace();
  await namespace.addSearchAttributes({ TenantId: "INT" });
  const words = await refusal("start", {
    DATABASE_URL: shared().databaseUrl,
    MASTER_KEY: KEY(),
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: namespace.name,
  });
  expect(words).toContain(
    "has search attributes with our names and other types than TenantId (Keyword). Set TEMPORAL_",
  );
});

/** The command's final output; its exit code is 1. */
async function refusal(command: string, env: Record<string, string>): Promise<string> {
  const [entry, ...args] = command.split(" ") as [Entry, ...string[]];
  const { exitCode, output } = await runEntry(entry, { PORT: "0", ...env }, args);
  expect([exitCode, output]).toEqual([1, output]);
  // Neither a stack nor source code.
  expect(output).not.toMatch(/^\s+at |^\s*\d+ \| |node_modules/m);
  return output
    .split("\n")
    .filter((line) => !/^(migrations|PostgreSQL|Temporal) {4,}/.test(line))
    .join("\n")
    .trim();
}
