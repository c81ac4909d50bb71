// `bun run apply FILE`: docs/apply.md.

import { SETTINGS } from "../../identity/index.ts";
import { ENTITIES } from "../../records/index.ts";
import { runApply } from "../apply/command.ts";
import { kindsOf } from "../apply/kinds.ts";

const { argv, env, stdin } = process;
const ask = stdin.isTTY ? prompt : undefined;
const terminal = { env, say: console.log, fail: console.error, ask };
process.exitCode = await runApply(argv.slice(2), kindsOf(ENTITIES, SETTINGS), terminal);
