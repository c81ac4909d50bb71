// `bun run keys rotate [ALG]`: for a signing key that has leaked. README.md says what it breaks.

import { readConfig } from "../config.ts";
import { connect } from "../db/connection.ts";
import { importMasterKey } from "../master-key.ts";
import { replaceSigningKeys, SIGNING_ALGS } from "../oauth/index.ts";
import { runEntry } from "../process.ts";
import { installationOf, masterKeyOf } from "./target.ts";

await runEntry(async () => {
  const [command, wanted, ...rest] = process.argv.slice(2);
  const algs = SIGNING_ALGS.filter((alg) => wanted === undefined || wanted === alg);
  if (command !== "rotate" || algs.length === 0 || rest.length > 0) {
    console.error(`Usage: bun run keys rotate [${SIGNING_ALGS.join(" | ")}]`);
    process.exit(2);
  }
  const config = readConfig(process.env);
  const masterKey = importMasterKey(await masterKeyOf(config));
  const { databaseUrl } = await installationOf(config);
  const sql = connect(databaseUrl, "gatehouse keys", 1);
  try {
    for (const alg of algs) {
      const { announced, removed } = await replaceSigningKeys(sql, masterKey, alg);
      console.log(`${alg}: ${announced.join()} signs from now on; removed ${removed.join(", ") || "none"}`);
    }
  } finally {
    await sql.end();
  }
});
