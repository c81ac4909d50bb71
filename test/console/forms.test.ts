// Forms of Settings: invalid input, hostile input, and concurrent changes.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { enterSettings } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("a rejected form keeps its input and shows each error beside its field", async () => {
  const api = await newTenant();
  await api.connect("https://localhost:9443/", { Name: "taken" });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open("/settings/webhooks/add");
  await page.locator("form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
  await page.getByLabel("URL Endpoint").fill("ftp://example.com");
  await page.getByRole("checkbox", { name: "Updated" }).uncheck();
  await page.getByLabel("Secret").fill("whsec_too-short");
  await page.getByRole("group").getByText("More settings").click();
  await page.getByLabel("Extra headers").fill("Host: elsewhere");
  await page.getByLabel("Time limit").fill("5");
  await page.getByRole("button", { name: "Add connection" }).click();

  const summary = page.getByRole("alert");
  await summary.waitFor();
  expect(await summary.getByRole("link").count()).toBe(5);
  for (const name of ["URL Endpoint", "Secret", "Extra headers", "Time limit"]) {
    const field = page.getByLabel(name);
    const described = (await field.getAttribute("aria-describedby"))!.split(" ").at(-1)!;
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect((await page.locator(`#${described}`).textContent())!.length).toBeGreaterThan(10);
  }
  await summary.getByRole("link", { name: "Host cannot be set" }).click();
  expect(await page.evaluate("document.activeElement.name")).toBe("Headers");
  expect(await page.getByLabel("URL Endpoint").inputValue()).toBe("ftp://example.com");
  expect(await page.getByLabel("Secret").inputValue()).toBe("whsec_too-short");
  expect(await page.getByLabel("Extra headers").inputValue()).toBe("Host: elsewhere");
  expect(await page.getByRole("checkbox", { name: "Updated" }).isChecked()).toBe(false);
  expect(await page.getByRole("checkbox", { name: "Created" }).isChecked()).toBe(true);

  await page.getByLabel("URL Endpoint").fill("https://localhost:9443/");
  await page.getByRole("checkbox", { name: "User" }).check();
  await page.getByLabel("Secret").fill("");
  await page.getByLabel("Extra headers").fill("");
  await page.getByLabel("Time limit").fill("");
  await page.getByLabel("Name").fill("taken");
  await page.getByRole("button", { name: "Add connection" }).click();
  await page.locator("#field-Name-problem").getByText("Name is already used by another").waitFor();
});

const HOSTILE = `"><script>alert(1)</script>&lt;b&gt;text '<!--`;

test("hostile texts are shown as typed, and are not executed", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open("/settings/webhooks/add");
  await page.getByLabel("URL Endpoint").fill("https://localhost:9443/?x=%22%3E%3Cb%3E&ApiKey=abc");
  await page.getByRole("checkbox", { name: "Department" }).check();
  await page.getByLabel("Name").fill(HOSTILE);
  await page.getByRole("group").getByText("More settings").click();
  await page.getByLabel("Description").fill(`\n ${HOSTILE}`);
  await page.getByRole("button", { name: "Add connection" }).click();
  await page.getByText("Store it now: it is not shown again.").waitFor();
  await page.getByRole("link", { name: "The connection" }).click();
  await page.getByRole("heading", { name: HOSTILE, level: 1 }).waitFor();
  expect(await page.content()).not.toContain("ApiKey=abc");
  await page.getByRole("link", { name: "Change" }).click();
  expect(await page.getByLabel("Name").inputValue()).toBe(HOSTILE);
  expect(await page.getByLabel("Description").inputValue()).toBe(HOSTILE);

  const long = HOSTILE.repeat(250);
  await page.getByLabel("Name").fill(long);
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#field-Name-problem").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe(long);
  await open(`/settings/webhooks?Search=${encodeURIComponent(HOSTILE)}`);
  expect(await page.getByLabel("Search webhook connections").inputValue()).toBe(HOSTILE);
  await page.getByRole("link", { name: HOSTILE }).waitFor();
  await open(`/settings/webhooks?${encodeURIComponent(HOSTILE)}=1`);
  await page.getByText("is not a filter").waitFor();
  expect(complaints.filter((line) => !line.includes("status of 4"))).toEqual([]);
});

test("of two concurrent editors of a connection, the second is warned and loses nothing", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory" });
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  await open(`/settings/webhooks/${Id}/change`);
  await page.getByLabel("Name").fill("Mine");
  await api.call("PATCH", "/WebhookConnection", { Id, Name: "Theirs" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("Another user has changed this since you opened it.").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("Mine");
  expect((await api.connection(Id)).Name).toBe("Theirs");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The connection is changed.").waitFor();
  expect((await api.connection(Id)).Name).toBe("Mine");
});

test("an editor with other errors is warned of the concurrent change as well", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory" });
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  await open(`/settings/webhooks/${Id}/change`);
  await api.call("PATCH", "/WebhookConnection", { Id, Name: "Theirs" });
  await page.getByLabel("URL Endpoint").fill("https://user@localhost/");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("URL Endpoint").fill("https://localhost:9443/other");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("Another user has changed this since you opened it.").waitFor();
  expect((await api.connection(Id)).Name).toBe("Theirs");
});

test("a form for a missing application is 404, and for an unreadable one 403", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Payroll" });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open(`/settings/applications/${Id}/change`);
  const send = (id: string) =>
    page.evaluate(async (to) => {
      const form = document.querySelector<HTMLFormElement>("form.fields")!;
      const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
      return (await fetch(to, { method: "POST", body: new URLSearchParams(fields) })).status;
    }, `/settings/applications/${id}/change`);
  expect(await send("nobody")).toBe(404);
  // A form compares the record's version, which requires permission to read it.
  const unread = 'forbid (principal, action == Action::"AccessManager:Read", resource is Application);';
  expect((await api.call("PATCH", "/Policy", { Name: "unread", Policy: unread })).status).toBe(200);
  expect(await send(String(Id))).toBe(403);
});

test.each([true, false])(
  "with script %p, a form that changes a user or an application ends nothing unasked and takes no name away",
  async (javaScriptEnabled) => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Payroll", Is_Active: true });
    const { body: user } = await api.call("PATCH", "/User", { Username: "ana", Name: "Ana", Is_Active: true });
    const { body: unnamed } = await api.call("PATCH", "/User", { Username: "bo", Is_Active: true });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    for (const [path, record, name] of [
      [`applications/${Id}`, `/Application/${Id}`, "Payroll"],
      [`users/${user.Id}`, `/User/${user.Id}`, "Ana"],
    ] as const) {
      await open(`/settings/${path}/change`);
      expect(await page.locator("form.fields [name=Is_Active]").count()).toBe(0);
      await page.locator("form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
      await page.locator("[name=Name]").fill(" ");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").getByText("Name is missing.").waitFor();
      await page.locator("[name=Name]").fill(`${name} too`);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("status").getByText("is changed").waitFor();
      expect((await api.call("GET", record)).body).toMatchObject({ Name: `${name} too`, Is_Active: true });
    }
    // A record created without a name can be changed without one.
    await open(`/settings/users/${unnamed.Id}/change`);
    await page.getByLabel("Mobile phone").fill("+351 1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("The user is changed.").waitFor();
  },
);
