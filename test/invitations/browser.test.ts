// Invitations of many people in Settings: a file is checked, corrected, started, followed and exported.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { ok } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { arrived, newAddress } from "../world/mailbox.ts";
import { plantImport } from "../world/planted.ts";
import { addRows, countOf, times } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("an administrator checks a file, corrects it, invites its people, and exports who was skipped", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open("/settings/invitations");
  await page.getByRole("link", { name: "Invite many people" }).click();
  await inspect(page, "import-empty");
  const [ana, bo] = [newAddress("ana"), newAddress("bo")];
  await ok(api.patch("/User", { Username: "bo", Email: bo, EmailVerified: true }));
  const lines = [`${ana},Ana Silva,`, "nobody,Bo,", `${bo},Bo,no such role`];
  const file = (text: string | Buffer) => ({
    ...{ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(text as string) },
  });
  const chooser = page.getByLabel("CSV file");
  const check = () => page.getByRole("button", { name: "Check" }).click();

  await chooser.setInputFiles(file(Buffer.from([0x45, 0x6d, 0xe4, 0x0a])));
  await check();
  await page.getByRole("alert").getByText("It is not UTF-8. Save it as CSV UTF-8.").waitFor();
  await chooser.setInputFiles(file(["Email,Name,Roles", ...lines].join("\r\n")));
  await check();
  await page.getByRole("row", { name: /^3 Email must be one mail address/ }).waitFor();
  await page.getByRole("row", { name: /^4 Roles: there is no role no such role/ }).waitFor();
  await page.getByRole("status").getByText("1 person can be invited. Correct the other lines first").waitFor();
  expect(await page.getByRole("button", { name: /^Invite/ }).count()).toBe(0);
  await inspect(page, "import-refused");
  expect(await countOf("invitations", { tenant_id: api.tenantId })).toBe(0);

  // The file's text is still there.
  const text = page.getByLabel("Or its text");
  expect(await text.inputValue()).toContain("no such role");
  await text.fill(["Email,Name", `${ana},Ana Silva`, `${bo},Bo`].join("\n"));
  await check();
  await page.getByText("2 people can be invited. Nothing is sent yet.").waitFor();
  await inspect(page, "import-checked");
  await page.getByRole("button", { name: "Invite 2 people" }).click();
  await page.getByText("The people are being invited.").waitFor();
  await page.getByRole("row", { name: /^3 a User has this verified address already/ }).waitFor();
  await page.locator("dl").getByText("Completed", { exact: true }).waitFor();
  await inspect(page, "import-ended");
  await arrived(ana);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const report = await Bun.file(await download.path()).text();
  expect(report).toBe('"Row","Reason"\r\n"3","a User has this verified address already"\r\n');
  await open("/settings/invitation-imports");
  await page.getByRole("row", { name: /Completed Invited 1 of 2 Skipped 1/ }).waitFor();
  await inspect(page, "imports");
  // The browser reports refused forms.
  expect(complaints.filter((one) => !/ status of 422 /.test(one))).toEqual([]);
});

test("an import is paused and resumed, and an auditor only watches", async () => {
  const api = await newTenant();
  const paused = { state: "Paused", ended_on: null, total: 400, done: 250, invited: 100 };
  const Id = await plantImport(api.tenantId, undefined, paused);
  for (const number of times(150, (index) => index + 2)) {
    const reason = "has an open invitation";
    await addRows("invitation_import_rows", {
      import_id: Id,
      number,
      email: "a@mail.test",
      name: "",
      roles: [],
      reason,
    });
  }
  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await auditor.open(`/settings/invitation-imports/${Id}`);
  await auditor.page.getByText("250 of 400").waitFor();
  await auditor.page.getByText("These are the first 100. The export has all of them.").waitFor();
  expect(await auditor.page.getByRole("button", { name: /Resume|Cancel the rest/ }).count()).toBe(0);

  await using visitor = await enterSettings(browser, api.tenant);
  await visitor.open(`/settings/invitation-imports/${Id}`);
  await inspect(visitor.page, "import-paused");
  await visitor.page.getByRole("button", { name: "Resume" }).click();
  await visitor.page.getByText("The import continues.").waitFor();
  const stranger = await newTenant();
  await using other = await enterSettings(browser, stranger.tenant);
  const answer = await other.page.goto(other.page.url().replace(/\/settings.*/, `/settings/invitation-imports/${Id}`));
  expect(answer!.status()).toBe(404);
});
