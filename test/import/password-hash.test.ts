// Passwords of another system: who may import them, that they sign in, and that no answer has them.

import { describe, expect, test } from "bun:test";
import { type Api, ok, unique } from "../world/api.ts";
import { logOf, textOf } from "../world/audit.ts";
import { newClient } from "../world/client.ts";
import { Authenticator } from "../world/person.ts";
import { adminIdOf } from "../world/planted.ts";
import { rowsOf, setRows, storedText } from "../world/rows.ts";
import { clientOf, newMember, newTenant, savePolicy } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { FIREBASE, HASHES, LONG, PASSWORD } from "./vectors.ts";

/** A client that does not ask for consent, and the API of its tenant. */
async function arrange() {
  const client = await newClient({ first_party: true });
  return { client, api: await clientOf(client.tenant) };
}

const imported = (api: Api, PasswordHash: string, fields: object = {}) =>
  ok(api.patch("/User", { Username: unique("ada"), Is_Active: true, PasswordHash, ...fields }));

async function signsIn(client: Awaited<ReturnType<typeof newClient>>, username: string, password: string) {
  const visitor = new Visitor();
  const view = await visitor.submit(await visitor.open(client.authorize()), { username, password });
  return view.location?.searchParams.has("code") ?? false;
}

const hashOf = async (userId: number) => (await rowsOf<{ hash: string }>("passwords", { user_id: userId }))[0]?.hash;

test("each format signs in, and the first right sign-in makes it a hash of our own", async () => {
  const { client, api } = await arrange();
  const known = Object.entries(HASHES).map(([name, hash]) => ({ name, hash, password: PASSWORD }));
  const all = [...known, { name: "Firebase", ...FIREBASE }, { name: "72 bytes", ...LONG }];
  const bodies = all.map(({ hash }) => ({ Username: unique("ada"), Is_Active: true, PasswordHash: hash }));
  const users = await ok(api.patch("/User", bodies));
  const outcomes = await Promise.all(
    all.map(async ({ name, password }, index) => {
      const { Id, Username } = users[index];
      const first = await signsIn(client, Username, password);
      const hash = await hashOf(Id);
      const second = await signsIn(client, Username, password);
      return { name, first, hash, second, isSame: (await hashOf(Id)) === hash };
    }),
  );
  const own = expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(outcomes).toEqual(all.map(({ name }) => ({ name, first: true, hash: own, second: true, isSame: true })));
}, 120_000);

test("two first sign-ins at once both succeed", async () => {
  const { client, api } = await arrange();
  const { Username } = await imported(api, HASHES["PHP bcrypt $2y"]!);
  const both = await Promise.all([1, 2, 3].map(() => signsIn(client, Username, PASSWORD)));
  expect(both).toEqual([true, true, true]);
});

