// Texts on pages: local times, consistent terms, and confirmations before destructive actions.

import { describe, expect, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { signIn, until } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newApplication, signedIn } from "../world/person.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant, shared } from "../world/tenant.ts";
import { walk } from "../world/walk.ts";

const browser = openWindows();

const TOKYO: BrowserContextOptions = { timezoneId: "Asia/Tokyo", locale: "en-GB" };
const told = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text).waitFor();

/** An account and a tenant with all kinds of records. */
async function newInstallation() {
  const client = await newApplication();
  const api = await signIn(shared().url, client.tenant);
  const [one, other] = [await signedIn(client), await signedIn(client)];
  await client.code(one.visitor);
  await client.code(other.visitor, { prompt: "consent" });
  await api.call("PATCH", "/Department", { Name: "Finance" });
  await api.change({ Name: "Payroll", Is_Active: true });
  await newColleague(api, "editor");
  return { client, api };
}

/** A Held connection with missed deliveries, and one with a paused redelivery. */
async function addWebhooks(api: Awaited<ReturnType<typeof signIn>>, gone: string, good: string) {
  const held = await api.connect(gone, { Name: "Gone" });
  const quiet = await api.connect(good, { Name: "Quiet", Entities: ["Department"], Secret: "a former secret" });
  await api.settledChange({ Name: "Front door" });
  await api.change({ Name: "Back door" });
  await until("the connection to be held", async () => (await api.connection(held.Id)).State === "Held");
  await api.connect(good, { Name: "Newer", Events: ["Deleted"] });
  await api.setState(quiet.Id, "Paused");
  await api.call("PATCH", "/Department", [{ Name: "North" }, { Name: "South" }]);
  await api.call("POST", `/WebhookConnection/${quiet.Id}/Secret`, {});
  return { held, quiet };
}

test("every time is in the reader's zone, on every page, and an unchanged record says so", async () => {
  await using gone = startReceiver(410);
  await using good = startReceiver();
  const { client, api } = await newInstallation();
  await addWebhooks(api, gone.url, good.url);
  await using visitor = await enterSettings(browser, client.tenant, TOKYO);
  const { page, open } = visitor;
  const pages = await walk(page, 3);
  expect(new Set(pages.map(({ kind }) => kind)).size).toBeGreaterThan(25);
  expect(pages.flatMap(({ path, bareTimes }) => bareTimes.map((text) => `${path}: ${text}`))).toEqual([]);

  // It was made with the tenant.
  await open(`/settings/applications/${client.id}`);
  expect(await page.getByText("1900").count()).toBe(0);
  await page.getByText("never", { exact: true }).waitFor();

  // The test has made only these.
  const { body: applications } = await api.call<{ Items: { Id: string }[] }>("GET", "/Application?Name=Payroll");
  const { body: departments } = await api.call<{ Items: { Id: number }[] }>("GET", "/Department?Name=Finance");
  const { body: roles } = await api.call<{ Items: { Id: string }[] }>("GET", "/Role?Name=ops");
  for (const path of [
    `applications/${applications.Items[0]!.Id}`,
    `departments/${departments.Items[0]!.Id}`,
    `roles/${roles.Items[0]!.Id}`,
  ]) {
    await open(`/settings/${path}`);
    await page.getByText("never", { exact: true }).waitFor();
  }

  const { Items } = await api.events("State=Held&EventRecord=Application");
  await open(`/settings/activity/${Items[0]!.EventId}`);
  await page.getByText("Held since").first().waitFor();
  await expectInTokyo(page);

  await open("/account");
  await page.getByRole("heading", { name: "Your account" }).waitFor();
  expect(await page.locator("main time").count()).toBeGreaterThan(3);
  await expectInTokyo(page);
});

/** With script: no page says UTC, and each time is the local time in Tokyo. */
async function expectInTokyo(page: Page): Promise<void> {
  const wrong = await page.evaluate(() => {
    const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "Asia/Tokyo" });
    return [...document.querySelectorAll("main time")]
      .map((time) => [time.getAttribute("datetime")!, (time as HTMLElement).title || time.textContent!] as const)
      .filter(([at, text]) => text.includes("UTC") || !text.includes(clock.format(new Date(at))))
      .map(([at, text]) => `${at} is shown as ${text}`);
  });
  expect(wrong).toEqual([]);
  expect(await page.locator("main").textContent()).not.toMatch(/\d UTC/);
}

test("every page asks before it ends something, describes the effect and offers a way back", async () => {
  await using gone = startReceiver(410);
  await using good = startReceiver();
  const { client, api } = await newInstallation();
  const { held } = await addWebhooks(api, gone.url, good.url);
  const { body: drain } = await api.call("PATCH", "/WebhookConnection", { Id: held.Id, State: "Active" });
  expect(drain.State).toBe("Active");
  await using visitor = await enterSettings(browser, client.tenant);
  const pages = await walk(visitor.page, 3);
  const forms = pages.flatMap(({ forms: found }) => found);
  const ending = forms.filter(({ button }) => /^(Deactivate|Delete|Cancel|End|Revoke|Unlink|Remove|Give)/.test(button));
  const kinds = new Set(ending.map(({ button }) => button));
  for (const button of ["Deactivate user", "Deactivate application", "End this sign-in", "Revoke the access"]) {
    expect([...kinds]).toContain(button);
  }
  expect(ending.filter(({ asks }) => !asks).map(({ key, button }) => `${key}: ${button}`)).toEqual([]);

  await visitor.open("/account");
  const { page } = visitor;
  const unasked = await page.evaluate(() =>
    [...document.querySelectorAll("main form")]
      .filter((form) => !form.parentElement!.querySelector(":scope > .effects"))
      .map((form) => form.getAttribute("action")),
  );
  expect(unasked).toEqual([]);
  const revoke = page.getByRole("button", { name: "Revoke: demo-client" });
  await revoke.click();
  await page.getByRole("heading", { name: "Revoke the access of demo-client?" }).waitFor();
  await inspect(page, "account-ask");
  await page.getByRole("button", { name: "Keep it" }).click();
  await revoke.click();
  await page.getByRole("button", { name: "Revoke the access" }).click();
  await told(page, "The application's access is revoked.");
  await page.reload();
  await page.getByText("No application can act on your behalf.").waitFor();
  expect(await page.getByRole("status").count()).toBe(0);
});

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

test("a list before a time calls it the same in each list and form", async () => {
  const { tenant } = await newTenant();
  await using visitor = await enterSettings(browser, tenant);
  const labels = new Map<string, string[]>();
  for (const { forms } of await walk(visitor.page, 1)) {
    for (const { labels: own } of forms) {
      for (const [name, label] of own) labels.set(name, [...new Set([...(labels.get(name) ?? []), label])]);
    }
  }
  for (const name of ["From", "To"]) expect([name, labels.get(name)?.length]).toEqual([name, 1]);
});

test("http on loopback shows a warning, except for native apps", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Payroll", Is_Active: true });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  const save = (body: object) => api.call("PATCH", `/Application/${Id}/Credentials`, body);
  const warning = page.getByText(/http on this machine is for development/);
  await save({ RedirectUris: ["https://payroll.example/cb"] });
  await open(`/settings/applications/${Id}`);
  expect(await warning.count()).toBe(0);
  await save({ RedirectUris: ["https://payroll.example/cb", "http://localhost:3001/cb"] });
  await open(`/settings/applications/${Id}`);
  await warning.waitFor();
  await inspect(page, "loopback");
  await save({ ClientType: "native" });
  await open(`/settings/applications/${Id}`);
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
