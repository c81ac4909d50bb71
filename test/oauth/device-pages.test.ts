// The pages by which a person signs a device in, in a real browser, and what axe-core finds in them.

import { beforeAll, describe, expect, test } from "bun:test";
import { DEVICE_GRANT } from "../../server/oauth/index.ts";
import { type Client, newClient } from "../authorize/client.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { shared } from "../support/tenant.ts";
import { beginDevice } from "./device.ts";

const browser = openWindows();
const PATIENCE_MS = 120_000;

let client: Client;
beforeAll(async () => {
  client = await newClient({ grant_types: [DEVICE_GRANT] });
});

describe.each([true, false])("in a browser, with script: %p", (javaScriptEnabled) => {
  test("a person signs a device in by keyboard only", async () => {
    const device = await beginDevice(client, { scope: "openid profile" });
    const page = await (await browser.newContext({ javaScriptEnabled, isStyled: true })).newPage();
    await page.goto(`${shared().url}/device`);
    await page.getByLabel("Code").fill(device.userCode);
    await page.keyboard.press("Enter");
    await page.getByLabel("User name").fill(client.tenant.admin.username);
    await page.getByLabel("Password").fill(client.tenant.admin.password);
    await page.keyboard.press("Enter");
    await page.getByText(`A device that shows ${device.userCode} gets this access`).waitFor();
    const allow = page.getByRole("button", { name: "Allow", exact: true });
    await page.getByRole("button", { name: "Deny" }).focus();
    await page.keyboard.press("Tab");
    expect(await allow.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "The device is signed in" }).waitFor();
    expect((await device.poll()).status).toBe(200);
  });
});

test(
  "every page of it is accessible and fits, on a phone in dark mode and on a desktop in light mode",
  async () => {
    const device = await beginDevice(client, { scope: "openid profile email" });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${shared().url}/device?user_code=${device.userCode}`);
    await inspect(page, "device code");
    await page.getByLabel("Code").fill("BBBB-CCCC");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").waitFor();
    await inspect(page, "device code wrong");
    await page.getByLabel("Code").fill(device.userCode);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("User name").fill(client.tenant.admin.username);
    await page.getByLabel("Password").fill(client.tenant.admin.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
    await inspect(page, "device question");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "The device is not signed in" }).waitFor();
    await inspect(page, "device done");
  },
  PATIENCE_MS,
);
