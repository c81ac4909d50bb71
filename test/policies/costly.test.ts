import { expect, test } from "bun:test";
import { newAdmin, ok, savePolicy } from "./people.ts";

const RECORDS = 40;

/** As much as a decision may cost: the longest pattern, for the longest text there is. */
const PATTERN = `forbid (principal, action, resource is Application)
  when { resource.Description like "*${"a".repeat(600)}b" };`;

test("a tenant with a slow list does not delay others", async () => {
  const [costly, other] = await Promise.all([newAdmin(), newAdmin()]);
  // The same question is decided once, so no two are the same.
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
  // The tenant's own client and that of Settings are in it too.
  expect((await list).Items).toHaveLength(RECORDS + 2);
  // Decided in one go, the list would let in one or two.
  expect(answered).toBeGreaterThan(2);
});

test("nor does a tenant with a slow event of many records", async () => {
  const [costly, other] = await Promise.all([newAdmin(), newAdmin()]);
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
  // Each record is judged twice, as it was and as it is.
  expect(answered).toBeGreaterThan(2);
});
