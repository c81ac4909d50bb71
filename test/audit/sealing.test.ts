// An entry's address and user agent can be removed: they are encrypted by a key of its person, or expire.

import { describe, expect, test } from "bun:test";
import type { TenantId } from "../../server/platform/ids.ts";
import { AUDIT_KINDS } from "../../server/records/audit/entry-kinds.ts";
import { PLACE_DAYS, removeExpiredPlaces } from "../../server/records/audit/store.ts";
import { recordAudit } from "../../server/records/audit/write.ts";
import { type Api, ok, until } from "../world/api.ts";
import { logOf, textOf } from "../world/audit.ts";
import { newApplication, Person, signedIn } from "../world/person.ts";
import { elapse, removeRows, rowsOf } from "../world/rows.ts";
import { clientOf, db } from "../world/tenant.ts";

const PHONE = "Mozilla/5.0 (Android 16; Mobile) Unique/7341";

async function arrange(): Promise<{ admin: Api; userId: number; client: Person["client"] }> {
  const client = await newApplication();
  const admin = await clientOf(client.tenant);
  return { admin, userId: (await ok(admin.get("/User/admin?Name=Username"))).Id, client };
}

async function signInByPhone(client: Person["client"], given: Record<string, string> = {}): Promise<void> {
  const { visitor } = new Person(client);
  const page = await visitor.open(client.authorize(), { "user-agent": PHONE });
  await visitor.submit(page, { ...client.tenant.admin, ...given }, { "user-agent": PHONE });
}

const destroyKey = (admin: Api, userId: number) =>
  removeRows("personal_keys", { tenant_id: admin.tenantId, user_id: userId });

/** As after PLACE_DAYS. */
async function expirePlaces({ tenantId }: Api): Promise<void> {
  await elapse(`${PLACE_DAYS} days 1 second`, "audit_places", { tenant_id: tenantId });
  await removeExpiredPlaces(db());
}

async function placesOf({ tenantId }: Api): Promise<string> {
  return (await rowsOf("audit_places", { tenant_id: tenantId })).map((row) => JSON.stringify(row)).join("\n");
}

describe.concurrent("the address and the user agent of a person's entry", () => {
  test("are read by those who may, and stored nowhere in the clear", async () => {
    const { admin, client } = await arrange();
    await signInByPhone(client);
    const [entry] = await logOf(admin, "Kind=SignIn.Succeeded");
    expect(entry).toMatchObject({ UserAgent: PHONE, Address: "127.0.0.1" });
    expect(await ok(admin.get(`/AuditEvent/${entry!.Id}`))).toMatchObject({ UserAgent: PHONE, Address: "127.0.0.1" });
    const stored = await textOf(admin.tenantId);
    expect(stored).not.toContain(PHONE);
    expect(stored).not.toContain("127.0.0.1");
  });

  test("are sealed as well when a guess at the person's account fails", async () => {
    const { admin, client } = await arrange();
    await signInByPhone(client, { password: "a wrong guess" });
    const [entry] = await logOf(admin, "Kind=SignIn.Failed");
    expect(entry).toMatchObject({ UserAgent: PHONE, Actor: null });
    expect(await textOf(admin.tenantId)).not.toContain(PHONE);
  });

  test("are gone from every entry with the key, and the entries stay", async () => {
    const { admin, userId, client } = await arrange();
    await signInByPhone(client);
    const before = await logOf(admin, "Kind=SignIn.Succeeded");
    await destroyKey(admin, userId);
    await signInByPhone(client);
    const after = await until("the second sign-in", async () => {
      const entries = await logOf(admin, "Kind=SignIn.Succeeded");
      return entries.length > before.length && entries;
    });
    for (const entry of after) expect(entry).toMatchObject({ Address: "", UserAgent: "", Outcome: "Success" });
    expect(after.map(({ Id }) => Id)).toContain(before[0]!.Id);
  });

  test("are sealed when an application reports a reused code", async () => {
    const { admin, userId, client } = await arrange();
    const code = await client.code((await signedIn(client)).visitor);
    for (const _ of ["used", "reused"]) await client.token(code);
    const [entry] = await logOf(admin, "Kind=AuthorizationCode.Reused");
    expect(entry).toMatchObject({ Actor: { Type: "Application" }, Address: "127.0.0.1" });
    expect(await textOf(admin.tenantId)).not.toContain("127.0.0.1");
    await destroyKey(admin, userId);
    expect((await logOf(admin, "Kind=AuthorizationCode.Reused"))[0]).toMatchObject({ Address: "", UserAgent: "" });
  });
});

