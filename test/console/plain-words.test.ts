// Texts on pages: consistent terms, and confirmations before destructive actions.

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

const told = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text).waitFor();

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("an application is deactivated after its admin has read the effects", async () => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Payroll", Is_Active: true });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    await open(`/settings/applications/${Id}`);
    const isActive = async () => (await api.call("GET", `/Application/${Id}`)).body.Is_Active;
    await page.getByRole("button", { name: "Deactivate", exact: true }).click();
    await page.getByRole("heading", { name: "Deactivate Payroll?" }).waitFor();
    if (javaScriptEnabled) await inspect(page, "ask");
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByRole("heading", { name: "Deactivate Payroll?" }).waitFor({ state: "hidden" });
    expect(await isActive()).toBe(true);
    await page.getByRole("button", { name: "Deactivate", exact: true }).click();
    await page.getByRole("button", { name: "Deactivate application" }).click();
    await told(page, /is inactive/);
    expect(await isActive()).toBe(false);
    await page.getByRole("button", { name: "Activate" }).click();
    await told(page, /is active/);
  });

  test("the forms for a person, an application or a department require a name", async () => {
    const { tenant } = await newTenant();
    await using visitor = await enterSettings(browser, tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    for (const [path, button, missing] of [
      ["applications", "Add application", ["Name"]],
      ["departments", "Add department", ["Name"]],
      ["users", "Add user", ["Name", "Username"]],
    ] as const) {
      await open(`/settings/${path}/add`);
      for (const name of missing) expect(await page.locator(`[name=${name}]`).getAttribute("required")).not.toBeNull();
      // A browser without its own check sends it.
      await page.locator("form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("alert").waitFor();
      for (const name of missing) expect(await page.locator(`#field-${name}-problem`).textContent()).toMatch(/missing/);
    }
  });

  test("a secret and an ApiKey of a new connection are shown once, and reloading creates no second one", async () => {
    const api = await newTenant();
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    await open("/settings/webhooks/add");
    await page.getByLabel("URL Endpoint").fill("https://localhost:9443/hooks");
    await page.getByRole("checkbox", { name: "Application" }).check();
    await page.getByRole("button", { name: "Add connection" }).click();
    await page.getByRole("heading", { name: "Secret and ApiKey", level: 1 }).waitFor();
    const list = async () =>
      (await api.call<{ Items: { Id: string; ApiKey: string }[] }>("GET", "/WebhookConnection")).body.Items;
    const [{ Id, ApiKey }] = (await list()) as [{ Id: string; ApiKey: string }];
    const [secret, apiKey] = await page.locator(".secret code").allTextContents();
    expect([secret!.slice(0, 6), apiKey]).toEqual(["whsec_", ApiKey]);
    if (javaScriptEnabled) await inspect(page, "api-key");
    await page.reload();
    await page.getByRole("heading", { name: "Shown already", level: 1 }).waitFor();
    expect(await page.content()).not.toContain(secret!);
    expect(await list()).toHaveLength(1);
    if (javaScriptEnabled) await inspect(page, "api-key-again");
    await page.getByRole("link", { name: "Done" }).click();
    await page.getByText("Nothing yet").waitFor();
    expect(await page.content()).not.toContain(ApiKey);
    const { body } = await api.call("GET", `/WebhookConnection/${Id}/Secret`);
    expect(body.State).toBe("InForce");
  });
});

test("an event has the same name in the activity log, on its page and on its connection's", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  const { Id } = await api.connect(receiver.url, { Entities: ["Department"] });
  await api.call("PATCH", "/Department", [{ Name: "North" }, { Name: "South" }]);
  const { EventId } = await api.settledEvent();
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  const name = "2 Department records Created";
  await open("/settings/activity");
  await page.getByRole("link", { name }).waitFor();
  await open(`/settings/webhooks/${Id}`);
  await page.getByRole("link", { name }).waitFor();
  await open(`/settings/activity/${EventId}`);
  await page.getByRole("heading", { name, level: 1 }).waitFor();
});

test("http on loopback shows a warning, except for native apps", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Payroll", Is_Active: true });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  const save = (body: object) => api.call("PATCH", `/Application/${Id}/Credentials`, body);
  const warning = page.getByText(/http on this machine is for development/);
  await save({ RedirectUris: ["https://payroll.example/cb"] });
  await open(`/settings/applications/${Id}/credentials`);
  expect(await warning.count()).toBe(0);
  await save({ RedirectUris: ["https://payroll.example/cb", "http://localhost:3001/cb"] });
  await open(`/settings/applications/${Id}/credentials`);
  await warning.waitFor();
  await inspect(page, "loopback");
  await save({ ClientType: "native" });
  await open(`/settings/applications/${Id}/credentials`);
  expect(await warning.count()).toBe(0);
});

test(`"signed out" is shown only after it is true`, async () => {
  const api = await newTenant();
  const { body: user } = await api.call("PATCH", "/User", { Username: "ana", Name: "Ana", Is_Active: true });
  const { body: link } = await api.call<{ Url: string }>("POST", `/User/${user.Id}/PasswordReset`);
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  const { pathname, search } = new URL(link.Url);
  for (const path of [pathname + search, "/account/password", "/account?done=password", "/account?done=sessions"]) {
    await open(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.locator("main").textContent()).not.toMatch(/are signed out/);
  }
});
