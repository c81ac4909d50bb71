// The SQL of server/records/table.store.ts against the schema, for each of its tables.

import { expect, test } from "bun:test";
import { POLICY_TABLE } from "../../server/access/policies/store.ts";
import { ROLE_TABLE } from "../../server/access/roles/store.ts";
import type { TenantId } from "../../server/ids.ts";
import { API_TABLE } from "../../server/oauth/apis/store.ts";
import { PROVIDER_TABLE } from "../../server/signin/upstream/providers/store.ts";
import { CONNECTION_TABLE } from "../../server/webhooks/connections.store.ts";
import { db } from "../support/tenant.ts";

const NOBODY = Bun.randomUUIDv7() as TenantId;
const NO_UUID = Bun.randomUUIDv7() as never;
const NO_NUMBER = 0 as never;
/** SQLSTATE 23: the statement is valid, and the schema rejects its values. */
const REJECTED = { code: expect.stringMatching(/^23/) };

test.each([
  ["policies", POLICY_TABLE, NO_UUID],
  ["roles", ROLE_TABLE, NO_UUID],
  ["apis", API_TABLE, NO_UUID],
  ["webhook_connections", CONNECTION_TABLE, NO_UUID],
  ["identity_providers", PROVIDER_TABLE, NO_NUMBER],
])("%s has the columns that its rows are read from and written to", async (_, table, id) => {
  const empty = Object.fromEntries(table.names.map((name) => [name, null]));
  expect(await table.find(db(), NOBODY, { id })).toBeUndefined();
  expect(await table.find(db(), NOBODY, { name: "" }, "for update")).toBeUndefined();
  expect(await table.findAll(db(), NOBODY, [id])).toEqual([]);
  expect(await table.findWhere(db(), NOBODY, db()`true`)).toEqual([]);
  expect(await table.list(db(), NOBODY, { name: "" }, 1, String(id))).toEqual([]);
  expect(await table.update(db(), NOBODY, { ...empty, id })).toBeUndefined();
  await expect(table.insert(db(), NOBODY, empty)).rejects.toMatchObject(REJECTED);
  await table.remove(db(), NOBODY, id);
});