test("the address and the user agent of a stranger are kept for some days, and the entry stays", async () => {
  const { admin, client } = await arrange();
  await signInByPhone(client, { username: "a mistyped name" });
  const list = () => logOf(admin, "Kind=SignIn.Failed");
  expect(await list()).toMatchObject([{ UserAgent: PHONE, Address: "127.0.0.1", Subject: null }]);
  expect(await textOf(admin.tenantId)).not.toContain(PHONE);
  await removeExpiredPlaces(db());
  expect(await placesOf(admin)).toContain(PHONE);
  await expirePlaces(admin);
  expect(await list()).toMatchObject([{ UserAgent: "", Address: "", Subject: null }]);
  expect(await placesOf(admin)).toBe("");
});

test("of each kind, the address and the user agent can be removed, for each actor and subject", async () => {
  const { admin, userId } = await arrange();
  const user = { type: "User", id: userId } as const;
  const application = { type: "Application", id: Number(admin.clientId) } as const;
  const provider = { type: "IdentityProvider", id: "1" };
  const tenantId = admin.tenantId as TenantId;
  const place = { address: "203.0.113.77", userAgent: PHONE };
  let made = 0;
  for (const kind of AUDIT_KINDS) {
    for (const actor of [user, application, undefined]) {
      for (const subject of [user, application, provider, undefined]) {
        // The address of an application is not personal data.
        if (actor === application && subject !== user) continue;
        const origin = { ...(actor && { actor }), ...place, requestKey: Bun.randomUUIDv7() };
        await recordAudit(db(), tenantId, origin, { kind, ...(subject && { subject }) });
        made++;
      }
    }
  }
  expect(made).toBe(AUDIT_KINDS.length * 9);
  const text = await textOf(admin.tenantId);
  for (const value of Object.values(place)) expect(text).not.toContain(value);
  expect((await logOf(admin)).slice(0, 50).map(({ Address }) => Address)).toEqual(Array(50).fill(place.address));
  await destroyKey(admin, userId);
  await expirePlaces(admin);
  expect(await placesOf(admin)).toBe("");
  const left = await logOf(admin);
  expect(left).toHaveLength(200);
  expect(left.filter(({ Address, UserAgent }) => Address !== "" || UserAgent !== "")).toEqual([]);
});

test("an application's address stays readable, unless it acts on the person", async () => {
  const { admin, userId } = await arrange();
  await ok(admin.call("POST", `/User/${userId}/PasswordReset`));
  await ok(admin.patch("/Role", { Name: "clerks" }));
  await destroyKey(admin, userId);
  expect((await logOf(admin, "Kind=PasswordReset.Created"))[0]).toMatchObject({ Address: "" });
  expect((await logOf(admin, "Kind=Role.Created"))[0]).toMatchObject({ Address: "127.0.0.1" });
});

test("the key of a deleted User stays, so the entries are readable until the person is erased", async () => {
  const person = await signedIn();
  const admin = await clientOf(person.client.tenant);
  const { Id } = await ok(admin.get("/User/admin?Name=Username"));
  await ok(admin.remove(`/User/${Id}`));
  expect((await logOf(admin, "Kind=SignIn.Succeeded"))[0]).toMatchObject({ Address: "127.0.0.1" });
});
