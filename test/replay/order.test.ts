// In one task some posts fail, and wait for a retry, while others turn out to be slow, and are handed over. A replay
// learns of all these ends at once, and must do what follows in their order, as was done when they came one by one.

import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";

import { bundleWorkflowCode, DefaultLogger, Runtime, Worker, type WorkflowBundle } from "@temporalio/worker";
import { PROJECT_ROOT } from "../../server/config.ts";

interface Event {
  eventId: string;
  eventType: string;
  activityTaskScheduledEventAttributes?: { activityId: string };
}

const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];
const logger = new DefaultLogger("ERROR");

let workflowBundle: WorkflowBundle;

beforeAll(async () => {
  Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter: "ERROR" } } });
  const workflowsPath = join(PROJECT_ROOT, "workflows", "index.ts");
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
}, 120_000);

test.each(ORDERS)("a retry and two hand-overs are replayed in the order %i, %i, %i", async (...order) => {
  const { events } = await Bun.file(join(import.meta.dir, "histories", "handed-over-beside-a-retry.json")).json();
  await Worker.runReplayHistory({ workflowBundle }, { events: reordered(events, order) });
});

/** The first task of a history as it would be, had its local activities ended in another order. */
function reordered(events: Event[], order: number[]): Event[] {
  const of = (...types: string[]) =>
    events.filter(({ eventType }) => types.includes(eventType.slice("EVENT_TYPE_".length)));
  const begin = events.slice(0, 4);
  const markers = of("MARKER_RECORDED").slice(0, order.length);
  const commands = of("TIMER_STARTED", "ACTIVITY_TASK_SCHEDULED").slice(0, order.length);
  const nextTask = events
    .slice(4)
    .filter(({ eventType }) => /WORKFLOW_TASK_(SCHEDULED|STARTED)/.test(eventType))
    .slice(0, 2);
  expect([begin, markers, commands, nextTask].map(({ length }) => length)).toEqual([4, 3, 3, 2]);

  const activityIds = commands.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityId ?? []);
  const moved = structuredClone(order.map((place) => commands[place] as Event));
  for (const { activityTaskScheduledEventAttributes: scheduled } of moved) {
    if (scheduled) scheduled.activityId = activityIds.shift() as string;
  }
  const all = [...begin, ...order.map((place) => markers[place] as Event), ...moved, ...nextTask];
  return all.map((event, index) => ({ ...event, eventId: String(index + 1) }));
}
