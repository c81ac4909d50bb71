// Users, departments, roles, policies and the audit log in Settings, as administrators use them.

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { signIn } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, moreFilters, newColleague, submitFilters } from "../world/console.ts";
import { newApplication, signedIn } from "../world/person.ts";
import { newTenant, shared } from "../world/tenant.ts";
import { Visitor as PlainBrowser } from "../world/visitor.ts";

const browser = openWindows();

const PLAIN = { javaScriptEnabled: false };
const told = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text).waitFor();

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("an admin adds a user and a password link, by which the user signs in", async () => {
    const api = await newTenant();
    const { page, open, complaints } = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    await open("/settings/users");
    await page.getByRole("link", { name: "Add user" }).click();
    await page.getByLabel("Full name").fill("Ana Silva");
    await page.getByLabel("User name").fill("ana");
    await page.getByRole("button", { name: "Add user" }).click();
    await told(page, /The user is added/);
    await page.getByRole("button", { name: "Create password link" }).click();
    await page.getByRole("heading", { name: "Password link" }).waitFor();
    const link = new URL((await page.locator(".secret code").textContent())!);
    const visitor = new PlainBrowser(issuer());
    const form = await visitor.open(link.pathname + link.search);
    const done = await visitor.submit(form, { new_password: "correct horse battery" });
    expect([done.status, done.heading]).toEqual([200, "Your password is set"]);
    await page.getByRole("link", { name: "Done" }).click();
    expect(await page.content()).not.toContain(link.search);
    // Reloading creates no new link, and a used one is invalid.
    await open(`${new URL(page.url()).pathname}/password-link`);
    await page.getByRole("heading", { name: "Ana Silva", level: 1 }).waitFor();
    expect((await new PlainBrowser(issuer()).open(link.pathname + link.search)).forms).toEqual([]);
    const events = await api.call<{ Items: unknown[] }>("GET", "/AuditEvent?Kind=PasswordReset.Created");
    expect(events.body.Items).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test("an admin fixes a policy at the reported line", async () => {
    const { tenant } = await newTenant();
    const { page, open, complaints } = await enterSettings(browser, tenant, { javaScriptEnabled });
    await open("/settings/policies/add");
    const wrong = `permit (\n  principal in Role::"editor",\n  action == Action::"AccessManager:Raed",\n  resource\n);`;
    await page.getByLabel("Name").fill("Readers");
    await page.getByLabel("Policy", { exact: true }).fill(wrong);
    await page.getByRole("button", { name: "Save policy" }).click();
    const finding = page.locator(".findings");
    expect(await finding.textContent()).toContain("Line 3, column 13");
    expect(await finding.locator("mark").textContent()).toBe('Action::"AccessManager:Raed"');
    expect(await page.locator(".wrong-line").textContent()).toBe("3");
    expect(await page.locator("textarea[name=Policy]").inputValue()).toBe(wrong);
    expect(await page.getByLabel("Name").inputValue()).toBe("Readers");
    await finding.getByRole("link").click();
    if (javaScriptEnabled) {
      // The link leads to exactly that place.
      await page.keyboard.insertText("Re");
      const written = await page.locator("textarea[name=Policy]").inputValue();
      expect(written).toBe(wrong.replace('Action::"AccessManager:Raed"', 'Rection::"AccessManager:Raed"'));
    }
    await page.getByLabel("Policy", { exact: true }).fill(wrong.replace("Raed", "Read"));
    await page.getByRole("button", { name: "Save policy" }).click();
    await told(page, "The policy is saved and in force.");
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete policy" }).click();
    await told(page, "The policy Readers is deleted.");
    expect(complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
  });
});

test.concurrent("an admin ends a stolen session and its tokens", async () => {
  const client = await newApplication();
  const [owner, thief] = [await signedIn(client), await signedIn(client)];
  const tokens = (await client.token(await client.code(thief.visitor))).body;
  const { page, open } = await enterSettings(browser, client.tenant, PLAIN);
  await open("/settings/users?Search=ADMIN");
  await page.getByRole("link", { name: "Administrator", exact: true }).last().click();
  await page.waitForURL(/\/users\/\d+/);
  const sessions = page.locator("#sessions tbody tr");
  // The newest first: the admin's session, the thief's, the owner's.
  expect(await sessions.count()).toBe(3);
  await sessions.nth(1).getByRole("button").click();
  await page.getByRole("button", { name: "End this sign-in" }).click();
  await told(page, /The sign-in in Unknown browser is ended/);
  expect([await owner.isSignedIn(), await thief.isSignedIn()]).toEqual([true, false]);
  expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });

  await page.getByRole("link", { name: "End all sign-ins" }).click();
  await page.getByRole("button", { name: "End all sign-ins" }).click();
  // The admin's own session was among them.
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  expect(await owner.isSignedIn()).toBe(false);
});

