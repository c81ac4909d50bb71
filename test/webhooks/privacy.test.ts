import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { historyText, temporal } from "../support/temporal.ts";
import { until } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant, setting } from "../world/tenant.ts";

test("neither Temporal nor our log ever contains a payload, a secret, an ApiKey or a receiver's response", async () => {
  const client = await temporal();
  const api = await newTenant();
  await using failing = startReceiver(new Response("the receiver's own words", { status: 500 }));
  await using hanging = startReceiver(["hang", 200]);
  const fields = {
    Secret: "the-signing-secret",
    ApiKey: "the-api-key",
    Entities: ["User"],
    Headers: { Authorization: "Bearer gateway-token" },
  };
  const connections = await Promise.all([
    api.connect(`${failing.url}/private-path?token=in-the-url`, { ...fields, Name: "the receiver" }),
    api.connect(hanging.url, fields),
  ]);
  const person = { Name: "Ada Lovelace", Username: "countess", Email: "ada@example.com" };
  expect((await api.call("PATCH", "/User", person)).status).toBe(200);
  const event = await api.settledEvent();
  expect(event.State).toBe("Exhausted");
  const workflowIds = new Set([event.WorkflowId, ...event.Deliveries.map(({ WorkflowId }) => WorkflowId)]);
  const histories = await Promise.all(
    [...workflowIds].map(async (id) => {
      await client.workflow
        .getHandle(id)
        .result()
        .catch(() => {});
      return historyText(client, id);
    }),
  );
  const history = histories.join();
  const log = () => readFileSync(join(setting("GATEHOUSE_TEST_DATA_DIR"), "logs", "gatehouse.log"), "utf8");
  const ids = [event.EventId, ...event.Deliveries.map((delivery) => delivery.Id)];
  await until("the log to name the event and its deliveries", () => absent(log(), ids).length === 0);
  const ours = log();
  expect(absent(history, [...ids, ...connections.map((connection) => connection.Id)])).toEqual([]);
  expect(absent(history, ["the receiver answered 500", "localhost: timeout"])).toEqual([]);
  const secrets = [
    ...[
      "Ada",
      "ada@example.com",
      "countess",
      "the-signing-secret",
      "the-api-key",
      "gateway-token",
      "private-path",
      "in-the-url",
    ],
    ...["the receiver's own words", failing.calls[0]!.headers.get("x-signature")!, api.tenant.client.clientSecret],
    api.tenant.admin.password,
  ];
  expect(absent(history, secrets)).toEqual(secrets);
  expect(absent(ours, secrets)).toEqual(secrets);
});

function absent(text: string, words: string[]): string[] {
  return words.filter((word) => !text.includes(word));
}
