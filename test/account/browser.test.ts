// The account and second-factor pages in a real browser.

import { describe, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import type { Client } from "../world/client.ts";
import { Authenticator, newApplication } from "../world/person.ts";
import { shared } from "../world/tenant.ts";

const browser = openWindows();

/** A browser of the tenant's admin, after the password step. */
async function open(client: Client, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(`${shared().url}/account?client_id=${client.id}`);
  await signIn(page, client);
  return page;
}

async function signIn(page: Page, { tenant }: Client, password = tenant.admin.password): Promise<void> {
  await page.getByLabel("User name").fill(tenant.admin.username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

/** Reads the key from the page, like users who cannot scan. */
async function enrol(page: Page, { tenant }: Client): Promise<Authenticator> {
  await page.getByText("Enter a key instead").click();
  const app = new Authenticator((await page.locator("code.key").textContent())!.replaceAll(/\s/g, ""));
  await page.getByLabel("Code", { exact: true }).fill(app.code());
  await page.getByLabel("Your password").fill(tenant.admin.password);
  await page.getByRole("button", { name: "Confirm" }).click();
  await heading(page, "Keep your recovery codes");
  return app;
}

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("a person sets up an authenticator, signs in with it, and signs in once with a recovery code", async () => {
    const client = await newApplication();
    const page = await open(client, { javaScriptEnabled });
    await page.getByRole("link", { name: "Set up an authenticator" }).click();
    const app = await enrol(page, client);
    const recovery = await page.locator(".codes code").allTextContents();
    await page.getByRole("link", { name: "I have stored them" }).click();
    await page.getByRole("status").getByText("Your authenticator app is set up.").waitFor();

    const phone = await open(client, { javaScriptEnabled });
    await heading(phone, "Enter your code");
    await phone.getByLabel("Code").fill(app.wrongCode());
    await phone.keyboard.press("Enter");
    await phone.getByRole("alert").waitFor();
    await phone.getByLabel("Code").fill(app.code(1));
    await phone.keyboard.press("Enter");
    await heading(phone, "Your account");

    const tablet = await open(client, { javaScriptEnabled });
    await tablet.getByLabel("Code").fill(recovery[3]!);
    await tablet.getByRole("button", { name: "Continue" }).click();
    await tablet.getByText("9 recovery codes are left").waitFor();
  });

  test("a person changes the password, and the other browser is signed out", async () => {
    const client = await newApplication();
    const [page, other] = await Promise.all([open(client, { javaScriptEnabled }), open(client, { javaScriptEnabled })]);
    await Promise.all([heading(page, "Your account"), heading(other, "Your account")]);
    await page.reload();
    expect(await page.getByRole("listitem").filter({ hasText: "Chrome on Linux" }).count()).toBe(2);
    await page.getByRole("link", { name: "Change password" }).click();
    await page.getByLabel("Your password").fill(client.tenant.admin.password);
    await page.getByLabel("New password").fill("iloveyou1");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("alert").getByText("could be guessed").waitFor();
    await page.getByLabel("Your password").fill(client.tenant.admin.password);
    await page.getByLabel("New password").fill("correct horse battery staple");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("status").waitFor();
    expect(await page.getByRole("listitem").filter({ hasText: "Chrome on Linux" }).count()).toBe(1);
    await other.reload();
    await heading(other, "Sign in");
  });
});

test("a person downloads everything that is kept, with the password", async () => {
  const client = await newApplication();
  const page = await open(client);
  await heading(page, "Your account");
  await inspect(page, "account-with-data");
  await page.getByRole("link", { name: "Download my data" }).click();
  await heading(page, "Download your data");
  await inspect(page, "account-data");
  const button = page.getByRole("button", { name: "Download my data" });
  await page.getByLabel("Your password").fill("a wrong guess");
  await button.click();
  await page.getByRole("alert").waitFor();
  await inspect(page, "account-data-refused");
  await page.getByLabel("Your password").fill(client.tenant.admin.password);
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  expect(download.suggestedFilename()).toMatch(/^user-\d+-\d{4}-\d\d-\d\d\.zip$/);
  const files = unzipSync(await Bun.file(await download.path()).bytes());
  expect(Object.keys(files)).toContain("User.json");
});
