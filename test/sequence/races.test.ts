// Concurrent changes by several APIs: each record's numbers follow the order of commits, without repeats and gaps.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { startSecondApi } from "../support/second-api.ts";
import { Api, until } from "../world/api.ts";
import { connected, type Receiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const RECORDS = 3;
const RUNS = 4;

const patch = fc.record({
  api: fc.nat({ max: 1 }),
  /** One record or an array of several, possibly with repeats. */
  records: fc.array(fc.nat({ max: RECORDS - 1 }), { minLength: 1, maxLength: 4 }),
  /** Few values, so some patches change nothing. */
  description: fc.nat({ max: 3 }),
});

test("two APIs that concurrently patch the same records number their changes 1, 2, 3, …", async () => {
  await using second = await startSecondApi();
  const api = await newTenant();
  const apis = [api, new Api(second.url, api.tenant, api.authorization.replace("Bearer ", ""))];
  await using receiver = await connected(api);

  await fc.assert(
    fc.asyncProperty(fc.array(patch, { minLength: 8, maxLength: 16 }), async (patches) => {
      const run = Bun.randomUUIDv7();
      const nameOf = (record: number) => `${run} ${record}`;
      const names = Array.from({ length: RECORDS }, (_, record) => nameOf(record));
      const made = await api.call<{ Id: string }[]>(
        "PATCH",
        "/Application",
        names.map((Name) => ({ Name })),
      );
      const answers = await Promise.all(
        patches.map(({ api: index, records, description }) => {
          const bodies = records.map((record) => ({ Name: nameOf(record), Description: `number ${description}` }));
          return apis[index]!.call("PATCH", "/Application", bodies.length === 1 ? bodies[0] : bodies);
        }),
      );
      expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
      for (const { Id } of made.body) expect((await api.call("DELETE", `/Application/${Id}`)).status).toBe(200);

      for (const { Id } of made.body) {
        const told = await until(`all changes of ${Id}`, () => {
          const sofar = changesOf(receiver, Id);
          return sofar.length === sofar.find(({ EventType }) => EventType === "Deleted")?.sequence && sofar;
        });
        const changes = told.toSorted((one, other) => one.sequence - other.sequence);
        const last = changes.length;
        expect(changes.map(({ sequence }) => sequence)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
        expect(changes[0]!.EventType).toBe("Created");
        expect(changes.at(-1)!.EventType).toBe("Deleted");
        // Each change is based on the state after the previous one. A patch without a difference makes no change.
        for (const [index, { data, EventType }] of changes.slice(1).entries()) {
          const { Description } = changes[index]!.data;
          if (EventType === "Updated") expect(data.Description).not.toBe(Description);
          else expect(data.Description).toBe(Description);
        }
      }
    }),
    { numRuns: RUNS },
  );
});

/** A record's changes at the receiver, each event once. */
function changesOf({ calls }: Receiver, id: string) {
  const events = new Map(calls.map((call) => [call.payload.EventId, call]));
  return [...events.values()].flatMap(({ payload, headers }) => {
    const sequences = headers.get("webhook-sequence")!.split(",");
    const records = [payload.Data].flat();
    expect(sequences).toHaveLength(records.length);
    const index = records.findIndex(({ Id }) => Id === id);
    return index < 0 ? [] : { EventType: payload.EventType, data: records[index]!, sequence: Number(sequences[index]) };
  });
}
