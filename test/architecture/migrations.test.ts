// Migrations run beside requests and beside the release before: they expand the schema without long locks, and remove
// only what no release uses.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { CONTRACT, migrationNames, statementsOf, WITHOUT_TRANSACTION } from "../../server/platform/db/migrate.ts";
import { ROOT } from "../support/pages.ts";

const OF_INDEX = /^(create (unique )?index|drop index|reindex index) concurrently /i;

/** A statement, unless the exception applies, and the better way. */
const FORBIDDEN: [statement: RegExp, unless: RegExp | undefined, instead: string][] = [
  [/^(create (unique )?index|drop index|reindex)\b/i, OF_INDEX, "use concurrently"],
  [/\badd (column )?(?!constraint)\w+ .*\bnot null\b/is, /\bdefault\b/i, "give the new column a default"],
  [/\badd (column )?\w+ .*\b(unique|primary key|references|check|stored)\b/is, /\badd constraint\b/i, "add it later"],
  [/\bdefault (gen_random_uuid|uuidv7|clock_timestamp|random|nextval)/i, undefined, "fill the column in batches"],
  [
    /\badd constraint .*\b(check|foreign key)\b/is,
    /\bnot valid$/i,
    "add it not valid, and validate it in a later migration",
  ],
  [/\badd constraint .*\b(unique|primary key)\b/is, /\busing index\b/i, "build the index concurrently first"],
  [/\bset not null\b|\balter (column )?\w+ (set data )?type\b/i, undefined, "add a new column, or a check not valid"],
  [/\brename\b/i, undefined, "add the new name, and remove the old one in a later release"],
  [/^(update|delete|truncate|merge|insert into \w+.*select)\b/is, undefined, "fill in batches by maintenance"],
  [/^(lock|cluster|vacuum|refresh materialized view)\b/i, undefined, "leave it to maintenance"],
];
const REMOVES = /^drop (table|function|trigger|type|view)\b|\bdrop (column|constraint|default)\b/i;

function problemsOf(text: string): string[] {
  const statements = statementsOf(text.replace(/\$\$.*?\$\$/gs, "''"));
  const made = statements.flatMap(
    (statement) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/i.exec(statement)?.[1] ?? [],
  );
  const isOfNewTable = (statement: string) => made.some((table) => new RegExp(`\\b${table}\\b`).test(statement));
  const forbidden = statements
    .filter((statement) => !isOfNewTable(statement))
    .flatMap((statement) =>
      FORBIDDEN.filter(([pattern, unless]) => pattern.test(statement) && !unless?.test(statement)).map(
        ([, , instead]) => `${statement}: ${instead}`,
      ),
    );
  const removing = text.startsWith(CONTRACT) ? [] : statements.filter((statement) => REMOVES.test(statement));
  const ofIndexes = statements.filter((statement) => OF_INDEX.test(statement));
  const isMixed = ofIndexes.length > 0 && ofIndexes.length < statements.length;
  const isMarked = text.startsWith(WITHOUT_TRANSACTION);
  return [
    ...forbidden,
    ...removing.map((statement) => `${statement}: begin the file with "${CONTRACT}" and the release`),
    ...(isMixed ? ["concurrently: use a file of its own"] : []),
    ...(isMarked === ofIndexes.length > 0 ? [] : [`concurrently: begin the file with "${WITHOUT_TRANSACTION}"`]),
  ];
}

test("migrations block no requests, and keep what the release before uses", async () => {
  const problems = await Promise.all(
    (await migrationNames()).map(async (name) => {
      const text = await Bun.file(join(ROOT, "server/platform/db/migrations", name)).text();
      return problemsOf(text).map((problem) => `${name}: ${problem}`);
    }),
  );
  expect(problems.flat()).toEqual([]);
});

test.each([
  "alter table users add column nickname text",
  "alter table users add column score integer not null default 0",
  "alter table users add constraint short check (length(nickname) < 9) not valid",
  "alter table users validate constraint short",
  "-- Without a transaction.\ncreate index concurrently users_nickname on users (tenant_id, nickname)",
  "alter table users add constraint own unique using index users_nickname",
  "create table badges (id uuid primary key, name text not null unique); create index badges_name on badges (name)",
  "-- Contract: unused since 0.3.0.\nalter table users drop column nickname",
  "create or replace function f() returns void language sql as $$ update users set name = name; delete from users $$",
])("%s is allowed", (text) => {
  expect(problemsOf(text)).toEqual([]);
});

test.each([
  "create index users_nickname on users (nickname)",
  "create index concurrently users_nickname on users (nickname)",
  "-- Without a transaction.\ncreate index concurrently a on users (b); alter table users add column c text",
  "-- Without a transaction.\nalter table users add column c text",
  "drop index users_nickname",
  "alter table users add column score integer not null",
  "alter table users add column key uuid default gen_random_uuid()",
  "alter table users add column manager integer references users",
  "alter table users add column both text generated always as (name || username) stored",
  "alter table users add constraint short check (length(name) < 9)",
  "alter table users add constraint boss foreign key (boss_id) references users",
  "alter table users add constraint own unique (name)",
  "alter table users alter column name set not null",
  "alter table users alter column name type varchar(9)",
  "alter table users rename column name to title",
  "alter table users drop column name",
  "drop table users",
  "update users set name = upper(name)",
  "insert into badges (name) select name from users",
  "lock table users",
])("%s is rejected", (text) => {
  expect(problemsOf(text)).not.toEqual([]);
});
