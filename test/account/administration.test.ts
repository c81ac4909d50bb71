// An administrator lists a User's sessions, and ends them.

import { describe, expect, test } from "bun:test";
import { type Api, expectError, ok } from "../world/api.ts";
import { byClient, logOf } from "../world/audit.ts";
import { type Person, signedIn } from "../world/person.ts";
import { setRows } from "../world/rows.ts";
import { clientOf, newMember } from "../world/tenant.ts";

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";

/** A User who has signed in, the tenant's client, and the path of the User's sessions. */
async function arrange(): Promise<{ person: Person; admin: Api; path: string; userId: string }> {
  const person = await signedIn();
  const admin = await clientOf(person.client.tenant);
  const { Id } = await ok(admin.get("/User/admin?Name=Username"));
  return { person, admin, path: `/User/${Id}/Sessions`, userId: String(Id) };
}

describe.concurrent("a User's sessions", () => {
  test("are listed with device, address and times, and a stolen one is ended with its tokens", async () => {
    const { person, admin, path, userId } = await arrange();
    const { client } = person;
    const thief = await signedIn(client);
    const [newest] = (await ok(admin.get(path))).Items;
    await setRows("sessions", { id: newest.Id }, { user_agent: IPHONE });
    const tokens = (await client.token(await client.code(thief.visitor))).body;

    const { Items, Next } = await ok(admin.get(path));
    expect(Next).toBeNull();
    expect(Items).toHaveLength(2);
    expect(Items[0]).toEqual({
      Id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      Device: "Safari on iPhone",
      UserAgent: IPHONE,
      Address: "127.0.0.1",
      StartedOn: expect.stringMatching(/Z$/),
      LastSeen: expect.stringMatching(/Z$/),
      Amr: ["pwd"],
      Acr: "1",
    });

    expect(await ok(admin.remove(`${path}/${Items[0].Id}`))).toEqual(Items[0]);
    expect(await thief.isSignedIn()).toBe(false);
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect(await person.isSignedIn()).toBe(true);
    expectError(await admin.remove(`${path}/${Items[0].Id}`), 404, "Not Found");
    const subject = { Type: "User", Id: userId };
    expect((await logOf(admin, "Kind=Session.Revoked"))[0]).toMatchObject({
      Subject: subject,
      Details: { Sessions: "One" },
      ...byClient(admin),
    });
  });

  test("are all ended at once, with the refresh tokens of earlier sessions", async () => {
    const { person, admin, path } = await arrange();
    const { client } = person;
    const tokens = (await client.token(await client.code(person.visitor))).body;
    await person.visitor.open(`/oauth2/logout?id_token_hint=${tokens.id_token}`);
    const others = await Promise.all([signedIn(client), signedIn(client)]);
    expect(await ok(admin.remove(path))).toEqual({ Ended: 2 });
    expect(await Promise.all(others.map((other) => other.isSignedIn()))).toEqual([false, false]);
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await ok(admin.get(path))).Items).toEqual([]);
    expect((await logOf(admin, "Kind=Session.Revoked"))[0]!.Details).toEqual({ Sessions: "All" });
    expect(await ok(admin.remove(path))).toEqual({ Ended: 0 });
  });

  test("come in pages", async () => {
    const { person, admin, path } = await arrange();
    await Promise.all([signedIn(person.client), signedIn(person.client)]);
    const first = await ok(admin.get(`${path}?Limit=2`));
    const second = await ok(admin.get(`${path}?Limit=2&Cursor=${first.Next}`));
    expect([first.Items.length, second.Items.length, second.Next]).toEqual([2, 1, null]);
    expect(new Set([...first.Items, ...second.Items].map(({ Id }: { Id: string }) => Id)).size).toBe(3);
    expectError(await admin.get(`${path}?Device=x`), 400, "Bad Input", /^Device is not a filter/);
  });

  test("require the scope and a policy over the User; another user's are not found", async () => {
    const { admin, path } = await arrange();
    const [session] = (await ok(admin.get(path))).Items;
    const reader = await admin.withScope("Settings:Read");
    await ok(reader.get(path));
    const outsider = await newMember(admin);
    for (const answer of [
      await reader.remove(path),
      await reader.remove(`${path}/${session.Id}`),
      await (await admin.withScope("AccessManager:Read")).get(path),
      await outsider.get(path),
      await outsider.remove(path),
      await outsider.remove(`${path}/${session.Id}`),
    ]) {
      expect(answer.status).toBe(403);
    }
    const other = await ok(admin.patch("/User", { Username: "other" }));
    for (const rest of [`/User/${other.Id}/Sessions/${session.Id}`, `${path}/x`, `/User/0/Sessions/${session.Id}`]) {
      expectError(await admin.remove(rest), 404, "Not Found");
    }
    expect((await ok(admin.get(path))).Items).toEqual([session]);
  });
});
