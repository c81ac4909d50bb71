// The SQL of server/records/table.store.ts against the schema, for each of its tables.

import { expect, test } from "bun:test";
import { ERASURES } from "../../server/data/personal-data/erasures.store.ts";
import { API_TABLE } from "../../server/identity/oauth/apis/store.ts";
import { PROVIDER_TABLE } from "../../server/identity/signin/upstream/providers/store.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { POLICY_TABLE } from "../../server/records/access/policies/store.ts";
import { ROLE_TABLE } from "../../server/records/access/roles/store.ts";
import type { RequestFilter } from "../../server/records/requests/contract.ts";
import { REQUESTS } from "../../server/records/requests/store.ts";
import { ALERTS } from "../../server/webhooks/alerts/store.ts";
import { CONNECTION_TABLE } from "../../server/webhooks/connections.store.ts";
import { rowsOf } from "../world/rows.ts";
import { db } from "../world/tenant.ts";

const NOBODY = Bun.randomUUIDv7() as TenantId;
const NO_UUID = Bun.randomUUIDv7() as never;
const NO_NUMBER = 0 as never;
const NOW = new Date();
const ALL_FILTERS: Required<RequestFilter> = {
  ...{ Status: "4xx", Method: "GET", Route: "/", ClientId: "1", RequestKey: "key", TraceParent: "trace" },
  ...{ Last: NOW, From: NOW, To: NOW },
};
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

test.each([
  ["requests", REQUESTS, ALL_FILTERS],
  ["erasures", ERASURES, {}],
  ["alerts", ALERTS, { State: "Open" } as const],
])("%s has the columns that its rows are read from, with every filter", async (_, table, wanted) => {
  expect(await table.find(db(), NOBODY, NO_UUID)).toBeUndefined();
  expect(await table.list(db(), NOBODY, wanted, 1, NO_UUID)).toEqual([]);
});

test("each table has a primary key, so a publication of all tables rejects no statement", async () => {
  // The rows of a partitioned table are in its partitions.
  const tables = await rowsOf("pg_class", { relnamespace: db()`current_schema()::regnamespace`, relkind: "r" });
  const keys = new Set((await rowsOf("pg_index", { indisprimary: true })).map(({ indrelid }) => indrelid));
  expect(tables.flatMap(({ oid, relname }) => (keys.has(oid) ? [] : relname))).toEqual([]);
});
