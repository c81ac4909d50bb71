// A Pull connection, and a receiver check, in Settings.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { ok } from "../world/api.ts";
import { enterSettings } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test.each([true, false])(
  "an admin adds a Pull connection, whose pages have nothing about calls (script: %p)",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open, complaints } = visitor;
    await open("/settings/webhooks/add");
    await page.getByLabel("Kind").selectOption("Pull");
    await page.getByRole("checkbox", { name: "Application" }).check();
    await page.getByRole("button", { name: "Add connection" }).click();
    await page.getByRole("alert").getByText("A Pull connection needs one").waitFor();
    await page.locator("input[name=Name]").fill("archive");
    await page.getByRole("button", { name: "Add connection" }).click();
    await page.getByRole("heading", { name: "Secret", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Verify and test" }).click();
    await page.getByRole("heading", { name: "Get the events" }).waitFor();
    expect(await page.getByRole("button", { name: /^(Send|Check)/ }).count()).toBe(0);
    if (javaScriptEnabled) await inspect(page, "pull-verify");

    const [{ Id }] = (await ok(api.get("/WebhookConnection"))).Items;
    for (const Name of ["One", "Two"]) await api.change({ Name });
    const { Items } = await ok(api.get(`/WebhookConnection/${Id}/Events?Limit=1`));
    await ok(api.call("POST", `/WebhookConnection/${Id}/Ack`, { Upto: Items[0].EventId }));
    await open(`/settings/webhooks/${Id}`);
    await page.getByText(`/WebhookConnection/${Id}/Events`).waitFor();
    await page.getByText("1 held, the oldest for").waitFor();
    for (const gone of ["Send a ping", "Redeliver", "URL Endpoint", "Window", "Limits"]) {
      expect(await page.getByText(gone, { exact: true }).count()).toBe(0);
    }
    if (javaScriptEnabled) await inspect(page, "pull-connection");
    await open(`/settings/activity/${Items[0].EventId}`);
    await page.getByText("Delivered at the 1st attempt").waitFor();
    expect(await page.getByText("request and response").count()).toBe(0);

    await open(`/settings/webhooks/${Id}/secret`);
    await page.getByRole("link", { name: "Replace the secret" }).click();
    expect(await page.getByLabel("URL Endpoint").count()).toBe(0);
    await page.locator("input[name=Name]").fill("the archive");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "the archive", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    expect((await ok(api.get(`/WebhookConnection/${Id}`))).State).toBe("Active");
    expect(complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
  },
);

test("an admin checks a receiver, and reads what to change", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(({ bytes }) => (bytes.length > 100_000 ? 413 : 200));
  const { Id } = await api.connect(receiver.url, { Secret: "hunter2" });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open(`/settings/webhooks/${Id}/verify`);
  await page.getByRole("button", { name: "Check the receiver" }).click();
  await page.getByText("2xx for 20 calls at once").waitFor();
  await page.getByRole("button", { name: "Check the receiver" }).waitFor();
  await page.getByText("Raise the limit of its proxy or framework.").waitFor();
  await page.getByText("Anyone can send calls.").waitFor();
  await inspect(page, "receiver-check");
  expect(complaints).toEqual([]);
});
