// Global search, such as by an Id from a log.

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect, inspectAsItIs } from "../support/inspect.ts";
import { ok } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { flawsOf, HOSTILE, LONG } from "../world/hostile.ts";
import { entitiesOf, newRecord } from "../world/spy.ts";
import { clientOf, newTenant } from "../world/tenant.ts";

const browser = openWindows();
const NOWHERE = "https://localhost:9443/";
const box = (page: Page) => page.getByRole("combobox", { name: "Find anything" });
const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name });

/** Titles on the results page, or the heading of the single page to which the search redirected. */
async function found(page: Page, open: (path: string) => Promise<void>, text: string): Promise<string[]> {
  await open(`/settings/search?q=${encodeURIComponent(text)}`);
  const heading = (await page.getByRole("heading", { level: 1 }).textContent())!;
  return heading === "Search" ? page.getByRole("rowheader").allTextContents() : [heading];
}

test("a key opens the box anywhere; answers appear while typing, arrows choose, Enter opens, Escape closes", async () => {
  const api = await newTenant();
  for (const Name of ["Front door", "Front gate", "Back door"]) await api.change({ Name });
  await api.connect(NOWHERE, { Name: "To the front", State: "Paused" });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open("/settings/roles");
  await page.keyboard.press("/");
  expect(await box(page).evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await box(page).inputValue()).toBe("");
  await page.keyboard.type("front");
  await option(page, /^Front door/).waitFor();
  expect(await box(page).getAttribute("aria-expanded")).toBe("true");
  expect(await page.getByRole("option").count()).toBe(3);
  await inspect(page, "search-open");
  // On a phone the box is hidden, so it has lost the focus.
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.keyboard.press("/");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const chosen = page.getByRole("option", { selected: true });
  expect(await chosen.getAttribute("id")).toBe((await box(page).getAttribute("aria-activedescendant"))!);
  expect(await chosen.textContent()).toStartWith("Front gate");
  await inspectAsItIs(page, "search-chosen");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  expect(await chosen.textContent()).toStartWith("To the front");
  await page.keyboard.press("Escape");
  expect(await page.getByRole("option").count()).toBe(0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Front door", level: 1 }).waitFor();

  await page.getByRole("link", { name: "Change", exact: true }).click();
  const field = page.getByLabel("Description");
  await field.fill("left");
  await field.press("/");
  expect(await field.inputValue()).toContain("/");
  await page.getByRole("link", { name: "Overview" }).focus();
  await page.keyboard.press("/");
  await page.keyboard.type("nothing is called that");
  await page.getByRole("option", { name: "No matches" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No matches" }).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("nothing is called that");
  await inspect(page, "search-nothing");
  await open("/settings/search?q=fro");
  await inspect(page, "search-answers");
  expect(complaints).toEqual([]);
});

test("without script it is a form; every kind of Id and name opens its page", async () => {
  const api = await newTenant();
  const { Id: connection } = await api.connect(NOWHERE, { Name: "Directory", State: "Paused" });
  const { Id } = await api.change({ Name: "Front door", ApplicationKey: "door-1" });
  const { EventId } = await api.newestEvent();
  const { body: person } = await api.call("PATCH", "/User", {
    Name: "Ada",
    Username: "ada",
    Email: "ada@example.com",
  });
  const { body: role } = await api.call("PATCH", "/Role", { Name: "night watch" });
  const { body: log } = await api.call<{ Items: { Id: string; RequestKey: string }[] }>(
    "GET",
    "/AuditEvent?Kind=Role.Created",
  );
  const [row] = log.Items;
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  await page.getByLabel("Find anything").fill("front door");
  await page.getByLabel("Find anything").press("Enter");
  await page.getByRole("heading", { name: "Front door", level: 1 }).waitFor();

  const event = `Application ${Id} Created`;
  for (const [text, title] of [
    [EventId, event],
    [EventId.toUpperCase(), event],
    [` ${connection} `, "Directory"],
    ["irector", "Directory"],
    ["door-1", "Front door"],
    ["ada@example.com", "Ada"],
    [String(role.Id), "night watch"],
    ["NIGHT", "night watch"],
    ["inistrators", "Administrators"],
    [row!.Id, "Role.Created"],
  ] as const) {
    expect([text, await found(page, open, text)]).toEqual([text, [title]]);
  }
  // The request's effects, and after a second the request itself.
  expect((await found(page, open, row!.RequestKey)).at(-1)).toBe("Role.Created");
  // Several records may have this Id.
  expect(await found(page, open, String(Id))).toContain("Front door");
  expect(await found(page, open, String(person.Id))).toContain("Ada");
  await open("/settings/search?q=a");
  await page.getByText("No matches").waitFor();
  await open(`/settings/search?q=${"x".repeat(201)}`);
  await page.getByText("The search has 201 characters; the limit is 200.").waitFor();
  await open("/settings/search?q=%00%00");
  await page.getByText("The search contains a character that is not text").waitFor();
});

test("hostile text is shown as text: typed, suggested, found, and in the log beside its record", async () => {
  const api = await newTenant();
  const Name = LONG.slice(0, 400);
  const { Id } = await api.change({ Name });
  await api.connect(NOWHERE, { Name: HOSTILE, State: "Paused" });
  await using visitor = await enterSettings(browser, api.tenant, { viewport: { width: 400, height: 800 } });
  const { page, open, complaints } = visitor;
  await page.getByRole("link", { name: "Find", exact: true }).click();
  await page.getByRole("dialog").getByRole("combobox").fill(HOSTILE);
  await option(page, /client_id/).waitFor();
  expect(await page.getByRole("option").count()).toBe(2);
  expect(await flawsOf(page)).toEqual([]);
  for (const path of [
    `/settings/search?q=${encodeURIComponent(HOSTILE)}`,
    "/settings/search?q=%22%3E%3Cscript%3Eharmed%3D1%3C%2Fscript%3E%E2%80%AEnothing",
    "/settings/activity",
    `/settings/activity?RecordId=${Id}`,
    `/settings/applications/${Id}/events`,
    `/settings/applications/${Id}/audit`,
  ]) {
    await open(path);
    expect({ path, flaws: await flawsOf(page) }).toEqual({ path, flaws: [] });
    await inspect(page, `search-hostile-${path.split(/[/?]/)[2]}-${path.split("/").at(-1)?.slice(0, 6)}`);
  }
  expect(complaints).toEqual([]);
});

test("Ctrl-K opens the palette anywhere: pages, commands and records, by keyboard", async () => {
  const api = await newTenant();
  await api.change({ Name: "Front door" });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open("/settings/roles/add");
  await page.getByLabel("Name", { exact: true }).press("Control+k");
  const palette = page.getByRole("dialog", { name: "Commands" });
  const input = palette.getByRole("combobox");
  const chosen = palette.getByRole("option", { selected: true });
  await option(page, /^Audit log/).waitFor();
  expect(await chosen.textContent()).toStartWith("Overview");
  await inspect(page, "palette");
  await input.fill("add us");
  await chosen.filter({ hasText: "Add user" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Add user", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await input.fill("front d");
  await option(page, /^Front door/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  expect(complaints).toEqual([]);

  await using plain = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  await plain.open("/settings/search");
  await plain.page.getByRole("link", { name: "Add role", exact: true }).click();
  await plain.page.getByRole("heading", { name: "Add role", level: 1 }).waitFor();
});

describe("a search finds what its user may see, and nothing else", () => {
  test("of every entity", async () => {
    const [api, own] = await Promise.all([newTenant(), newTenant()]);
    const admin = await clientOf(api.tenant);
    const entities = await entitiesOf(admin);
    expect(entities.length).toBeGreaterThanOrEqual(3);
    const made = await Promise.all(
      entities.map(async (entity) => {
        const record = await ok(admin.patch(`/${entity.Name}`, newRecord(entity, "found")));
        return { type: entity.Name, record };
      }),
    );
    const forbidden = made.map(({ type, record }) => `resource == ${type}::"${record.Id}"`).join(" || ");
    const [auditor, hidden] = [await newColleague(api, "auditor"), await newColleague(api, "ops")];
    await using seeing = await enterSettings(browser, api.tenant, { ...auditor, javaScriptEnabled: false });
    await using blind = await enterSettings(browser, api.tenant, { ...hidden, javaScriptEnabled: false });
    await using other = await enterSettings(browser, own.tenant, { javaScriptEnabled: false });
    for (const { record } of made) {
      for (const text of [record.Name, String(record.Id)]) {
        expect(await found(seeing.page, seeing.open, text)).toContain(record.Name);
        expect(await found(blind.page, blind.open, text)).not.toContain(record.Name);
        expect(await found(other.page, other.open, text)).not.toContain(record.Name);
      }
    }
    const Policy = `forbid (principal, action == Action::"AccessManager:Read", resource) when { ${forbidden} };`;
    await ok(admin.patch("/Policy", { Name: "Hide them", Policy }));
    for (const { record } of made) {
      for (const text of [record.Name, String(record.Id)]) {
        expect(await found(seeing.page, seeing.open, text)).not.toContain(record.Name);
      }
    }
  });
});
