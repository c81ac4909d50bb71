// An entry's address and user agent are encrypted by a key of its person.

import { describe, expect, test } from "bun:test";
import { newApplication, Person, signedIn } from "../account/person.ts";
import { db } from "../entities/client.ts";
import { ok } from "../policies/people.ts";
import { type Api, until } from "../support/api.ts";
import { clientOf } from "../support/tenant.ts";
import { byClient, logOf, textOf } from "./log.ts";

const PHONE = "Mozilla/5.0 (Android 16; Mobile) Unique/7341";

async function arrange(): Promise<{ admin: Api; userId: number; client: Person["client"] }> {
  const client = await newApplication();
  const admin = await clientOf(client.tenant);
  return { admin, userId: (await ok(admin.get("/User/admin?Name=Username"))).Id, client };
}

async function signInByPhone(client: Person["client"], password = client.tenant.admin.password): Promise<void> {
  const { visitor } = new Person(client);
  const page = await visitor.open(client.authorize(), { "user-agent": PHONE });
  await visitor.submit(page, { username: client.tenant.admin.username, password }, { "user-agent": PHONE });
}

const destroyKey = (admin: Api, userId: number) =>
  db()`delete from personal_keys where tenant_id = ${admin.tenantId} and user_id = ${userId}`;

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
    await signInByPhone(client, "a wrong guess");
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
});

test("a client's address is no person's, and stays readable", async () => {
  const { admin, userId } = await arrange();
  await ok(admin.call("POST", `/User/${userId}/PasswordReset`));
  await destroyKey(admin, userId);
  expect((await logOf(admin, "Kind=PasswordReset.Created"))[0]).toMatchObject(byClient(admin));
});

test("the key of a deleted User stays, so the entries are readable until the person is erased", async () => {
  const person = await signedIn();
  const admin = await clientOf(person.client.tenant);
  const { Id } = await ok(admin.get("/User/admin?Name=Username"));
  await ok(admin.remove(`/User/${Id}`));
  expect((await logOf(admin, "Kind=SignIn.Succeeded"))[0]).toMatchObject({ Address: "127.0.0.1" });
});