describe.concurrent("a hash is imported", () => {
  test("only with its scope, and a policy that permits it; nothing of the body is written otherwise", async () => {
    const admin = await newTenant();
    const member = await newMember(admin, "editor");
    const [Username, PasswordHash] = [unique("ada"), LONG.hash];
    const refused = await member.patch("/User", { Username, PasswordHash });
    expect(refused.status).toBe(403);
    expect(refused.body.Errors).toEqual(["The access token lacks the scope AccessManager:Import."]);
    expect(refused.headers.get("www-authenticate")).toContain('scope="AccessManager:Import"');
    expect((await member.patch("/User", [{ Username }, { Username, PasswordHash }])).status).toBe(403);
    await savePolicy(admin, "No imports", 'forbid (principal, action == Action::"AccessManager:Import", resource);');
    const forbidden = await admin.patch("/User", { Username, PasswordHash });
    expect([forbidden.status, forbidden.body.Errors]).toEqual([
      403,
      ["A policy forbids AccessManager:Import on this User."],
    ]);
    expect((await ok(admin.get(`/User?Username=${Username}`))).Items).toEqual([]);
  });

  test("for a User with a role only by those who may change the role", async () => {
    const admin = await newTenant();
    const { Id } = await ok(admin.patch("/User", { Username: unique("boss"), Is_Active: true }));
    await ok(
      admin.patch("/Role", { Name: unique("boss"), Scopes: ["Settings:Update"], Members: [{ Type: "User", Id }] }),
    );
    const importer = await newMember(admin, "admin");
    await setRows(
      "credentials",
      { application_id: importer.clientId },
      { scopes: ["AccessManager:Create", "AccessManager:Update", "AccessManager:Import"] },
    );
    const limited = await clientOf({ ...importer.tenant });
    const answer = await limited.patch("/User", { Id, PasswordHash: LONG.hash });
    expect([answer.status, answer.body.Errors[0]]).toEqual([
      403,
      expect.stringContaining("also requires the scope Settings:Update"),
    ]);
    expect(await hashOf(Id)).toBeUndefined();
    await ok(admin.patch("/User", { Id, PasswordHash: LONG.hash }));
    expect(await hashOf(Id)).toBe(LONG.hash);
  });

  test("for a User with a Username, in a known format, and with a bounded cost", async () => {
    const api = await newTenant();
    const without = await api.patch("/User", { Name: "Ada", PasswordHash: LONG.hash });
    expect([without.status, without.body.Errors]).toEqual([
      409,
      ["PasswordHash and TotpSecret require a Username, with which the User signs in."],
    ]);
    for (const [PasswordHash, problem] of [
      ["secret-Zx91kQ", "has no supported format; docs/sign-in.md lists them."],
      [LONG.hash.replace("$05$", "$16$"), "has bcrypt cost 16; the limit is 15."],
      ["x".repeat(2_001), "has 2001 characters; the limit is 2000."],
      [null, "must be a text."],
      ["", "must be a text."],
    ] as const) {
      const answer = await api.patch("/User", { Username: unique("ada"), PasswordHash });
      expect([answer.status, answer.body.Errors]).toEqual([400, [`PasswordHash ${problem}`]]);
      const array = await api.patch("/User", [{ Username: unique("ada"), PasswordHash }]);
      expect([array.status, array.body.Errors]).toEqual([400, [`Record 0: PasswordHash ${problem}`]]);
    }
  });

  test("once: the same one changes nothing, another replaces it only until it is used", async () => {
    const { client, api } = await arrange();
    const first = HASHES["bcrypt $2b (py bcrypt)"]!;
    const { Id, Username } = await imported(api, first);
    const events = async () => (await ok(api.get(`/WebhookEvent?EventRecord=User&Limit=200`))).Items.length;
    const count = await events();
    const audited = async () => (await logOf(api, "Kind=Password.Imported")).length;
    await ok(api.patch("/User", { Username, PasswordHash: first }));
    expect([await hashOf(Id), await audited()]).toEqual([first, 1]);
    await ok(api.patch("/User", { Username, PasswordHash: HASHES["Django PBKDF2"] }));
    expect([await hashOf(Id), await audited()]).toEqual([HASHES["Django PBKDF2"], 2]);
    expect(await signsIn(client, Username, PASSWORD)).toBe(true);
    const own = await hashOf(Id);
    await ok(api.patch("/User", [{ Username, PasswordHash: LONG.hash }]));
    expect([await hashOf(Id), await audited(), await events()]).toEqual([own, 2, count]);
  });

  test("beside a password that the User has here, which stays", async () => {
    const api = await newTenant();
    const id = await adminIdOf(api);
    const hash = await hashOf(id);
    await ok(api.patch("/User", { Id: id, PasswordHash: LONG.hash }));
    expect(await hashOf(id)).toBe(hash!);
  });
});

test.concurrent("a weak hash signs in until its date; then the log says why, and a new password works", async () => {
  const { client, api } = await arrange();
  const { Id, Username } = await imported(api, HASHES["SSHA256 (hashlib)"]!);
  const [row] = await rowsOf<{ valid_until: Date }>("passwords", { user_id: Id });
  const days = (row!.valid_until.getTime() - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89.9);
  expect(days).toBeLessThan(90.1);
  await setRows("passwords", { user_id: Id }, { valid_until: new Date(Date.now() - 1_000) });
  expect(await signsIn(client, Username, PASSWORD)).toBe(false);
  expect(await logOf(api, "Kind=SignIn.Failed")).toMatchObject([{ Details: { Reason: "ExpiredPassword" } }]);
  const strong = await imported(api, HASHES["Django PBKDF2"]!);
  expect(await rowsOf("passwords", { user_id: strong.Id })).toMatchObject([{ valid_until: null }]);
});

test.concurrent("a name without an account takes the time of an account of the organisation", async () => {
  const { client, api } = await arrange();
  const slow = await Bun.password.hash(PASSWORD, { algorithm: "bcrypt", cost: 13 });
  const bodies = Array.from({ length: 20 }, () => ({ Username: unique("ada"), Is_Active: true, PasswordHash: slow }));
  await ok(api.patch("/User", bodies));
  const timeOf = async (username: string) => {
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    const began = performance.now();
    expect((await visitor.submit(page, { username, password: "wrong" })).status).toBe(422);
    return performance.now() - began;
  };
  const known = await timeOf(bodies[0]!.Username);
  const unknown: number[] = [];
  for (let made = 0; made < 3; made++) unknown.push(await timeOf(unique("nobody")));
  expect(Math.max(...unknown)).toBeGreaterThan(known / 3);
});

