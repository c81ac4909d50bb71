// The policy editor: with scripts, by keyboard only, and its submitted form.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const ADD = "/settings/policies/add";
/** Maximum bytes of a first page load, including all its resources. */
const MAX_BYTES = 150_000;

const editorOf = (page: Page) => page.getByLabel("Policy", { exact: true });
/** The text that the form sends. */
const textOf = (page: Page) => page.locator("textarea[name=Policy]").inputValue();

async function write(page: Page, text: string): Promise<void> {
  await editorOf(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

test("errors are shown at their line while typing, and disappear when fixed", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page } = visitor;
  await visitor.open(ADD);
  // Positions count characters; one of these has two UTF-16 units.
  const wrong =
    'permit (principal, action, resource is Application)\nwhen { "\u{1f600}" != "" && resource.Nmae == "7" };';
  await write(page, wrong);
  const status = page.locator(".found");
  await status.getByText(/line 2, column 21: .*Nmae/).waitFor();
  expect(await page.locator(".cm-lintRange-error").allTextContents()).toEqual(["resource"]);
  expect(await page.locator(".cm-gutter-lint .cm-lint-marker-error").count()).toBe(1);
  expect(await status.getAttribute("role")).toBe("status");
  await inspect(page, "policy-editor-problem");

  // F8 moves to the next problem.
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("F8");
  await page.keyboard.insertText("principal");
  expect(await textOf(page)).toBe(wrong.replace("resource.Nmae", "principal.Nmae"));
  await write(page, 'permit (principal, action, resource is Application)\nwhen { resource.Name == "7" };');
  await page.locator(".cm-lintRange-error").waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.querySelector(".found")!.textContent === "");

  await page.getByLabel("Name", { exact: true }).fill("Sevens");
  await page.getByRole("button", { name: "Save policy" }).click();
  await page.getByText("The policy is saved").waitFor();
  const { body } = await api.call<{ Items: { Policy: string }[] }>("GET", "/Policy?Name=Sevens");
  expect(body.Items[0]!.Policy).toBe(
    'permit (principal, action, resource is Application)\nwhen { resource.Name == "7" };',
  );
  expect(visitor.complaints).toEqual([]);
});

test("a rejected text is shown with its findings, which link to their places", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page } = visitor;
  await visitor.open(ADD);
  await page.getByLabel("Name", { exact: true }).fill("Wrong");
  const text = "permit (principal, action, resource)\nwhen { resource.Nmae };";
  await write(page, text);
  await page.getByRole("button", { name: "Save policy" }).click();
  await page.getByRole("link", { name: "Line 2, column 8", exact: true }).first().click();
  await page.keyboard.insertText("R");
  expect(await textOf(page)).toBe(text.replace("resource.Nmae", "Resource.Nmae"));
  // The summary's links lead to the editor too.
  await page.getByRole("alert").getByRole("link").first().click();
  expect(await editorOf(page).evaluate((element) => document.activeElement === element)).toBe(true);
  // The server rejects an empty text, because the browser cannot check the hidden field.
  await write(page, " ");
  await page.keyboard.press("Backspace");
  expect(await textOf(page)).toBe("");
  await page.getByRole("button", { name: "Save policy" }).click();
  await page.getByRole("alert").getByText("The policy has no statement").waitFor();
  expect(visitor.complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
});

test("terms are inserted at the cursor by click or key, suggested while typing, and undone", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page } = visitor;
  await visitor.open(ADD);
  const start = "permit (principal, action, resource) when { };";
  await write(page, start);
  for (let step = 0; step < 2; step++) await page.keyboard.press("ArrowLeft");
  await page.getByText("Record: User", { exact: true }).click();
  const insert = page.getByRole("button", { name: 'resource.Username == ""' });
  await insert.click();
  expect(await textOf(page)).toBe('permit (principal, action, resource) when { resource.Username == ""};');
  expect(await editorOf(page).evaluate((element) => document.activeElement === element)).toBe(true);
  await page.keyboard.press("Control+z");
  expect(await textOf(page)).toBe(start);
  await insert.focus();
  await page.keyboard.press("Enter");
  expect(await textOf(page)).toContain("resource.Username");

  await write(page, "permit (principal, action, resource) when { resource.after.");
  await page.keyboard.type("Usern");
  await page.getByRole("option", { name: "Username" }).waitFor();
  // A newly opened list ignores keys for a moment.
  await until("it to be chosen", async () => {
    await page.keyboard.press("ArrowDown");
    return (await page.getByRole("option", { name: "Username", selected: true }).count()) > 0;
  });
  await page.keyboard.press("Enter");
  expect(await textOf(page)).toBe("permit (principal, action, resource) when { resource.after.Username");

  await write(page, "permit (principal, action, resource is ");
  await page.keyboard.type("Dep");
  await page.getByRole("option", { name: "Department" }).waitFor();
  // After `resource.` are only the fields of the type that the policy names.
  await write(page, "permit (principal, action, resource is Department) when { resource.");
  await page.keyboard.type("N");
  await page.getByRole("option", { name: "Name", exact: true }).waitFor();
  expect(await page.getByRole("option", { name: "Username" }).count()).toBe(0);

  await page.getByText("Examples", { exact: true }).click();
  await write(page, "");
  await page.keyboard.press("Backspace");
  await page.getByRole("button", { name: /^permit \(\s+principal in Role::"admin"/ }).click();
  expect(await textOf(page)).toContain('principal in Role::"admin"');
  await page.getByLabel("Name", { exact: true }).fill("From an example");
  await page.getByRole("button", { name: "Save policy" }).click();
  await page.getByText("The policy is saved").waitFor();
  expect(visitor.complaints).toEqual([]);
});

