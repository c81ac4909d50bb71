// Webhook connections in Settings, as people use them.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";
import { enterSettings, newColleague } from "./console.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 60_000);
afterAll(() => browser?.close());

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("an admin adds a connection and sees its first delivery", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { page, complaints } = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByText("No connections yet").waitFor();
    await page.getByRole("link", { name: "Add Webhook Connection" }).click();
    await page.getByLabel("URL Endpoint").fill(receiver.url);
    await page.getByRole("checkbox", { name: "Application" }).check();
    await page.getByLabel("Secret").fill("something only we know");
    await page.getByLabel("Name").fill("Directory");
    await page.getByRole("button", { name: "Add connection" }).click();
    await page.getByRole("status").getByText("The connection is added.").waitFor();
    await page.getByRole("heading", { name: "Directory", level: 1 }).waitFor();
    await page.getByText("Nothing yet").waitFor();

    const door = await api.change({ Name: "Front door" });
    await api.settledEvent();
    // It comes by itself; without script it comes when the page is asked for again.
    if (!javaScriptEnabled) await page.reload();
    await page
      .getByRole("row")
      .filter({ hasText: `Application ${door.Id} Created` })
      .getByText("Delivered")
      .waitFor();
    expect(receiver.calls[0]!.headers.get("x-signature")).toMatch(/^[0-9a-f]{64}$/);
    // What was done is said once.
    if (!javaScriptEnabled) expect(await page.getByRole("status").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

test("an admin pings, pauses, changes and deletes a connection", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  await using other = startReceiver();
  const { Id } = await api.connect(receiver.url, { Name: "Directory", Headers: { "X-Key": "hush" } } as object);
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open(`/settings/webhooks/${Id}`);
  await page.getByRole("button", { name: "Send a ping" }).click();
  await page.getByRole("status").getByText("A ping is on its way.").waitFor();
  await page.getByRole("row").filter({ hasText: "Ping" }).getByText("Delivered").waitFor();

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("status").getByText("The connection is paused.").waitFor();
  const door = await api.change({ Name: "Back door" });
  await page.getByText("1 held").waitFor();

  await page.getByRole("link", { name: "Change" }).click();
  expect(await page.getByLabel("Extra headers").inputValue()).toBe("X-Key:");
  await page.getByLabel("URL Endpoint").fill(other.url);
  await page.getByLabel("Extra headers").fill("X-Key:\nX-More: 7");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The connection is changed.").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page
    .getByRole("row")
    .filter({ hasText: `Application ${door.Id} Created` })
    .getByText("Delivered")
    .waitFor();
  const { headers } = other.calls[0]!;
  expect([headers.get("x-key"), headers.get("x-more")]).toEqual(["hush", "7"]);

  await api.setState(Id, "Paused");
  await api.change({ Name: "Cellar door" });
  await open(`/settings/webhooks/${Id}/delete`);
  await page.getByText("1 delivery that waits for it will be Cancelled.").waitFor();
  await page.getByRole("button", { name: "Delete connection" }).click();
  await page.getByRole("status").getByText("is deleted").waitFor();
  await page.getByText("No connections yet").waitFor();
  expect((await api.newestEvent()).Deliveries[0]!.State).toBe("Cancelled");
  expect(complaints).toEqual([]);
});

test("a form that is refused keeps what was typed, and says beside each field what is wrong", async () => {
  const api = await newTenant();
  await api.connect("https://localhost:9443/", { Name: "taken" });
  const { page, open } = await enterSettings(browser, api.tenant);
  await open("/settings/webhooks/add");
  await page.locator("form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
  await page.getByLabel("URL Endpoint").fill("ftp://example.com");
  await page.getByRole("checkbox", { name: "Updated" }).uncheck();
  await page.getByLabel("Secret").fill("whsec_too-short");
  await page.getByRole("group").getByText("Description, ApiKey").click();
  await page.getByLabel("Extra headers").fill("Host: elsewhere");
  await page.getByLabel("Time limit").fill("5");
  await page.getByRole("button", { name: "Add connection" }).click();

  const summary = page.getByRole("alert");
  await summary.waitFor();
  expect(await summary.getByRole("link").count()).toBe(5);
  for (const name of ["URL Endpoint", "Secret", "Extra headers", "Time limit"]) {
    const field = page.getByLabel(name);
    const described = (await field.getAttribute("aria-describedby"))!.split(" ").at(-1)!;
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect((await page.locator(`#${described}`).textContent())!.length).toBeGreaterThan(10);
  }
  await summary.getByRole("link", { name: "Host cannot be set" }).click();
  expect(await page.evaluate("document.activeElement.name")).toBe("Headers");
  expect(await page.getByLabel("URL Endpoint").inputValue()).toBe("ftp://example.com");
  expect(await page.getByLabel("Secret").inputValue()).toBe("whsec_too-short");
  expect(await page.getByLabel("Extra headers").inputValue()).toBe("Host: elsewhere");
  expect(await page.getByRole("checkbox", { name: "Updated" }).isChecked()).toBe(false);
  expect(await page.getByRole("checkbox", { name: "Created" }).isChecked()).toBe(true);

  await page.getByLabel("URL Endpoint").fill("https://localhost:9443/");
  await page.getByRole("checkbox", { name: "User" }).check();
  await page.getByLabel("Secret").fill("");
  await page.getByLabel("Extra headers").fill("");
  await page.getByLabel("Time limit").fill("");
  await page.getByLabel("Name").fill("taken");
  await page.getByRole("button", { name: "Add connection" }).click();
  await page.locator("#field-Name-problem").getByText("Name is held by another").waitFor();
});

const HOSTILE = `"><script>alert(1)</script>&lt;b&gt;${"\u202e"}txet '<!--`;

test("hostile texts are shown as they were typed, and do nothing", async () => {
  const api = await newTenant();
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open("/settings/webhooks/add");
  await page.getByLabel("URL Endpoint").fill("https://localhost:9443/?x=%22%3E%3Cb%3E&ApiKey=abc");
  await page.getByRole("checkbox", { name: "Department" }).check();
  await page.getByLabel("Name").fill(HOSTILE);
  await page.getByRole("group").getByText("Description, ApiKey").click();
  await page.getByLabel("Description").fill(`\n ${HOSTILE}`);
  await page.getByRole("button", { name: "Add connection" }).click();
  await page.getByRole("heading", { name: HOSTILE, level: 1 }).waitFor();
  expect(await page.content()).not.toContain("ApiKey=abc");
  await page.getByRole("link", { name: "Change" }).click();
  expect(await page.getByLabel("Name").inputValue()).toBe(HOSTILE);
  expect(await page.getByLabel("Description").inputValue()).toBe(`\n ${HOSTILE}`);

  const long = HOSTILE.repeat(250);
  await page.getByLabel("Name").fill(long);
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#field-Name-problem").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe(long);
  await open(`/settings/webhooks?Name=${encodeURIComponent(HOSTILE)}`);
  expect(await page.getByLabel("Name").inputValue()).toBe(HOSTILE);
  await page.getByRole("link", { name: HOSTILE }).waitFor();
  await open(`/settings/webhooks?${encodeURIComponent(HOSTILE)}=1`);
  await page.getByText("is no filter").waitFor();
  expect(complaints.filter((line) => !line.includes("status of 4"))).toEqual([]);
});

test("of two who change the same connection, the second is told and loses nothing", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory" });
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/webhooks/${Id}/change`);
  await page.getByLabel("Name").fill("Mine");
  await api.call("PATCH", "/WebhookConnection", { Id, Name: "Theirs" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("no longer what").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("Mine");
});

describe("what one may do is what the REST API would let one do", () => {
  test("ops see connections and their deliveries, and change nothing", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory" });
    const { page, open } = await enterSettings(browser, api.tenant, await newColleague(api, "ops"));
    const areas = await page.getByRole("navigation", { name: "Settings" }).getByRole("link").allTextContents();
    expect(areas).toContain("Webhooks");
    expect(areas).not.toContain("Users");
    await open(`/settings/webhooks/${Id}`);
    await page.getByRole("heading", { name: "Directory", level: 1 }).waitFor();
    for (const name of ["Change", "Pause", "Delete", "Send a ping"]) {
      expect(await page.getByText(name, { exact: true }).count()).toBe(0);
    }
    await open("/settings/webhooks/add");
    await page.getByText("This needs Webhooks:Create, which none of your roles has.").waitFor();
    await open(`/settings/webhooks/${Id}/delete`);
    await page.getByRole("heading", { name: "Forbidden", level: 1 }).waitFor();
  });

  test("an auditor reads", async () => {
    const api = await newTenant();
    await api.connect("https://localhost:9443/", { Name: "Directory" });
    const { page, open } = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
    await open("/settings/webhooks");
    await page.getByRole("link", { name: "Directory" }).click();
    await page.getByRole("heading", { name: "Directory", level: 1 }).waitFor();
    expect(
      await page
        .getByRole("main")
        .getByRole("button", { name: /Pause|ping|Delete/ })
        .count(),
    ).toBe(0);
  });

  test("who has no role is told so", async () => {
    const api = await newTenant();
    const { page, open } = await enterSettings(browser, api.tenant, await newColleague(api));
    await page.getByText("None of your roles has Webhooks:Read.").waitFor();
    await open("/settings/webhooks");
    await page.getByText("This needs Webhooks:Read, which none of your roles has.").waitFor();
  });

  test("a policy that takes one connection away takes its page away", async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/", { Name: "Secret plans" });
    await api.connect("https://localhost:9443/", { Name: "Directory" });
    const Policy = `forbid (principal is User, action, resource is WebhookConnection)
      when { resource.Name like "Secret*" };`;
    expect((await api.call("PATCH", "/Policy", { Name: "Plans", Policy })).status).toBe(200);
    const { page, open } = await enterSettings(browser, api.tenant);
    await open("/settings/webhooks");
    await page.getByRole("link", { name: "Directory" }).waitFor();
    expect(await page.getByText("Secret plans").count()).toBe(0);
    await open(`/settings/webhooks/${Id}`);
    await page.getByText("A policy forbids Webhooks:Read on this WebhookConnection.").waitFor();
  });
});
