// Remaining set-up steps on Overview, until they are done or dismissed.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { until } from "../world/api.ts";
import { enterSettings, newColleague, type Visitor } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

/** The state of each step, by its text. */
async function stepsOf({ page, open }: Visitor): Promise<Record<string, string>> {
  await open("/settings");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const items = await page.locator("#first-steps").getByRole("listitem").allTextContents();
  return Object.fromEntries(
    items.map((item) => [item.replace(/^(Done|To do) /, ""), item.startsWith("Done") ? "Done" : "To do"]),
  );
}

test("each step is done once its condition holds, and its link leads to the right page", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  await using visitor = await enterSettings(browser, api.tenant);
  const steps = {
    "Protect your own account with a second factor": "To do",
    "Create your own application": "To do",
    "Add a user": "To do",
    "Add a user to a role": "To do",
    "Connect a receiver for changes": "To do",
    "See the first delivery arrive": "To do",
  };
  expect(await stepsOf(visitor)).toEqual(steps);
  await inspect(visitor.page, "first-steps");
  const links = await visitor.page.locator("#first-steps").getByRole("link").all();
  const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
  for (const path of paths) {
    await visitor.open(path!);
    await visitor.page.getByRole("heading", { level: 1 }).first().waitFor();
  }
  await api.call("PATCH", "/Application", { Name: "Payroll" });
  expect(await stepsOf(visitor)).toEqual({ ...steps, "Create your own application": "Done" });
  await newColleague(api, "editor");
  await api.connect(receiver.url, { Name: "Directory" });
  await api.change({ Name: "Front door" });
  const open = await until("all steps but one to be done", async () => {
    const left = Object.entries(await stepsOf(visitor)).filter(([, state]) => state === "To do");
    return left.length === 1 && left;
  });
  expect(open).toEqual([["Protect your own account with a second factor", "To do"]]);
  expect(visitor.complaints).toEqual([]);
});

test("without script it is dismissed per user, and users who cannot change settings do not see it", async () => {
  const api = await newTenant();
  await using admin = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  await admin.page.getByRole("button", { name: "Dismiss" }).click();
  await admin.page.getByRole("status").getByText("The first steps are dismissed.").waitFor();
  expect(await stepsOf(admin)).toEqual({});
  await using other = await enterSettings(browser, api.tenant);
  expect(Object.keys(await stepsOf(other))).toHaveLength(6);
  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  expect(await stepsOf(auditor)).toEqual({});
});
