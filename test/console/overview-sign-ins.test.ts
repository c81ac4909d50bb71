// Overview counts the sign-ins of a day, for who may read all of them.

import { expect, test } from "bun:test";
import { issuer } from "../authorize/client.ts";
import { Visitor as PlainBrowser } from "../authorize/visitor.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { newTenant } from "../support/tenant.ts";
import { enterSettings, newColleague } from "./console.ts";

const browser = openWindows();
const PATIENCE_MS = 120_000;

test(
  "Overview counts who signed in and who failed to, leads to the rows, and counts for nobody who may not read them",
  async () => {
    const api = await newTenant();
    const colleague = await newColleague(api, "ops");
    const auditor = await newColleague(api, "auditor");
    await using admin = await enterSettings(browser, api.tenant);
    await using ops = await enterSettings(browser, api.tenant, colleague);
    await using again = await enterSettings(browser, api.tenant, colleague);
    const stranger = new PlainBrowser(issuer());
    const form = await stranger.open(`/settings?organisation=${api.tenant.tenantId}`);
    await stranger.submit(form, { username: colleague.username, password: "not this one" });
    const { page, open, complaints } = admin;
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Sign-ins, last 24 hours" }) });
    await open("/settings");
    expect(await section.getByRole("definition").allInnerTexts()).toEqual(["3", "2", "0", "1", "0"]);
    await inspect(page, "overview-sign-ins");
    await section.getByRole("definition").nth(3).getByRole("link").click();
    await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
    expect(await page.getByRole("rowheader").count()).toBe(1);
    expect(complaints).toEqual([]);

    await ops.open("/settings");
    await ops.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    expect(await ops.page.getByText("Sign-ins, last 24 hours").count()).toBe(0);
    expect(again.complaints).toEqual([]);

    const hide =
      'forbid (principal, action == Action::"Settings:Read", resource is AuditEvent) when { resource.Kind == "SignIn.Failed" };';
    expect((await api.call("PATCH", "/Policy", { Name: "Hide failures", Policy: hide })).status).toBe(200);
    await using reader = await enterSettings(browser, api.tenant, auditor);
    await reader.open("/settings");
    await reader.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    expect(await reader.page.getByText("Sign-ins, last 24 hours").count()).toBe(0);
  },
  PATIENCE_MS,
);
