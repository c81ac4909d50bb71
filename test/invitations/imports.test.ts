// Many people are invited by a CSV file: checked first, then made by a workflow with progress, a pause and a report.

import { describe, expect, test } from "bun:test";
import { temporal } from "../support/temporal.ts";
import { type Api, expectError, ok, unique, until } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { arrived, mailsTo, newAddress } from "../world/mailbox.ts";
import { countOf, times } from "../world/rows.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

const PATH = "/InvitationImport";
const send = (api: Api, Csv: unknown, more: object = {}) => api.call("POST", PATH, { Csv, ...more });
const csvOf = (...lines: string[]) => `${lines.join("\r\n")}\r\n`;

async function ended(api: Api, id: string) {
  return until(
    "the import to end",
    async () => {
      const found = await ok(api.get(`${PATH}/${id}`));
      return found.EndedOn && found;
    },
    120_000,
  );
}

describe.concurrent("an import of invitations", () => {
  test("invites each person of the file, with roles and department, by a workflow", async () => {
    const api = await newTenant();
    const department = await ok(api.patch("/Department", { Name: unique("Finance") }));
    for (const Name of ["keepers", "night watch"])
      await ok(api.patch("/Role", { Name, Scopes: ["AccessManager:Read"] }));
    const [ana, rui, bo] = [newAddress("ana"), newAddress("rui"), newAddress("bo")];
    const csv = csvOf(
      "\uFEFFemail;NAME;Roles;departmentid",
      `${ana};"Silva; ""Ana""";"keepers; night watch";${department.Id}`,
      "",
      `  ${rui} ;Rui;;`,
      bo,
    );
    expect(await ok(send(api, csv, { DryRun: true }))).toEqual({ Valid: 3, Invalid: 0, Problems: [] });
    expect(await countOf("invitations", { tenant_id: api.tenantId })).toBe(0);
    const made = await ok(send(api, csv));
    expect(made).toMatchObject({ State: "Running", Total: 3, Done: 0, WorkflowId: `InvitationImport/${made.Id}` });
    expect(await ended(api, made.Id)).toMatchObject({ State: "Completed", Done: 3, Invited: 3, Skipped: [] });
    const [invitation] = (await ok(api.get(`/Invitation?Email=${ana}`))).Items;
    const roles = { Roles: ["keepers", "night watch"], DepartmentId: String(department.Id) };
    expect(invitation).toMatchObject({ Name: 'Silva; "Ana"', State: "Sent", ...roles });
    expect(invitation.InvitedBy).toMatchObject({ Name: "demo-client" });
    for (const address of [ana, rui, bo])
      expect((await arrived(address))[0].link).toContain("/account/invitation?token=");
    const { Items } = await ok(api.get("/WebhookEvent?EventRecord=Invitation"));
    expect(Items.map(({ EventType }: { EventType: string }) => EventType)).toEqual(["Created", "Created", "Created"]);
    expect(await logOf(api, "Kind=InvitationImport.Created")).toMatchObject([{ Details: { Total: 3 } }]);
    const handle = (await temporal()).workflow.getHandle(made.WorkflowId);
    expect(await handle.result()).toMatchObject({ state: "Completed", done: 3, invited: 3 });
    expect(JSON.stringify(await handle.fetchHistory())).not.toContain(ana);
  });

  test("names the problems of each line, and sends nothing then", async () => {
    const api = await newTenant();
    const address = newAddress();
    const csv = csvOf(
      "Email,Name,Roles,DepartmentId",
      `${address},Ana`,
      "nobody,Bo",
      `${address.toUpperCase()},Twice`,
      `${newAddress()},Rui,no such role`,
      `${newAddress()},Eve,,999999`,
      `${newAddress()},Mia,,x`,
      ",Nameless",
      `${newAddress()},Long,,,more`,
    );
    const check = await ok(send(api, csv, { DryRun: true }));
    expect([check.Valid, check.Invalid]).toEqual([1, 7]);
    expect(check.Problems.map(({ Row, Message }: { Row: number; Message: string }) => `${Row} ${Message}`)).toEqual([
      "3 Email must be one mail address, such as ana@example.com.",
      "4 Email is that of line 2.",
      "5 Roles: there is no role no such role.",
      "6 DepartmentId: there is no Department 999999.",
      expect.stringMatching(/^7 DepartmentId must be/),
      "8 Email is missing.",
      "9 It has more cells than the first line.",
    ]);
    const refused = await send(api, csv);
    expectError(refused, 400, "Bad Input", /Line 3: Email must be one mail address/);
    expect(refused.body.Errors).toHaveLength(7);
    for (const [wrong, why] of [
      ["", /first line must name the columns/],
      ["Email,Email\n", /first line must name the columns/],
      ["Name\nAna\n", /first line must name the columns/],
      ["Email,Age\n", /first line must name the columns/],
      ["Email\n\n", /no people/],
      ['Email,Name\n"a@b.test,"x\n', /Line 2 has a quotation mark/],
      [`Email\n${times(10_001, (index) => `a${index}@mail.test`).join("\n")}`, /10001 people; the limit is 10000/],
      ["x".repeat(1_000_001), /the limit is 1000000/],
      [7, /must be the text of a CSV file/],
    ] as const) {
      expectError(await send(api, wrong), 400, "Bad Input", why);
    }
    expect(await countOf("invitation_imports", { tenant_id: api.tenantId })).toBe(0);
    expect(await mailsTo(address)).toEqual([]);
  });

  test("skips people who have an account or an open invitation, and says which", async () => {
    const api = await newTenant();
    const [member, invited, open] = [newAddress(), newAddress(), newAddress()];
    await ok(api.patch("/User", { Name: "Ana", Username: "ana", Email: member, EmailVerified: true }));
    await ok(api.patch("/Invitation", { Email: invited }));
    const { Id } = await ok(send(api, csvOf("Email", member, invited.toUpperCase(), open)));
    expect(await ended(api, Id)).toMatchObject({
      ...{ Total: 3, Done: 3, Invited: 1 },
      Skipped: [
        { Row: 2, Reason: "a User has this verified address already" },
        { Row: 3, Reason: "has an open invitation" },
      ],
    });
    expect(await arrived(open)).toHaveLength(1);
  });

  test("can be paused, continued and cancelled", async () => {
    const api = await newTenant();
    const count = 1_200;
    const { Id } = await ok(send(api, csvOf("Email", ...times(count, (index) => `guest${index}@mail.test`))));
    const change = (State: string) => api.call("PATCH", `${PATH}/${Id}`, { State });
    expect(await ok(change("Paused"))).toMatchObject({ State: "Paused", EndedOn: null });
    const { Done } = await ok(api.get(`${PATH}/${Id}`));
    expect(Done).toBeLessThan(count);
    expect(await ok(change("Running"))).toMatchObject({ State: "Running" });
    await until("it to continue", async () => (await ok(api.get(`${PATH}/${Id}`))).Done > Done, 60_000);
    const cancelled = await ok(change("Cancelled"));
    expect(cancelled.State).toBe("Cancelled");
    expect(await countOf("invitations", { tenant_id: api.tenantId })).toBe(cancelled.Invited);
    expectError(await change("Running"), 409, "Conflict", /is Cancelled/);
    expectError(await change("Completed"), 400, "Bad Input", /State must be/);
    expect(await logOf(api, "Kind=InvitationImport.Changed")).toHaveLength(3);
    const stranger = await newTenant();
    expect((await stranger.call("PATCH", `${PATH}/${Id}`, { State: "Running" })).status).toBe(404);
    expect((await stranger.get(`${PATH}/${Id}`)).status).toBe(404);
  });

  test("ends once its sender is inactive", async () => {
    const admin = await newTenant();
    const sender = await newMember(admin, "admin");
    const count = 1_200;
    const { Id } = await ok(send(sender, csvOf("Email", ...times(count, (index) => `guest${index}@mail.test`))));
    await ok(sender.call("PATCH", `${PATH}/${Id}`, { State: "Paused" }));
    await ok(admin.patch("/Application", { Id: sender.tenant.client.clientId, Is_Active: false }));
    await ok(admin.call("PATCH", `${PATH}/${Id}`, { State: "Running" }));
    expect(await ended(admin, Id)).toMatchObject({ State: "Cancelled" });
    expect((await ok(admin.get(`${PATH}/${Id}`))).Invited).toBeLessThan(count);
  });

  test("cannot invite with what its sender may not grant", async () => {
    const admin = await newTenant();
    await ok(admin.patch("/Role", { Name: "chiefs", Scopes: ["Settings:Update"] }));
    const inviter = await newMember(admin, "admin");
    await savePolicy(
      admin,
      "no chiefs",
      `forbid (principal == Client::"${inviter.clientId}", action == Action::"Settings:Update", resource is Role)
         when { resource.Name == "chiefs" };`,
    );
    const csv = csvOf("Email,Roles", `${newAddress()},chiefs`, newAddress());
    expect(await ok(send(inviter, csv, { DryRun: true }))).toMatchObject({
      Valid: 1,
      Invalid: 1,
      Problems: [{ Row: 2 }],
    });
    expect((await send(inviter, csv)).status).toBe(400);
    const reader = await admin.withScope("Settings:Read");
    expect((await send(reader, csv)).status).toBe(403);
  });
});
