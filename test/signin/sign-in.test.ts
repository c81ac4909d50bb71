// Sign-in by password: all failures have the same answer, and throttling does not lock the owner out.

import { describe, expect, test } from "bun:test";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { API } from "../world/api.ts";
import { answerOf, type Client, newClient } from "../world/client.ts";
import { plantUser, setUsers } from "../world/planted.ts";
import { expire, removeRows, rowsOf } from "../world/rows.ts";
import { db, request } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const WRONG = "Wrong user name or password.";

async function attempt(client: Client, visitor: Visitor, fields: Record<string, string>): Promise<View> {
  return visitor.submit(await visitor.open(client.authorize()), fields);
}

async function attempts(client: Client, visitor: Visitor, fields: Record<string, string>, count: number) {
  const statuses: number[] = [];
  for (let made = 0; made < count; made++) statuses.push((await attempt(client, visitor, fields)).status);
  return statuses;
}

function alertOf(view: View): string {
  return /role="alert"[^>]*>([^<]*)</.exec(view.html)?.[1] ?? "";
}

describe.concurrent("is rejected with one message", () => {
  test.each<[string, (client: Client) => Promise<Record<string, string>> | Record<string, string>]>([
    ["a wrong password", () => ({ username: "admin", password: "wrong" })],
    ["an unknown user", () => ({ username: "nobody", password: "wrong" })],
    ["no password", () => ({ username: "admin", password: "" })],
    ["no user name", ({ tenant }) => ({ username: "", password: tenant.admin.password })],
    ["an overlong password", () => ({ username: "admin", password: "x".repeat(5_000) })],
    ["an overlong user name", () => ({ username: "x".repeat(5_000), password: "x" })],
    ["a NUL in the user name", () => ({ username: "admin\0", password: "x" })],
    ["another tenant's user", async () => (await createTenant(db(), `other ${Bun.randomUUIDv7()}`)).admin],
    [
      "an inactive user",
      async ({ tenant }) => {
        await setUsers(tenant, { is_active: false });
        return tenant.admin;
      },
    ],
    [
      "a user name that two have",
      async ({ tenant }) => {
        for (const username of ["twin", "twin"]) await plantUser(tenant, { username });
        return { username: "twin", password: "x" };
      },
    ],
    [
      "a user without a password",
      async ({ tenant }) => {
        await plantUser(tenant, { username: "ada" });
        return { username: "ada", password: "x" };
      },
    ],
  ])("%s", async (_, fieldsOf) => {
    const client = await newClient();
    const fields = await fieldsOf(client);
    const visitor = new Visitor();
    const view = await attempt(client, visitor, fields);
    expect(view).toMatchObject({ status: 422, heading: "Sign in", location: undefined });
    expect(alertOf(view)).toBe(WRONG);
    expect(view.forms[0]!.fields.username).toBe(fields.username!);
    expect(view.forms[0]!.fields.password).toBe("");
    if (fields.password) expect(view.html).not.toContain(`value="${fields.password}"`);
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });
});

describe.concurrent("a correct password", () => {
  test("sets SPEC.md's Last_Login", async () => {
    const client = await newClient();
    await client.visit(new Visitor());
    const { clientId, clientSecret } = client.tenant.client;
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope: "*",
    });
    const token = await request("POST", "/oauth2/token", { body });
    const headers = { authorization: `Bearer ${token.body.access_token}` };
    const user = await request("GET", `${API}/User/admin?Name=Username`, { headers });
    expect(Date.now() - Date.parse(user.body.Last_Login)).toBeLessThan(60_000);
  });

  test("is accepted after earlier mistakes, and the typed user name is kept", async () => {
    const client = await newClient();
    const username = `"><b>&lt;&amp;'é☃`;
    await setUsers(client.tenant, { username });
    const visitor = new Visitor();
    const again = await attempt(client, visitor, { username, password: "wrong" });
    expect(again.forms[0]!.fields.username).toBe(username);
    const page = await visitor.submit(again, { password: client.tenant.admin.password });
    expect(page.heading).toBe("Allow access");
    expect(page.html).not.toContain("<b>");
  });
});