test("the keyboard can leave the editor: Tab inserts nothing, slash and Enter stay in the text", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page } = visitor;
  await visitor.open(ADD);
  await page.getByLabel("Description").focus();
  await page.keyboard.press("Tab");
  expect(await editorOf(page).evaluate((element) => document.activeElement === element)).toBe(true);
  await write(page, "permit (principal, action, resource);");
  await page.keyboard.press("Enter");
  await page.keyboard.type("// all");
  expect(await textOf(page)).toBe("permit (principal, action, resource);\n// all");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe("Save policy");
  await page.keyboard.press("Shift+Tab");
  expect(await editorOf(page).evaluate((element) => document.activeElement === element)).toBe(true);
  expect(await textOf(page)).toBe("permit (principal, action, resource);\n// all");
  await page.getByText("Policy", { exact: true }).first().click();
  expect(visitor.complaints).toEqual([]);
});

test("a reader of a policy sees it highlighted and cannot edit it", async () => {
  const api = await newTenant();
  const { body } = await api.call<{ Items: { Id: string; Policy: string }[] }>("GET", "/Policy?Name=Editors");
  const [{ Id, Policy }] = body.Items as [{ Id: string; Policy: string }];
  await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  const { page } = visitor;
  await visitor.open(`/settings/policies/${Id}`);
  expect(await page.locator(".tok-keyword").first().textContent()).toBe("permit");
  await write(page, "forbid (principal, action, resource);");
  expect(await textOf(page)).toBe(Policy);
  expect(await editorOf(page).getAttribute("aria-readonly")).toBe("true");
  await inspect(page, "policy-read");
  expect(visitor.complaints).toEqual([]);
});

test("only pages with an editor load it, all files are small, and only its own styles are allowed", async () => {
  const api = await newTenant();
  const { body } = await api.call<{ Items: { Id: string }[] }>("GET", "/Policy?Limit=1");
  const nonces: string[] = [];
  for (const path of [ADD, `/settings/policies/${body.Items[0]!.Id}`, "/settings/policies/try", "/settings/policies"]) {
    await using visitor = await enterSettings(browser, api.tenant);
    // Resources that the first page still loads must not count.
    await visitor.page.goto("about:blank");
    const session = await visitor.page.context().newCDPSession(visitor.page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const response = await visitor.page.goto(issuer() + path, { waitUntil: "networkidle" });
    const policy = (await response!.headerValue("content-security-policy"))!;
    const styles = /style-src ([^;]*)/.exec(policy)![1]!;
    const loaded = await visitor.page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname),
    );
    const hasEditor = path !== "/settings/policies";
    expect({ path, hasEditor: loaded.some((name) => name.startsWith("/assets/editor-")) }).toEqual({
      path,
      hasEditor,
    });
    expect({ path, styles }).toEqual({
      path,
      styles: hasEditor ? expect.stringMatching(/^'self' 'nonce-[\w+/]{22}=='$/) : "'self'",
    });
    if (hasEditor) nonces.push(styles);
    expect({ path, bytes, fits: bytes > 20_000 && bytes <= MAX_BYTES }).toEqual({ path, bytes, fits: true });
    expect(visitor.complaints).toEqual([]);
  }
  expect(new Set(nonces).size).toBe(nonces.length);
});

test("the check requires permission to save and the page's own token", async () => {
  const api = await newTenant();
  const ask = (page: Page, fields: Record<string, string>) =>
    page.evaluate(async (sent) => {
      const csrf = document.querySelector<HTMLInputElement>("[name=csrf]")!.value;
      const body = new URLSearchParams({ csrf, ...sent });
      const answer = await fetch("/settings/policies/check", { method: "POST", body });
      return { status: answer.status, text: await answer.text() };
    }, fields);
  await using visitor = await enterSettings(browser, api.tenant);
  const good = await ask(visitor.page, { Policy: "permit (principal, action, resource);" });
  expect(good).toEqual({ status: 200, text: '{"Problems":[]}' });
  const long = await ask(visitor.page, { Policy: "x".repeat(5_000) });
  expect(JSON.parse(long.text).Problems).toEqual([
    { Message: "Policy must be Cedar text of at most 4000 characters.", Line: null, Column: null },
  ]);
  expect((await ask(visitor.page, { csrf: "another", Policy: "" })).status).toBe(409);
  await using reader = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  expect((await ask(reader.page, { Policy: "" })).status).toBe(403);
});
