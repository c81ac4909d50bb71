// Every form of Settings that asks for confirmation does exactly what it showed, or asks again.

import { describe, expect, test } from "bun:test";
import { type Api, until } from "../world/api.ts";
import { arrange, fill, PATHS } from "../world/every-path.ts";
import { newTenant } from "../world/tenant.ts";
import { ASKING, made, named } from "./asking.ts";
import { enter, sent, shownBy } from "./asking-forms.ts";

describe.each(Object.entries(ASKING))("%s", (_path, arranged) => {
  test("accepts what it has shown, and asks again after a change", async () => {
    const asking = await arranged();
    const { api, action, change, isDone } = asking;
    const [visitor, elsewhere] = [await enter(api, asking.by), await enter(api, asking.by)];
    const form = await shownBy(visitor, asking);
    const others = (await shownBy(elsewhere, asking)).fields.shown!;
    const ofAnotherForm = (await visitor.open(`/settings/roles/${await anotherRole(api)}/delete`)).forms.find(
      (one) => "shown" in one.fields,
    )!.fields.shown!;
    const { shown: _, ...unsealed } = form.fields;
    const forged = [undefined, "", "x", "A".repeat(43), others, ofAnotherForm];
    for (const shown of forged) {
      const { status, html } = await sent(visitor, { action, fields: { ...unsealed, ...(shown && { shown }) } });
      expect({ shown, status, asks: html.includes('name="shown"') }).toEqual({ shown, status: 409, asks: true });
    }
    expect(await isDone()).toBe(false);
    let last = form;
    if (change) {
      await change();
      const again = await sent(visitor, form);
      expect({ status: again.status, html: again.html }).toMatchObject({ status: 409 });
      expect(again.html).toContain("This has changed since the page was shown");
      expect(await isDone()).toBe(false);
      const asked = again.forms.find((one) => "shown" in one.fields)!;
      last = { action, fields: { ...asked.fields, ...asking.typed, ...(asking.first?.Policy && asking.first) } };
    }
    const { status, heading, html } = await sent(visitor, last);
    expect({ status, heading, html: status === 200 ? "" : html }).toEqual({ status: 200, heading, html: "" });
    await until(`${action} to be done`, isDone);
  });
});

let roles = 0;
const anotherRole = async (api: Api) => (await made(api, "Role", named(`another ${roles++}`))).Id;

test("every confirming path is listed here, and every confirming form carries what it shows", async () => {
  const api = await newTenant();
  const [ids, visitor] = [await arrange(api), await enter(api)];
  const { csrf } = (await visitor.open("/settings")).forms[0]!.fields;
  const unsealed: string[] = [];
  for (const path of PATHS) {
    const view = await visitor.open(fill(path, ids));
    for (const asking of view.html.matchAll(/<ul class="effects">.*?<\/form>/gs)) {
      if (!asking[0].includes('name="shown"')) unsealed.push(path);
    }
  }
  expect(unsealed).toEqual([]);
  const found: string[] = [];
  for (const path of PATHS) {
    const { status, html } = await visitor.post(fill(path, ids), { csrf: csrf! });
    if (status === 409 && html.includes('name="shown"')) found.push(path);
  }
  expect(found.filter((path) => !(path in ASKING))).toEqual([]);
  expect(found.length).toBeGreaterThan(10);
});
