// Texts on every page: local times, consistent terms, and confirmations before destructive actions.

import { expect, test } from "bun:test";
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
  // A choice of several records leads to a page that asks.
  expect(
    ending.filter(({ key, asks }) => !asks && !key.startsWith("GET ")).map(({ key, button }) => `${key}: ${button}`),
  ).toEqual([]);

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

test("a list before a time calls it the same in each list and form", async () => {
  const { tenant } = await newTenant();
  await using visitor = await enterSettings(browser, tenant);
  const labels = new Map<string, string[]>();
  for (const { forms } of await walk(visitor.page, 1)) {
    for (const { key, labels: own } of forms) {
      // A mail goes to an address.
      if (key.includes("/settings/mail")) continue;
      for (const [name, label] of own) labels.set(name, [...new Set([...(labels.get(name) ?? []), label])]);
    }
  }
  for (const name of ["From", "To"]) expect([name, labels.get(name)?.length]).toEqual([name, 1]);
});
