// A policy is tested before it is saved: in the browser, without script, and without losing input.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const FORBID =
  'forbid (principal, action == Action::"AccessManager:Update", resource is Application)\nwhen { resource.Name like "Payroll*" };';

test("an administrator writes a policy, tries it on a call, sees which users it affects, and saves it", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Payroll & co" });
  await api.change({ Name: "Payroll two" });
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page } = visitor;
  await visitor.open("/settings/policies/add");
  await page.getByLabel("Name").fill('No "payroll"');
  await page.getByLabel("Description").fill("For the test.");
  const policy = page.getByLabel("Policy", { exact: true });
  await policy.fill(FORBID);
  await page.getByRole("button", { name: "Try it first" }).click();

  await page.getByRole("heading", { name: "Try a policy", level: 1 }).waitFor();
  expect(await policy.inputValue()).toBe(FORBID);
  await page.getByLabel("Caller's name or Id").fill("admin");
  await page.getByLabel("Record's name or Id").fill("Payroll");
  await page.getByLabel("Action").selectOption("AccessManager:Update");
  await page.getByRole("button", { name: "Try this call" }).click();
  expect(await page.getByRole("alert").textContent()).toMatch(
    /Several have this name: Payroll & co \(\d+\).*Payroll two/,
  );
  await page.getByLabel("Record's name or Id").fill(String(Id));
  await page.getByRole("button", { name: "Try this call" }).click();
  const answer = page.getByRole("region", { name: "Denied" });
  expect(await answer.textContent()).toContain('Forbidden by No "payroll"');
  await page.getByLabel("Action").selectOption("AccessManager:Read");
  await page.getByRole("button", { name: "Try this call" }).click();
  const allowed = page.getByRole("region", { name: "Allowed" });
  await allowed.getByRole("link", { name: "Administrators" }).waitFor();

  await page.getByRole("button", { name: "Who is affected?" }).click();
  await page.getByRole("heading", { name: "Changes" }).waitFor();
  expect(await page.getByText(/^Of \d+ checked, \d+ change\./).textContent()).toMatch(/^Of [1-9]\d* checked, [1-9]/);
  const rows = page.getByRole("table").getByRole("row").filter({ hasText: "Payroll & co" });
  expect(await rows.first().textContent()).toMatch(/AccessManager:Update[\s\S]*Denied/);
  expect(await rows.first().getByRole("link", { name: "Payroll & co" }).getAttribute("href")).toBe(
    `/settings/applications/${Id}`,
  );

  await page.getByRole("button", { name: "Save policy" }).click();
  await page.getByRole("heading", { name: 'No "payroll"', level: 1 }).waitFor();
  expect(await policy.inputValue()).toBe(FORBID);
  const { body } = await api.call<{ Items: Record<string, string>[] }>("GET", "/Policy?Limit=1");
  expect(body.Items[0]).toMatchObject({ Name: 'No "payroll"', Description: "For the test.", Policy: FORBID });

  // On its own page, the text replaces the saved one.
  await policy.fill(FORBID.replace("Payroll", "Nothing"));
  await page.getByRole("button", { name: "Try it first" }).click();
  await page.getByLabel("Caller's name or Id").fill("admin");
  await page.getByLabel("Record's name or Id").fill(String(Id));
  await page.getByLabel("Action").selectOption("AccessManager:Update");
  await page.getByRole("button", { name: "Try this call" }).click();
  await page.getByRole("region", { name: "Allowed" }).waitFor();
  await page
    .getByLabel("Policy", { exact: true })
    .fill("forbid (principal, action, resource is User) when { resource.Naem };");
  await page.getByRole("button", { name: "Try this call" }).click();
  expect(await page.getByRole("alert").textContent()).toContain("Line 1, column 53");
  await policy.fill(FORBID.replace("Payroll", "Nothing"));
  await page.getByRole("button", { name: "Save policy" }).click();
  expect(await page.getByRole("status").textContent()).toContain("The policy is saved");
  expect(visitor.complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
});

test("a user who may not read a client's scopes enters them beside the field", async () => {
  const api = await newTenant();
  const colleague = await newColleague(api, "auditor");
  const Policy = 'forbid (principal in Role::"auditor", action == Action::"Settings:Read", resource is Credentials);';
  await api.made("Policy", { Name: "No credentials", Policy });
  await using visitor = await enterSettings(browser, api.tenant, { ...colleague, javaScriptEnabled: false });
  const { page } = visitor;
  await visitor.open("/settings/policies/try");
  await page.getByLabel("Called by").selectOption("Client");
  await page.getByLabel("Caller's name or Id").fill(api.clientId);
  await page.getByLabel("Record's name or Id").fill(api.clientId);
  await page.getByRole("button", { name: "Try this call" }).click();
  await page.getByRole("link", { name: "You may not read the client's scopes" }).waitFor();
  expect(await page.getByLabel("Caller's name or Id").inputValue()).toBe(api.clientId);
  await page.getByLabel("AccessManager:Read", { exact: true }).check();
  await page.getByRole("button", { name: "Try this call" }).click();
  await page.getByRole("region", { name: /^(Allowed|Denied)$/ }).waitFor();
});
