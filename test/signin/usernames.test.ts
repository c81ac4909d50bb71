// User names of users who can sign in are unique, in every spelling and under concurrency.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TOTP_PURPOSE } from "../../server/identity/signin/second-factor/second-factor.ts";
import { usernameKey } from "../../server/platform/text.ts";
import { createVault } from "../../server/platform/vault.ts";
import { type Answer, type Api, expectError, ok } from "../world/api.ts";
import { answerOf, type Client } from "../world/client.ts";
import { newApplication, Person } from "../world/person.ts";
import { foreignKeysOf } from "../world/postgresql.ts";
import { addProvider } from "../world/provider.ts";
import { addRows, expire } from "../world/rows.ts";
import { clientOf, db, setting } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const PASSWORD = "correct horse battery staple";
const SHARED = /^Username is already used by another User/;

/** Spellings of the same name, as RFC 8265's UsernameCaseMapped compares them. */
const SPELLINGS: [string, string][] = [
  ["as it stands", "rené"],
  ["in capitals", "RENÉ"],
  ["its accent apart", "rene\u0301"],
  ["in wide letters", "ｒｅｎé"],
  ["in wide capitals, its accent apart", "ＲＥＮＥ\u0301"],
  ["with a zero-width space, as it is copied from a page", "re\u200bné"],
  ["with a joiner, which nobody sees", "re\u200dné"],
  ["turned to the right and back", "re\u2067\u2069né"],
  ["with a variation selector and a tag", "ren\ufe0fé\u{e0061}"],
];

async function arrange(): Promise<{ client: Client; admin: Api }> {
  const client = await newApplication();
  return { client, admin: await clientOf(client.tenant) };
}

const makeUser = (admin: Api, Username: string) =>
  ok(admin.patch("/User", [{ Username, Is_Active: true }])).then(([user]) => user as { Id: number });
/** A second user with the name: an upsert by Username alone would find the first. */
const makeAnother = (admin: Api, Username: string) =>
  admin
    .patch("/User", { External_Id: Bun.randomUUIDv7() })
    .then(({ body }) => admin.patch("/User", { Id: body.Id, Username }));
const linkFor = (admin: Api, id: number) => admin.send("POST", `/User/${id}/PasswordReset`);

async function setPassword(admin: Api, id: number): Promise<void> {
  const { Url } = await ok(linkFor(admin, id));
  const visitor = new Visitor();
  const page = await visitor.open(Url.slice(new URL(Url).origin.length));
  expect((await visitor.submit(page, { new_password: PASSWORD })).heading).toBe("Your password is set");
}

/** @returns the statuses, sorted */
const together = async (...calls: Promise<Answer>[]) => (await Promise.all(calls)).map(({ status }) => status).sort();

