// Invitations: made and revoked by the API, accepted by a link in a mail.

import { describe, expect, test } from "bun:test";
import { ok, unique } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { arrived, mailsTo, newAddress } from "../world/mailbox.ts";
import { alertOf, newApplication, signedIn } from "../world/person.ts";
import { elapse, rowsOf } from "../world/rows.ts";
import { clientOf, newMember, newTenant, savePolicy } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const GOOD = "correct horse battery staple";
const pathOf = (link: string) => link.slice(new URL(link).origin.length);

type Api = Awaited<ReturnType<typeof newTenant>>;

async function invite(api: Api, fields: Record<string, unknown> = {}) {
  const address = newAddress();
  const made = await ok(api.patch("/Invitation", { Email: address, Name: "Ana Silva", ...fields }));
  const [mail] = await arrived(address);
  return { address, made, path: pathOf(mail.link) };
}

async function accept(path: string, fields: Record<string, string> = {}, visitor = new Visitor()) {
  return visitor.submit(await visitor.open(path), { new_password: GOOD, ...fields });
}

describe.concurrent("an invitation", () => {
  test("makes a User with a verified address, the roles and the department, once", async () => {
    const api = await newTenant();
    const department = await ok(api.patch("/Department", { Name: unique("Finance") }));
    await ok(api.patch("/Role", { Name: "keepers", Scopes: ["AccessManager:Read"] }));
    const { address, made, path } = await invite(api, { Roles: ["keepers"], DepartmentId: String(department.Id) });
    expect(made).toMatchObject({ Email: address, State: "Sent", Roles: ["keepers"], User: { Id: 0 } });
    expect(made.InvitedBy).toMatchObject({ Name: "demo-client", Type: "Application" });
    expect(Date.parse(made.ExpiresOn) - Date.now()).toBeWithin(7 * 86_400_000 - 120_000, 7 * 86_400_000 + 1_000);

    const visitor = new Visitor();
    const page = await visitor.open(path);
    expect(page).toMatchObject({ status: 200, heading: "Make your account" });
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.forms[0]!.fields).toMatchObject({ username: address, name: "Ana Silva" });
    expect((await ok(api.get(`/Invitation/${made.Id}`))).State).toBe("Sent");
    const weak = await visitor.submit(page, { new_password: address });
    expect([weak.status, alertOf(weak)]).toEqual([422, expect.stringMatching(/could be guessed/)]);
    const done = await visitor.submit(weak, { new_password: GOOD, username: "ana" });
    expect(done.heading).toStartWith("Welcome to");

    const [user] = (await ok(api.get("/User?Username=ana"))).Items;
    expect(user).toMatchObject({ Email: address, EmailVerified: true, Name: "Ana Silva", Is_Active: true });
    expect(user.Department.Id).toBe(department.Id);
    const { Items } = await ok(api.get("/Role?Name=keepers"));
    expect(Items[0].Members).toEqual([{ Type: "User", Id: user.Id }]);
    expect(await ok(api.get(`/Invitation/${made.Id}`))).toMatchObject({ State: "Accepted", User: { Id: user.Id } });

    expect((await visitor.submit(weak, { new_password: GOOD, username: "ana2" })).status).toBe(404);
    expect((await visitor.open(path)).status).toBe(404);
    expect((await api.patch("/Invitation", { Id: made.Id, Name: "x" })).status).toBe(409);
  });

  test("is one for an address: a second changes it, and sends nothing", async () => {
    const api = await newTenant();
    const { address, made, path } = await invite(api);
    const changed = await ok(api.patch("/Invitation", { Email: address.toUpperCase(), Name: "Ana" }));
    expect([changed.Id, changed.Name]).toEqual([made.Id, "Ana"]);
    expect(await mailsTo(address)).toHaveLength(1);
    expect((await new Visitor().open(path)).status).toBe(200);
    expect((await api.patch("/Invitation", { Id: made.Id, Email: newAddress() })).status).toBe(409);
  });

  test("is sent again with a new link, which makes the former one void", async () => {
    const api = await newTenant();
    const { address, made, path } = await invite(api);
    expect((await api.send("POST", `/Invitation/${made.Id}/Resend`)).status).toBe(200);
    const [, second] = await arrived(address, 2);
    expect((await new Visitor().open(path)).status).toBe(404);
    expect((await new Visitor().open(pathOf(second!.link))).status).toBe(200);
    for (let count = 0; count < 3; count++) await ok(api.send("POST", `/Invitation/${made.Id}/Resend`));
    expect((await api.send("POST", `/Invitation/${made.Id}/Resend`)).status).toBe(429);
  });

  test("expires after seven days, and can be sent again", async () => {
    const api = await newTenant();
    const { address, made, path } = await invite(api);
    await elapse("7 days", "invitations", { id: made.Id });
    expect((await new Visitor().open(path)).status).toBe(404);
    expect((await ok(api.get(`/Invitation/${made.Id}`))).State).toBe("Expired");
    expect((await ok(api.get("/Invitation?State=Expired"))).Items).toHaveLength(1);
    await ok(api.patch("/Invitation", { Email: address, Name: "Ana" }));
    const [, second] = await arrived(address, 2);
    expect((await accept(pathOf(second!.link))).heading).toStartWith("Welcome to");
  });

  test("is revoked by a deletion, and a second deletion removes it", async () => {
    const api = await newTenant();
    const { made, path } = await invite(api);
    expect((await ok(api.send("DELETE", `/Invitation/${made.Id}`))).State).toBe("Revoked");
    expect((await new Visitor().open(path)).status).toBe(404);
    expect((await ok(api.get(`/Invitation/${made.Id}`))).State).toBe("Revoked");
    expect((await api.send("POST", `/Invitation/${made.Id}/Resend`)).status).toBe(409);
    await ok(api.send("DELETE", `/Invitation/${made.Id}`));
    expect((await api.get(`/Invitation/${made.Id}`)).status).toBe(404);
  });

  test("rejects what is no address, unknown roles and departments, and an address that a User has", async () => {
    const api = await newTenant();
    const address = newAddress();
    await ok(api.patch("/User", { Username: unique("ana"), Email: address, EmailVerified: true, Is_Active: true }));
    const problemsOf = async (body: object) => (await api.patch("/Invitation", body)).body.Errors;
    expect(await problemsOf({})).toEqual(["Email is missing."]);
    for (const Email of ["ana", "a@b.example\r\nBcc: c@d.example", "a@b.example, c@d.example", `"x" <a@b.example>`]) {
      expect(await problemsOf({ Email })).toEqual(["Email must be one mail address, such as ana@example.com."]);
    }
    expect(await problemsOf({ Email: newAddress(), Roles: ["nobody"] })).toEqual(["Roles: there is no role nobody."]);
    expect(await problemsOf({ Email: newAddress(), DepartmentId: "999999" })).toEqual([
      "DepartmentId: there is no Department 999999.",
    ]);
    expect(await problemsOf({ Email: address })).toEqual(["Email: a User has this verified address already."]);
    expect(await problemsOf({ Email: newAddress(), State: "Accepted" })).toHaveLength(1);
  });

  test("carries no role that its inviter may not change, when it is made and when it is accepted", async () => {
    const api = await newTenant();
    await ok(api.patch("/Role", { Name: "keepers", Scopes: ["AccessManager:Read"] }));
    const member = await newMember(api, "admin");
    await savePolicy(
      api,
      "no admins",
      `forbid (principal, action == Action::"Settings:Update", resource is Role)
         when { resource.Name == "admin" && principal == Client::"${member.tenant.client.clientId}" };`,
    );
    expect((await member.patch("/Invitation", { Email: newAddress(), Roles: ["admin"] })).status).toBe(403);
    const { address, made, path } = await invite(member, { Roles: ["keepers"] });
    // Someone else may add the role, and then the inviter may not change the invitation.
    await ok(api.patch("/Invitation", { Email: address, Roles: ["admin"] }));
    expect((await member.patch("/Invitation", { Email: address, Name: "x" })).status).toBe(403);
    await ok(api.patch("/Invitation", { Email: address, Roles: [] }));
    await ok(member.patch("/Invitation", { Email: address, Roles: ["keepers"] }));
    await savePolicy(
      api,
      "no keepers",
      `forbid (principal, action == Action::"Settings:Update", resource is Role)
         when { resource.Name == "keepers" && principal == Client::"${member.tenant.client.clientId}" };`,
    );
    const refused = await accept(path);
    expect([refused.status, alertOf(refused)]).toEqual([
      409,
      "The person who invited you may no longer do so. Ask for a new invitation.",
    ]);
    expect((await ok(api.get(`/Invitation/${made.Id}`))).State).toBe("Sent");
    await ok(api.patch("/Invitation", { Email: address, Roles: [] }));
    expect((await accept(path)).heading).toStartWith("Welcome to");
  });

  test.each(["Settings:Update", "AccessManager:Create"])(
    "is void once its inviter has lost the scope %s",
    async (lost) => {
      const api = await newTenant();
      await ok(api.patch("/Role", { Name: "chiefs", Scopes: ["Settings:Update"] }));
      const member = await newMember(api, "admin");
      const { path } = await invite(member, { Roles: ["chiefs"] });
      const credentials = `/Application/${member.tenant.client.clientId}/Credentials`;
      const { Scopes } = await ok(api.get(credentials));
      await ok(api.patch(credentials, { Scopes: Scopes.filter((scope: string) => scope !== lost) }));
      const refused = await accept(path);
      expect([refused.status, alertOf(refused)]).toEqual([409, expect.stringMatching(/may no longer do so/)]);
      await ok(api.patch(credentials, { Scopes }));
      expect((await accept(path)).heading).toStartWith("Welcome to");
    },
  );

  test("of an address that a User has verified meanwhile, or with the address of a User as user name, is refused", async () => {
    const api = await newTenant();
    const [{ path, address }, known] = [await invite(api), newAddress()];
    await ok(api.patch("/User", { Username: unique("bo"), Email: known, EmailVerified: true }));
    const squatter = await accept(path, { username: known.toUpperCase() });
    expect([squatter.status, alertOf(squatter)]).toEqual([409, expect.stringMatching(/^Username is already used/)]);
    await ok(api.patch("/User", { Username: unique("ana"), Email: address, EmailVerified: true }));
    const twice = await accept(path, { username: "ana" });
    expect([twice.status, alertOf(twice)]).toEqual([409, expect.stringMatching(/^There is an account with this/)]);
  });

  test("is mailed to an address at most five times an hour, also if each was revoked", async () => {
    const api = await newTenant();
    const address = newAddress();
    const revoked = async () => {
      const made = await api.patch("/Invitation", { Email: address });
      if (made.status === 200) await ok(api.send("DELETE", `/Invitation/${made.body.Id}`));
      return made.status;
    };
    const statuses: number[] = [];
    for (let one = 0; one < 6; one++) statuses.push(await revoked());
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await ok(api.get(`/Invitation?Email=${address}&State=Sent`))).Items).toEqual([]);
  });

  test("is void once its inviter is inactive", async () => {
    const api = await newTenant();
    const member = await newMember(api, "admin");
    const { path } = await invite(member);
    await ok(api.patch("/Application", { Id: member.tenant.client.clientId, Is_Active: false }));
    expect((await accept(path)).status).toBe(409);
  });

  test("takes no user name that another user has, keeps the input, and can be tried again", async () => {
    const api = await newTenant();
    const { path } = await invite(api);
    const visitor = new Visitor();
    const again = await accept(path, { username: "ADMIN", name: "<b>Ana</b>" }, visitor);
    expect([again.status, alertOf(again)]).toEqual([409, expect.stringMatching(/^Username is already used/)]);
    expect(again.forms[0]!.fields).toMatchObject({ username: "ADMIN", name: "<b>Ana</b>" });
    expect(again.html).not.toContain("><b>Ana");
    expect((await visitor.submit(again, { username: "ana", new_password: GOOD })).heading).toStartWith("Welcome to");
  });

  test("used by two at once makes one User", async () => {
    const api = await newTenant();
    const { path, address } = await invite(api);
    const sent = await Promise.all([accept(path, { username: "one" }), accept(path, { username: "two" })]);
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await ok(api.get(`/User?Email=${encodeURIComponent(address)}`))).Items).toHaveLength(1);
  });

  test("asks a person who is signed in as another", async () => {
    const [api, person] = [await newTenant(), await signedIn()];
    const { path } = await invite(api);
    const asked = await person.visitor.open(path);
    expect(asked).toMatchObject({ heading: "You are signed in already", forms: [] });
    const page = await person.visitor.open(`${path}&as=new`);
    expect(page.heading).toBe("Make your account");
    expect((await person.visitor.submit(page, { new_password: GOOD })).heading).toStartWith("Welcome to");
  });

  test("of another tenant is not found, and its token is stored as a digest", async () => {
    const [api, other] = [await newTenant(), await newTenant()];
    const { made, path, address } = await invite(api);
    expect((await other.get(`/Invitation/${made.Id}`)).status).toBe(404);
    expect((await other.send("DELETE", `/Invitation/${made.Id}`)).status).toBe(404);
    expect((await other.send("POST", `/Invitation/${made.Id}/Resend`)).status).toBe(404);
    expect((await ok(other.get("/Invitation"))).Items).toEqual([]);
    const token = new URL(path, issuer()).searchParams.get("token")!;
    const [row] = await rowsOf("invitations", { id: made.Id });
    expect(Buffer.from(row!.digest).toString("hex")).toBe(new Bun.CryptoHasher("sha256").update(token).digest("hex"));
    expect(JSON.stringify(made)).not.toContain(token);
    expect((await mailsTo(address))[0]!.link).toStartWith(`${issuer()}/account/invitation?token=`);
  });

  test("has events for webhooks and entries in the audit log", async () => {
    const api = await newTenant();
    const { made, path, address } = await invite(api);
    await accept(path, { username: "ana" });
    const { Items } = await ok(api.get("/WebhookEvent?EventRecord=Invitation"));
    expect(Items.map(({ EventType }: { EventType: string }) => EventType)).toEqual(["Updated", "Created"]);
    const event = await ok(api.get(`/WebhookEvent/${Items[0].EventId}`));
    expect(event.Payload.Data).toMatchObject({ Id: made.Id, Email: address, State: "Accepted" });
    const log = await ok(api.get(`/AuditEvent?SubjectType=Invitation&SubjectId=${made.Id}`));
    expect(log.Items.map(({ Kind }: { Kind: string }) => Kind)).toEqual(["Record.Changed", "Record.Created"]);
    expect(log.Items[0].Details.State).toEqual({ From: "Sent", To: "Accepted" });
  });
});

test("the new User signs in with the chosen password, and the account page shows the verified address", async () => {
  const client = await newApplication();
  const api = await clientOf(client.tenant);
  const { path, address } = await invite(api);
  await accept(path, { username: "ana" });
  const person = await signedIn(client, { username: "ana", password: GOOD });
  const { html } = await person.account();
  expect(html).toContain(address);
  expect(html).not.toContain("not verified");
});
