// The history tabs of every kind of record.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { composedApp } from "../support/composed-app.ts";
import { inspect } from "../support/inspect.ts";
import { ok } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { entitiesOf, newRecord } from "../world/spy.ts";
import { clientOf, newTenant } from "../world/tenant.ts";

const browser = openWindows();
const KINDS = [...new Set(composedApp().routes.map(({ path }) => path))].filter((path) =>
  /^\/settings\/[^/]+\/:id\/(events|audit)$/.test(path),
);

test("every record and connection links to its events, and these and settings to their audit log", async () => {
  const api = await newTenant();
  const admin = await clientOf(api.tenant);
  const entities = await entitiesOf(admin);
  expect(entities.length).toBeGreaterThanOrEqual(3);
  const paths = entities.map(({ Name }) => `/settings/${Name.toLowerCase()}s`);
  const settings = ["policies", "roles", "identity-providers", "apis"].map((name) => `/settings/${name}`);
  expect(KINDS.toSorted()).toEqual(
    [
      ...[...paths, "/settings/webhooks", "/settings/invitations"].flatMap((path) => [
        `${path}/:id/events`,
        `${path}/:id/audit`,
      ]),
      ...settings.map((path) => `${path}/:id/audit`),
    ].toSorted(),
  );

  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  const tabs = page.getByRole("navigation", { name: "This record" });
  for (const [index, entity] of entities.entries()) {
    const { Id, Name } = await ok(admin.patch(`/${entity.Name}`, newRecord(entity, "a")));
    await open(`${paths[index]}/${Id}`);
    await tabs.getByRole("link", { name: "Events" }).click();
    // The previous page has the same heading.
    await tabs.locator("[aria-current=page]").getByText("Events").waitFor();
    await page.getByRole("heading", { name: Name, level: 1 }).waitFor();
    expect(await page.getByRole("rowheader").allTextContents()).toEqual([`${entity.Name} ${Id} Created`]);
    await page.getByRole("link", { name: "All in the activity log" }).click();
    await page.getByRole("heading", { name: "Activity", level: 1 }).waitFor();
    expect(await page.getByRole("rowheader").allTextContents()).toEqual([`${entity.Name} ${Id} Created`]);
  }

  const { Id: connection } = await api.connect("https://localhost:9443/", { Name: "Directory", State: "Paused" });
  await open(`/settings/webhooks/${connection}/audit`);
  await page.getByRole("link", { name: "WebhookConnection.Created", exact: true }).waitFor();
  await open(`/settings/webhooks/${connection}/events`);
  await page.getByText("Nothing yet").waitFor();
  await inspect(page, "history-empty");

  const { Id: role } = await ok(admin.patch("/Role", { Name: "night watch" }));
  await open(`/settings/roles/${role}`);
  expect(await tabs.getByRole("link").allTextContents()).toEqual(["Record", "Audit"]);
  await tabs.getByRole("link", { name: "Audit" }).click();
  await page.getByRole("link", { name: "Role.Created", exact: true }).waitFor();

  // Actors as links, for readers with permission.
  await open(`/settings/applications/${api.tenant.client.clientId}/audit`);
  await page
    .getByRole("table", { name: "Actions by it" })
    .getByRole("link", { name: "Role.Created", exact: true })
    .waitFor();
  await inspect(page, "history-audit");
  await page.getByRole("link", { name: "All in the audit log" }).last().click();
  await page.waitForURL(/ActorType=Application&ActorId=/);
  expect(complaints).toEqual([]);
});

test("readers without access to the logs see no link, and a deleted record has none", async () => {
  const api = await newTenant();
  const { Id } = await api.change({ Name: "Front door" });
  await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "editor"));
  const { page, open } = visitor;
  await open(`/settings/applications/${Id}`);
  await page.getByRole("heading", { name: "Front door", level: 1 }).waitFor();
  const links = await page.getByRole("navigation", { name: "This record" }).getByRole("link").allTextContents();
  expect(links).not.toContain("Events");
  expect(links).not.toContain("Audit");
  for (const tab of ["events", "audit"]) {
    await open(`/settings/applications/${Id}/${tab}`);
    await page.getByText(/This requires (Webhooks|Settings):Read/).waitFor();
    expect(await page.content()).not.toContain("Front door");
  }
  await using admin = await enterSettings(browser, api.tenant);
  await admin.open("/settings/applications/999999/events");
  await admin.page.getByText("There is no Application").waitFor();
  expect(await admin.page.getByRole("navigation", { name: "This record" }).count()).toBe(0);
});
