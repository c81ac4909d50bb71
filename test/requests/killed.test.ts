// A request with an Idempotency-Key whose process is killed with kill -9.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { startSecondApi } from "../support/second-api.ts";
import { API, ok, until } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";

test("between its commit and its answer, it is not carried out again, and its repetition gets the record's Id", async () => {
  const api = await newTenant();
  await using doomed = await startSecondApi({}, ["--preload", join(import.meta.dir, "killed-before-answer.ts")]);
  const key = Bun.randomUUIDv7();
  const headers = { authorization: api.authorization, "content-type": "application/json", "idempotency-key": key };
  const first = fetch(`${doomed.url}${API}/Department`, { method: "POST", headers, body: "{}" });
  expect(await first.then(({ status }) => status).catch(() => "no answer")).toBe("no answer");
  const again = await until("the end of its lease", async () => {
    const answer = await api.send("POST", "/Department", { headers, body: "{}" });
    return answer.status !== 409 && answer;
  });
  const { Items } = await ok(api.get("/Department"));
  expect(Items).toHaveLength(1);
  expect([again.status, again.body]).toEqual([200, { Id: Items[0].Id }]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});
