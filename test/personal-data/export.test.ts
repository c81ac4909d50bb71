// All data about a person as a file: for an administrator, and for the person.

import { describe, expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import { alertOf, enrolled, newApplication, type Person, signedIn } from "../account/person.ts";
import { logOf } from "../audit/log.ts";
import { API, expectError } from "../entities/client.ts";
import { newPerson, ok, savePolicy } from "../policies/people.ts";
import { type Api, until } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { clientOf, shared } from "../support/tenant.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
type Files = Record<string, any>;

/** The archive's files by name. */
async function filesIn(response: Response): Promise<Files> {
  expect(response.headers.get("content-type")).toBe("application/zip");
  expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="user-\d+-\d{4}-\d\d-\d\d\.zip"$/);
  expect(response.headers.get("cache-control")).toContain("no-store");
  const files = unzipSync(await response.bytes());
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, JSON.parse(strFromU8(bytes))]));
}

function download(caller: { token: string }, userId: unknown): Promise<Response> {
  return fetch(`${shared().url}${API}/User/${userId}/Export`, { headers: { authorization: `Bearer ${caller.token}` } });
}

async function downloadOwn({ visitor }: Person, fields: Record<string, string>): Promise<Response> {
  const page = await visitor.open("/account/data");
  return fetch(`${visitor.origin}/account/data`, {
    method: "POST",
    body: new URLSearchParams({ ...page.forms[0]!.fields, ...fields }),
    headers: { cookie: [...visitor.cookies].map((pair) => pair.join("=")).join("; ") },
  });
}

async function arrange(): Promise<{ person: Person; admin: Api; user: Record<string, unknown> }> {
  const person = await signedIn(await newApplication());
  const admin = await clientOf(person.client.tenant);
  await person.client.token(await person.client.code(person.visitor));
  const user = await ok(admin.get("/User/admin?Name=Username"));
  return { person, admin, user };
}

describe.concurrent("an administrator's export of a User", () => {
  test("has the record, the sign-ins, the events and the audit events, and no secret", async () => {
    const { admin, user } = await arrange();
    await using receiver = startReceiver(200);
    await admin.connect(receiver.url, { Entities: ["User"] });
    await ok(admin.patch("/User", { Id: user.Id, Nickname: "Nana", Attributes: {} }));
    await until("the event to be delivered", () => receiver.calls.length > 0);
    await admin.settledEvent();
    const files = await filesIn(await download(admin, user.Id));

    expect(files["index.json"]).toMatchObject({ Format: "1.0", TenantId: admin.tenantId, UserId: user.Id });
    expect(Object.keys(files).toSorted()).toEqual(["index.json", ...files["index.json"].Files].toSorted());
    expect(files["User.json"]).toEqual([expect.objectContaining({ Id: user.Id, Username: "admin", Nickname: "Nana" })]);
    expect(files["User.json"][0]).toMatchObject({ Creation_Date: user.Creation_Date, Is_Active: true });
    expect(files["Sessions.json"]).toEqual([expect.objectContaining({ Address: "127.0.0.1", Amr: ["pwd"] })]);
    expect(files["Grants.json"]).not.toBeEmpty();
    expect(files["Roles.json"]).not.toBeEmpty();
    expect(files["WebhookEvents.json"][0]).toMatchObject({
      EventType: "Updated",
      Payload: { Data: { Nickname: "Nana" } },
      Deliveries: [{ State: "Delivered", Attempts: [{ StatusCode: 200 }] }],
    });
    const kinds = files["AuditEvents.json"].map(({ Kind }: { Kind: string }) => Kind);
    expect(kinds).toContain("SignIn.Succeeded");
    expect(kinds).toContain("User.Exported");
    const [noted] = await logOf(admin, "Kind=User.Exported");
    expect(noted).toMatchObject({ Subject: { Type: "User", Id: String(user.Id) }, ClientId: admin.clientId });

    const text = JSON.stringify(files);
    expect(text).not.toContain("$argon2id");
    expect(files["Passwords.json"]).toEqual([{ UserId: user.Id }]);
    expect(files["index.json"].LeftOut.Secrets).toMatchObject({ Passwords: ["Hash"], RecoveryCodes: ["Digest"] });
  });

  test("needs the scopes, and a policy that permits to read the User and its settings", async () => {
    const { admin, user } = await arrange();
    const path = `${API}/User/${user.Id}/Export`;
    const reading = await admin.withScope("AccessManager:Read");
    expectError(await reading.get(`/User/${user.Id}/Export`), 403, "Permission", path);
    const auditor = await newPerson(admin);
    expectError(await auditor.get(`/User/${user.Id}/Export`), 403, "Permission", path);
    await savePolicy(admin, "users", `permit (principal == Client::"${auditor.clientId}", action, resource is User);`);
    const files = await until("the policy", async () => {
      const response = await download(auditor, user.Id);
      return response.ok && filesIn(response);
    });
    expect(files["User.json"]).toHaveLength(1);
    // Events and audit events are separate records with their own permissions.
    expect(files["WebhookEvents.json"]).toEqual([]);
    expect(files["AuditEvents.json"]).toEqual([]);
  });

  test("is not made by HEAD, which audits nothing", async () => {
    const { admin, user } = await arrange();
    const headers = { authorization: `Bearer ${admin.token}` };
    for (let count = 0; count < 3; count++) {
      const { status } = await fetch(`${shared().url}${API}/User/${user.Id}/Export`, { method: "HEAD", headers });
      expect(status).toBe(200);
    }
    expect(await logOf(admin, "Kind=User.Exported")).toEqual([]);
    expect((await download(admin, user.Id)).status).toBe(200);
  });

  test("of one that does not exist is 404", async () => {
    const { admin } = await arrange();
    for (const id of ["0", "999999999", "99999999999", "abc", "1e3"]) {
      expectError(await admin.get(`/User/${id}/Export`), 404, "Not Found", `${API}/User/${id}/Export`);
    }
  });
});

