// The page Branding of Settings, and pages in a tenant's face, in a real browser.

import { expect, test } from "bun:test";
import { MAIL_KINDS } from "../../server/identity/mail/kinds.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { pngOf } from "../support/picture.ts";
import { ok, until } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant, shared } from "../world/tenant.ts";

const browser = openWindows();

test("an administrator previews a face in both schemes, saves it, and restores a version; an auditor only reads", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, complaints, open } = visitor;
  await open("/settings/branding");
  await inspect(page, "branding-empty");
  await page.getByLabel("Name (optional)", { exact: true }).fill("Acme Ltd");
  await page.getByLabel("A sentence for the people who sign in").fill("Staff and partners of Acme.");
  await page.getByLabel("Accent (optional)", { exact: true }).fill("#ffcc00");
  await page
    .getByLabel("Logo", { exact: true })
    .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: pngOf(300, 60) });
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  // Nothing typed is lost, and the chosen file stays.
  await page
    .getByRole("alert")
    .getByText(/^#ffcc00 has a contrast of 1\.\d on light pages/)
    .waitFor();
  expect(await page.getByLabel("Name (optional)", { exact: true }).inputValue()).toBe("Acme Ltd");
  expect(await page.getByAltText("Present: Logo").count()).toBe(1);
  await inspect(page, "branding-refused");
  await page.getByLabel("Accent (optional)", { exact: true }).fill("#7a1fa2");
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await page.getByText("Nothing is saved yet.").waitFor();
  expect((await ok(api.get("/TenantSettings"))).DisplayName).toBe("");
  for (const scheme of ["light", "dark"]) {
    const frame = page.frameLocator(`iframe[title="Sign in, ${scheme}"]`);
    await frame.getByRole("heading", { name: "Sign in" }).waitFor();
    await frame.getByAltText("Acme Ltd").waitFor();
    const ground = scheme === "light" ? "rgb(243, 245, 248)" : "rgb(16, 21, 29)";
    const root = frame.locator("html");
    // The frame's stylesheets may still be loading.
    await until(`the colours of ${scheme} pages`, async () => {
      return (await root.evaluate((html) => getComputedStyle(html).backgroundColor)) === ground;
    });
  }
  await inspect(page, "branding-preview");
  await page.getByLabel("Language of the preview").selectOption("ar");
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  const arabic = page.frameLocator('iframe[title="Consent, dark"]');
  await arabic.locator("html[dir=rtl]").getByAltText("Acme Ltd").waitFor();
  const [mails] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("button", { name: "Preview mails" }).click(),
  ]);
  await mails.waitForLoadState();
  const kinds = MAIL_KINDS.length;
  expect([await mails.locator("h2").count(), await mails.locator("iframe").count()]).toEqual([kinds, 2 * kinds]);
  for (const scheme of ["light", "dark"]) {
    const frame = mails.frameLocator(`iframe[title="Invitation, ${scheme}"]`);
    await frame.locator("html[lang=ar][dir=rtl]").getByAltText("Acme Ltd").waitFor();
    const ground = scheme === "light" ? "rgb(242, 244, 247)" : "rgb(22, 25, 31)";
    expect(await frame.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor)).toBe(ground);
  }
  await inspect(mails, "branding-mails");
  await mails.close();
  await page.getByLabel("Language of the preview").selectOption("en");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. Pages and mails have it at once.").waitFor();
  expect(await ok(api.get("/TenantSettings"))).toMatchObject({ DisplayName: "Acme Ltd", Accent: "#7a1fa2" });

  await page.getByLabel("Remove: Logo").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect((await ok(api.get("/TenantSettings"))).Logo).toBe("");
  await page.getByRole("row", { name: /^1 / }).getByText("Restore", { exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore version 1" }).click();
  await page.getByText("Version 1 is restored.").waitFor();
  expect((await ok(api.get("/TenantSettings"))).Logo).not.toBe("");
  // The browser reports the refused form, and that the frames of the preview run nothing.
  expect(complaints.filter((one) => !/ sandboxed | status of 422 /.test(one))).toEqual([]);

  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await auditor.open("/settings/branding");
  await auditor.page.getByText("Acme Ltd").first().waitFor();
  expect(await auditor.page.getByRole("button", { name: "Save" }).count()).toBe(0);
});

test("pages in a face can be read in both schemes, with long texts", async () => {
  const api = await newTenant();
  const { Name } = await ok(
    api.patch("/TenantSettings", {
      DisplayName: "The Association of People with Remarkably Long Organisation Names in the Northern Half",
      Welcome: `${"A sentence that goes on ".repeat(8)}.`,
      Accent: "#8a2b06",
      Background: "#fdf1e7",
      DarkBackground: "#1b1210",
      HelpUri: "https://acme.example/help",
      PrivacyUri: "https://acme.example/privacy",
      TermsUri: "https://acme.example/terms",
    }),
  );
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${shared().url}/signin/${encodeURIComponent(Name)}`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await inspect(page, "face-sign-in");
});
