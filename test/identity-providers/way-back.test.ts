// The callback: valid for one browser and one provider, once.

import { describe, expect, test } from "bun:test";
import { answerOf, setCredentials } from "../world/client.ts";
import { expectNothing, onTheWay } from "../world/provider.ts";
import { expire, rowsOf } from "../world/rows.ts";

describe.concurrent("the callback", () => {
  test("is rejected without a state, with an invented one, and with a used one", async () => {
    const { visitor, back, location } = await onTheWay();
    const state = location.searchParams.get("state")!;
    expectNothing(await visitor.open(back.replace(state, "")), visitor);
    expectNothing(await visitor.open(back.replace(state, "x".repeat(43))), visitor);
    expect(answerOf(await visitor.open(back)).code).toBeString();
    visitor.cookies.delete("gatehouse-session");
    expectNothing(await visitor.open(back), visitor);
  });

  test("is rejected after ten minutes", async () => {
    const { tenant, visitor, back } = await onTheWay();
    const { tenantId } = tenant.client.tenant;
    const [row] = await rowsOf<{ started_on: Date; expires_on: Date }>("upstream_attempts", { tenant_id: tenantId });
    expect(Math.round((+row!.expires_on - +row!.started_on) / 1_000)).toBe(600);
    await expire("upstream_attempts", { tenant_id: tenantId });
    expectNothing(await visitor.open(back), visitor);
  });

  test("checks the application's request again: an unregistered address gets nothing", async () => {
    const { tenant, visitor, back } = await onTheWay();
    await setCredentials(tenant.client.id, { redirect_uris: [] });
    expect(await visitor.open(back)).toMatchObject({ status: 404, location: undefined });
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });

  test("stores no secrets in plain text, and deletes its row afterwards", async () => {
    const { tenant, visitor, provider, location, back } = await onTheWay();
    const { tenantId } = tenant.client.tenant;
    const rows = () => rowsOf("upstream_attempts", { tenant_id: tenantId });
    const text = JSON.stringify(await rows());
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(text).not.toContain(location.searchParams.get(name)!);
    }
    expect(answerOf(await visitor.open(back)).code).toBeString();
    expect(await rows()).toHaveLength(0);
    const { form } = provider.calls.find(({ path }) => path === "/token")!;
    expect(form).toMatchObject({ grant_type: "authorization_code", redirect_uri: tenant.provider.RedirectUri });
  });
});
