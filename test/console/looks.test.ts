// Colours and explanations that several pages share.

import { expect, test } from "bun:test";
import { issuer, newClient } from "../authorize/client.ts";
import { until } from "../support/api.ts";
import { openWindows } from "../support/browser.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant } from "../support/tenant.ts";
import { enterSettings } from "./console.ts";

const browser = openWindows();
const PATIENCE_MS = 170_000;

test("the page of an event shows the setting that a refused body needs", async () => {
  const api = await newTenant();
  await using receiver = startReceiver([413, 200]);
  await api.connect(receiver.url, { Name: "Door system" });
  await api.change({ Name: "Front door" });
  const { EventId } = await api.settledEvent();
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  await visitor.open(`/settings/activity/${EventId}`);
  await visitor.page.getByText("client_max_body_size").first().waitFor();
});

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
    await page.getByLabel("User name").fill(client.tenant.admin.username);
    await page.getByLabel("Password").fill(client.tenant.admin.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const ofConsent = await blue("main button[value=allow]");
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
