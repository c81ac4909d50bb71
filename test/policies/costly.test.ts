import { expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { newTenant, savePolicy } from "../world/tenant.ts";

const RECORDS = 40;

/** The maximum cost of a decision: the longest pattern for the longest text. */
const PATTERN = `forbid (principal, action, resource is Application)
  when { resource.Description like "*${"a".repeat(600)}b" };`;

test("a tenant with a slow list does not delay others", async () => {
  const [costly, other] = await Promise.all([newTenant(), newTenant()]);
  // Equal questions are decided only once, so all texts differ.
  const descriptions = Array.from({ length: RECORDS }, (_, index) => `${index}`.padEnd(10_000, "a"));
  await ok(
    costly.patch(
      "/Application",
      descriptions.map((Description) => ({ Description })),
    ),
  );

  await savePolicy(costly, "pattern", PATTERN);

  let over = false;
  const list = ok(costly.get("/Application?Limit=200")).finally(() => {
    over = true;
  });
  let answered = 0;
  while (!over) {
    await ok(other.get(`/Application/${other.clientId}`));
    answered++;
  }
  // The list also has the tenant's own client and that of Settings.
  expect((await list).Items).toHaveLength(RECORDS + 2);
  // If it were decided without pauses, the list would let in one or two requests.
  expect(answered).toBeGreaterThan(2);
});

test("nor does a tenant with a slow event of many records", async () => {
  const [costly, other] = await Promise.all([newTenant(), newTenant()]);
  const records = Array.from({ length: RECORDS }, (_, index) => ({ Description: `${index}`.padEnd(10_000, "a") }));
  await ok(costly.patch("/Application", records));
  await savePolicy(costly, "pattern", PATTERN);
  const { EventId } = (await ok(costly.get("/WebhookEvent?Limit=1"))).Items[0];

  let over = false;
  const event = ok(costly.get(`/WebhookEvent/${EventId}`)).finally(() => {
    over = true;
  });
  let answered = 0;
  while (!over) {
    await ok(other.get(`/Application/${other.clientId}`));
    answered++;
  }
  expect((await event).Payload.Data).toHaveLength(RECORDS);
  // Each record is decided twice, in its old and its current state.
  expect(answered).toBeGreaterThan(2);
});
