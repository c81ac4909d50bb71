// The pages on which a person signs a device in, in a real browser.

import { describe, expect, test } from "bun:test";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { openWindows } from "../support/browser.ts";
import { newClient } from "../world/client.ts";
import { beginDevice } from "../world/device.ts";
import { shared } from "../world/tenant.ts";

const browser = openWindows();

const client = await newClient({ grant_types: [DEVICE_GRANT] });

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
