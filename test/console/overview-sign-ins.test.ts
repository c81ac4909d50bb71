// Sign-ins of a day on Overview, for permitted readers.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { plantIssued } from "../world/planted.ts";
import { addRows, times } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor as PlainBrowser } from "../world/visitor.ts";

const browser = openWindows();
const HOUR_MS = 3_600_000;

test("Overview counts successful and failed sign-ins with links, only for users who may read them", async () => {
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
  const figure = (name: string) => page.locator(".figures > div").filter({ hasText: name });
  await open("/settings");
  expect(await figure("Sign-ins, 24 h").first().getByRole("link").textContent()).toBe("3");
  expect(await figure("Failed sign-ins, 24 h").textContent()).toContain("none yesterday");
  await page
    .getByRole("group", {
      name: "Sign-ins by the hour, the last 24 hours: 3 One factor, 1 Failed.",
    })
    .waitFor();
  await page
    .getByRole("group", {
      name: "Different users who signed in by the hour, the last 24 hours: 2 Different users, at most.",
    })
    .waitFor();
  expect(await page.locator("#overview #sign-ins").count()).toBe(1);
  await inspect(page, "overview-sign-ins");
  await figure("Failed sign-ins, 24 h").getByRole("link", { name: "1" }).click();
  await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
  expect(await page.getByRole("rowheader").count()).toBe(1);
  expect(complaints).toEqual([]);

  await ops.open("/settings");
  await ops.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  expect(await ops.page.locator("#sign-ins").count()).toBe(0);
  expect(again.complaints).toEqual([]);

  const hide =
    'forbid (principal, action == Action::"Settings:Read", resource is AuditEvent) when { resource.Kind == "SignIn.Failed" };';
  expect((await api.call("PATCH", "/Policy", { Name: "Hide failures", Policy: hide })).status).toBe(200);
  await using reader = await enterSettings(browser, api.tenant, auditor);
  await reader.open("/settings");
  await reader.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  expect(await reader.page.locator("#sign-ins").count()).toBe(0);
});

/** The nth of a busy day. */
function signInOf(tenantId: string, n: number) {
  const at = Date.now() - (((n * 7) % 1_320) + 60) * 60_000;
  const failure = n % 40 === 0 ? "SecondFactor.Failed" : n % 11 === 0 ? "SignIn.Failed" : undefined;
  return {
    ...{ tenant_id: tenantId, id: Bun.randomUUIDv7("hex", at), occurred_on: new Date(at), request_key: "key" },
    ...{ kind: failure ?? "SignIn.Succeeded", outcome: failure ? "Failure" : "Success" },
    ...{ actor_type: "User", actor_id: n % 700, subject_type: "User", subject_id: String(n % 700) },
    ...{ address: "127.0.0.1", user_agent: "", details: n % 3 === 0 ? { Amr: ["pwd", "otp", "mfa"] } : {} },
  };
}

test("a busy day is shown by hour, with links by keyboard; a policy that hides requests hides tokens", async () => {
  const api = await newTenant();
  const tenantId = api.tenant.tenantId;
  const auditor = await newColleague(api, "auditor");
  await addRows(
    "audit_log",
    times(5_000, (n) => signInOf(tenantId, n)),
  );
  const grants = [
    "client_credentials",
    "authorization_code",
    "refresh_token",
    ...["device_code", "token-exchange"].map((one) => `urn:ietf:params:oauth:grant-type:${one}`),
  ];
  await plantIssued(
    api,
    times(22, (hour) =>
      grants.map((grant) => ({ hoursAgo: hour + 1, grant, count: (((hour * 7_919) % 23) + 1) * 12_345 })),
    ).flat(),
  );
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, complaints } = visitor;
  await inspect(page, "overview-busy");
  const tokens = page.locator("#tokens");
  expect(await tokens.getByRole("listitem").allTextContents()).toEqual(
    expect.arrayContaining([expect.stringMatching(/^ Device code [\d,]+$/), expect.stringMatching(/^ Token exchange/)]),
  );
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.locator("#sign-ins summary").focus();
  await page.keyboard.press("Enter");
  const hours = page.locator("#sign-ins").getByRole("row").getByRole("link");
  expect(await hours.count()).toBe(24);
  await hours.nth(2).focus();
  const from = await hours.nth(2).locator("time").getAttribute("datetime");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
  const { searchParams } = new URL(page.url());
  expect(searchParams.get("From")).toBe(from);
  expect(Date.parse(searchParams.get("To")!) - Date.parse(from!)).toBe(HOUR_MS);
  expect(await page.getByRole("rowheader").count()).toBe(50);
  await visitor.open("/settings");
  await tokens.getByRole("link", { name: "Refresh token" }).click();
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  expect(new URL(page.url()).searchParams.get("Route")).toBe("/token");
  expect(complaints).toEqual([]);

  const hide =
    'forbid (principal, action == Action::"Settings:Read", resource is Request) when { resource.Status == 200 };';
  expect((await api.call("PATCH", "/Policy", { Name: "Hide requests", Policy: hide })).status).toBe(200);
  await using reader = await enterSettings(browser, api.tenant, auditor);
  await reader.page.locator("#sign-ins").waitFor();
  expect(await reader.page.locator("#tokens").count()).toBe(0);
});
