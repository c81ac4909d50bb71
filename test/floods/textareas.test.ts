// Fields with several lines: however many lines are sent, the page has about the text's size, and other tenants' requests
// are answered meanwhile.

import { expect, test } from "bun:test";
import { composedApp } from "../support/composed-app.ts";
import { issuer } from "../world/client.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { FLOOR_MS, slowestOf } from "./neighbour.ts";

const LINES = 640_000;
/** The page repeats the text once. */
const GROWTH = 2;
/** A busy machine is late, but not each time. */
const TRIES = 4;
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

const pages = [...new Set(composedApp().routes.map(({ path }) => path))].filter(
  (path) => /^\/settings\/.*\/(add|new|try)$/.test(path) && !path.includes(":"),
);

function textareasIn(html: string): string[] {
  const names: string[] = [];
  const collect = { element: (one: HTMLRewriterTypes.Element) => void names.push(one.getAttribute("name")!) };
  new HTMLRewriter().on("textarea", collect).transform(html);
  return names;
}

test("a text of very many lines does not make a page of Settings expensive", async () => {
  const [{ tenant }, neighbour] = await Promise.all([newTenant(), newTenant()]);
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${tenant.tenantId}`), tenant.admin);
  let walked = 0;
  const wrong: string[] = [];
  for (const path of pages) {
    const page = await visitor.open(path);
    for (const name of textareasIn(page.html)) {
      walked++;
      const text = "\n".repeat(LINES);
      const { action, fields } = page.forms.find((form) => form.action.endsWith(path)) ?? page.forms.at(-1)!;
      let slowest = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < TRIES && slowest >= FLOOR_MS; turn++) {
        const sent = visitor.post(action, { ...fields, [name]: text }, SAME_ORIGIN);
        slowest = Math.min(slowest, await slowestOf(neighbour, sent));
        if ((await sent).html.length > GROWTH * LINES) wrong.push(`${path}, ${name}: the page is long`);
      }
      if (slowest >= FLOOR_MS) wrong.push(`${path}, ${name}: ${slowest.toFixed(0)} ms`);
    }
  }
  expect(wrong).toEqual([]);
  expect(walked).toBeGreaterThan(3);
});
