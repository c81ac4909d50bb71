// `bun run audit verify` (docs/audit.md).

import { readConfig } from "../../platform/config/config.ts";
import { requireSchema } from "../../platform/db/migrate.ts";
import { connect } from "../../platform/db/sql.ts";
import { timeOfId } from "../../platform/ids.ts";
import type { Output } from "../../platform/output.ts";
import { refuseUsage, runEntry } from "../../platform/process.ts";
import { verifyChain } from "../../records/index.ts";
import { installationOf } from "./target.ts";

const USAGE = `Usage: bun run audit verify [--head=HASH]...
         compares every entry of the audit log with the chain of hashes; exit code 1: an entry was removed,
         altered or added
         --head  a hash of the chain that was kept elsewhere; the chain must have it`;
const HEAD = /^--head=([\da-f]{64})$/i;
/** The maximum number of problems in a message; further ones are only counted. */
const NAMED = 20;
const PROGRESS_EVERY = 100_000;
const WHY_WITHOUT_HEAD =
  "It was rewritten, cut, or restored from an older backup, or retention has removed that entry and its link.";

await runEntry("audit", async (output) => {
  const [command, ...options] = process.argv.slice(2);
  const heads = options.map((option) => HEAD.exec(option)?.[1]?.toLowerCase());
  if (command !== "verify" || heads.includes(undefined)) refuseUsage(output, USAGE);
  const { databaseUrl } = await installationOf(readConfig(process.env), requireSchemaAt);
  if (!(await verify(output, databaseUrl, new Set(heads as string[])))) process.exitCode = 1;
});

/** Does not migrate: an auditor may only read, and an empty database would be the wrong one. */
async function requireSchemaAt(databaseUrl: string): Promise<[]> {
  const sql = connect(databaseUrl, "gatehouse audit", 1);
  await requireSchema(sql).finally(() => sql.end());
  return [];
}

/** @returns whether the log is whole */
async function verify({ say }: Output, databaseUrl: string, heads: ReadonlySet<string>): Promise<boolean> {
  const sql = connect(databaseUrl, "gatehouse audit", 1);
  let problems = 0;
  let reported = 0;
  const report = ({ text }: { text: string }) => {
    problems++;
    if (problems <= NAMED) say(`${problems === 1 ? "FIRST PROBLEM" : "problem"}: ${text}`);
  };
  try {
    const { count, first, head, anchor, unchained, found } = await verifyChain(sql, {
      heads,
      onProblem: report,
      onProgress(compared, last) {
        if (compared - reported < PROGRESS_EVERY) return;
        reported = compared;
        say(`${compared} entries compared, up to ${timeOf(last)}`);
      },
    });
    if (anchor) say(`Entries 1 to ${anchor.position}, up to ${timeOf(anchor)}, were removed by retention.`);
    for (const hash of heads) {
      const link = found.get(hash);
      if (link) say(`The chain has the head ${hash}: entry ${link.position} of ${timeOf(link)}.`);
      else report({ text: `the chain does not have the head ${hash}. ${WHY_WITHOUT_HEAD}` });
    }
    if (!head) say("No entries are chained yet.");
    if (head && first) say(`${count} entries compared, from ${timeOf(first)} to ${timeOf(head)}.`);
    if (unchained.oldestSeconds !== null) {
      say(`${unchained.count} entries are not chained yet, the oldest since ${Math.round(unchained.oldestSeconds)} s.`);
    }
    say(problems === 0 ? "The audit log is whole." : `The audit log is NOT whole. Problems: ${problems}.`);
    if (head) say(`Head: ${Buffer.from(head.hash).toString("hex")}`);
    return problems === 0;
  } finally {
    await sql.end();
  }
}

function timeOf({ id }: { id: string }): string {
  return timeOfId(id).toISOString();
}
