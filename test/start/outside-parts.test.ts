import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { Part } from "../../server/appliance/embedded/part.ts";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { preparePostgresql } from "../../server/appliance/embedded/postgresql.ts";
import { findTemporal } from "../../server/appliance/embedded/temporal-binary.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { newDataDirectory, temporaryDirectory } from "../support/directories.ts";
import { runEntry } from "../support/entry.ts";
import { until } from "../world/api.ts";
import { addRows } from "../world/rows.ts";
import { StartCommand } from "./start-command.ts";

test("an external cluster without the search attributes is reported with the command that adds them", async () => {
  const signal = new AbortController().signal;
  const { path } = await findTemporal({ env: process.env, say: () => {}, signal });
  const port = await nextFreePort(0, "127.0.0.1", new Set());
  const address = `127.0.0.1:${port}`;
  const cluster = Bun.spawn([path, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", String(port)], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    const operator = [path, "operator", "search-attribute"];
    await until("the cluster to answer", async () => {
      const list = Bun.spawn([...operator, "list", "--address", address], { stdout: "ignore", stderr: "ignore" });
      return (await list.exited) === 0;
    });
    await using refused = new StartCommand(undefined, { TEMPORAL_ADDRESS: address });
    expect(await refused.ended()).toBe(1);
    expect(refused.output).toContain("lacks the search attributes TenantId (Keyword)");
    const command = /^ {2}temporal (operator search-attribute create .+)$/m.exec(refused.output)?.[1];
    expect(await Bun.spawn([path, ...command!.split(" ")], { stdout: "ignore" }).exited).toBe(0);

    await using start = new StartCommand(refused.dataDir, { TEMPORAL_ADDRESS: address });
    await until("the attributes to be seen", () => start.output.includes("Ctrl-C stops everything."));
    expect(start.address("Temporal")).toBe(address);
  } finally {
    cluster.kill("SIGKILL");
    await cluster.exited;
  }
});

test("an external database is migrated and used", async () => {
  const say = () => {};
  const port = await nextFreePort(0, "127.0.0.1", new Set());
  const { signal } = new AbortController();
  const other = await preparePostgresql({ dataDir: newDataDirectory("database"), say, signal });
  const databaseUrl = other.url(port);
  const postgresql = new Part(other.part(port), say);
  await postgresql.start();
  try {
    const env = { DATABASE_URL: databaseUrl, MASTER_KEY: newMasterKey() };
    await using start = new StartCommand(temporaryDirectory("start"), env);
    const url = await start.ready();
    expect(start.address("PostgreSQL")).toStartWith(`127.0.0.1:${port}/`);
    expect(existsSync(join(start.dataDir, "postgres"))).toBe(false);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(existsSync(join(start.dataDir, "demo.json"))).toBe(true);
    await start.stop();

    // A second DATA_DIR does not know the secrets of the demo tenant.
    await using elsewhere = new StartCommand(undefined, env);
    await elsewhere.ready();
    expect(elsewhere.output).toContain("bun run tenant create NAME");
    await elsewhere.stop();

    const { exitCode, output } = await runEntry("server", { ...env, PORT: "0", MASTER_KEY: newMasterKey() });
    expect(exitCode).toBe(1);
    expect(output.trim()).toBe(
      "A stored signing key cannot be decrypted with this MASTER_KEY. Start with the key that encrypted it, or add that to " +
        "MASTER_KEY_PREVIOUS.",
    );

    const sql = connect(databaseUrl, "gatehouse test", 1);
    await addRows("migrations", { name: "999-later.sql", digest: "", usable_from: "99.0.0" }, sql);
    await sql.end();
    const older = await runEntry("server", { ...env, PORT: "0" });
    expect(older.exitCode).toBe(1);
    expect(older.output.trim()).toEndWith(
      "cannot be used: newer code has used this database (999-later.sql). Start that version, or restore a backup from before it.",
    );
  } finally {
    await postgresql.stop();
  }
});
