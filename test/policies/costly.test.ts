import { expect, test } from "bun:test";
import { newAdmin, ok, savePolicy } from "./people.ts";

const RECORDS = 40;

/** What Cedar takes longest with: sets of the longest text there is, and the longest pattern. */
async function saveCostlyPolicies(admin: Awaited<ReturnType<typeof newAdmin>>): Promise<void> {
  const when = (condition: string) => `forbid (principal, action, resource is Application) when { ${condition} };`;
  const texts = Array(60).fill("resource.Description").join(", ");
  await savePolicy(admin, "pattern", when(`resource.Description like "*${"a".repeat(498)}b"`));
  for (let count = 0; count < 4; count++) await savePolicy(admin, `set ${count}`, when(`[${texts}].contains("")`));
}

test.concurrent("a tenant whose list takes long to decide does not keep others waiting", async () => {
  const [costly, other] = await Promise.all([newAdmin(), newAdmin()]);
  await saveCostlyPolicies(costly);
  // The same question is decided once, so no two are the same.
  const descriptions = Array.from({ length: RECORDS }, (_, index) => `${index}`.padEnd(10_000, "a"));
  await ok(
    costly.patch(
      "/Application",
      descriptions.map((Description) => ({ Description })),
    ),
  );

  let over = false;
  const list = ok(costly.get("/Application?Limit=200")).finally(() => {
    over = true;
  });
  let answered = 0;
  while (!over) {
    await ok(other.get(`/Application/${other.clientId}`));
    answered++;
  }
  // Its own client is forbidden, for its Description is empty.
  expect((await list).Items).toHaveLength(RECORDS);
  // Decided in one go, the list would let in one or two.
  expect(answered).toBeGreaterThan(5);
});
