import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../server/platform/db/migrate.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { ROOT, readPage } from "../support/pages.ts";
import { triggersOf } from "../world/postgresql.ts";

test("docs/architecture.md has every trigger of the schema, beside an existing service", async () => {
  await using database = await newEmptyDatabase();
  await migrate(database.url);
  const triggers = new Set((await triggersOf(database.sql)).map(({ name }) => name));
  const [, section] = readPage("docs/architecture.md").split("\n## Triggers\n");
  const rows = [...section!.matchAll(/^\| (`.+`) \| .+ \| `(.+)` \|$/gm)];
  const documented = rows.flatMap(([, names]) => [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  expect(documented.toSorted()).toEqual([...triggers].toSorted());
  expect(rows.map(([, , path]) => path!).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
