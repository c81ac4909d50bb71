// `bun run keys` (docs/operations.md "Signing keys").

import { createKeyRotation, mail, SEALED_BY_OAUTH, SEALED_BY_SIGN_IN, SIGNING_ALGS } from "../../identity/index.ts";
import { readConfig } from "../../platform/config/config.ts";
import { connect, type Sql } from "../../platform/db/sql.ts";
import { refuseUsage, runEntry } from "../../platform/process.ts";
import type { Vault } from "../../platform/vault.ts";
import { SEALED_BY_WEBHOOKS } from "../../webhooks/index.ts";
import { resealColumn } from "./sealed.store.ts";
import { installationOf, vaultOf } from "./target.ts";

const USAGE = `Usage: bun run keys rotate [${SIGNING_ALGS.join(" | ")}]
         publishes a new key, which signs ten minutes later; tokens signed by old keys stay valid
       bun run keys rotate --leaked [${SIGNING_ALGS.join(" | ")}]
         a new key signs at once; old keys are removed, and tokens signed by them are rejected
       bun run keys reseal`;

await runEntry("keys", async (output) => {
  const command = commandOf(process.argv.slice(2));
  if (!command) refuseUsage(output, USAGE);
  const config = readConfig(process.env);
  const vault = await vaultOf(config);
  const { databaseUrl } = await installationOf(config);
  const sql = connect(databaseUrl, "gatehouse keys", 1);
  try {
    await command(sql, vault, output.say);
  } finally {
    await sql.end();
  }
});

type Command = (sql: Sql, vault: Vault, say: (line: string) => void) => Promise<void>;

function commandOf([command, ...args]: string[]): Command | undefined {
  const leaked = command === "rotate" && args.includes("--leaked");
  const [wanted, ...rest] = leaked ? args.filter((arg) => arg !== "--leaked") : args;
  if (command === "reseal" && wanted === undefined) return resealAll;
  const algs = SIGNING_ALGS.filter((alg) => wanted === undefined || wanted === alg);
  if (command !== "rotate" || algs.length === 0 || rest.length > 0) return undefined;
  return async (sql, vault, say) => {
    const rotation = createKeyRotation(sql, vault);
    for (const alg of algs) {
      const { announced, removed, signsFrom } = await rotation.replace(alg, { leaked });
      const removal =
        removed.length > 0 ? `removed ${removed.join(", ")}, with all tokens signed by them` : "removed none";
      say(`${alg}: ${announced.join()} signs from ${leaked ? "now" : signsFrom.toISOString()} on; ${removal}`);
    }
  };
}

/** After MASTER_KEY was replaced: re-seals the values that still need MASTER_KEY_PREVIOUS. */
async function resealAll(sql: Sql, vault: Vault, say: (line: string) => void): Promise<void> {
  for (const column of [...SEALED_BY_OAUTH, ...SEALED_BY_SIGN_IN, ...SEALED_BY_WEBHOOKS, mail.SEALED_MAILS]) {
    const count = await resealColumn(sql, vault, column);
    say(`${column.table}.${column.column}: ${count} re-encrypted`);
  }
  say(
    "All stored secrets are encrypted with MASTER_KEY. Remove MASTER_KEY_PREVIOUS once every process has this " +
      "MASTER_KEY; refresh tokens that were not used since then become invalid.",
  );
}
