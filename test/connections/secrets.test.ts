import { describe, expect, test } from "bun:test";
import { createVault } from "../../server/platform/vault.ts";
import { unique } from "../world/api.ts";
import { rowsOf, storedText } from "../world/rows.ts";
import { newTenant, setting } from "../world/tenant.ts";

const FIELDS = { URL: "https://hooks.example.com/in", Entities: ["Application"], Events: ["Created"] };

const caller = await newTenant();

const upsert = (body: unknown) => caller.patch("/WebhookConnection", body);
const get = (id: string) => caller.get(`/WebhookConnection/${id}`);
const remove = (id: string) => caller.send("DELETE", `/WebhookConnection/${id}`);

async function made(fields: Record<string, unknown>) {
  const answer = await upsert({ ...FIELDS, ...fields });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe("secrets", () => {
  const vault = () => createVault(setting("GATEHOUSE_TEST_MASTER_KEY"));
  const stored = async (id: string) => {
    const own = { id };
    const [row] = await rowsOf<{ secret: Uint8Array | null; api_key: Uint8Array; headers: Buffer | null }>(
      "webhook_connections",
      own,
    );
    return { ...row!, apiKey: row!.api_key, whole: await storedText("webhook_connections", own) };
  };

  test("the Secret is never returned", async () => {
    const { Id, Name } = await made({ Name: unique("secret"), Secret: "hunter2-hunter2" });
    const answers = [
      await get(Id),
      await caller.get("/WebhookConnection?Limit=200"),
      await upsert({ Id, Name, Secret: "hunter2-hunter2" }),
      await remove(Id),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer.body)).not.toMatch(/hunter2|Secret/);
    }
  });

  test("Secret and ApiKey are encrypted at rest, each for its own purpose", async () => {
    const { Id } = await made({ Secret: "hunter2-hunter2", ApiKey: "key-key-key" });
    const row = await stored(Id);
    expect(Buffer.from(row.secret!).includes("hunter2")).toBe(false);
    expect(Buffer.from(row.apiKey).includes("key-key")).toBe(false);
    for (const plain of ["hunter2-hunter2", "key-key-key"]) {
      expect(row.whole).not.toContain(plain);
      expect(row.whole).not.toContain(Buffer.from(plain).toString("hex"));
    }
    expect(vault().sealFor("webhook secret").open(row.secret!)).toBe("hunter2-hunter2");
    expect(vault().sealFor("webhook ApiKey").open(row.apiKey)).toBe("key-key-key");
    expect(() => vault().sealFor("webhook ApiKey").open(row.secret!)).toThrow();
  });

  test("the key's version is stored with each, and checked before use", async () => {
    const row = await stored((await made({ Secret: "hunter2", Headers: { "X-Env": "prod" } })).Id);
    for (const sealed of [row.secret!, row.apiKey, row.headers!]) expect(sealed[0]).toBe(1);
    const later = Buffer.concat([Buffer.of(2), row.secret!.subarray(1)]);
    expect(() => vault().sealFor("webhook secret").open(later)).toThrow(
      "version 2, which this Gatehouse does not know",
    );
  });

  test("headers are returned by name only; sent back, they stay", async () => {
    const { Id, Headers } = await made({ Headers: { Authorization: "Bearer hunter2", "X-Env": "prod-hunter2" } });
    expect(Headers).toEqual({ Authorization: null, "X-Env": null });
    const sealed = async () => (await stored(Id)).headers!;
    const before = await sealed();
    const answers = [await get(Id), await upsert({ Id, Headers }), await caller.get("/WebhookConnection?Limit=200")];
    for (const answer of answers) expect(JSON.stringify(answer.body)).not.toContain("hunter2");
    expect((await sealed()).equals(before)).toBe(true);
    expect(before.includes("hunter2")).toBe(false);

    const opened = async () =>
      JSON.parse(
        vault()
          .sealFor("webhook headers")
          .open(await sealed()),
      );
    expect((await upsert({ Id, Headers: { "x-env": null, "X-New": "hunter3" } })).body.Headers).toEqual({
      "x-env": null,
      "X-New": null,
    });
    expect(await opened()).toEqual({ "x-env": "prod-hunter2", "X-New": "hunter3" });
    expect((await upsert({ Id, Headers: null })).body.Headers).toEqual({});
    expect((await stored(Id)).headers).toBeNull();
  });

  test("a changed header value changes the ETag", async () => {
    const { Id } = await made({ Headers: { "X-Env": "hunter2" } });
    const tag = async () => (await get(Id)).headers.get("etag");
    const before = await tag();
    await upsert({ Id, Headers: { "X-Env": "hunter3" } });
    expect(await tag()).not.toBe(before);
  });

  test("equal secrets have different ciphertexts", async () => {
    const [one, two] = [await made({ Secret: "hunter2" }), await made({ Secret: "hunter2" })];
    expect(Buffer.from((await stored(one.Id)).secret!).equals((await stored(two.Id)).secret!)).toBe(false);
  });

  test.each([null, ""])("Secret %p removes it; absent leaves it unchanged", async (empty) => {
    const { Id } = await made({ Secret: "hunter2" });
    await upsert({ Id, State: "Paused" });
    expect((await stored(Id)).secret).not.toBeNull();
    await upsert({ Id, Secret: empty });
    expect((await stored(Id)).secret).toBeNull();
  });
});