describe.concurrent("a person's own data", () => {
  test("is downloaded from the account page, with the password", async () => {
    const { person, admin, user } = await arrange();
    await ok(admin.patch("/User", { Id: user.Id, Nickname: "Nana" }));
    const files = await filesIn(await downloadOwn(person, { password: person.client.tenant.admin.password }));
    expect(files["User.json"]).toEqual([expect.objectContaining({ Id: user.Id, Nickname: "Nana" })]);
    expect(files["Sessions.json"]).toHaveLength(1);
    expect(files["WebhookEvents.json"][0]).toMatchObject({ Payload: { Data: { Nickname: "Nana" } } });
    expect(files["AuditEvents.json"]).toContainEqual(
      expect.objectContaining({ Kind: "User.Exported", Actor: { Type: "User", Id: String(user.Id) } }),
    );
  });

  test("has no address of an administrator who did something to the account", async () => {
    const { person, admin, user } = await arrange();
    await ok(admin.call("POST", `/User/${user.Id}/PasswordReset`));
    const files = await filesIn(await downloadOwn(person, { password: person.client.tenant.admin.password }));
    const found = files["AuditEvents.json"].find(({ Kind }: { Kind: string }) => Kind === "PasswordReset.Created");
    expect(found).toMatchObject({ Actor: { Type: "Application" }, Address: "", UserAgent: "" });
  });

  test("needs the password, and a code where there is a second factor", async () => {
    const { person, app } = await enrolled();
    const { password } = person.client.tenant.admin;
    const refused = [
      await person.send("/account/data", { password: "guess", code: app.code(1) }),
      await person.send("/account/data", { password, code: app.wrongCode() }),
      await person.visitor.post("/account/data", { password, code: app.code(1) }),
    ];
    for (const view of refused) {
      expect(view.heading).toBe("Download your data");
      expect(view.status).toBeGreaterThanOrEqual(400);
      expect(alertOf(view)).not.toBe("");
    }
    const files = await filesIn(await downloadOwn(person, { password, code: app.code(1) }));
    expect(files["SecondFactors.json"]).toHaveLength(1);
    expect(files["RecoveryCodes.json"]).toHaveLength(10);
  });
});
