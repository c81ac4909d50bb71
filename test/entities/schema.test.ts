// The tables of declarations, and their effects elsewhere: for the product's entities, and for one of the tests.

import { expect, test } from "bun:test";
import { readPersonalRows } from "../../server/data/personal-data/store.ts";
import { type PersonalRows, tablesOf } from "../../server/data/personal-data/tables.ts";
import { inWords } from "../../server/identity/oauth/authorize/words.ts";
import { migrate } from "../../server/platform/db/migrate.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createRegistry, ENTITIES } from "../../server/records/entities/registry.ts";
import { texts } from "../../server/ui/index.ts";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { missing } from "./needs.ts";
import { TABLE, team } from "./team.ts";

const database = closedAfterAll(await newEmptyDatabase());
await migrate(database.url);
await database.sql.unsafe(TABLE);
const NOBODY = Bun.randomUUIDv7() as TenantId;
const entities = createRegistry([...ENTITIES, team]);

test("the tables have what the declarations need", async () => {
  expect(await missing(database.sql, entities)).toEqual([]);
});

test("a table without it is named", async () => {
  const undone = new Error("undone");
  const trying = database.sql.begin(async (tx) => {
    await tx.unsafe(`
      alter table teams drop column search_text, drop column ends_on;
      alter table users drop column search_text;
      alter table users add column search_text text generated always as (search_form(coalesce(name, ''))) stored;
      alter table team_members drop column user_id;
      drop trigger team_members_announce on team_members;
      drop trigger departments_announce on departments`);
    expect(await missing(tx, entities)).toEqual([
      ...["username", "email", "mobile_phone", "external_id"].map((column) => `users.search_text needs ${column}.`),
      "teams needs the column search_text.",
      "teams needs the column ends_on.",
      "teams.search_text needs code.",
      "team_members needs the column user_id.",
      "departments needs a trigger that announces its changes.",
      "team_members needs a trigger that announces its changes.",
    ]);
    throw undone;
  });
  expect(await trying.catch((error) => error)).toBe(undone);
});

test("a person's export has the lists that name the person", async () => {
  const declared = tablesOf([team]);
  expect(declared).toEqual({
    teams: { how: { mentions: ["created_by_id", "modified_by_id", "lead_id"] } },
    team_members: { file: "Teams", column: "user_id", exported: ["team_id"], withheld: ["id"] },
  });
  const members = { table: "team_members", ...(declared.team_members as PersonalRows) };
  expect(await readPersonalRows(database.sql, NOBODY, members, members.exported, 1)).toEqual([]);
});

test("the consent page names it", () => {
  const asked = { scopes: ["AccessManager:Read"], resources: [], claims: [] };
  expect(inWords(asked, [], texts.ENGLISH)).toEqual(["read users, applications, departments and groups for you"]);
  expect(inWords(asked, [], texts.ENGLISH, entities)).toEqual([
    "read users, applications, departments, groups and teams for you",
  ]);
});
