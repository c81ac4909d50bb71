// A column, an index and a check for a table of five million rows, during requests to that table.

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { migrate } from "../../server/platform/db/migrate.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { type Drill, type Load, percentile, startLoad } from "../support/drill.ts";
import { startStack } from "../support/stack.ts";
import { newTenant } from "../world/tenant.ts";

const ROWS = 5_000_000;
const BATCH = 100_000;
const LANES = 4;
const USUAL_MS = 10_000;
const MAX_WAIT_MS = 200;
const MIGRATIONS = {
  "900-column.sql": "alter table applications add column floor integer not null default 0;",
  "901-index.sql":
    "-- Without a transaction.\ncreate index concurrently applications_floor on applications (tenant_id, floor);",
  "902-check.sql": "alter table applications add constraint floors check (floor < 200) not valid;",
  "903-check.sql": "alter table applications validate constraint floors;",
};

export const migrations: Drill = {
  what: "how long requests wait while a table of five million rows is migrated",
  async run(say) {
    await using stack = await startStack();
    const sql = connect(stack.databaseUrl, "gatehouse drill", 1);
    const { tenantId } = await newTenant(stack);
    await sql`set session_replication_role = replica`;
    for (let made = 0; made < ROWS; made += BATCH) {
      await sql`
        insert into applications (tenant_id, name)
        select ${tenantId}, 'row ' || n from generate_series(${made + 1}::int, ${made + BATCH}::int) n`;
      if ((made / BATCH) % 10 === 9) say(`${made + BATCH} rows`);
    }
    await sql`vacuum analyze applications`;
    await sql.end();

    const api = await newTenant(stack);
    const usual = startLoad(api, LANES);
    await Bun.sleep(USUAL_MS);
    await usual.end();
    say(`usual: ${spread(usual)}`);
    const folder = temporaryDirectory("migrations");
    cpSync(join(PROJECT_ROOT, "server/platform/db/migrations"), folder, { recursive: true });
    const longest: number[] = [];
    for (const [name, text] of Object.entries(MIGRATIONS)) {
      writeFileSync(join(folder, name), text);
      const load = startLoad(api, LANES);
      const began = performance.now();
      await migrate(stack.databaseUrl, folder);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      await load.end();
      longest.push(Math.max(...load.milliseconds));
      const refused = [...load.statuses].filter(([status]) => status !== 200);
      say(
        `${name} in ${seconds} s: ${spread(load)}${refused.length > 0 ? `; refused ${JSON.stringify(refused)}` : ""}`,
      );
      if (refused.length > 0) return { passed: false, summary: "requests were refused" };
    }
    const [wait, before] = [Math.max(...longest), Math.max(...usual.milliseconds)].map(Math.round) as [number, number];
    return {
      // On a busy machine requests wait without a migration, too.
      passed: wait <= Math.max(MAX_WAIT_MS, before),
      summary: `no request took more than ${wait} ms (at most ${MAX_WAIT_MS}, or ${before} as without a migration)`,
    };
  },
};

function spread({ milliseconds }: Load): string {
  const longest = Math.round(Math.max(...milliseconds));
  return `${milliseconds.length} requests, p50 ${percentile(milliseconds, 0.5)} ms, longest ${longest} ms`;
}
