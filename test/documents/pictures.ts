// `bun run docs:pictures`: takes the pictures of docs/images of a running Gatehouse, with a day's changes in it.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { connect } from "../../server/db/connection.ts";
import { type Api, signIn, until } from "../support/api.ts";
import { launch } from "../support/browser.ts";
import { fill } from "../support/fill.ts";
import { startReceiver } from "../support/receiver.ts";
import { startStack } from "../support/stack.ts";
import { ROOT } from "./pages.ts";

const FOLDER = join(ROOT, "docs/images");
const CONSOLE = { width: 1280, height: 860 };
const TEMPORAL = { width: 1280, height: 1180 };
const HOUR_MS = 3_600_000;
const PATIENCE_MS = 60_000;
/** Of past events, so that the day has its ups and downs. */
const DAY = [
  { hours: 24, events: 300 },
  { hours: 14, events: 260 },
  { hours: 9, events: 420 },
  { hours: 4, events: 90 },
];

mkdirSync(FOLDER, { recursive: true });
// Waits as in the tour, so that a picture tells of seconds.
await using stack = await startStack({
  env: { WEBHOOK_RETRY_INITIAL_INTERVAL: "1s", TOKEN_LIFETIME: "3600" },
  say: (line) => console.log(line),
});
const api = await signIn(stack.url, stack.demo);
await using quick = startReceiver(200, { dataDir: stack.dataDir });
await using failing = startReceiver(503, { dataDir: stack.dataDir });
const names = ["Billing", "CRM", "Search index"];
const connections = await Promise.all(names.map((Name) => api.connect(quick.url, { Name, Events: ["Created"] })));
const sql = connect(stack.databaseUrl, "gatehouse pictures", 2);
const connectionIds = connections.map(({ Id }) => Id);
for (const { hours, events } of DAY) {
  await fill(sql, { tenantId: stack.demo.tenantId, connectionIds, events, spanMs: hours * HOUR_MS });
}
await sql.end();
const { Id: failingId } = await api.connect(failing.url, { Name: "Warehouse", Events: ["Updated"] });
await api.change({ Name: "Payroll", Description: "Pays people", Is_Active: true });
await api.change({ Name: "Payroll", Description: "Pays people on time" });
const failed = await failedEvent(api, failingId);

const browser = await launch();
try {
  const page = await browser.newPage({ viewport: CONSOLE });
  page.setDefaultTimeout(PATIENCE_MS);
  await takeConsole(page);
  await takeFailedDelivery(page, failed);
} finally {
  await browser.close();
}

async function takeConsole(page: Page): Promise<void> {
  await page.goto(`${stack.url}/settings?organisation=demo`);
  await page.getByLabel("User name").fill(stack.demo.admin.username);
  await page.getByLabel("Password").fill(stack.demo.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.screenshot({ path: join(FOLDER, "console.png") });
}

async function takeFailedDelivery(page: Page, workflowUrl: string): Promise<void> {
  await page.setViewportSize(TEMPORAL);
  await page.goto(workflowUrl);
  await page
    .getByText(/deliveries exhausted/)
    .first()
    .waitFor();
  await page.getByText("postWebhook").nth(2).waitFor();
  await page.screenshot({ path: join(FOLDER, "failed-delivery.png") });
}

/** Where the Temporal UI has it. */
async function failedEvent(api: Api, connectionId: string): Promise<string> {
  const event = await until("the delivery to be given up", async () => {
    const { Items } = await api.events(`State=Exhausted&ConnectionId=${connectionId}&Limit=1`);
    return Items[0];
  });
  return event.WorkflowUrl;
}
