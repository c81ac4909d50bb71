// Forms of Settings that ask for confirmation: they do exactly what they showed, or ask again.

import { describe, expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { type Api, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { enterSettings } from "../world/console.ts";
import { arrange, fill, PATHS } from "../world/every-path.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { type Form, type View, Visitor } from "../world/visitor.ts";
import { ASKING, type Asking, exhausted, isGone, made, named, redeliveriesOf } from "./asking.ts";

const browser = openWindows();

async function enter({ tenant }: Api, by = tenant.admin): Promise<Visitor> {
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${tenant.tenantId}`), by);
  return visitor;
}

const has = (form: Form, fields: Record<string, string> = {}) =>
  Object.entries(fields).every(([name, value]) => form.fields[name] === value);

/** The form as the page shows it, and its target. */
async function shownBy(visitor: Visitor, { page, first, typed, action, fields }: Asking): Promise<Form> {
  let view: View = await visitor.open(page);
  if (first) {
    const form = view.forms.find(
      (one) => "States" in one.fields || "PrincipalType" in one.fields || "Time" in one.fields,
    )!;
    view = await visitor.post(form.action, { ...form.fields, ...first });
    const counted = view.forms.find((one) => "shown" in one.fields)!;
    expect(view.html).toContain(`formaction="${action}"`);
    return { action, fields: { ...counted.fields, ...first } };
  }
  const form = view.forms.find((one) => one.action === action && has(one, fields));
  expect({ page, action, forms: form ? "it is there" : view.forms }).toMatchObject({ forms: "it is there" });
  return { action, fields: { ...form!.fields, ...typed } };
}

const sent = (visitor: Visitor, { action, fields }: Form) => visitor.post(action, fields);

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

test("events that arrive after the count are not resent", async () => {
  const { api, Id, change, receiver } = await exhausted(2);
  const visitor = await enter(api);
  const page = `/settings/webhooks/${Id}/redeliver`;
  const action = `${page}/send`;
  const form = await shownBy(visitor, {
    ...{ api, page, action, first: { From: "2026-01-01T00:00", States: "Exhausted" } },
    isDone: async () => false,
  });
  await change(3);
  const before = receiver.calls.length;
  expect((await sent(visitor, form)).status).toBe(200);
  const [redelivery] = await redeliveriesOf(api);
  expect(await api.endedRedelivery(redelivery.Id)).toMatchObject({ Total: 2, Done: 2 });
  const names = receiver.calls.slice(before).map(({ payload }) => (payload.Data as { Name: string }).Name);
  expect([...new Set(names)].toSorted()).toEqual(["Gate 1", "Gate 2"]);
});

test("a redelivery goes where it was confirmed to go, or asks again", async () => {
  const { api, Id } = await exhausted(1);
  await using other = startReceiver();
  const visitor = await enter(api);
  const page = `/settings/webhooks/${Id}/redeliver`;
  const action = `${page}/send`;
  const first = { From: "2026-01-01T00:00", States: "Exhausted" };
  const { fields } = await shownBy(visitor, { api, page, action, first, isDone: async () => false });
  await made(api, "WebhookConnection", { Id, URL: other.url, ApiKey: "another-key" });
  const tried: Record<string, string>[] = [{}, { Rate: "100" }, { From: "2026-01-01T00:01" }, { shown: "" }];
  for (const changed of tried) {
    const again = await sent(visitor, { action, fields: { ...fields, ...changed } });
    expect({ status: again.status, html: again.html }).toMatchObject({ status: 409 });
    expect(again.html).toContain(`They go to ${other.url}`);
    expect(await redeliveriesOf(api)).toEqual([]);
  }
  const again = await sent(visitor, { action, fields });
  const asked = again.forms.find((one) => one.action === action)!;
  expect((await sent(visitor, asked)).html).toContain("The redelivery has started.");
  expect(await redeliveriesOf(api)).toHaveLength(1);
  await until("it has come to the other one", async () => other.calls.length === 1);
});

test("a constantly changing number does not make a form ask again", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { State: "Paused" });
  await api.settledChange({ Name: "Gate 1" });
  const visitor = await enter(api);
  const page = `/settings/webhooks/${Id}/delete`;
  const view = await visitor.open(page);
  expect(view.html).toContain("All its waiting deliveries will be Cancelled: 1 now.");
  await api.settledChange({ Name: "Gate 2" });
  const done = await sent(visitor, view.forms.find(({ action }) => action === page)!);
  expect({ status: done.status, isGone: await isGone(api, `/WebhookConnection/${Id}`) }).toEqual({
    ...{ status: 200, isGone: true },
  });
});

test.each([true, false])(
  "with script %p, a browser is asked again in a dialog and on a page",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Payroll", Is_Active: true });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    await open(`/settings/applications/${Id}`);
    await page.getByRole("button", { name: "Deactivate", exact: true }).click();
    await api.change({ Id, Name: "Ledger" });
    await page.getByRole("button", { name: "Deactivate application" }).click();
    await page.getByRole("heading", { name: "Deactivate Ledger?" }).waitFor();
    await page.getByRole("alert").getByText("This has changed since the page was shown").waitFor();
    if (javaScriptEnabled) await inspect(page, "asked-again");
    await page.getByRole("button", { name: "Deactivate application" }).click();
    await page.getByRole("status").getByText("is inactive").waitFor();

    await open(`/settings/applications/${Id}/delete`);
    await api.change({ Id, Name: "Journal" });
    await page.getByRole("button", { name: "Delete application" }).click();
    await page.getByText("Journal is deleted").waitFor();
    await page.getByRole("button", { name: "Delete application" }).click();
    await page.getByRole("status").getByText("Journal is deleted.").waitFor();
  },
);
