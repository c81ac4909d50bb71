// The chain of hashes over the audit log, on databases of its own that are tampered with.

import { describe, expect, test } from "bun:test";
import { removeExpiredLogs } from "../../server/data/retention/retention.ts";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createLog } from "../../server/platform/log.ts";
import { countUnchained, isSettled, readHorizon, removeOldLinks } from "../../server/records/audit/chain.store.ts";
import { chainEntries, startAuditChain } from "../../server/records/audit/chain.ts";
import { type ChainProblem, verifyChain } from "../../server/records/audit/verify-chain.ts";
import { recordAudit } from "../../server/records/audit/write.ts";
import { type EmptyDatabase, newEmptyDatabase, newMigratedDatabase } from "../support/empty-database.ts";
import { blockMarked } from "../support/pages.ts";
import { startProcess } from "../support/process.ts";
import { until } from "../world/api.ts";
import { runAudit } from "../world/audit.ts";
import { adminIdOf } from "../world/planted.ts";
import { columnsOf, dropPartition } from "../world/postgresql.ts";
import { countOf, removeRows, rowsOf } from "../world/rows.ts";
import { addFormerMonths, copyOf, tamper } from "./tampering.ts";

const DAY_MS = 86_400_000;
const log = createLog("silent", "worker");

interface Installation extends AsyncDisposable {
  database: EmptyDatabase;
  sql: Sql;
  tenants: TenantId[];
  write(count: number, tenantId?: TenantId): Promise<void>;
}

