// Members of a role: found by search, and shown and changed on pages of users and applications.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

const told = (page: Page, text: string) => page.getByRole("status").getByText(text).waitFor();
const rolesOn = (page: Page) => page.locator("#roles").getByRole("rowheader").allInnerTexts();

/** Moves to the element with this name by Tab only, then presses Enter. */
async function press(page: Page, name: string): Promise<void> {
  for (let stops = 0; stops < 200; stops++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.getAttribute("aria-label") ?? activeElement?.textContent;
    });
    if (at === name) return page.keyboard.press("Enter");
  }
  throw new Error(`No Tab leads to ${name}.`);
}

test("without script and by keyboard, a user is found by part of the name, added to a role and removed", async () => {
  const api = await newTenant();
  const ana = await api.call<{ Id: number }>("PATCH", "/User", {
    ...{ Username: "ana.silva", Name: "Ana <b>Silva</b>", Email: "ana@example.com" },
  });
  await api.call("PATCH", "/User", { Username: "ana.other", Name: "Ana Other" });
  await api.call("PATCH", "/Application", { Name: "Analytics" });
  const { body: roles } = await api.call<{ Items: { Id: string }[] }>("GET", "/Role?Name=editor");
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false, isStyled: true });
  const { page, open } = visitor;

  await open(`/settings/roles/${roles.Items[0]!.Id}`);
  await press(page, "Add members");
  await page.getByRole("heading", { name: "Add members", level: 1 }).waitFor();
  await page.getByLabel("Part of a name").focus();
  await page.keyboard.type("ANA");
  await page.keyboard.press("Enter");
  await page.getByRole("rowheader", { name: "Analytics" }).waitFor();
  expect((await page.getByRole("rowheader").allInnerTexts()).toSorted()).toEqual([
    "Ana <b>Silva</b>",
    "Ana Other",
    "Analytics",
  ]);
  expect(await page.getByRole("row", { name: "Ana <b>Silva</b>" }).textContent()).toContain(
    "ana.silva, ana@example.com",
  );
  await press(page, "Add: Ana <b>Silva</b>");
  await told(page, "In the role now: Ana <b>Silva</b>");
  // The search is kept, and members are not offered again.
  expect(await page.getByLabel("Part of a name").inputValue()).toBe("ANA");
  expect(await page.getByRole("row", { name: "Ana <b>Silva</b>" }).textContent()).toContain("is a member");
  await press(page, "Add: Analytics");
  await told(page, "In the role now: Analytics");

  await open(`/settings/users/${ana.body.Id}`);
  expect(await rolesOn(page)).toEqual(["editor"]);
  await press(page, "Remove: editor");
  await press(page, "Remove");
  await told(page, "Removed from editor.");
  await page.locator("#roles").getByText("None.").waitFor();
  await press(page, "Add to a role");
  await page.getByRole("heading", { name: "Roles", level: 1 }).waitFor();
  await press(page, "Add: auditor");
  await told(page, "Added to auditor.");
  expect(await rolesOn(page)).toEqual(["auditor"]);
  const { body } = await api.call<{ Items: { Members: object[] }[] }>("GET", "/Role?Name=auditor");
  expect(body.Items[0]!.Members).toEqual([{ Type: "User", Id: ana.body.Id }]);

  const { body: found } = await api.call<{ Items: { Id: string }[] }>("GET", "/Application?Name=Analytics");
  await open(`/settings/applications/${found.Items[0]!.Id}/roles`);
  expect(await page.getByRole("button", { name: "Remove: editor" }).count()).toBe(1);
});

test("readers see roles without buttons, hidden roles stay hidden, and an administrator cannot lock itself out", async () => {
  const api = await newTenant();
  const auditor = await newColleague(api, "auditor", "editor");
  const { body } = await api.call<{ Items: { Id: number }[] }>("GET", `/User?Username=${auditor.username}`);
  const path = `/settings/users/${body.Items[0]!.Id}`;
  await using reader = await enterSettings(browser, api.tenant, auditor);
  await reader.open(path);
  expect((await rolesOn(reader.page)).toSorted()).toEqual(["auditor", "editor"]);
  expect(await reader.page.locator("#roles").getByRole("button").count()).toBe(0);
  expect(await reader.page.getByText("Add to a role").count()).toBe(0);
  const refused = await reader.page.goto(`${issuer()}${path}/roles`);
  expect(refused!.status()).toBe(200);
  expect(
    await reader.page
      .getByRole("main")
      .getByRole("button", { name: /Add|Remove/ })
      .count(),
  ).toBe(0);

  const Policy = `forbid (principal, action == Action::"Settings:Read", resource == Role::"editor");`;
  expect((await api.call("PATCH", "/Policy", { Name: "Hide", Policy })).status).toBe(200);
  await reader.open(path);
  expect(await rolesOn(reader.page)).toEqual(["auditor"]);

  await using admin = await enterSettings(browser, api.tenant);
  const { body: own } = await api.call<{ Items: { Id: number }[] }>("GET", "/User?Username=admin");
  await admin.open(`/settings/users/${own.Items[0]!.Id}`);
  await admin.page.getByRole("button", { name: "Remove: admin" }).click();
  await admin.page.getByRole("button", { name: "Remove", exact: true }).click();
  await admin.page.getByText(/Nothing was changed. A different user with/).waitFor();
  await admin.open(`/settings/users/${own.Items[0]!.Id}`);
  expect(await rolesOn(admin.page)).toContain("admin");
});
