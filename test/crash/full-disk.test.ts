// Effects of a full disk that has all data, Temporal's store and the logs. The disk is a small in-memory file system,
// which only root can create.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/directories.ts";
import { makeChanges, settleLedger, untilLogSaysDelivered } from "../support/ledger.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { connected } from "../world/receiver.ts";
import { newTenant, setting } from "../world/tenant.ts";

const disk = temporaryDirectory("disk");
const isMounted = process.platform === "linux" && process.getuid?.() === 0 && mount();
beforeAll(() => {
  if (!isMounted) console.log("full-disk.test.ts needs root on Linux, to mount a file system of its own");
});
afterAll(() => {
  if (isMounted) Bun.spawnSync(["umount", "--lazy", disk]);
});

test.if(isMounted)(
  "a full disk is reported, stops no process, loses no change, and service resumes once there is space",
  async () => {
    await using stack = await startStack({ dataDir: join(disk, "data") });
    const { api, worker } = stack.parts;
    const pids = [api.pid, worker.pid];
    const caller = await newTenant(stack);
    await using receiver = await connected(caller, 200, { dataDir: setting("GATEHOUSE_TEST_DATA_DIR") });
    const load = { ended: false };
    const changing = makeChanges(caller, () => load.ended, 2);
    await until("the load to be under way", () => receiver.calls.length >= 10);

    fill();
    const refused = await until("a change to be refused", async () => {
      const answer = await caller.call("PATCH", "/Application", {
        Name: `x ${crypto.randomUUID()}`,
        Description: LONG,
      });
      return answer.status !== 200 && answer;
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(refused.body).toMatchObject({ Errors: [expect.stringContaining("The disk of the database is full")] });
    const { reasons, status } = await until("/readyz to say so", async () => {
      const readiness = await stack.readiness();
      return readiness.reasons.some((reason) => reason.includes("disk")) && readiness;
    });
    expect([status, reasons.join()]).toEqual(["unavailable", expect.stringContaining("disk")]);
    expect((await caller.call("GET", "/Application?Limit=1")).status).toBe(200);

    rmSync(join(disk, "filler"));
    await until(
      "changes to be made",
      async () => (await caller.call("PATCH", "/Application", { Name: "after" })).status === 200,
    );
    await until("all to be ready", async () => (await stack.readiness()).status === "ready");
    load.ended = true;
    const committed = await changing;
    expect(await settleLedger("a full disk", [...committed, "after"], receiver)).toMatchObject({ lost: 0 });
    await untilLogSaysDelivered(caller);
    expect([api.pid, worker.pid]).toEqual(pids);
  },
);

test.if(isMounted)("a start on a full disk reports the full disk", async () => {
  fill();
  const failure = await startStack({ dataDir: join(disk, "other") }).then(
    () => "it started",
    (error: Error) => error.message,
  );
  rmSync(join(disk, "filler"));
  expect(failure).toEndWith(` The disk of DATA_DIR is full (${join(disk, "other")}): free some space.`);
});

/** Needs more space in its table. */
const LONG = "x".repeat(9_000);

function mount(): boolean {
  const { success } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", disk]);
  if (success) chmodSync(disk, 0o711);
  return success;
}

/** In smaller and smaller steps, until nothing more can be written. */
function fill(): void {
  for (const bytes of [1024 * 1024, 4_096]) {
    const block = Buffer.alloc(bytes);
    for (;;) {
      try {
        appendFileSync(join(disk, "filler"), block);
      } catch {
        break;
      }
    }
  }
}
