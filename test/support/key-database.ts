// A separate installation's database: keys of the shared one sign all other tests' tokens.

import { createKeyRotation, type KeyRotation } from "../../server/identity/oauth/keys/key-rotation.ts";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { createVault, type Vault } from "../../server/platform/vault.ts";
import { PATIENT } from "../world/tenant.ts";
import { newMigratedDatabase } from "./empty-database.ts";

export interface KeyDatabase extends AsyncDisposable {
  url: string;
  sql: Sql;
  /** In base64. */
  masterKeyText: string;
  vault: Vault;
  rotation: KeyRotation;
}

/** @example await using database = await newKeyDatabase(); */
export async function newKeyDatabase(): Promise<KeyDatabase> {
  const database = await newMigratedDatabase();
  const sql = connect(database.url, "gatehouse test", 4, PATIENT);
  const masterKeyText = Buffer.alloc(32, 5).toString("base64");
  const vault = createVault(masterKeyText);
  return {
    url: database.url,
    sql,
    masterKeyText,
    vault,
    rotation: createKeyRotation(sql, vault),
    async [Symbol.asyncDispose]() {
      await sql.end();
      await database[Symbol.asyncDispose]();
    },
  };
}
