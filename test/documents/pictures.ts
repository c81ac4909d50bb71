// `bun run docs:pictures`: takes the pictures of docs/images from a running Gatehouse with a day of changes.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { connect } from "../../server/platform/db/sql.ts";
import { launch } from "../support/browser.ts";
import { ROOT } from "../support/pages.ts";
import { startStack } from "../support/stack.ts";
import { temporal } from "../support/temporal.ts";
import { type Api, type LoggedEvent, signIn, until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { fill } from "../world/rows.ts";

const FOLDER = join(ROOT, "docs/images");
const CONSOLE = { width: 1280, height: 860 };
const TEMPORAL = { width: 1280, height: 1180 };
const DETAILS = { width: 1280, height: 760 };
const HOUR_MS = 3_600_000;
const PATIENCE_MS = 60_000;
const HOLD_AFTER = 4;
/** Slow enough for a picture of a running Replay. */
const REPLAY_RATE = 10;
/** Past events, with peaks during the day. */
const DAY = [
  { hours: 24, events: 300 },
  { hours: 14, events: 260 },
  { hours: 9, events: 420 },
  { hours: 4, events: 90 },
];

mkdirSync(FOLDER, { recursive: true });
// The waits of the tour, so the pictures show seconds.
await using stack = await startStack({
  env: {
    WEBHOOK_RETRY_INITIAL_INTERVAL: "1s",
    WEBHOOK_HOLD_AFTER: String(HOLD_AFTER),
    TOKEN_LIFETIME: "3600",
  },
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
await using later = startReceiver(new Response(null, { status: 503, headers: { "retry-after": "600" } }), {
  dataDir: stack.dataDir,
});
const { Id: laterId } = await api.connect(later.url, { Name: "Ledger", Events: ["Deleted"] });
const { Id: queuedId } = await api.connect(quick.url, { Name: "Archive", Events: ["Deleted"], Order: "Record" });
const { Id: failingId } = await api.connect(failing.url, { Name: "Warehouse", Events: ["Updated"] });
const { Id } = await api.change({ Name: "Payroll", Description: "Pays people", Is_Active: true });
const delivered = await api.settledEvent();
await api.change({ Name: "Payroll", Description: "Pays people on time" });
const failed = await failedEvent(api, failingId);
const client = await temporal(stack.temporalAddress);
for (let made = 1; made < HOLD_AFTER; made++) await api.change({ Name: "Payroll", Description: `Change ${made}` });
await until("its connection to be held", async () => (await api.connection(failingId)).State === "Held", PATIENCE_MS);
await api.change({ Name: "Payroll", Description: "Waits for the warehouse" });
await api.remove(`/Application/${Id}`);
const retrying = await until("a delivery to wait for its retry", async () => {
  const { Items } = await api.events(`State=Retrying&ConnectionId=${laterId}`);
  return Items[0] && api.event(Items[0].EventId);
});
// Only then its workflow is known.
const queued = await until("the queued delivery to arrive", async () => {
  const { Deliveries } = await api.event(retrying.EventId);
  return Deliveries.find(({ ConnectionId, State }) => ConnectionId === queuedId && State === "Delivered");
});

const browser = await launch();
try {
  const page = await browser.newPage({ viewport: CONSOLE });
  page.setDefaultTimeout(PATIENCE_MS);
  await takeConsole(page);
  await takeDelivery(page, delivered.WorkflowUrl, "Completed", "delivered-delivery");
  await takeDelivery(page, retrying.WorkflowUrl, "until the next post to Ledger", "retrying-delivery");
  await takeDelivery(page, failed.WorkflowUrl, "deliveries exhausted", "failed-delivery");
  await takeDelivery(page, queued.WorkflowUrl, "Completed", "queued-delivery");
  const workflows = failed.WorkflowUrl.slice(0, failed.WorkflowUrl.lastIndexOf("/"));
  await takeDetails(
    `${workflows}/${encodeURIComponent(`WebhookConnection/${failingId}/Probe`)}`,
    /Held after/,
    "temporal-probe",
  );
  // Begun now, so that it still runs when its picture is taken.
  const replay = await api.replay({ ConnectionId: connections[0]!.Id, States: ["Delivered"], Rate: REPLAY_RATE });
  await until("it to send", async () => (await api.redelivery(replay.Id)).Delivered > 0);
  await takeDetails(replay.WorkflowUrl, /\d of \d+ done/, "temporal-redelivery");
  await takeReset(page, `${failed.WorkflowUrl}/${await resetWorkflow(failed.WorkflowId)}/history`);
  await takeList(page, `${workflows}?query=${encodeURIComponent(`TenantId = "${stack.demo.tenantId}"`)}`);
} finally {
  await browser.close();
  await client.connection.close();
}

async function takeConsole(page: Page): Promise<void> {
  await page.goto(`${stack.url}/settings?organisation=demo`);
  await page.getByLabel("User name").fill(stack.demo.admin.username);
  await page.getByLabel("Password").fill(stack.demo.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.screenshot({ path: join(FOLDER, "console.png") });
}

async function takeDelivery(page: Page, workflowUrl: string, shown: string, name: string): Promise<void> {
  await page.setViewportSize(TEMPORAL);
  await page.goto(workflowUrl);
  // Menus have the same words, hidden.
  await page.getByText(shown).filter({ visible: true }).first().waitFor();
  await page.getByText("postWebhook").filter({ visible: true }).last().waitFor();
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}

/** The workflow's details, in a window of their own: the UI remembers what is open, and a click would close it. */
async function takeDetails(workflowUrl: string, details: RegExp, name: string): Promise<void> {
  const page = await browser.newPage({ viewport: DETAILS });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(workflowUrl);
  await page.getByText("User Metadata", { exact: true }).click();
  // Markdown is rendered in its own frame.
  const isShown = () => Promise.all(page.frames().map((frame) => frame.getByText(details).count()));
  // A workflow that has just begun has none yet, and the page shows them as they were when it was opened.
  const look = async () => {
    if ((await isShown()).some((count) => count > 0)) return true;
    await page.keyboard.press("r");
    return false;
  };
  await until("the details", look, PATIENCE_MS);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.close();
}

async function takeReset(page: Page, runUrl: string): Promise<void> {
  await page.setViewportSize(DETAILS);
  await page.goto(runUrl);
  await page
    .getByText(/Redeliver in Settings/)
    .filter({ visible: true })
    .first()
    .waitFor();
  await page.screenshot({ path: join(FOLDER, "temporal-reset.png") });
}

async function takeList(page: Page, listUrl: string): Promise<void> {
  await page.setViewportSize(DETAILS);
  await page.goto(listUrl);
  await page.getByText("redeliver").filter({ visible: true }).first().waitFor();
  await page.screenshot({ path: join(FOLDER, "temporal-list.png") });
}

/** @returns the new run, which has failed */
async function resetWorkflow(workflowId: string): Promise<string> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const completed = events!.find((event) => event.workflowTaskCompletedEventAttributes)!;
  const { runId } = await client.workflowService.resetWorkflowExecution({
    namespace: "default",
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: completed.eventId,
    requestId: Bun.randomUUIDv7(),
  });
  await client.workflow
    .getHandle(workflowId, runId)
    .result()
    .catch(() => {});
  return runId;
}

async function failedEvent(api: Api, connectionId: string): Promise<LoggedEvent> {
  return until("the delivery to be given up", async () => {
    const { Items } = await api.events(`State=Exhausted&ConnectionId=${connectionId}&Limit=1`);
    return Items[0];
  });
}