describe.concurrent("the Username of a user who can sign in", () => {
  test.each(SPELLINGS)("is unique, written %s, and signs its owner in", async (_, spelling) => {
    const { client, admin } = await arrange();
    const { Id } = await makeUser(admin, "rené");
    await setPassword(admin, Id);
    const other = await ok(admin.patch("/User", { External_Id: "other" }));
    expectError(await admin.patch("/User", { Id: other.Id, Username: spelling }), 409, "Conflict", SHARED);
    const bulk = await admin.patch("/User", [{ Name: "first" }, { Id: other.Id, Username: spelling }]);
    expectError(bulk, 409, "Conflict", /^Record 1: Username is already used by another User/);
    expect((await ok(admin.get("/User?Name=first"))).Items).toEqual([]);
    expect(await ok(admin.patch("/User", { Username: spelling }))).toMatchObject({ Id, Username: "rené" });

    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    expect(answerOf(await visitor.submit(page, { username: spelling, password: PASSWORD })).code).toBeString();
  });

  test("cannot be taken from the administrator, who still signs in", async () => {
    const { client, admin } = await arrange();
    expectError(await makeAnother(admin, "admin"), 409, "Conflict", SHARED);
    expect((await ok(admin.patch("/User", { Username: "Admin" }))).Username).toBe("admin");
    expect(answerOf(await new Person(client).signIn()).code).toBeString();
  });

  test("can be respelled by its owner, and is free after a change", async () => {
    const { admin } = await arrange();
    const { Id } = await makeUser(admin, "ana");
    await setPassword(admin, Id);
    await ok(admin.patch("/User", { Id, Username: "ANA" }));
    await ok(admin.patch("/User", { Id, Username: "ana.silva" }));
    expect((await makeAnother(admin, "ana")).status).toBe(200);
  });

  test("is independent in another tenant", async () => {
    const [{ admin }, other] = await Promise.all([arrange(), arrange()]);
    const { Id } = await makeUser(admin, "ana");
    await setPassword(admin, Id);
    await setPassword(other.admin, (await makeUser(other.admin, "ana")).Id);
  });

  test("can be shared by users who cannot sign in, who then get no password link", async () => {
    const { admin } = await arrange();
    const first = await makeUser(admin, "ana");
    const second = await ok(makeAnother(admin, "ANA"));
    expectError(await linkFor(admin, first.Id), 409, "Conflict", SHARED);
    await ok(admin.patch("/User", { Id: second.Id, Username: "eva" }));
    await setPassword(admin, first.Id);
    expect((await admin.patch("/User", { Id: second.Id, Username: "ana" })).status).toBe(409);
  });

  test("is unique from the password link on, until the link expires", async () => {
    const { admin } = await arrange();
    const { Id } = await makeUser(admin, "ana");
    await ok(linkFor(admin, Id));
    expect((await makeAnother(admin, "ana")).status).toBe(409);
    await expire("password_resets", { user_id: Id });
    expect((await makeAnother(admin, "ana")).status).toBe(200);
  });

  test("is throttled in all spellings together", async () => {
    const { client } = await arrange();
    const statuses: number[] = [];
    for (const username of ["admin", "Admin", "ADMIN", "aDMIN", "ａdmin", "adMIN"]) {
      const visitor = new Visitor();
      const page = await visitor.open(client.authorize());
      statuses.push((await visitor.submit(page, { username, password: "wrong" })).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 422]);
    const late = await new Person(client).signIn("wrong");
    expect(late.status).toBe(429);
  });
});

/** Tables that reference a User and are not a way to sign in. */
const NO_WAY_IN = [
  "audit_log",
  "authorization_codes",
  "consent_withdrawals",
  "consents",
  "device_codes",
  "group_members",
  "known_devices",
  // A name for passkeys, without a key.
  "passkey_handles",
  // They change an address, or end sessions.
  "mailed_links",
  // An address that was used up, of a User who has a password.
  "sign_ups",
  "recovery_codes",
  "refresh_families",
  "role_members",
  "sessions",
];

/** Other tests read the whole table, so its values must be valid. */
const sealed = () => createVault(setting("GATEHOUSE_TEST_MASTER_KEY")).sealFor(TOTP_PURPOSE).seal("JBSWY3DPEHPK3PXP");

describe.concurrent("every way to sign in", () => {
  const row = (table: string, tenantId: string, userId: number, providerId: number) => {
    const digest = Buffer.from(Bun.randomUUIDv7());
    const rows: Record<string, Record<string, unknown>> = {
      passwords: { user_id: userId, hash: "x" },
      totp_secrets: { tenant_id: tenantId, user_id: userId, secret: sealed(), recovery_key: sealed(), last_step: 0 },
      upstream_identities: {
        tenant_id: tenantId,
        user_id: userId,
        identity_provider_id: providerId,
        authority: "x",
        subject: String(userId),
        provisioned: false,
      },
      passkeys: {
        ...{ id: Bun.randomUUIDv7(), tenant_id: tenantId, user_id: userId, credential_id: digest, public_key: digest },
        ...{
          sign_count: 0,
          transports: [],
          aaguid: Bun.randomUUIDv7(),
          is_synced: false,
          name: "x",
          rp_id: "localhost",
        },
        created_on: new Date(),
      },
      password_resets: { tenant_id: tenantId, user_id: userId, digest, expires_on: new Date(Date.now() + 3_600_000) },
    };
    return rows[table];
  };

  test("is rejected for a shared Username, and makes the name unique", async () => {
    const keys = (await foreignKeysOf()).filter(({ target }) => target === "users");
    const ways = [...new Set(keys.map(({ table }) => table))].filter((name) => !NO_WAY_IN.includes(name));
    expect(ways).toEqual(["passkeys", "password_resets", "passwords", "totp_secrets", "upstream_identities"]);
    const { admin } = await arrange();
    const provider = await addProvider(admin, { Name: "Elsewhere", Issuer: "https://id.example.com" });
    for (const way of ways) {
      const alone = await makeUser(admin, `${way} alone`);
      await addRows(way, row(way, admin.tenantId, alone.Id, Number(provider.Id))!);
      expect([way, (await makeAnother(admin, `${way} ALONE`)).status]).toEqual([way, 409]);

      const { Id } = await makeUser(admin, way);
      await ok(makeAnother(admin, way));
      const adding = addRows(way, row(way, admin.tenantId, Id, Number(provider.Id))!);
      await expect(adding).rejects.toMatchObject({ constraint_name: "users_username_own" });
    }
  });
});

