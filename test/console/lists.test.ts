// The lists of Settings: search, order, counts, actions on several records, and files.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings, submitFilters } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const URL = "https://localhost:9443/hooks?ApiKey=0123456789abcdef";

test.concurrent.each([true, false])(
  "a list of connections finds a part of a name, sorts, and counts by state (with script: %p)",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    for (const Name of ["Ärzte", "Billing of Lisboa", "Warehouse"]) await api.connect(URL, { Name, State: "Paused" });
    await api.connect("https://localhost:9443/billing", { State: "Active" });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open, complaints } = visitor;
    const names = async () => (await page.getByRole("rowheader").getByRole("link").allTextContents()).sort();
    await open("/settings/webhooks");
    const tabs = page.getByRole("navigation", { name: "Parts of the list" });
    await tabs.getByRole("link", { name: "Paused 3" }).click();
    await page.waitForURL(/State=Paused/);
    await page.getByText("3 webhook connections").waitFor();
    await tabs.getByRole("link", { name: "All 4" }).click();
    await page.getByLabel("Search webhook connections").fill("BILLING");
    await submitFilters(page);
    await page.waitForURL(/Search=BILLING/);
    expect(await names()).toEqual(["Billing of Lisboa", "https://localhost:9443/billing"]);
    // The query has secrets.
    await open("/settings/webhooks?Search=0123456789");
    await page.getByText("No matching connections").waitFor();
    await page.getByRole("link", { name: "Clear" }).click();
    for (const [order, first] of [
      ["ascending", "Ärzte"],
      ["descending", "Warehouse"],
    ]) {
      await page.getByRole("columnheader", { name: "Connection" }).getByRole("link").click();
      await page.locator(`th[aria-sort=${order}]`).waitFor();
      expect((await page.getByRole("rowheader").getByRole("link").allTextContents())[0]).toBe(first!);
    }
    expect(complaints).toEqual([]);
  },
);

test("sorted pages of a list have each record once, and searches ignore case and accents", async () => {
  const api = await newTenant();
  const names = ["alpha", "Älpha", "Beta", "beta 2", "gamma"];
  for (const Name of names) expect((await api.call("POST", "/Role", { Name })).status).toBe(200);
  type List = { Items: { Name: string }[]; Next: string | null };
  const all = async (query: string) => {
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await api.call<List>("GET", `/Role?Limit=2&${query}&Cursor=${cursor}`);
      found.push(...body.Items.map(({ Name }) => Name));
      if (body.Next === null) return found;
      cursor = body.Next;
    }
  };
  const listed = await all("");
  const sorted = await all("Sort=Name");
  expect(sorted.toSorted()).toEqual(listed.toSorted());
  const plain = sorted.filter((one) => names.includes(one)).map((one) => one.toLowerCase().replace("ä", "a"));
  expect(plain).toEqual(["alpha", "alpha", "beta", "beta 2", "gamma"]);
  expect(await all("Sort=-Name")).toEqual(sorted.toReversed());
  expect(await all("Sort=Id")).toEqual(listed.toReversed());
  expect((await all("Search=ALPHA")).toSorted()).toEqual(["alpha", "Älpha"].toSorted());
  expect((await api.call("GET", "/Role?Sort=Description")).status).toBe(400);
  expect((await api.call("GET", `/Role?Search=${"x".repeat(201)}`)).status).toBe(400);
});

test.concurrent.each([true, false])(
  "chosen users are added to a role, and deactivated, and the list is a file (with script: %p)",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    await api.call("PATCH", "/User", [
      { Username: "ana", Name: "Ana", Is_Active: true },
      { Username: "bo", Name: "Bo", Is_Active: true },
      { Username: "cy", Name: "Cy", Is_Active: true },
    ]);
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open, complaints } = visitor;
    const choose = async () => {
      await open("/settings/users");
      for (const name of ["Ana", "Bo"]) await page.getByRole("checkbox", { name: `Choose ${name}` }).check();
    };
    await choose();
    if (javaScriptEnabled) await inspect(page, "users-chosen");
    await page.getByRole("button", { name: "Add to a role" }).click();
    await page.getByLabel("Role").selectOption({ label: "editor" });
    await page.getByRole("button", { name: "Add to the role" }).click();
    await page.getByRole("status").getByText("Added to editor: 2 users.").waitFor();
    await choose();
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByText("Ana, Bo").waitFor();
    await page.getByRole("button", { name: "Deactivate 2 users" }).click();
    await page.getByRole("status").getByText("Deactivated: 2 users.").waitFor();
    await page.getByLabel("State").selectOption("Inactive");
    await submitFilters(page);
    await page.waitForURL(/Is_Active=false/);
    expect(await page.getByRole("rowheader").allTextContents()).toEqual(["Ana", "Bo"]);
    const file = await page.getByRole("link", { name: "Export CSV" }).getAttribute("href");
    expect(file).toContain("/settings/users/export?Is_Active=false&Format=CSV");
    await open("/settings/users/deactivate");
    await page.getByText("Choose users in the list first.").waitFor();
    expect(complaints.filter((line) => !line.includes("a status of 400"))).toEqual([]);
  },
);
