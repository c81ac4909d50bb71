// The owner migrates the database, a role with fewer rights uses it, and code of a different version is rejected.

import { expect, test } from "bun:test";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { type Entry, runEntry } from "../support/entry.ts";
import { newNamespace } from "../support/namespace.ts";
import { startProcess } from "../support/process.ts";
import { signIn, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { addRows, removeRows, setRows } from "../world/rows.ts";
import { setting } from "../world/tenant.ts";

const COMMANDS = [
  "server",
  "worker",
  "migrate",
  "tenant create acme",
  "tenant recover acme",
  "keys rotate",
  "keys reseal",
];

test("`bun run migrate` creates the tables, and a role with read and write permission runs API and worker", async () => {
  await using database = await newEmptyDatabase();
  await using namespace = await newNamespace();
  const MASTER_KEY = newMasterKey();
  const owner = { DATABASE_URL: database.url, MASTER_KEY };
  const reader = { DATABASE_URL: await database.asReader(), MASTER_KEY };

  // A role without the right creates nothing.
  for (const entry of ["server", "worker", "migrate"] as const) {
    const refused = await runEntry(entry, { ...reader, PORT: "0" });
    expect([entry, refused.exitCode]).toEqual([entry, 1]);
    expect(refused.output).toContain("cannot be used: it lacks");
    expect(refused.output).toContain("Run `bun run migrate`");
    expect(refused.output.trim().split("\n")).toHaveLength(1);
  }
  const migrated = await runEntry("migrate", owner);
  expect([migrated.exitCode, migrated.output]).toEqual([0, expect.stringMatching(/^Applied: 001-schema\.sql/)]);
  const again = await runEntry("migrate", reader);
  expect([again.exitCode, again.output.trim()]).toEqual([0, "The database is up to date."]);

  await namespace.addSearchAttributes();
  const env = {
    ...reader,
    PORT: "0",
    TEMPORAL_ADDRESS: setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
    TEMPORAL_NAMESPACE: namespace.name,
    EGRESS_ALLOW: "127.0.0.0/8",
    EGRESS_CA_FILE: `${setting("GATEHOUSE_TEST_DATA_DIR")}/receiver/ca.pem`,
  };
  await using api = startProcess("server/serve.ts", env);
  await using worker = startProcess("activities/worker.ts", env);
  const [{ port }] = await Promise.all([
    api.said((message) => message === "api ready"),
    worker.said((message) => message === "worker ready"),
  ]);
  const { printed } = await runEntry("tenant", reader, ["create", "acme"]);
  await using receiver = startReceiver(200, { dataDir: setting("GATEHOUSE_TEST_DATA_DIR") });
  const client = await signIn(`http://127.0.0.1:${port}`, JSON.parse(printed));
  await client.connect(receiver.url);
  await client.change({ Name: "Gate" });
  await until("the delivery", () => receiver.calls.length === 1);
  const { body } = await client.call("DELETE", `/Application/${receiver.calls[0]!.payload.Data.Id}`);
  expect(body).toMatchObject({ Name: "Gate" });
  const failed = [...api.lines, ...worker.lines].filter(({ level }) => Number(level) >= 50);
  expect(failed).toEqual([]);
});

test("every process with code older or newer than the database says so and does not start", async () => {
  await using database = await newEmptyDatabase();
  const env = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey(), PORT: "0" };
  await runEntry("migrate", env);

  const later = { name: "999-later.sql", digest: "", usable_from: "99.0.0" };
  await addRows("migrations", later, database.sql);
  for (const command of COMMANDS) {
    const [entry, ...args] = command.split(" ") as [Entry, ...string[]];
    const older = await runEntry(entry, env, args);
    expect([command, older.exitCode]).toEqual([command, 1]);
    expect(older.output.trim()).toMatch(
      /^PostgreSQL at \S+ cannot be used: newer code has used this database \(999-later\.sql\)\. Start that version, or restore a backup from before it\.$/,
    );
  }
  await removeRows("migrations", later, database.sql);

  await setRows("migrations", {}, { digest: "of another text" }, database.sql);
  const other = await runEntry("server", env);
  expect([other.exitCode, other.output.trim()]).toEqual([
    1,
    expect.stringMatching(
      /cannot be used: it was created by a different 001-schema\.sql, of a development version\. Start that version/,
    ),
  ]);
  await removeRows("migrations", {}, database.sql);
  const newer = await runEntry("worker", env);
  expect(newer.exitCode).toBe(1);
  expect(newer.output.trim()).toMatch(/cannot be used: it lacks .* of this code .*Run `bun run migrate`/);
});
