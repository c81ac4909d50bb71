// A separate installation's database: keys of the shared one sign all other tests' tokens.

import { createKeyRotation, type KeyRotation } from "../../server/identity/oauth/keys/rotation.ts";
import { migrate } from "../../server/platform/db/migrate.ts";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { createVault, type Vault } from "../../server/platform/vault.ts";
import { shared } from "../world/tenant.ts";

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
  const name = `keys_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  const admin = connect(shared().databaseUrl, "gatehouse test", 1);
  await admin`create database ${admin(name)}`;
  const url = new URL(shared().databaseUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  const sql = connect(url.href, "gatehouse test", 4);
  const masterKeyText = Buffer.alloc(32, 5).toString("base64");
  const vault = createVault(masterKeyText);
  return {
    url: url.href,
    sql,
    masterKeyText,
    vault,
    rotation: createKeyRotation(sql, vault),
    async [Symbol.asyncDispose]() {
      await sql.end();
      await admin`drop database ${admin(name)} with (force)`;
      await admin.end();
    },
  };
}
