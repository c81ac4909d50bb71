// How the pages look and are reached by keyboard, in a real browser: every page that links lead to.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { issuer, newClient } from "../authorize/client.ts";
import { until } from "../support/api.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";
import { enterSettings } from "./console.ts";
import { walk } from "./walk.ts";

const browser = openWindows();
const PATIENCE_MS = 170_000;

test(
  "has at most one primary button, unwrapped times, and a stop of refreshing within ten Tabs",
  async () => {
    const api = await newTenant();
    await using receiver = startReceiver([413, 200]);
    const connection = await api.connect(receiver.url, { Name: "Door system" });
    await api.change({ Name: "Front door" });
    const { EventId } = await api.settledEvent();
    await using visitor = await enterSettings(browser, api.tenant, { viewport: { width: 1400, height: 900 } });
    const { page, open } = visitor;
    const found = await walk(page, 1);
    expect(found.length).toBeGreaterThan(40);
    const faults: object[] = [];
    for (const { path } of found) {
      await open(path);
      await page.locator("h1").waitFor();
      const primary = await page.locator("main .main:visible").allTextContents();
      const wrapped = await page.evaluate<number>(
        "[...document.querySelectorAll('td time, th time')].filter((time) => time.getClientRects().length > 1).length",
      );
      const stop = (await page.locator(".refreshing a").count()) > 0 ? await tabsUntil(page, ".refreshing") : 0;
      if (primary.length > 1 || wrapped > 0 || stop > 10) faults.push({ path, primary, wrapped, stop });
    }
    expect(faults).toEqual([]);
    for (const [name, path] of [
      ["overview", ""],
      ["activity", "/activity"],
      ["event", `/activity/${EventId}`],
      ["connection", `/webhooks/${connection.Id}`],
      ["applications", "/applications"],
    ]) {
      await open(`/settings${path}`);
      await page.locator("h1").waitFor();
      await inspect(page, `looks-${name}`);
    }
    await open(`/settings/activity/${EventId}`);
    await page.locator("details.attempt, details").first().waitFor();
    expect(await page.content()).toContain("client_max_body_size");
  },
  PATIENCE_MS,
);

/** From the top of the page, past the menu by its link. */
async function tabsUntil(page: Page, selector: string): Promise<number> {
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  for (let tabs = 2; tabs <= 11; tabs++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.closest("${selector}") !== null`)) return tabs;
  }
  return Number.POSITIVE_INFINITY;
}

test(
  "sign-in, consent and Settings use one blue, in light and dark mode",
  async () => {
    const client = await newClient();
    const page = await browser.newPage();
    const blue = async (button: string) => {
      const of = async (colorScheme: "light" | "dark") => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        return page
          .locator(button)
          .first()
          .evaluate((one) => getComputedStyle(one).backgroundColor);
      };
      return { light: await of("light"), dark: await of("dark") };
    };
    await page.goto(issuer() + client.authorize());
    const ofSignIn = await blue("main button[type=submit]");
    await inspect(page, "looks-sign-in");
    await page.getByLabel("User name").fill(client.tenant.admin.username);
    await page.getByLabel("Password").fill(client.tenant.admin.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const ofConsent = await blue("main button[value=allow]");
    await inspect(page, "looks-consent");
    await page.goto(`${issuer()}/settings?organisation=${client.tenant.tenantId}`);
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.goto(`${issuer()}/settings/webhooks/add`);
    const ofSettings = await blue(".main");
    expect([ofSignIn, ofConsent]).toEqual([ofSettings, ofSettings]);
    expect(ofSettings.light).not.toBe(ofSettings.dark);
  },
  PATIENCE_MS,
);

test(
  "failure words are explained where shown: at connections, in lists, in alerts",
  async () => {
    const api = await newTenant();
    const closed = startReceiver();
    const { Id } = await api.connect(closed.url, { Name: "Door system", HoldAfter: 1 });
    await closed[Symbol.asyncDispose]();
    await api.change({ Name: "Front door" });
    await until("the connection to be held", async () => (await api.connection(Id)).State === "Held");
    await using visitor = await enterSettings(browser, api.tenant);
    const { page, open } = visitor;
    const meaning = "Nothing listens at that address and port.";
    await open(`/settings/webhooks/${Id}`);
    await page.locator(".warning").getByText(meaning).waitFor();
    for (const path of ["/settings", "/settings/webhooks"]) {
      await open(path);
      expect(await page.locator("abbr").first().getAttribute("title")).toBe(meaning);
    }
  },
  PATIENCE_MS,
);
