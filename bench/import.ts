// The time of `bun run import` for Users with bcrypt hashes, and that of a second run, which changes nothing.
//
//   bun run bench import [--users=20000]

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { kindsOf } from "../server/appliance/apply/kinds.ts";
import { runImport } from "../server/appliance/import/command.ts";
import { SETTINGS } from "../server/identity/settings.ts";
import { ENTITIES } from "../server/records/entities/registry.ts";
import { startOwnApi } from "./own-api.ts";

const { values } = parseArgs({ allowPositionals: true, options: { users: { type: "string", default: "20000" } } });
const users = Number(values.users);

await using api = await startOwnApi();
const { client } = api.tenant;
const folder = mkdtempSync(join(tmpdir(), "gatehouse-import-"));
const file = join(folder, "people.csv");
// A hash of each User's own would take minutes; the import does not compute any.
const hash = await Bun.password.hash("correct horse", { algorithm: "bcrypt", cost: 12 });
const rows = Array.from(
  { length: users },
  (_, n) => `person${n},Person ${n},person${n}@example.com,true,HR-${n},${hash}`,
);
writeFileSync(file, ["Username,Name,Email,Is_Active,External_Id,PasswordHash", ...rows].join("\n"));
const env = {
  GATEHOUSE_URL: api.url,
  GATEHOUSE_CLIENT_ID: client.clientId,
  GATEHOUSE_CLIENT_SECRET: client.clientSecret,
} as unknown as NodeJS.ProcessEnv;
try {
  for (const [name, options] of [
    ["plan", ["--plan"]],
    ["first run", []],
    ["second run", []],
  ] as const) {
    const began = performance.now();
    let out = "";
    const code = await runImport([file, ...options], kindsOf(ENTITIES, SETTINGS), {
      env,
      say(text) {
        out = text;
      },
      fail: () => {},
    });
    const seconds = (performance.now() - began) / 1_000;
    const memory = Math.round(process.memoryUsage().rss / 1_048_576);
    console.log(
      `${name}: ${seconds.toFixed(1)} s, ${Math.round(users / seconds)} users/s, ${memory} MiB, exit ${code}. ${out}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
