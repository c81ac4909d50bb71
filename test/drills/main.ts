// `bun run drill NAME`: failures of real parts, longer than a test may take. Each drill ends with a verdict, and with
// exit code 1 if it is "failed".

import type { Drill, Verdict } from "../support/drill.ts";
import { compose } from "./compose.ts";
import { failover } from "./failover.ts";
import { migrations } from "./migrations.ts";
import { production } from "./production.ts";
import { recovery } from "./recovery.ts";
import { shutdown } from "./shutdown.ts";
import { upgrade } from "./upgrade.ts";
import { workers } from "./workers.ts";

const DRILLS: Record<string, Drill> = {
  compose,
  failover,
  migrations,
  production,
  recovery,
  shutdown,
  upgrade,
  workers,
};

const [name = "", argument, ...rest] = process.argv.slice(2);
const drill = Object.hasOwn(DRILLS, name) ? DRILLS[name] : undefined;
if (!drill || rest.length > 0 || (argument !== undefined && drill !== upgrade)) {
  const names = Object.entries(DRILLS).map(([each, { what }]) => `  ${each.padEnd(10)} ${what}`);
  console.error(`Usage: bun run drill NAME\n\n${names.join("\n")}`);
  process.exit(2);
}
const verdict: Verdict = await drill.run((line) => console.log(line), argument);
console.log(`\n${name}: ${verdict.passed ? "passed" : "failed"}: ${verdict.summary}`);
process.exit(verdict.passed ? 0 : 1);