/** Two tenants with some entries, chained. */
async function arrange({ chained = true } = {}): Promise<Installation> {
  const database = await newMigratedDatabase();
  const { sql } = database;
  const made = [await createTenant(sql, "One", await password()), await createTenant(sql, "Two", await password())];
  const tenants = made.map(({ tenantId }) => tenantId as TenantId);
  const [tenant, other] = tenants as [TenantId, TenantId];
  const origin = { address: "203.0.113.9", userAgent: 'Browser, "quoted" ü', requestKey: Bun.randomUUIDv7() };
  const admin = await adminIdOf({ tenantId: tenant }, sql);
  const write = async (count: number, tenantId = tenant) => {
    for (let number = 1; number <= count; number++) {
      await recordAudit(
        sql,
        tenantId,
        { ...origin, actor: { type: "User", id: admin } },
        {
          kind: number % 2 ? "SignIn.Succeeded" : "Consent.Given",
          subject: { type: "User", id: admin },
          details: { Number: number, Text: "ü, 1:x" },
        },
      );
    }
  };
  await write(5);
  await write(3, other);
  await write(5);
  await recordAudit(sql, tenant, origin, { kind: "SignIn.Failed" });
  if (chained) await chainEntries(sql, soon());
  return { database, sql, tenants, write, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

const password = async () => ({ password: "x", hash: "x" });

/** After all entries. */
const soon = () => new Date(Date.now() + 1_000);

async function problemsOf(sql: Sql, heads: string[] = []) {
  const problems: ChainProblem[] = [];
  const verified = await verifyChain(sql, { heads: new Set(heads), onProblem: (problem) => problems.push(problem) });
  return {
    ...verified,
    problems: problems.map(({ kind, entry }) => `${kind} ${entry.id}`),
    texts: problems.map(({ text }) => text),
  };
}

async function entriesOf(sql: Sql): Promise<{ id: string; tenantId: string }[]> {
  const rows = await rowsOf<{ id: string; tenant_id: string }>("audit_log", {}, sql);
  return rows.map(({ id, tenant_id: tenantId }) => ({ id, tenantId })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function hashesOf(sql: Sql): Promise<string[]> {
  const links = await rowsOf<{ entry_id: string; hash: Buffer }>("audit_chain", {}, sql);
  return links.toSorted((a, b) => (a.entry_id < b.entry_id ? -1 : 1)).map(({ hash }) => hash.toString("hex"));
}

describe.concurrent("the chain of the audit log", () => {
  test("is whole, and has the same hashes as the statement of the documents", async () => {
    await using installation = await arrange();
    const { sql, write } = installation;
    const { problems, count, first, head, unchained } = await problemsOf(sql);
    const entries = await entriesOf(sql);
    expect({ problems, count }).toEqual({ problems: [], count: entries.length });
    expect([first?.id, head?.id, unchained.count]).toEqual([entries[0]!.id, entries.at(-1)!.id, 0]);
    const documented = blockMarked("run: chain").text;
    expect(await sql.unsafe(documented)).toEqual([] as never);
    await write(2);
    expect((await countUnchained(sql, 100)).count).toBe(2);
    expect((await problemsOf(sql)).unchained.count).toBe(2);
    await tamper(sql, `update audit_log set kind = 'SignOut' where id = '${entries[4]!.id}'`);
    expect((await sql.unsafe(documented)).map(({ entry_id }) => entry_id)).toEqual([entries[4]!.id]);
  });

  test("covers every column of an entry", async () => {
    await using installation = await arrange();
    const { sql } = installation;
    const entry = (await entriesOf(sql))[2]!;
    const columns = (await columnsOf(sql)).filter(({ table, column }) => table === "audit_log" && column !== "id");
    const other: Record<string, string> = {
      uuid: "gen_random_uuid()",
      "timestamp with time zone": "occurred_on + interval '1 microsecond'",
      bigint: "7",
      bytea: "'x'",
      jsonb: "'{\"Number\": 0}'",
    };
    const unseen: string[] = [];
    for (const { column: name, type } of columns) {
      const value = name === "outcome" ? "'Failure'" : (other[type] ?? "'other'");
      await sql.unsafe("create table kept as select * from audit_log");
      await tamper(sql, `update audit_log set ${name} = ${value} where id = '${entry.id}'`);
      if ((await problemsOf(sql)).problems.length === 0) unseen.push(name);
      await tamper(sql, "delete from audit_log; insert into audit_log select * from kept; drop table kept");
    }
    expect({ unseen, isWhole: (await problemsOf(sql)).problems }).toEqual({ unseen: [], isWhole: [] });
  });

  test("names the first entry that was removed, altered or added", async () => {
    await using installation = await arrange();
    const { sql, tenants } = installation;
    const entries = await entriesOf(sql);
    const id = (at: number) => entries[at]!.id;
    await sql.unsafe("create table kept as select * from audit_log; create table links as select * from audit_chain");
    const kept = await hashesOf(sql);
    const after = async (statement: string) => {
      await tamper(sql, statement);
      const { problems } = await problemsOf(sql);
      await tamper(
        sql,
        "delete from audit_log; insert into audit_log select * from kept; delete from audit_chain; insert into audit_chain select * from links; delete from removals",
      );
      return problems;
    };
    const copy = (shift: string, tenant = "tenant_id") => `
        insert into audit_log select (${copyOf(shift, tenant)}).* from audit_log l where id = '${id(6)}'`;
    const between = `${id(6).slice(0, 14)}7fff-bfff-ffffffffffff`;

    expect(await after(`delete from audit_log where id = '${id(3)}'`)).toEqual([`missing ${id(3)}`]);
    expect(await after(`delete from audit_log where id in ('${id(3)}', '${id(9)}')`)).toEqual([
      `missing ${id(3)}`,
      `missing ${id(9)}`,
    ]);
    expect(await after(`update audit_log set outcome = 'Failure' where id = '${id(5)}'`)).toEqual([`altered ${id(5)}`]);
    // With its link, and the first and the last ones.
    const both = (at: number) =>
      `delete from audit_log where id = '${id(at)}'; delete from audit_chain where entry_id = '${id(at)}'`;
    expect(await after(both(4))).toEqual([`missing ${id(5)}`]);
    expect(await after(both(0))).toEqual([`missing ${id(1)}`]);
    expect(await after(`update audit_chain set hash = sha256('x') where entry_id = '${id(7)}'`)).toEqual([
      `altered ${id(7)}`,
      `altered ${id(8)}`,
    ]);
    expect(await after(copy(`'${between}'`))).toEqual([`added ${between}`]);
    expect(await after(copy(`'${id(6)}'`, `'${tenants[0]}'`))).toEqual([`added ${id(6)}`]);
    expect(await after(copy(`'${id(6)}'`, "gen_random_uuid()"))).toEqual([`added ${id(6)}`]);
    // Pretending that retention has removed it.
    const month = "partition_start('audit_log', now())";
    expect(
      await after(
        `insert into removals (parent, starts_on) values ('audit_log', ${month}) on conflict do nothing; delete from audit_log where id = '${id(3)}'`,
      ),
    ).toEqual([`missing ${id(3)}`]);

    // The whole chain made anew shows only by a head that was kept elsewhere.
    await tamper(sql, `delete from audit_log where id = '${id(3)}'; delete from audit_chain`);
    await chainEntries(sql, soon());
    const anew = await problemsOf(sql, [kept.at(-1)!, kept[1]!]);
    expect({ problems: anew.problems, found: [...anew.found.keys()] }).toEqual({ problems: [], found: [kept[1]!] });
    // As does its end cut off.
    const gone = (await hashesOf(sql)).at(-1)!;
    await tamper(sql, both(entries.length - 1));
    const cut = await problemsOf(sql, [gone]);
    expect({ problems: cut.problems, found: cut.found.size }).toEqual({ problems: [], found: 0 });
  });

  test("continues from an anchor after retention has dropped a month", async () => {
    await using installation = await arrange({ chained: false });
    const { sql } = installation;
    await addFormerMonths(sql);
    await chainEntries(sql, soon());
    const before = await problemsOf(sql);
    const kept = await hashesOf(sql);
    const retention = { log: 30 * DAY_MS, payloads: 7 * DAY_MS, audit: 130 * DAY_MS };
    await removeExpiredLogs(sql, retention, log, new Date(Date.now() + 60_000));
    const dropped = await problemsOf(sql);
    const third = before.count / 3;
    expect({ problems: before.problems, count: dropped.count, left: dropped.problems }).toEqual({
      problems: [],
      count: 2 * third,
      left: [],
    });
    expect(await removeOldLinks(sql)).toBe(third - 1);
    expect(await removeOldLinks(sql)).toBe(0);
    const { problems, anchor, count, found } = await problemsOf(sql, [kept[0]!, kept[third - 1]!, kept.at(-1)!]);
    expect({ problems, anchor: anchor?.position, count }).toEqual({ problems: [], anchor: third, count: 2 * third });
    expect([...found.keys()]).toEqual([kept[third - 1]!, kept.at(-1)!]);
    // Without the anchor it does not begin.
    await removeRows("audit_chain", { position: third }, sql);
    expect((await problemsOf(sql)).problems).toHaveLength(1);
  });

  test("misses a month that was dropped although an earlier one is kept", async () => {
    await using installation = await arrange({ chained: false });
    const { sql } = installation;
    await addFormerMonths(sql);
    await chainEntries(sql, soon());
    const { count } = await problemsOf(sql);
    await dropPartition("audit_log", "4 months", sql);
    const { problems } = await problemsOf(sql);
    expect([problems.length, problems.every((one) => one.startsWith("missing "))]).toEqual([count / 3, true]);
  });

  test("stays whole when a person is erased", async () => {
    await using installation = await arrange();
    const { sql } = installation;
    for (const table of ["personal_keys", "audit_places"]) await removeRows(table, {}, sql);
    expect((await problemsOf(sql)).problems).toEqual([]);
  });

  test("has each entry once, although two processes write it and one is killed", async () => {
    await using installation = await arrange();
    const { sql, tenants, database } = installation;
    await sql.unsafe(`
        insert into audit_log select (${copyOf("new_id()")}).*
        from (select id as newest from audit_log order by id desc limit 1) one join audit_log l on l.id = newest,
          generate_series(1, 20000)`);
    const start = () => startProcess("test/audit/chainer.ts", { CHAIN_DATABASE_URL: database.url });
    const links = () => countOf("audit_chain", {}, sql);
    const few = await links();
    const killed = start();
    await until("some links", async () => (await links()) > few);
    killed.signal("SIGKILL");
    await killed.exited;
    expect(await links()).toBeLessThan(20_000);
    const both = [start(), start()];
    await Promise.all(both.map(({ exited }) => exited));
    await chainEntries(sql, soon());
    const { problems, count, unchained } = await problemsOf(sql);
    expect({ problems, count, unchained: unchained.count }).toEqual({
      problems: [],
      count: (await entriesOf(sql)).length,
      unchained: 0,
    });
    expect(tenants).toHaveLength(2);
  });

  test("waits for transactions that have written and not ended", async () => {
    await using installation = await arrange();
    const { sql, write, database } = installation;
    const slow = connect(database.url, "gatehouse test", 1);
    const gate = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const open = slow.begin(async (tx) => {
      await recordAudit(
        tx as never,
        installation.tenants[0]!,
        { address: "", userAgent: "", requestKey: "slow" },
        { kind: "SignOut" },
      );
      written.resolve();
      await gate.promise;
    });
    await written.promise;
    await write(1);
    const horizon = await readHorizon(sql);
    expect(await isSettled(sql, horizon)).toBe(false);
    gate.resolve();
    await open;
    await until("the end of the transaction", () => isSettled(sql, horizon));
    await chainEntries(sql, horizon.at);
    expect((await problemsOf(sql)).problems).toEqual([]);
    await slow.end();
  });

  test("is written beside a worker, which logs its head", async () => {
    await using installation = await arrange({ chained: false });
    const { sql } = installation;
    const lines: Record<string, unknown>[] = [];
    const told = createLog("info", "worker", { write: (line: string) => void lines.push(JSON.parse(line)) });
    const chain = startAuditChain(sql, () => true, told);
    const line = await until("the head", () => lines.find(({ msg }) => msg === "head of the audit chain"), 60_000);
    await chain.stop();
    const { head, problems, found } = await problemsOf(sql, [String(line.hash)]);
    expect({ problems, position: head?.position, found: found.size }).toEqual({
      problems: [],
      position: line.position as number,
      found: 1,
    });
  });

  test("is verified by a command, whose exit code tells whether it is whole", async () => {
    await using installation = await arrange();
    const { sql, database } = installation;
    const verify = (...options: string[]) => runAudit(database.url, ...options);
    const entries = await entriesOf(sql);
    const [first, head] = [(await hashesOf(sql))[0]!, (await hashesOf(sql)).at(-1)!];
    const whole = await verify("verify", `--head=${first}`, `--head=${head.toUpperCase()}`);
    expect(whole).toEqual({ code: 0, printed: expect.stringContaining("The audit log is whole.") });
    expect(whole.printed).toContain(`The chain has the head ${first}: entry 1 of `);
    expect(whole.printed).toEndWith(`Head: ${head}\n`);
    const strange = await verify("verify", `--head=${"0".repeat(64)}`);
    expect(strange).toEqual({ code: 1, printed: expect.stringContaining("the chain does not have the head 000") });
    for (const wrong of [[], ["check"], ["verify", "--head=12"], ["verify", "all"]]) {
      expect(await verify(...wrong)).toEqual({
        code: 2,
        printed: expect.stringContaining("Usage: bun run audit verify"),
      });
    }
    await tamper(sql, `delete from audit_log where id in ('${entries[3]!.id}', '${entries[7]!.id}')`);
    const broken = await verify("verify");
    expect(broken.code).toBe(1);
    expect(broken.printed).toContain(`FIRST PROBLEM: entry 4 is missing: ${entries[3]!.id} of 20`);
    expect(broken.printed).toContain(`problem: entry 8 is missing: ${entries[7]!.id} of 20`);
    expect(broken.printed).toContain("The audit log is NOT whole. Problems: 2.");
  });

  test("is verified by a role that may only read, and an empty database is not called whole", async () => {
    await using installation = await arrange();
    const { database, sql } = installation;
    const role = `auditor_${Bun.randomUUIDv7().replaceAll("-", "")}`;
    const reader = new URL(database.url);
    Object.assign(reader, { username: role, password: "only-reads" });
    await sql.unsafe(`create role ${role} login password 'only-reads'; grant pg_read_all_data to ${role}`);
    expect(await runAudit(reader.href, "verify")).toEqual({
      code: 0,
      printed: expect.stringContaining("The audit log is whole."),
    });
    await sql.unsafe(`drop role ${role}`);

    await using empty = await newEmptyDatabase();
    const { code, printed } = await runAudit(empty.url, "verify");
    expect([code, printed]).toEqual([1, expect.stringContaining("Run `bun run migrate`")]);
    expect(await rowsOf("pg_class", { relname: "audit_log" }, empty.sql)).toHaveLength(0);
  });
});
