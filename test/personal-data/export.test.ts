// All data about a person as a file: for an administrator, and for the person.

import { describe, expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import { composedApp } from "../support/composed-app.ts";
import { API, type Api, expectError, ok, until } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { holdTable, untilWaiting } from "../world/locks.ts";
import { setCredentials, signIn, signOut } from "../world/logouts.ts";
import { alertOf, enrolled, newApplication, type Person, signedIn } from "../world/person.ts";
import { startReceiver } from "../world/receiver.ts";
import { removeRows } from "../world/rows.ts";
import { clientOf, newMember, savePolicy, setting, shared } from "../world/tenant.ts";

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
    headers: { cookie: visitor.cookieHeader },
  });
}

/** Addresses that only operators need. */
const INTERNAL = [
  new URL(setting("GATEHOUSE_TEST_TEMPORAL_UI")).host,
  setting("GATEHOUSE_TEST_TEMPORAL_ADDRESS"),
  new URL(setting("GATEHOUSE_TEST_DATABASE_URL")).host,
];

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
    expect(files["Passwords.json"]).toEqual([{ UserId: user.Id, ImportedOn: null, ValidUntil: null }]);
    const { Secrets, Internal } = files["index.json"].LeftOut;
    expect(Secrets).toMatchObject({ Passwords: ["Hash"], RecoveryCodes: ["Digest"] });
    expect(Internal).toEqual({ WebhookEvents: ["WorkflowUrl"] });
    expect(JSON.stringify(files["WebhookEvents.json"])).not.toContain("WorkflowUrl");
  });

  test("needs the scopes, and a policy that permits to read the User and its settings", async () => {
    const { admin, user } = await arrange();
    const reading = await admin.withScope("AccessManager:Read");
    expectError(await reading.get(`/User/${user.Id}/Export`), 403, "Permission");
    const auditor = await newMember(admin);
    expectError(await auditor.get(`/User/${user.Id}/Export`), 403, "Permission");
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
      expectError(await admin.get(`/User/${id}/Export`), 404, "Not Found");
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

  test("has no internal address or answer of a server, nor has any page without a role", async () => {
    const host = "localhost";
    await using receiver = startReceiver(
      () => new Response("internal answer", { headers: { "x-backend": "10.1.2.3" } }),
    );
    await using failing = startReceiver(() => new Response("internal answer", { status: 500 }));
    const { person, admin, user } = await arrange();
    await admin.connect(receiver.url, { Entities: ["User"] });
    await ok(admin.patch("/User", { Id: user.Id, Nickname: "Nana" }));
    await until("the event to be delivered", () => receiver.calls.length > 0);
    await setCredentials(admin, person.client, { BackchannelLogoutUri: failing.url });
    const { visitor, idToken } = await signIn(person.client);
    await signOut(visitor, idToken);
    await until("the logout to end", async () => {
      const { Items } = await ok(admin.get(`/Application/${person.client.id}/Logouts`));
      return Items[0]?.EndedOn;
    });
    const files = await filesIn(await downloadOwn(person, { password: person.client.tenant.admin.password }));
    expect(files["WebhookEvents.json"][0]).toMatchObject({ Deliveries: [{ State: "Delivered" }] });
    expect(files["LogoutAttempts.json"]).not.toBeEmpty();
    expect(files["index.json"].LeftOut.Internal).toMatchObject({ LogoutAttempts: ["ResponseHeaders", "ResponseBody"] });
    const { "User.json": _, "index.json": __, ...others } = files;
    const text = JSON.stringify(others);
    for (const internal of [...INTERNAL, "internal answer", "10.1.2.3", "WorkflowUrl", `"${host} answered`]) {
      expect({ internal, isShown: text.includes(internal) }).toEqual({ internal, isShown: false });
    }

    const plain = composedApp().routes.filter(
      ({ method, path }) => ["GET", "ALL"].includes(method) && !/[:*]|^\/settings/.test(path),
    );
    expect(plain.map(({ path }) => path)).toContain("/account");
    for (const { path } of plain) {
      const { html } = await person.visitor.open(path);
      expect({ path, shown: INTERNAL.filter((address) => html.includes(address)) }).toEqual({ path, shown: [] });
    }
  });

  test("is cut off when its session ends", async () => {
    const { person } = await arrange();
    const { password } = person.client.tenant.admin;
    // The export reads this table in its middle, and signing out does not.
    const { release } = await holdTable("consent_withdrawals", "access exclusive");
    const download = downloadOwn(person, { password }).then((response) => filesIn(response));
    const cut = download.catch((error: Error) => error);
    await untilWaiting(1, ["consent_withdrawals"]);
    await removeRows("sessions", { tenant_id: person.client.tenant.tenantId });
    await release();
    expect(await cut).toBeInstanceOf(Error);
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