test.concurrent("a hash is in no answer, event, log entry, export, search or stored request", async () => {
  const { client, api } = await arrange();
  await ok(
    api.patch("/WebhookConnection", {
      ...{ Name: "all", URL: "https://hooks.example.com/all", State: "Paused" },
      ...{ Entities: ["User", "AuditEvent"], Events: ["Created", "Updated", "Deleted"] },
    }),
  );
  const PasswordHash = HASHES["Django PBKDF2"]!;
  const secrets = [PasswordHash, "saltSALTsalt", "PasswordHash"];
  const texts: string[] = [];
  const see = (answer: unknown) => void texts.push(JSON.stringify(answer));
  const user = await imported(api, PasswordHash, { Name: "Ada" });
  see(user);
  see(await ok(api.patch("/User", [{ Username: user.Username, PasswordHash: HASHES["Django PBKDF2-SHA1"] }])));
  see(await ok(api.patch("/User?Report=Changes", [{ Username: user.Username, PasswordHash }])));
  for (const path of [
    ...[`/User/${user.Id}`, "/User", "/User?Search=saltSALTsalt", "/User?Search=Ada", "/AuditEvent"],
    ...["/WebhookEvent", "/Request", `/User/${user.Id}/Session`],
  ]) {
    see((await api.get(path)).body);
  }
  for (const { EventId } of (await ok(api.get("/WebhookEvent"))).Items)
    see(await ok(api.get(`/WebhookEvent/${EventId}`)));
  texts.push(await textOf(api.tenantId), await storedText("requests", { tenant_id: api.tenantId }));
  expect(await signsIn(client, user.Username, PASSWORD)).toBe(true);
  for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
  const filtered = await api.get(`/User?PasswordHash=${encodeURIComponent(PasswordHash)}`);
  expect(filtered.status).toBe(400);
  expect(JSON.stringify(filtered.body)).not.toContain("saltSALTsalt");
  expect((await api.get(`/User/${user.Id}?Name=PasswordHash`)).status).toBe(400);
  expect((await logOf(api, "Kind=Password.Imported")).map(({ Details }) => Details)).toEqual([{}, {}, {}]);
});

test.concurrent("an array tells what it changed, and a plan writes nothing", async () => {
  const api = await newTenant();
  const [same, other] = [unique("ada"), unique("ada")];
  await ok(
    api.patch("/User", [
      { Username: same, Name: "Ada" },
      { Username: other, Name: "Ada" },
    ]),
  );
  const [{ Id: sameId }] = (await ok(api.get(`/User?Username=${same}`))).Items;
  const bodies = [
    { Username: same.toUpperCase(), Name: "Ada" },
    { Username: other, PasswordHash: LONG.hash },
    { Username: unique("ada") },
  ];
  const events = async () => (await ok(api.get("/WebhookEvent?EventRecord=User"))).Items.length;
  const before = [await events(), (await ok(api.get("/User"))).Items.length];
  const planned = await ok(api.patch("/User?Report=Plan", bodies));
  expect(planned).toMatchObject([{ Id: sameId, Change: "None" }, { Change: "Updated" }, { Id: 0, Change: "Created" }]);
  expect([await events(), (await ok(api.get("/User"))).Items.length]).toEqual(before);
  const [{ Id: otherId }] = (await ok(api.get(`/User?Username=${other}`))).Items;
  expect(await hashOf(otherId)).toBeUndefined();

  const done = await ok(api.patch("/User?Report=Changes", bodies));
  expect(done.map(({ Change }: { Change: string }) => Change)).toEqual(["None", "Updated", "Created"]);
  expect((await ok(api.patch("/User?Report=Changes", bodies))).map(({ Change }: { Change: string }) => Change)).toEqual(
    [...["None", "None", "None"]],
  );
  const wrong = await api.patch("/User?Report=Plan", [{ Username: same }, { Nam: "Ada" }]);
  expect([wrong.status, wrong.body.Errors]).toEqual([400, ["Record 1: Nam is not a field of User."]]);
  for (const [path, body] of [
    ["/User?Report=Plan", { Username: same }],
    ["/User?Report=plan", [{ Username: same }]],
  ] as const) {
    expect((await api.patch(path, body)).status).toBe(400);
  }
});

test.concurrent("an imported second factor is asked after the password, and a User's own one stays", async () => {
  const { client, api } = await arrange();
  const key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
  const user = await imported(api, HASHES["Django PBKDF2"]!, { TotpSecret: key });
  expect(JSON.stringify(user)).not.toContain("TotpSecret");
  const [stored] = await rowsOf<{ secret: Uint8Array }>("totp_secrets", { user_id: user.Id });
  expect(Buffer.from(stored!.secret).toString("latin1")).not.toContain(key);
  await ok(api.patch("/User", { Id: user.Id, TotpSecret: "A".repeat(32) }));
  expect((await logOf(api, "Kind=SecondFactor.Enrolled")).map(({ Subject }) => Subject?.Id)).toEqual([String(user.Id)]);

  const visitor = new Visitor();
  const asked = await visitor.submit(await visitor.open(client.authorize()), {
    username: user.Username,
    password: PASSWORD,
  });
  expect(asked.location).toBeUndefined();
  const answered = await visitor.submit(asked, { code: new Authenticator(key).code() });
  expect(answered.location?.searchParams.has("code")).toBe(true);

  for (const TotpSecret of ["short", "1".repeat(32), 7]) {
    const refused = await api.patch("/User", { Id: user.Id, TotpSecret });
    expect([refused.status, JSON.stringify(refused.body).includes("1".repeat(32))]).toEqual([400, false]);
  }
});
