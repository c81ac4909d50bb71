// GET …/SigningKey: the keys and their states.

import { expect, test } from "bun:test";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { startApiProcess } from "../support/api-process.ts";
import { newKeyDatabase } from "../support/key-database.ts";
import { API, expectError, ok } from "../world/api.ts";
import { elapse } from "../world/rows.ts";
import { newMember, newTenant, request } from "../world/tenant.ts";

const DAY = 86_400_000;

interface SigningKey {
  Id: string;
  Alg: string;
  State: string;
  SignsFrom: string;
  SignsUntil: string;
  PublishedUntil: string;
}

test("a key is Announced, then Signing, then Retired, each with its dates", async () => {
  await using database = await newKeyDatabase();
  const { client } = await createTenant(database.sql, "tenant");
  await using api = await startApiProcess(database);
  const headers = { authorization: `Bearer ${await api.token(client)}` };
  const keys = async (): Promise<SigningKey[]> => {
    const answer = await fetch(`${api.url}${API}/SigningKey`, { headers });
    const { Items } = (await answer.json()) as { Items: SigningKey[] };
    return Items.filter(({ Alg }) => Alg === "ES256");
  };
  const daysAfter = (key: SigningKey, date: string) => (Date.parse(date) - Date.parse(key.SignsFrom)) / DAY;

  const [first] = await keys();
  expect(first).toMatchObject({ State: "Signing" });
  expect(daysAfter(first!, first!.SignsUntil)).toBe(90);
  expect(daysAfter(first!, first!.PublishedUntil)).toBe(121);

  await database.rotation.run(new Date(Date.now() + 89 * DAY));
  const [next, same] = await keys();
  expect([next!.State, same!.State]).toEqual(["Announced", "Signing"]);
  expect(same).toMatchObject({ Id: first!.Id, SignsUntil: next!.SignsFrom });
  expect(daysAfter(next!, same!.PublishedUntil)).toBe(31);

  await elapse("91 days", "signing_keys", {}, "signs_from", database.sql);
  expect((await keys()).map(({ Id, State }) => [Id, State])).toEqual([
    [next!.Id, "Signing"],
    [first!.Id, "Retired"],
  ]);
});

test.concurrent("they are the published ones, shown to readers of settings, and read-only", async () => {
  const admin = await newTenant();
  const published = await ok(request("GET", "/.well-known/jwks.json"));
  const { Items, Next } = await ok(admin.get("/SigningKey"));
  expect(Next).toBeNull();
  expect(Items.map((key: SigningKey) => [key.Id, key.Alg])).toEqual(
    expect.arrayContaining(published.keys.map((key: { kid: string; alg: string }) => [key.kid, key.alg])),
  );
  expect(JSON.stringify(Items)).not.toContain('"d"');
  expectError(await (await admin.withScope("Webhooks:Read")).get("/SigningKey"), 403, "Permission");
  expect((await ok((await newMember(admin)).get("/SigningKey"))).Items).toEqual([]);
  expect((await admin.send("POST", "/SigningKey")).status).toBe(405);
});
