// The Temporal Schedule for maintenance.

import { expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { temporal } from "../support/temporal.ts";
import { until } from "../world/api.ts";
import { RFC_TOKEN_PATH } from "../world/client.ts";
import { age, clientGrant, postAs, refresh, userFamily } from "../world/grants.ts";
import { elapse, expire, rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

/** Tables from which it removes expired rows, and its work on partitions and closed events. */
const TABLES = [
  "partitions",
  "partitions_busy",
  "partitions_made",
  "partitions_measured",
  "closed_events",
  "refresh_families",
  "former_webhook_secrets",
  "revoked_tokens",
  "authorization_codes",
  "pushed_requests",
  "device_codes",
  "sessions",
  "known_devices",
  "signin_failures",
  "password_resets",
  "mailed_links",
  "invitations",
  "sign_ups",
  "invitation_imports",
  "mails",
  "upstream_attempts",
  "used_jwts",
  "used_challenges",
  "used_dpop_proofs",
  "resting_audiences",
  "registration_tokens",
  "registered_clients",
  "requests",
  "idempotency_keys",
  "issued_tokens",
  "logouts",
  "alerts",
  "audit_chain",
  "audit_places",
  "tenant_usage",
  "outcome_hours",
];

test("its runs are visible in Temporal, with the number of expired rows removed", async () => {
  const client = await temporal();
  const schedule = client.schedule.getHandle("maintenance");
  const { spec, state } = await until("the schedule to be there", () => schedule.describe().catch(() => undefined));
  expect(spec.intervals).toMatchObject([{ every: 3_600_000 }]);
  expect(state.paused).toBe(false);

  const caller = await newTenant();
  const issuer = String(decodeJwt(caller.token).iss);
  const [idle, live] = [await userFamily(caller, issuer, ["openid"]), await userFamily(caller, issuer, ["openid"])];
  const used = await clientGrant(caller);
  await refresh(caller, RFC_TOKEN_PATH, used.refresh);
  const own = String(decodeJwt(used.access).grant_id);
  await postAs(caller, "/oauth2/revoke", { token: caller.token });
  const { jti } = decodeJwt(caller.token);
  await age(idle.familyId, "31 days");
  // Unused for long, but its signed first token is still valid. If it were removed, the token would count as unused.
  await elapse("29 days", "refresh_families", { id: own }, "rotated_on");
  await expire("revoked_tokens", { id: jti! }, "expires_on", "1 second");

  const rows = async () => {
    const families = await rowsOf<{ id: string }>("refresh_families", { tenant_id: caller.tenantId });
    const tokens = await rowsOf("revoked_tokens", { id: jti! });
    return { families: families.map((row) => row.id).sort(), tokens: tokens.length };
  };
  expect((await rows()).families).toHaveLength(3);
  await schedule.trigger();
  await until("the expired rows to be gone", async () => {
    const { families, tokens } = await rows();
    return tokens === 0 && !families.includes(idle.familyId);
  });
  expect((await rows()).families).toEqual([live.familyId, own].sort());

  const run = await until("the run to be over", async () => {
    for await (const workflow of client.workflow.list({ query: "WorkflowType = 'maintenance'" })) {
      if (workflow.status.name === "COMPLETED") return workflow;
    }
    return undefined;
  });
  expect(run.workflowId).toMatch(/^maintenance/);
  const result = await client.workflow.getHandle(run.workflowId, run.runId).result();
  expect(result).toEqual({
    keys: { announced: expect.any(Array), removed: expect.any(Array) },
    removed: Object.fromEntries(TABLES.map((table) => [table, expect.any(Number)])),
  });
  await client.connection.close();
});