describe.concurrent("of two concurrent requests, one is rejected:", () => {
  test("two users who can sign in take the same name", async () => {
    const { admin } = await arrange();
    const users = [await makeUser(admin, "ana"), await makeUser(admin, "eva")];
    for (const { Id } of users) await setPassword(admin, Id);
    for (let round = 0; round < 10; round++) {
      const [one, other] = users.map(({ Id }, index) => ({ Id, Username: index === 0 ? `r${round}` : `R${round}` }));
      expect(await together(admin.patch("/User", one), admin.patch("/User", other))).toEqual([200, 409]);
    }
  });

  test("one gets a link while another takes the name", async () => {
    const { admin } = await arrange();
    for (let round = 0; round < 10; round++) {
      const { Id } = await makeUser(admin, `ana${round}`);
      const other = await makeUser(admin, `eva${round}`);
      const rename = admin.patch("/User", { Id: other.Id, Username: `ANA${round}` });
      expect(await together(linkFor(admin, Id), rename)).toEqual([200, 409]);
    }
  });

  test("one sets the password by its link while it is renamed to a used name", async () => {
    const { admin } = await arrange();
    for (let round = 0; round < 5; round++) {
      const [first, second] = [await makeUser(admin, `ana${round}`), await makeUser(admin, `eva${round}`)];
      const { Url } = await ok(linkFor(admin, first.Id));
      const visitor = new Visitor();
      const page = await visitor.open(Url.slice(new URL(Url).origin.length));
      const [set, renamed] = await Promise.all([
        visitor.submit(page, { new_password: PASSWORD }),
        admin.patch("/User", { Id: first.Id, Username: `eva${round}` }),
      ]);
      expect([set.status, renamed.status]).toEqual([200, 409]);
      expect((await linkFor(admin, second.Id)).status).toBe(200);
    }
  });
});

test("names that RFC 8265 treats as one have one form, however typed", async () => {
  const any = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((text) => !text.includes("\0"));
  const typed = fc.oneof(
    any,
    fc.constantFrom(
      "e\u200d\u0301\u034f\u0323",
      "\u200b \ufeffana \u2060",
      "ΟΔΥΣΣΕΥΣ",
      "Οδυσσεύς",
      "İNCİ",
      "Straße",
      "ﾊﾟｽ",
      "Ａna",
    ),
  );
  await fc.assert(
    fc.asyncProperty(typed, async (text) => {
      const same = [text.normalize("NFC"), text.normalize("NFD"), text.toLowerCase()];
      const [row] = await db()<{ key: string | null; again: string | null; others: (string | null)[] }[]>`
        select username_key(${text}) as key, username_key(username_key(${text})) as again,
          (select json_agg(username_key(other)) from unnest(${same}::text[]) as other) as others`;
      expect(row!.others).toEqual([row!.key, row!.key, row!.key]);
      expect(row!.again).toBe(row!.key);
    }),
    { numRuns: 300 },
  );
});

test("PostgreSQL and the commands have one form of every character", async () => {
  const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
  const characters = all.filter((character) => /[^\0\p{Cs}\p{Cn}\p{Co}]/u.test(character));
  const rows = await db()<{ text: string; key: string }[]>`
    select text, coalesce(username_key(text), '') as key from unnest(${characters}::text[]) as text
    where unicode_assigned(text)`;
  const different = rows.filter(({ text, key }) => usernameKey(text) !== key);
  expect(different.map(({ text, key }) => [text.codePointAt(0)!.toString(16), key])).toEqual([]);
});
