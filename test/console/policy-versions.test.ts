// Every text of a policy is kept: its author and time, its differences, and its restoration.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { differenceOf } from "../../server/console/policies/difference.ts";
import { openWindows } from "../support/browser.ts";
import type { Api } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { removeRows } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const textOf = (hour: number) =>
  `permit (principal == Client::"0", action, resource)\nwhen { context.hour > ${hour} }\nunless { context.hour == 0 };`;

async function save(api: Api, fields: Record<string, unknown>): Promise<string> {
  const { status, body } = await api.call<{ Id: string }>("PATCH", "/Policy", { Name: "Hours", ...fields });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.Id;
}

test("an administrator reviews a colleague's change of a policy and restores the former version", async () => {
  const api = await newTenant();
  const id = await save(api, { Policy: textOf(1) });
  // The text is unchanged.
  await save(api, { Description: "By the hour." });
  const colleague = await newColleague(api, "admin");
  await using other = await enterSettings(browser, api.tenant, colleague);
  await other.open(`/settings/policies/${id}`);
  await other.page.getByLabel("Policy", { exact: true }).fill(textOf(2));
  await other.page.getByRole("button", { name: "Save policy" }).click();
  await other.page.getByText("The policy is saved").waitFor();

  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page } = visitor;
  await visitor.open(`/settings/policies/${id}`);
  await page.getByRole("link", { name: "Versions" }).click();
  await page.getByRole("heading", { name: "Version 2", exact: true }).waitFor();
  const rows = page.getByRole("table", { name: "Versions" }).getByRole("row");
  expect(await rows.allTextContents()).toEqual([
    "VersionSavedBy",
    expect.stringMatching(/^2.*A colleague$/),
    expect.stringMatching(/^1.*demo-client$/),
  ]);
  const lines = page.locator(".difference li");
  const [first, second, third] = textOf(2).split("\n");
  expect(await lines.allTextContents()).toEqual([
    ` ${first}`,
    "−gone: when { context.hour > 1 }",
    `+new: ${second}`,
    ` ${third}`,
  ]);
  expect(await page.getByRole("button", { name: /^Restore/ }).count()).toBe(0);

  await page.getByRole("link", { name: "1", exact: true }).click();
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByText("Version 1 is restored and in force.").waitFor();
  expect(await page.getByLabel("Policy", { exact: true }).inputValue()).toBe(textOf(1));
  expect((await api.call("GET", `/Policy/${id}`)).body).toMatchObject({
    Policy: textOf(1),
    Description: "By the hour.",
  });
  await visitor.open(`/settings/policies/${id}/versions`);
  expect(await rows.nth(1).textContent()).toMatch(/^3.*Administrator$/);
  await visitor.open(`/settings/policies/${id}/versions?Number=9`);
  await page.getByText("Version not found").waitFor();

  // A concurrent change is not overwritten.
  await visitor.open(`/settings/policies/${id}/versions?Number=2`);
  await save(api, { Policy: textOf(5) });
  await page.getByRole("button", { name: "Restore version 2" }).click();
  await page.getByRole("heading", { name: "Restore version 2?" }).waitFor();
  await page.getByRole("alert").getByText("This has changed since the page was shown").waitFor();
  expect((await api.call("GET", `/Policy/${id}`)).body.Policy).toBe(textOf(5));
  expect(visitor.complaints.filter((line) => !line.includes("responded with a status of 4"))).toEqual([]);
});

test("the newest 50 texts of a policy are kept", async () => {
  const api = await newTenant();
  for (let hour = 1; hour <= 52; hour++) await save(api, { Policy: textOf(hour) });
  const id = await save(api, {});
  const kept = await api.call<{ Items: unknown[] }>("GET", `/Policy/${id}/Versions?Limit=200`);
  expect(kept.body.Items).toHaveLength(50);
  await using visitor = await enterSettings(browser, api.tenant);
  await visitor.open(`/settings/policies/${id}/versions?Number=3`);
  const rows = visitor.page.getByRole("table", { name: "Versions" }).getByRole("row");
  expect(await rows.count()).toBe(51);
  await visitor.page.getByText("Earlier versions are no longer stored.").waitFor();
  await visitor.open(`/settings/policies/${id}/versions?Number=2`);
  await visitor.page.getByText("The last 50 versions of a policy are kept").waitFor();
  await removeRows("policy_versions", { policy_id: id });
  await visitor.open(`/settings/policies/${id}/versions`);
  await visitor.page.getByText("Version not found").waitFor();
});

test("a comparison has all lines of both texts, in order", () => {
  const text = fc.array(fc.constantFrom("a", "b", "", "c"), { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = differenceOf(before, after);
      const without = (kind: string) => lines.filter((line) => line.kind !== kind).map((line) => line.text);
      expect(without("new").join("\n")).toBe(before);
      expect(without("gone").join("\n")).toBe(after);
      if (before === after) expect(lines.every(({ kind }) => kind === "same")).toBe(true);
    }),
  );
});
