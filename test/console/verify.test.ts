// A new connection: its secret, verification code, and test events.

import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { ok, until } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("an admin adds a connection, sends a test event, and sees it arrive", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open, complaints } = visitor;
    await open("/settings/webhooks/add");
    await page.getByLabel("URL Endpoint").fill(receiver.url);
    await page.getByRole("checkbox", { name: "Department" }).check();
    await page.getByRole("button", { name: "Add connection" }).click();
    const secret = (await page.locator(".secret code").first().textContent())!;
    await page.getByRole("link", { name: "Verify and test" }).click();
    await page.getByText("Nothing yet").waitFor();
    await page.getByRole("button", { name: "Send Updated: Department" }).click();
    await page.getByRole("status").getByText("A test of Department Updated is being sent.").waitFor();
    const delivered = page.getByRole("row").filter({ hasText: "Department Updated" }).getByText("Delivered");
    if (javaScriptEnabled) await delivered.waitFor();
    else await until("it to arrive", async () => (await page.reload()) && (await delivered.count()) === 1);
    if (javaScriptEnabled) await inspect(page, "webhook-tested");

    const [call] = receiver.calls;
    expect(call!.payload).toMatchObject({ EventType: "Updated", EventRecord: "Department", Test: true } as object);
    expect(Object.keys(call!.payload).at(-1)).toBe("Test");
    const headers = Object.fromEntries(call!.headers);
    expect(new Webhook(secret).verify(call!.bytes.toString("utf8"), headers)).toMatchObject({ Test: true });

    await page.getByRole("row").filter({ hasText: "Department Updated" }).getByRole("link").click();
    await page.getByText('"Test": true').waitFor();
    await page.getByRole("heading", { name: "Test of Department Updated", level: 1 }).waitFor();
    const [{ Id }] = (await ok(api.get("/WebhookConnection"))).Items;
    await open(`/settings/webhooks/${Id}`);
    await page.getByRole("link", { name: "Test of Department Updated" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("a signature is rejected on purpose only, and the input is kept", async () => {
    const api = await newTenant();
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    await open("/settings/webhooks/add");
    await page.getByLabel("URL Endpoint").fill("https://localhost:9443/hooks");
    await page.getByRole("checkbox", { name: "Application" }).check();
    await page.getByRole("checkbox", { name: "Send without a signature" }).check();
    await page.getByLabel("Secret").fill("something only we know");
    await page.getByRole("button", { name: "Add connection" }).click();
    await page.getByRole("alert").getByText("Secret is set above").waitFor();
    expect(await page.getByLabel("URL Endpoint").inputValue()).toBe("https://localhost:9443/hooks");
    if (javaScriptEnabled) await inspect(page, "webhook-unsigned-refused");
    await page.getByLabel("Secret").fill("");
    await page.getByRole("button", { name: "Add connection" }).click();
    await page.getByRole("heading", { name: "ApiKey", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Verify and test" }).click();
    await page.getByText("This connection has no secret: its calls are not signed.").waitFor();
  });
});

test("a user who may not change the connection sees the code without button, and may not send", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory" });
  await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  const { page, open } = visitor;
  await open(`/settings/webhooks/${Id}`);
  await page.getByRole("navigation", { name: "This record" }).getByRole("link", { name: "Verify" }).click();
  await page.waitForURL(/\/verify$/);
  const tabs = page.getByRole("navigation", { name: "This record" }).getByRole("link");
  expect(await tabs.allTextContents()).toEqual(["Record", "Verify", "Filter", "Statement", "Events", "Audit"]);
  await page.getByText("Python", { exact: true }).click();
  await page.getByText("def is_from_gatehouse").waitFor();
  expect(await page.getByRole("button", { name: /^Send/ }).count()).toBe(0);
  const csrf = await page.locator("form input[name=csrf]").first().inputValue();
  const form = { csrf, EventRecord: "Application", EventType: "Created" };
  expect((await page.request.post(page.url(), { form })).status()).toBe(403);
});
