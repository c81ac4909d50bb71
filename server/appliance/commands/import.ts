// `bun run import FILE`: docs/import.md.

import { SETTINGS } from "../../identity/index.ts";
import { ENTITIES } from "../../records/index.ts";
import { kindsOf } from "../apply/kinds.ts";
import { runImport } from "../import/command.ts";

const { argv, env } = process;
process.exitCode = await runImport(argv.slice(2), kindsOf(ENTITIES, SETTINGS), {
  env,
  say: console.log,
  fail: console.error,
});
