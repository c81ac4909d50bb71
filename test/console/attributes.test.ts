// Attributes of users, defined by an organisation: in the organisation's form, in the users' form, and on their pages.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const told = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text).waitFor();

const LINES = `costCentre Text Pays for the person
floor Number
isRemote Boolean Works from home
skills Texts What the person knows`;

test("an administrator defines attributes, fills them in, sees errors beside the field, and reads them", async () => {
  const api = await newTenant();
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open("/settings/organisation");
  await page.locator("summary", { hasText: "Attributes" }).click();
  await page.getByLabel("Attributes of users").fill(`${LINES}\nodd Date`);
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByText(/Type must be Text or Number or Boolean or Texts/)
    .first()
    .waitFor();
  await page.getByLabel("Attributes of users").fill(LINES);
  await page.getByRole("button", { name: "Save" }).click();
  await told(page, /Saved/);
  expect(await page.getByLabel("Attributes of users").inputValue()).toBe(LINES);

  await open("/settings/users/add");
  await page.getByLabel("Full name").fill("Ana Silva");
  await page.getByLabel("User name").fill("ana");
  await page.getByLabel("costCentre").fill("4711");
  await page.getByLabel("floor").fill("third");
  await page.getByLabel("isRemote").selectOption("No");
  await page.getByLabel("skills").fill("Bun\n Cedar \n");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByText("floor must be a number.").first().waitFor();
  expect(await page.getByLabel("costCentre").inputValue()).toBe("4711");
  await inspect(page, "user-attributes-refused");
  for (const [written, problem] of [
    ["9007199254740993", "would be rounded to 9007199254740992. Write fewer digits."],
    ["0x1F", "is not a decimal number. Write it in decimal digits."],
  ] as const) {
    await page.getByLabel("floor").fill(written);
    await page.getByRole("button", { name: "Add user" }).click();
    await page.getByText(`floor is ${written}, which ${problem}`).first().waitFor();
  }
  await page.getByLabel("floor").fill("-1.5");
  await page.getByRole("button", { name: "Add user" }).click();
  await told(page, /The user is added/);
  const user = async () =>
    (await api.call<{ Items: { Attributes: object }[] }>("GET", "/User?Username=ana")).body.Items[0]!;
  const values = { costCentre: "4711", floor: -1.5, isRemote: false, skills: ["Bun", "Cedar"] };
  expect((await user()).Attributes).toEqual(values);
  const facts = await page.getByRole("main").textContent();
  for (const text of ["costCentre", "4711", "-1.5", "Bun, Cedar"]) expect(facts).toContain(text);
  await inspect(page, "user-attributes");

  // Emptied values are removed; others stay.
  await page.getByRole("link", { name: "Change" }).first().click();
  expect(await page.getByLabel("skills").inputValue()).toBe("Bun\nCedar");
  await page.getByLabel("floor").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await told(page, /The user is changed/);
  const { floor: _, ...others } = values;
  expect((await user()).Attributes).toEqual(others);

  await open("/settings/organisation");
  await page.getByLabel("Attributes of users").fill("floor Number");
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByText(/1 User has a value of costCentre, isRemote, skills/)
    .first()
    .waitFor();

  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await auditor.open("/settings/organisation");
  await auditor.page.getByText("costCentre Text Pays for the person").first().waitFor();
  // Browsers log a 422 as an error.
  expect(complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
});
