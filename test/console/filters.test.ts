// The filters by name of all lists in Settings: each leaves exactly the records that match.

import { expect, test } from "bun:test";
import { issuer } from "../world/client.ts";
import { arrangeTwo, PATHS } from "../world/every-path.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** The first words of the page's rows. */
const namesIn = (html: string) =>
  [...html.matchAll(/<th scope="row"[^>]*>(?:<[^>]+>)*([^<]+)/g)].map(([, name]) => name!.trim());

test("a list filtered by a name has that record and no other", async () => {
  const api = await newTenant();
  await arrangeTwo(api);
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${api.tenantId}`), api.tenant.admin);
  const filtered: string[] = [];
  for (const path of PATHS.filter((one) => !one.includes(":"))) {
    const { html } = await visitor.open(path);
    const [, field] = /<input id="filter-(Name|Search)"/.exec(html) ?? [];
    // A connection without a name is listed by its URL.
    const names = namesIn(html).filter((name) => !name.startsWith("https:"));
    if (!field || names.length === 0) continue;
    for (const name of [names[0]!, names.at(-1)!, "nobody has this"]) {
      const { html: found } = await visitor.open(`${path}?${new URLSearchParams({ [field]: name })}`);
      const matching = names.filter((one) => one.toLowerCase().includes(name.toLowerCase()));
      expect({ path, name, found: namesIn(found) }).toEqual({ path, name, found: matching });
    }
    expect({ path, isOne: new Set(names).size === 1 }).toEqual({ path, isOne: false });
    filtered.push(path);
  }
  expect(filtered.length).toBeGreaterThan(3);
});