describe.concurrent("guessing passwords", () => {
  test.each(["admin", "nobody"])(
    "%s: after five failures at one place the waits grow, and are the same",
    async (username) => {
      const client = await newClient();
      const visitor = new Visitor();
      const statuses = await attempts(client, visitor, { username, password: "wrong" }, 6);
      expect(statuses).toEqual([422, 422, 422, 422, 422, 422]);
      const blocked = await attempt(client, visitor, { ...client.tenant.admin, username });
      expect(blocked.status).toBe(429);
      expect(alertOf(blocked)).toMatch(/^Too many attempts\. Try again in \d+ seconds?\.$/);
      expect(blocked.headers.get("retry-after")).toMatch(/^([1-9]|10)$/);
      await expire("signin_failures", { tenant_id: client.tenant.tenantId }, "blocked_until");
      await attempt(client, visitor, { username, password: "wrong" });
      const next = await attempt(client, visitor, { ...client.tenant.admin, username });
      expect(Number(next.headers.get("retry-after"))).toBeWithin(11, 21);
    },
  );

  test("in parallel gains no attempts", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    const guess = (n: number) => visitor.submit(page, { username: "admin", password: `wrong ${n}` });
    const views = await Promise.all(Array.from({ length: 20 }, (_, n) => guess(n)));
    expect(views.filter((view) => view.status === 422)).toHaveLength(6);
    expect(views.filter((view) => view.status === 429)).toHaveLength(14);
  });

  test("does not affect one person's browsers that sign in at the same time", async () => {
    const client = await newClient();
    for (let round = 0; round < 5; round++) {
      const pages = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const visitor = new Visitor();
          return { visitor, page: await visitor.open(client.authorize()) };
        }),
      );
      const views = await Promise.all(pages.map(({ visitor, page }) => visitor.submit(page, client.tenant.admin)));
      expect(views.map((view) => alertOf(view))).toEqual(["", "", "", ""]);
    }
  });

  test("by a stranger does not block the owner's own browser", async () => {
    const client = await newClient();
    const owner = new Visitor();
    await client.visit(owner);
    const stranger = new Visitor();
    await attempts(client, stranger, { username: "admin", password: "wrong" }, 6);
    expect((await attempt(client, stranger, client.tenant.admin)).status).toBe(429);

    owner.cookies.delete("gatehouse-session");
    expect(answerOf(await client.visit(owner)).code).toBeString();
  });

  test("with an invented cookie is not a known browser", async () => {
    const client = await newClient();
    const stranger = new Visitor();
    await attempts(client, stranger, { username: "admin", password: "wrong" }, 6);
    stranger.cookies.set("gatehouse-device", "x".repeat(43));
    expect((await attempt(client, stranger, client.tenant.admin)).status).toBe(429);
  });

  test("is reset once the owner signs in", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    await attempts(client, visitor, { username: "admin", password: "wrong" }, 4);
    await client.visit(visitor);
    const other = new Visitor();
    expect(await attempts(client, other, { username: "admin", password: "wrong" }, 5)).toEqual([
      422, 422, 422, 422, 422,
    ]);
  });

  test("of one account is throttled across addresses, except known ones", async () => {
    const client = await newClient();
    const { tenantId } = client.tenant;
    await attempts(client, new Visitor(), { username: "admin", password: "wrong" }, 1);
    const rows = await rowsOf<{ failures: number }>("signin_failures", { tenant_id: tenantId });
    expect(rows.map((row) => row.failures)).toEqual([1, 1, 1]);
    await removeRows("signin_failures", { tenant_id: tenantId });
    await client.visit(new Visitor());
    await attempts(client, new Visitor(), { username: "admin", password: "wrong" }, 1);
    expect(await rowsOf("signin_failures", { tenant_id: tenantId })).toHaveLength(2);
  });
});
