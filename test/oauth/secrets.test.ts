// …/Application/{Id}/Secrets.

import { describe, expect, test } from "bun:test";
import pino from "pino";
import { createSecretUses } from "../../server/identity/oauth/clients/secret-uses.ts";
import { expectError, until } from "../world/api.ts";
import { askToken, formOf } from "../world/grants.ts";
import { notify } from "../world/postgresql.ts";
import { elapse, storedText } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";
import { newApplication } from "./application.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const client = await newTenant();

describe("Secrets", () => {
  test("are shown once, listed without values, and deleted", async () => {
    const app = await newApplication(client);
    await app.change({ GrantTypes: ["client_credentials"], Scopes: ["openid"] });
    expect((await app.secrets()).body).toEqual({ Items: [], Next: null, Hidden: 0 });
    const made = await app.makeSecret();
    expect(made.status).toBe(200);
    expect(made.headers.get("cache-control")).toBe("no-store");
    expect(made.body).toEqual({
      Id: expect.stringMatching(UUID),
      Name: "",
      LastUsedOn: null,
      CreatedOn: expect.stringMatching(/Z$/),
      Secret: expect.stringMatching(/^[\w-]{43}$/),
    });
    const { Secret, ...listed } = made.body;
    expect((await app.secrets()).body).toEqual({ Items: [listed], Next: null, Hidden: 0 });
    const credentials = { clientId: app.id, clientSecret: Secret };
    expect((await askToken(formOf(credentials))).status).toBe(200);
    // It is written after the answer.
    await until("the use of the secret", async () => (await app.secrets()).body.Items[0].LastUsedOn !== null);
    expect((await app.removeSecret(listed.Id)).body).toEqual({ ...listed, LastUsedOn: expect.anything() });
    expect((await askToken(formOf(credentials))).status).toBe(400);
    expect((await app.removeSecret(listed.Id)).status).toBe(404);
  });

  test("may have a name", async () => {
    const app = await newApplication(client);
    expect((await app.makeNamed({ Name: "production é" })).body).toMatchObject({ Name: "production é" });
    expect((await app.makeNamed({})).body).toMatchObject({ Name: "" });
    expect((await app.secrets()).body.Items.map(({ Name }: { Name: string }) => Name)).toEqual(["production é", ""]);
  });

  test.each([
    [{ Name: "x".repeat(101) }, /^Name must be a string of at most 100 characters/],
    [{ Name: 7 }, /^Name must be/],
    [{ Secret: "mine" }, /^Secret is not a field of Secret/],
    [null, /^The body must be one Secret object/],
  ])("%j is refused", async (named, reason) => {
    const app = await newApplication(client);
    expectError(await app.makeNamed(named), 400, "Bad Input", reason);
    const plain = await client.send("POST", `${app.path}/Secrets`, { body: JSON.stringify({ Name: "a" }) });
    expect(plain.status).toBe(415);
    expect((await app.secrets()).body.Items).toEqual([]);
  });

  test("show which of them is in use", async () => {
    const by = await newTenant();
    const app = await newApplication(by);
    await app.change({ GrantTypes: ["client_credentials"] });
    const [used, unused] = [(await app.makeSecret()).body, (await app.makeSecret()).body];
    const heard: string[] = [];
    const stopListening = await db().listen("gatehouse_access", (text) => heard.push(text));
    try {
      const last = `clients ${Bun.randomUUIDv7()}`;
      await notify("gatehouse_access", last);
      await until("all until now to be heard", async () => heard.splice(0).includes(last));
      const begun = Date.now();
      await askToken(formOf({ clientId: app.id, clientSecret: `${used.Secret}x` }));
      const ask = () => askToken(formOf({ clientId: app.id, clientSecret: used.Secret }));
      expect((await ask()).status).toBe(200);
      const usesNow = async () => {
        const { Items } = (await app.secrets()).body;
        return Items.map(({ Id, LastUsedOn }: Record<string, string>) => [Id, LastUsedOn]);
      };
      const uses = await until("the use to be known", async () => {
        const now = await usesNow();
        return now[0][1] !== null && now;
      });
      expect(uses).toEqual([
        [used.Id, expect.any(String)],
        [unused.Id, null],
      ]);
      expect(Date.parse(uses[0][1])).toBeWithin(begun - 1_000, Date.now() + 1_000);
      // Once an hour is enough, in whichever process.
      const other = createSecretUses(db(), pino({ enabled: false }));
      other(used.Id);
      other(unused.Id);
      await until("the other's use", async () => (await usesNow())[1][1] !== null);
      expect((await usesNow())[0]).toEqual(uses[0]);
      await elapse("61 minutes", "client_secrets", { id: used.Id }, "last_used_on");
      createSecretUses(db(), pino({ enabled: false }))(used.Id);
      await until("an hour later", async () => (await usesNow())[0][1] > uses[0][1]);

      // No process reloads the client for it.
      await app.removeSecret(unused.Id);
      const ofTenant = () => heard.filter((text) => text.includes(by.tenant.tenantId));
      await until("the removal to be told", async () => ofTenant().length > 0);
      expect(ofTenant()).toEqual([`clients ${by.tenant.tenantId}`]);
    } finally {
      await stopListening();
    }
  });

  test("two are valid during a replacement; a third is 409", async () => {
    const app = await newApplication(client);
    await app.change({ GrantTypes: ["client_credentials"] });
    const secrets = [await app.makeSecret(), await app.makeSecret()].map((answer) => answer.body);
    for (const { Secret } of secrets) {
      expect((await askToken(formOf({ clientId: app.id, clientSecret: Secret }))).status).toBe(200);
    }
    expectError(await app.makeSecret(), 409, "Conflict", /2 secrets already/);
    await app.removeSecret(secrets[0].Id);
    expect((await app.makeSecret()).status).toBe(200);
  });

  test("of parallel requests two succeed", async () => {
    const app = await newApplication(client);
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.makeSecret()));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 409, 409, 409, 409]);
    expect((await app.secrets()).body.Items).toHaveLength(2);
  });

  test("only a digest is stored", async () => {
    const app = await newApplication(client);
    const { body } = await app.makeSecret();
    const whole = await storedText("client_secrets", { id: body.Id });
    expect(whole).not.toContain(body.Secret);
    expect(whole).not.toContain(Buffer.from(body.Secret).toString("hex"));
  });

  test("a public client has none", async () => {
    const app = await newApplication(client);
    await app.change({ ClientType: "public" });
    expectError(await app.makeSecret(), 400, "Bad Input", /public client/);
  });
});