test.concurrent("the slower of two editors is warned, and saves again over the current values", async () => {
  const api = await newTenant();
  const { body: made } = await api.call<{ Id: number }>("PATCH", "/User", { Username: "eva", Name: "Eva" });
  const { page, open } = await enterSettings(browser, api.tenant, PLAIN);
  await open(`/settings/users/${made.Id}/change`);
  await api.call("PATCH", "/User", { Id: made.Id, Email: "eva@example.com" });
  await page.getByLabel("Full name").fill("Eva Lind");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("Another user has changed this").waitFor();
  expect(await page.getByLabel("Full name").inputValue()).toBe("Eva Lind");
  await page.getByRole("button", { name: "Save" }).click();
  await told(page, "The user is changed.");
  await page.getByRole("button", { name: "Activate" }).click();
  await told(page, "The user is active and can sign in.");
  const { body } = await api.call("GET", `/User/${made.Id}`);
  expect(body).toMatchObject({ Name: "Eva Lind", Is_Active: true });
  // An existing identifier is rejected.
  await open("/settings/users/add");
  await page.getByLabel("Full name").fill("Eva");
  await page.getByLabel("User name").fill("eva");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.locator("#field-Username-problem").getByText("Username is already used by another User.").waitFor();
});

test.concurrent("an auditor sees everything without buttons, and changes nothing", async () => {
  const api = await newTenant();
  const auditor = await newColleague(api, "auditor");
  const { page, open } = await enterSettings(browser, api.tenant, { ...auditor, ...PLAIN });
  const { body } = await api.call<{ Items: { Id: string }[] }>("GET", "/User?Username=admin");
  const { body: role } = await api.call<{ Items: { Id: string }[] }>("GET", "/Role?Name=admin");
  const { body: policy } = await api.call<{ Items: { Id: string }[] }>("GET", "/Policy?Name=Editors");
  const own = `/settings/users/${body.Items[0]!.Id}`;
  for (const path of [own, `/settings/roles/${role.Items[0]!.Id}`, `/settings/policies/${policy.Items[0]!.Id}`]) {
    await open(path);
    expect(await page.locator("main").locator('form, a.button:not([href$="/export"])').count()).toBe(0);
  }
  await open(`${own}/change`);
  await page.getByRole("heading", { name: "Forbidden" }).waitFor();
  await page.getByText("This requires AccessManager:Create and AccessManager:Update").waitFor();
  const csrf = await page.locator('input[name="csrf"]').first().inputValue();
  for (const action of ["password-link", "sessions/end", "delete", "activate", "deactivate"]) {
    const answer = await page.request.post(`${issuer()}${own}/${action}`, { form: { csrf } });
    expect({ action, status: answer.status() }).toEqual({ action, status: 403 });
  }
});

test.concurrent("the audit log is filtered by its address and exported as shown", async () => {
  const { tenant } = await newApplication();
  const api = await signIn(shared().url, tenant);
  await api.call("PATCH", "/Role", { Name: "reviewers" });
  const { page, open } = await enterSettings(browser, tenant, { timezoneId: "Asia/Kolkata" });
  await open("/settings/audit-log");
  await moreFilters(page);
  await page.getByLabel("What", { exact: true }).selectOption("Role.Created");
  await submitFilters(page);
  await page.waitForURL(/[?&]Kind=Role.Created(&|$)/);
  expect(await page.locator("tbody tr").count()).toBe(1);
  await page.getByRole("link", { name: "reviewers" }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await Bun.file((await download.path())!).text()).trimEnd().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('"Role.Created"');
  const hourBefore = new Date(Date.now() - 3_600_000);
  const inIndia = new Date(hourBefore.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 16);
  for (const [label, rows] of [
    ["From", 1],
    ["Before", 0],
  ] as const) {
    await open("/settings/audit-log?Kind=Role.Created");
    await moreFilters(page);
    await page.getByLabel(`${label} (India Time)`).fill(inIndia);
    await submitFilters(page);
    await page.waitForURL(new RegExp(encodeURIComponent(hourBefore.toISOString().slice(0, 16))));
    expect(await page.locator("tbody tr").count()).toBe(rows);
    expect(await page.getByLabel(`${label} (India Time)`).inputValue()).toStartWith(inIndia);
  }
  await open("/settings/audit-log?ActorId=7");
  await page.getByRole("alert").getByText("“Actor: Id” needs “Actor: kind” as well.").waitFor();
  expect(await page.getByLabel("Actor: Id").inputValue()).toBe("7");
});

test("one page links departments to their users, where a filter is shown and removed", async () => {
  const api = await newTenant();
  const departments = Array.from({ length: 201 }, (_, index) => ({ Name: `Department ${index + 1}` }));
  const { body } = await api.call<{ Id: number }[]>("PATCH", "/Department", departments);
  const { Id } = body.at(-1)!;
  await api.call("PATCH", "/User", [{ Username: "ana", Department: { Id } }, { Username: "bob" }]);
  const { page, open } = await enterSettings(browser, api.tenant);
  await open("/settings/users/add");
  await page.getByLabel("Full name").fill("Cyd");
  await page.getByLabel("User name").fill("cyd");
  await page.getByLabel("Department").fill("Department 201");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByRole("link", { name: "Department 201" }).click();
  await page.getByRole("link", { name: "Users of this department" }).click();
  await page.waitForURL(/\/users\?Department=/);
  expect(await page.getByRole("rowheader").allTextContents()).toEqual(["ana", "Cyd"]);
  await page.getByLabel("Search users").fill("CY");
  await page.waitForURL(/Search=CY/);
  expect(await page.getByRole("rowheader").allTextContents()).toEqual(["Cyd"]);
  expect(await page.locator("#filter-Department option:checked").textContent()).toBe("Department 201");
  await page.getByRole("link", { name: "Clear" }).click();
  await page.getByRole("link", { name: "bob" }).waitFor();
  await open(`/settings/departments?Limit=200`);
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "Back to the first" }).waitFor();
  expect(await page.getByRole("rowheader").allTextContents()).toEqual(["Department 201"]);
});
