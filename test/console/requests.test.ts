// From a RequestKey to its request, and from an action to its request.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { API } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();
const NOWHERE = "https://localhost:9443/";

test("a RequestKey links to its request; events and audit rows link to their request", async () => {
  const api = await newTenant();
  const send = async (method: string, path: string, key: string, body?: unknown) => {
    const headers = { authorization: api.authorization, "content-type": "application/json", "x-request-id": key };
    const answer = await fetch(`${api.url}${API}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return answer.json();
  };
  const key = () => Bun.randomUUIDv7();
  const [changed, refused, long] = [key(), key(), `${Bun.randomUUIDv7()}-${"0".repeat(27)}`];
  const { Id } = await send("PATCH", "/Application", changed, { Name: "Front door" });
  const { EventId } = await api.newestEvent();
  await send("GET", "/Application/7", refused);
  await send("POST", "/WebhookConnection", long, { URL: NOWHERE, Entities: ["User"], Events: ["Deleted"] });

  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  /** A request is listed a second after its answer. */
  const openOnce = async (path: string, text: string) => {
    for (;;) {
      await open(path);
      if ((await page.getByText(text, { exact: true }).count()) > 0) return;
    }
  };
  await openOnce(`/settings/requests?RequestKey=${long}`, `POST ${API}/WebhookConnection`);
  await open("/settings");
  await page.getByRole("link", { name: "Requests", exact: true }).click();
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  await page.getByLabel("Status").selectOption("4xx");
  await page.waitForURL(/Status=4xx/);
  await page.getByText("404").waitFor();
  expect(await page.getByRole("rowheader").allTextContents()).toEqual([`GET ${API}/Application/*`]);
  expect(await page.getByRole("cell", { name: "404" }).count()).toBe(1);
  await open("/settings/requests?Status=5xx");
  await page.getByRole("heading", { name: "No matching requests" }).waitFor();
  await inspect(page, "requests-empty");
  await open("/settings/requests?From=never&ClientId=x");
  await page.getByText("“Client's Id” must be a record's Id.").or(page.getByText("“From” must be a date")).waitFor();
  await inspect(page, "requests-refused");

  await open(`/settings/search?q=${changed}`);
  await page.getByRole("heading", { name: `PATCH ${API}/Application`, level: 1 }).waitFor();
  await page.getByText("None in the audit log.").waitFor();
  await inspect(page, "request");
  await open(`/settings/activity/${EventId}`);
  await page.getByRole("link", { name: `PATCH ${API}/Application` }).click();
  await page.getByText(changed).waitFor();

  await open(`/settings/audit-log?RequestKey=${long}`);
  await page.getByRole("row").getByRole("link", { name: "WebhookConnection.Created" }).click();
  await page.getByRole("heading", { name: "WebhookConnection.Created", level: 1 }).waitFor();
  await inspect(page, "audit-made-by-request");
  await page.getByRole("link", { name: `POST ${API}/WebhookConnection` }).click();
  await page.getByText(long).waitFor();
  await page.getByRole("table", { name: "Effects" }).getByText("added connection").waitFor();

  // A submitted form is a request, too; viewing pages is not.
  await open(`/settings/applications/${Id}/change`);
  await page.getByLabel("Description").fill("by hand");
  await page.getByRole("button", { name: "Save" }).click();
  await openOnce("/settings/requests?Method=POST", "POST /settings/applications/:id/change");
  expect(await page.getByText("GET /settings").count()).toBe(0);

  const ops = await newColleague(api, "ops");
  await using other = await enterSettings(browser, api.tenant, { ...ops, javaScriptEnabled: false });
  await other.open(`/settings/activity/${EventId}`);
  await other.page.getByText(EventId).first().waitFor();
  expect(await other.page.getByText("Made by request").count()).toBe(0);
  await other.open("/settings/requests");
  await other.page.getByText("This requires Settings:Read").waitFor();
  expect(complaints.filter((line) => !line.includes("a status of 4"))).toEqual([]);
});
