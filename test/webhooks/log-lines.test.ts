import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant, setting } from "../world/tenant.ts";

const FILE = join(setting("GATEHOUSE_TEST_DATA_DIR"), "logs", "gatehouse.log");
const WARN = 40;

test("each attempt is one info line, also a failed one, and the SDK adds none", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(500);
  const { Id: connectionId } = await api.connect(receiver.url, { Name: "Shop receiver" });
  const { EventId, Deliveries } = await api.settledChange({ Name: "Gate" });
  // The SDK logs with a delay; after a second event has ended, the line exists.
  const later = await api.settledChange({ Name: "Gate", Description: "again" });
  await until("its last attempt", () => linesWith(later.EventId).length >= 3);

  const attempt = {
    level: 30,
    msg: "webhook attempt",
    deliveryId: Deliveries[0]!.Id,
    connectionId,
    reason: "Shop receiver answered 500",
  };
  expect(linesWith(EventId)).toMatchObject([
    { ...attempt, attempt: 1, state: "Retrying" },
    { ...attempt, attempt: 2, state: "Retrying" },
    { ...attempt, attempt: 3, state: "Exhausted" },
  ]);
});

test("no line warns of normal operation", () => {
  const told = linesWith("No workflows registered, not polling for workflow tasks") as { level: number }[];
  expect(told.filter(({ level }) => level >= WARN)).toEqual([]);
});

function linesWith(id: string): object[] {
  const lines = readFileSync(FILE, "utf8").split("\n");
  return lines.filter((line) => line.includes(id)).map((line) => JSON.parse(line));
}
