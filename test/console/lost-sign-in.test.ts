// A sign-in that ends while the user types: nothing is saved, and the input is kept.

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { issuer } from "../authorize/client.ts";
import type { Api } from "../support/api.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { newTenant } from "../support/tenant.ts";
import { enterSettings } from "./console.ts";

const browser = openWindows();

/** Ends all sessions of a user, as an administrator. */
async function endSessions(api: Api, username: string): Promise<void> {
  const { body } = await api.call<{ Items: { Id: number }[] }>("GET", `/User?Username=${username}`);
  const { status } = await api.call("DELETE", `/User/${body.Items[0]!.Id}/Sessions`);
  expect(status).toBe(200);
}

async function signIn(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
}

describe("an unsaved form", () => {
  test("is kept until the user has signed in again, and is sent after confirmation", async () => {
    const api = await newTenant();
    await using visitor = await enterSettings(browser, api.tenant);
    const { page, open } = visitor;
    await open("/settings/roles/add");
    await page.getByLabel("Name").fill("Night shift");
    await page.getByLabel("Purpose").fill('"quoted" & <long>');
    await page.getByRole("checkbox", { name: "Webhooks:Read" }).check();
    await page.getByRole("checkbox", { name: "Webhooks:Update" }).check();
    await endSessions(api, api.tenant.admin.username);
    await page.getByRole("button", { name: "Add role" }).click();

    await page.getByRole("heading", { name: "Signed out", level: 1 }).waitFor();
    await page.getByText("nothing was saved").waitFor();
    await inspect(page, "held-form-signed-out");
    const [tab] = await Promise.all([page.waitForEvent("popup"), page.getByRole("link", { name: "Sign in" }).click()]);
    await signIn(tab, api.tenant.admin);
    await page.getByRole("button", { name: "Continue" }).click();

    await page.getByRole("heading", { name: "Send this form?", level: 1 }).waitFor();
    await inspect(page, "held-form-send");
    await page.getByRole("button", { name: "Send it" }).click();
    await page.getByRole("heading", { name: "Night shift", level: 1 }).waitFor();
    await page.getByText('"quoted" & <long>').waitFor();
    await page.getByText("Webhooks:Read, Webhooks:Update").waitFor();
  });

  test("is not sent or kept for another site", async () => {
    const api = await newTenant();
    await using visitor = await enterSettings(browser, api.tenant);
    const { page } = visitor;
    const cookies = await page.context().cookies();
    const post = async (headers: Record<string, string>) => {
      const body = new URLSearchParams({ Name: "Intruders" });
      return fetch(`${issuer()}/settings/roles/add`, { method: "POST", body, headers, redirect: "manual" });
    };
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    for (const site of ["cross-site", "same-site", "none"]) {
      const signedIn = await post({ cookie, "sec-fetch-site": site });
      expect({ site, status: signedIn.status }).toEqual({ site, status: 403 });
      expect(await signedIn.text()).not.toContain("Intruders");
      const signedOut = await post({ "sec-fetch-site": site });
      expect({ site, status: signedOut.status }).toEqual({ site, status: 303 });
    }
  });
});

test("a page from before the new sign-in can still sign out", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page } = visitor;
  await endSessions(api, api.tenant.admin.username);
  const tab = await page.context().newPage();
  await tab.goto(`${issuer()}/settings`);
  await signIn(tab, api.tenant.admin);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Signed out", level: 1 }).waitFor();
  await tab.reload();
  await tab.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
});
