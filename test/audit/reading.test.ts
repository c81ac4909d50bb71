// Reading the audit log: filters, pages, permissions, immutability.

import { describe, expect, test } from "bun:test";
import { type Api, expectError, ok } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { removeRows, setRows } from "../world/rows.ts";
import { db, newMember, newTenant, savePolicy } from "../world/tenant.ts";

const roleNamed = (caller: Api, Name: string) => ok(caller.patch("/Role", { Name }));

/** A caller for invalid list queries. */
let asking: Promise<Api> | undefined;

describe.concurrent("a list of the log", () => {
  test("is filtered by kind, actor, subject and time", async () => {
    const admin = await newTenant();
    const person = await newMember(admin, "admin");
    const role = await roleNamed(admin, "clerks");
    await ok(person.patch("/Role", { Name: "clerks", Scopes: ["Settings:Read"] }));
    const all = await logOf(admin);
    const ids = async (query: string) => (await logOf(admin, query)).map(({ Id }) => Id);
    const where = (holds: (event: (typeof all)[number]) => boolean) => all.filter(holds).map(({ Id }) => Id);

    expect(await ids("Kind=Role.Created")).toEqual(where(({ Kind }) => Kind === "Role.Created"));
    expect(await ids(`ActorType=Application&ActorId=${person.clientId}`)).toEqual([all[0]!.Id]);
    expect(await ids("ActorType=Application")).toEqual(where(() => true));
    expect(await ids("ActorType=User")).toEqual([]);
    expect(await ids(`SubjectType=Role&SubjectId=${role.Id.toUpperCase()}`)).toEqual(
      where(({ Subject }) => Subject?.Id === role.Id),
    );
    expect(await ids("SubjectType=User")).toEqual([]);
    const [newest, second] = all;
    expect(await ids(`From=${newest!.OccurredOn}`)).toEqual([newest!.Id]);
    expect(await ids(`To=${second!.OccurredOn}`)).toEqual(where(({ OccurredOn }) => OccurredOn < second!.OccurredOn));
    expect(await ids("Last=15m&Outcome=Success")).toEqual(where(() => true));
    expect(await ids("Outcome=Failure")).toEqual([]);
    expect(await ids(`RequestKey=${second!.RequestKey}`)).toEqual(
      where(({ RequestKey }) => RequestKey === second!.RequestKey),
    );
    expect(await ids("RequestKey=nobody")).toEqual([]);
    expect(await ids("Kind=&ActorType=&From=")).toEqual(where(() => true));
    expect(await ok(admin.get(`/AuditEvent/${newest!.Id}`))).toEqual(newest);
  });

  test("comes in pages, newest first", async () => {
    const admin = await newTenant();
    for (const name of ["one", "two", "three"]) await roleNamed(admin, name);
    const all = await logOf(admin);
    expect(all).toHaveLength(3);
    const first = await ok(admin.get("/AuditEvent?Limit=2&Kind=Role.Created"));
    expect(first).toEqual({ Items: all.slice(0, 2), Next: expect.any(String), Hidden: 0 });
    const second = await ok(admin.get(`/AuditEvent?Limit=2&Kind=Role.Created&Cursor=${first.Next}`));
    expect(second).toEqual({ Items: all.slice(2), Next: null, Hidden: 0 });
  });

  test.each([
    ["Kind=Role.Lost", /Kind must be one of SignIn\.Succeeded,/],
    ["ActorType=Department", /ActorType must be one of User, Application/],
    ["ActorId=7", /ActorId needs ActorType/],
    ["ActorType=User&ActorId=seven", /ActorId must be a record's Id/],
    ["ActorType=User&ActorId=9999999999999999", /ActorId must be a record's Id/],
    ["SubjectId=7", /SubjectId needs SubjectType/],
    ["SubjectType=Role&SubjectId=%00", /SubjectId must be a record's Id/],
    ["Outcome=success", /Outcome must be one of Success, Failure/],
    ["Last=soon", /Last must be a time/],
    ["From=yesterday", /From must be a date/],
    ["To=2026-02-30", /To must be a date/],
    ["Actor=7", /Actor is not a filter/],
    ["Limit=201", /Limit must be/],
    ["Cursor=zzz", /Cursor is not from this list/],
  ])("%s is Bad Input", async (query, says) => {
    asking ??= newTenant();
    expectError(await (await asking).get(`/AuditEvent?${query}`), 400, "Bad Input", says);
  });
});

describe.concurrent("reading the log", () => {
  test("requires the scope Settings:Read only", async () => {
    const admin = await newTenant();
    await roleNamed(admin, "clerks");
    const reader = await admin.withScope("Settings:Read");
    const [event] = await logOf(reader);
    const other = await admin.withScope("Settings:Update");
    for (const path of ["/AuditEvent", `/AuditEvent/${event!.Id}`]) {
      expectError(await other.get(path), 403, "Permission", /Settings:Read/);
    }
  });

  test("is allowed to auditors and not to editors", async () => {
    const admin = await newTenant();
    const [auditor, editor] = [await newMember(admin, "auditor"), await newMember(admin, "editor")];
    const [event] = await logOf(admin);
    expect(await logOf(auditor)).toEqual(await logOf(admin));
    expect(await ok(auditor.get(`/AuditEvent/${event!.Id}`))).toEqual(event);
    expect(await logOf(editor)).toEqual([]);
    expect((await editor.get(`/AuditEvent/${event!.Id}`)).status).toBe(403);
  });

  test("can be limited by a policy", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    await savePolicy(
      admin,
      "Watches policies",
      `permit (principal == Client::"${person.clientId}", action == Action::"Settings:Read", resource is AuditEvent)
       when { resource.Kind like "Policy.*" && resource.Outcome == "Success" };`,
    );
    await roleNamed(admin, "clerks");
    expect((await logOf(person)).map(({ Kind }) => Kind)).toEqual(["Policy.Created"]);
    const [role] = await logOf(admin, "Kind=Role.Created");
    expect((await person.get(`/AuditEvent/${role!.Id}`)).status).toBe(403);
  });

  test("is limited to the caller's tenant", async () => {
    const [admin, stranger] = [await newTenant(), await newTenant()];
    const role = await roleNamed(admin, "clerks");
    const [event] = await logOf(admin);
    expect(await logOf(stranger)).toEqual([]);
    expect(await logOf(stranger, `SubjectType=Role&SubjectId=${role.Id}`)).toEqual([]);
    expect((await stranger.get(`/AuditEvent/${event!.Id}`)).status).toBe(404);
  });

  test("has no method that writes", async () => {
    const admin = await newTenant();
    await roleNamed(admin, "clerks");
    const [event] = await logOf(admin);
    for (const path of ["/AuditEvent", `/AuditEvent/${event!.Id}`]) {
      for (const method of ["POST", "PATCH", "PUT", "DELETE"])
        expect((await admin.send(method, path)).status).toBe(405);
    }
    for (const id of ["1", "word", crypto.randomUUID()])
      expect((await admin.get(`/AuditEvent/${id}`)).status).toBe(404);
    expect(await logOf(admin)).toEqual([event!]);
  });
});

describe.concurrent("PostgreSQL rejects, for every role,", () => {
  test.each<[string, (tenantId: string) => Promise<unknown>]>([
    ["an UPDATE", (tenantId) => setRows("audit_log", { tenant_id: tenantId }, { kind: "SignOut" })],
    ["a DELETE", (tenantId) => removeRows("audit_log", { tenant_id: tenantId })],
    ["a DELETE of no row", () => removeRows("audit_log", { tenant_id: Bun.randomUUIDv7() })],
    ["a TRUNCATE", () => db()`truncate audit_log`.execute()],
    [
      "an upsert",
      (tenantId) =>
        db()`
        insert into audit_log select * from audit_log where tenant_id = ${tenantId}
        on conflict (tenant_id, id) do update set kind = 'SignOut'`.execute(),
    ],
    [
      "a replica's DELETE",
      (tenantId) =>
        db().begin(async (tx) => {
          await tx`set local session_replication_role = replica`;
          await removeRows("audit_log", { tenant_id: tenantId }, tx);
        }),
    ],
  ])("%s", async (_, statement) => {
    const admin = await newTenant();
    await roleNamed(admin, "clerks");
    const before = await logOf(admin);
    await expect(statement(admin.tenantId)).rejects.toThrow(/^audit_log is append-only: /);
    expect(await logOf(admin)).toEqual(before);
  });
});
