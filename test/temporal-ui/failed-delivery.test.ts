import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { temporal } from "../support/temporal.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant, setting } from "../world/tenant.ts";

/** The UI is a large program, and the machine may be busy. */
const PAGE_PATIENCE_MS = 60_000;

const browser = openWindows();

test("ops follows the log's link and reads in the Temporal UI why a delivery failed, and its attempts", async () => {
  await using receiver = startReceiver(503);
  const api = await newTenant();
  await api.connect(receiver.url);
  const event = await api.settledChange({ Name: "Front door" });

  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_PATIENCE_MS);
  const filter = `TenantId="${api.tenant.tenantId}" AND DeliveryState="Exhausted"`;
  const list = `${setting("GATEHOUSE_TEST_TEMPORAL_UI")}/namespaces/default/workflows?query=${encodeURIComponent(filter)}`;
  const client = await temporal();
  await until("the failed workflow to be listed", async () => (await client.workflow.count(filter)).count === 1);
  await page.goto(list);
  await page.getByRole("link", { name: event.EventId }).first().waitFor();

  await page.goto(event.WorkflowUrl);
  await page.getByText("1 of 1 deliveries exhausted: localhost answered 503").first().waitFor();
  await page.getByText("postWebhook").nth(2).waitFor();
  await page.getByText("Failed", { exact: true }).first().waitFor();
  expect(await page.getByText("postWebhook").count()).toBe(3);
  expect(await page.content()).not.toContain("Front door");
});
