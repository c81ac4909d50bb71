// Passkeys: added, used instead of a password or beside it, removed, and each way in which one must be refused.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { ok } from "../world/api.ts";
import { answerOf, type Client } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { alertOf, enrolled, newApplication, Person, requireSecondFactor, signedIn, waitOut } from "../world/person.ts";
import { elapse, removeRows, rowsOf, setRows } from "../world/rows.ts";
import {
  type Answer,
  addPasskey,
  answerWith,
  newPasskeyPage,
  optionsOf,
  SecurityKey,
  withPasskey,
} from "../world/security-key.ts";
import { clientOf } from "../world/tenant.ts";
import type { View } from "../world/visitor.ts";

const NOT_ACCEPTED = "The passkey was not accepted. Try again, or sign in another way.";
const TOO_LATE = "The page was open for too long, or the passkey was already used. Try again.";

/** Another browser, at the sign-in page. */
async function atSignIn(client: Client, fields: Record<string, string> = {}): Promise<{ person: Person; page: View }> {
  const person = new Person(client);
  return { person, page: await person.visitor.open(client.authorize(fields)) };
}

/** Signs in by the key in another browser. */
async function useKey(client: Client, key: SecurityKey, answer: Answer = {}) {
  const { person, page } = await atSignIn(client);
  return { person, page, view: await answerWith(person, page, key.get(page, answer)) };
}

async function claimsOf(client: Client, view: View) {
  return decodeJwt((await client.token(answerOf(view).code!)).body.id_token);
}

describe.concurrent("instead of a password", () => {
  test.each([
    { isSynced: false, method: "hwk" },
    { isSynced: true, method: "swk" },
  ])("a passkey (synced: $isSynced) signs in without a user name, as two factors", async ({ isSynced, method }) => {
    const { person, key } = await withPasskey(new SecurityKey({ isSynced }));
    const { view } = await useKey(person.client, key);
    const { tenant } = person.client;
    expect(await claimsOf(person.client, view)).toMatchObject({ acr: "2", amr: [method, "mfa"] });
    const account = await person.account();
    expect(account.html).toContain(isSynced ? "synced between devices" : "only on this device");
    expect(account.html).toContain("last used");
    const [entry] = await rowsOf("audit_log", { tenant_id: tenant.tenantId, kind: "Passkey.Added" });
    expect(entry).toBeDefined();
  });

  test("the page asks for any passkey of this host, with user verification, and the browser offers them in the field", async () => {
    const { page } = await atSignIn(await newApplication());
    expect(optionsOf(page)).toMatchObject({ rpId: "localhost", userVerification: "required", allowCredentials: [] });
    expect(page.html).toContain('autocomplete="username webauthn"');
    // Without script the button does nothing, so it is hidden.
    expect(page.html).toMatch(/<form method="post" action="\/signin\/passkey"[^>]* hidden>/);
  });

  test("it is enough where the tenant requires a second factor, or the application asks for one", async () => {
    const { person, key } = await withPasskey();
    await requireSecondFactor(person.client);
    const { view } = await useKey(person.client, key);
    expect(await claimsOf(person.client, view)).toMatchObject({ acr: "2" });
  });

  test.each<{ what: string; answer: (key: SecurityKey) => Answer }>([
    { what: "another origin", answer: () => ({ origin: "https://evil.example" }) },
    { what: "another host", answer: () => ({ rpId: "evil.example" }) },
    { what: "another challenge", answer: () => ({ challenge: "A".repeat(43) }) },
    { what: "a registration", answer: () => ({ type: "webauthn.create" }) },
    { what: "no user verification", answer: () => ({ isVerified: false }) },
    { what: "another user's handle", answer: () => ({ userHandle: Buffer.alloc(32).toString("base64url") }) },
    { what: "another key's signature", answer: () => ({ signedBy: new SecurityKey() }) },
  ])("is refused with $what", async ({ answer }) => {
    const { person, key } = await withPasskey();
    const { view, person: other } = await useKey(person.client, key, answer(key));
    expect([view.status, alertOf(view)]).toEqual([422, NOT_ACCEPTED]);
    expect(await other.isSignedIn()).toBe(false);
  });

  test("an answer is accepted once, only in its browser, only for its request, and only in time", async () => {
    const { person, key } = await withPasskey();
    const { client } = person;
    const { person: first, page } = await atSignIn(client);
    const credential = key.get(page);
    expect((await answerWith(first, page, credential)).location).toBeDefined();
    // The session has replaced the form's; the page of a browser that is signed out again is the same.
    await first.visitor.open("/oauth2/logout").then((question) => first.visitor.submit(question));
    expect(alertOf(await answerWith(first, page, credential))).toBe(TOO_LATE);

    const [second, third] = await Promise.all([atSignIn(client), atSignIn(client)]);
    const stolen = await answerWith(third.person, second.page, key.get(second.page));
    expect([stolen.status, await third.person.isSignedIn()]).toEqual([403, false]);

    const { person: fourth, page: asked } = await atSignIn(client);
    const elsewhere = { request: `${client.authorize({ state: "other" })}` };
    expect(alertOf(await answerWith(fourth, asked, key.get(asked), elsewhere))).toBe(TOO_LATE);

    const { challenge = "" } = asked.forms.find(({ fields }) => "challenge" in fields)!.fields;
    const later = { challenge: challenge.replace(/\d+$/, (seconds) => String(Number(seconds) + 9_999)) };
    expect(alertOf(await answerWith(fourth, asked, key.get(asked), later))).toBe(TOO_LATE);
  });

  test("two requests with one answer sign in once", async () => {
    const { person, key } = await withPasskey();
    const { person: other, page } = await atSignIn(person.client);
    const credential = key.get(page);
    const views = await Promise.all([1, 2, 3].map(() => answerWith(other, page, credential)));
    expect(views.filter(({ location }) => location !== undefined)).toHaveLength(1);
  });

  test("a passkey of another organisation leads there, and does not sign in here", async () => {
    const { key, person } = await withPasskey();
    const { view, person: visitor } = await useKey(await newApplication(), key);
    const [{ name }] = (await rowsOf("tenants", { id: person.client.tenant.tenantId })) as [{ name: string }];
    expect([view.status, view.heading]).toEqual([422, "A passkey of another organisation"]);
    expect(view.html).toContain(name);
    expect(await visitor.isSignedIn()).toBe(false);
  });

  test("a deactivated user's, a removed, an unknown and an unreadable one are refused", async () => {
    const { person, key } = await withPasskey();
    const { client } = person;
    for (const credential of [
      "",
      "{",
      "null",
      "[]",
      '{"id":1}',
      '{"id":"AAAA"}',
      `{"id":"${key.id}"}`,
      `{"id":"${key.id}","response":null}`,
      ...[5, { length: 4_000_000_000 }, [1], {}].map((userHandle) =>
        JSON.stringify({ id: key.id, response: { userHandle } }),
      ),
      "x".repeat(20_000),
    ]) {
      const { person: other, page } = await atSignIn(client);
      expect((await answerWith(other, page, credential)).status).toBe(422);
      await waitOut(client);
    }
    await setRows("users", { tenant_id: client.tenant.tenantId }, { is_active: false });
    expect(alertOf((await useKey(client, key)).view)).toBe(NOT_ACCEPTED);
    await setRows("users", { tenant_id: client.tenant.tenantId }, { is_active: true });
    const other = await signedIn(client);
    await other.press("/account/passkeys/remove");
    expect(alertOf((await useKey(client, key)).view)).toBe("This passkey is not known here. It may have been removed.");
  });

  test("guesses are slowed down by account, and the owner's known browser is not", async () => {
    const { person, key } = await withPasskey();
    const wrong: Answer = { signedBy: new SecurityKey() };
    const statuses: number[] = [];
    for (let guess = 0; guess < 7; guess++) statuses.push((await useKey(person.client, key, wrong)).view.status);
    expect(statuses).toContain(429);
    await person.press("/signout").catch(() => undefined);
    const page = await person.visitor.open(person.client.authorize({ prompt: "login" }));
    expect((await answerWith(person, page, key.get(page))).location).toBeDefined();
  });

  test("a counter that goes back is accepted and audited; zero is no counter", async () => {
    const { person, key } = await withPasskey(new SecurityKey({ counts: true }));
    await useKey(person.client, key, { count: 50 });
    const { view } = await useKey(person.client, key, { count: 7 });
    expect(view.location).toBeDefined();
    const kind = "Passkey.CounterWentBack";
    expect(await rowsOf("audit_log", { tenant_id: person.client.tenant.tenantId, kind })).toHaveLength(1);
    const { person: still, key: zero } = await withPasskey();
    await useKey(still.client, zero);
    await useKey(still.client, zero);
    expect(await rowsOf("audit_log", { tenant_id: still.client.tenant.tenantId, kind })).toHaveLength(0);
  });
});

describe.concurrent("beside a password", () => {
  test("a passkey is the second factor where one is required, and none can be set up instead", async () => {
    const { person, key } = await withPasskey();
    await requireSecondFactor(person.client);
    const other = new Person(person.client);
    const page = await other.signIn();
    expect([page.heading, optionsOf(page).allowCredentials.length]).toEqual(["Use your passkey", 1]);
    // The enrolment form of another user's session does not help either.
    const bare = await other.visitor.post("/signin/enrolment", {
      ...page.forms.find(({ fields }) => "credential" in fields)!.fields,
      proposal: "x",
      code: "123456",
    });
    expect(bare.heading).toBe("Use your passkey");
    const view = await answerWith(other, page, key.get(page));
    expect(await claimsOf(person.client, view)).toMatchObject({ acr: "2", amr: ["pwd", "hwk", "mfa"] });
  });

  test("a passkey or a code finishes the sign-in of a user who has both", async () => {
    const { person, app } = await enrolled();
    const page = await person.send("/account/passkeys/add", { password: person.user.password, code: app.code(1) });
    const key = new SecurityKey();
    await answerWith(person, page, key.create(page));
    const other = new Person(person.client);
    const asked = await other.signIn();
    expect([asked.heading, asked.html.includes("Use a passkey")]).toEqual(["Enter your code", true]);
    expect((await answerWith(other, asked, key.get(asked))).location).toBeDefined();
  });

  test("the passkey of another user of the tenant is refused", async () => {
    const { person, key } = await withPasskey();
    const user = await newColleague(await clientOf(person.client.tenant));
    const colleague = await addPasskey(await signedIn(person.client, user as Person["user"]));
    await requireSecondFactor(person.client);
    const other = new Person(person.client);
    const asked = await other.signIn();
    const view = await answerWith(other, asked, colleague.get(asked));
    expect(view.status).toBe(422);
    expect(await other.isSignedIn()).toBe(false);
    expect((await answerWith(other, view, key.get(view))).location).toBeDefined();
  });
});

describe.concurrent("on the account page", () => {
  test("a passkey is added after the password, once for each device, and has a random handle for its tenant", async () => {
    const person = await signedIn();
    const wrong = await person.send("/account/passkeys/add", { password: "a guess" });
    expect([wrong.status, alertOf(wrong)]).toEqual([422, "Wrong password."]);
    const page = await newPasskeyPage(person);
    const { user, excludeCredentials, attestation, authenticatorSelection } = optionsOf(page);
    expect({ excludeCredentials, attestation }).toEqual({ excludeCredentials: [], attestation: "none" });
    expect(authenticatorSelection).toMatchObject({ residentKey: "required", userVerification: "required" });
    expect(Buffer.from(user.id, "base64url")).toHaveLength(32);
    const key = await addPasskey(person);
    const again = optionsOf(await newPasskeyPage(person));
    expect(again.excludeCredentials.map(({ id }: { id: string }) => id)).toEqual([key.id]);
    expect(again.user.id).toBe(user.id);
    expect(optionsOf(await newPasskeyPage(await signedIn())).user.id).not.toBe(user.id);
  });

  test("the form without the proof's seal, of another session or used before adds nothing", async () => {
    const [person, other] = await Promise.all([signedIn(), signedIn()]);
    const page = await newPasskeyPage(person);
    const { csrf = "" } = (await other.visitor.open("/account/passkeys/add")).forms[0]!.fields;
    const stolen = await answerWith(other, page, new SecurityKey().create(page), { csrf });
    expect(stolen.heading).toBe("Add a passkey");
    expect(stolen.html).not.toContain("data-options");
    const unsealed = await answerWith(person, page, new SecurityKey().create(page), { sealed: "" });
    expect(unsealed.html).not.toContain("data-options");
    await answerWith(person, page, new SecurityKey().create(page));
    const twice = await answerWith(person, page, new SecurityKey().create(page));
    expect(twice.status).toBe(422);
    expect((await other.account()).html).not.toContain("only on this device");
    expect((await person.account()).html.match(/only on this device/g)).toHaveLength(1);
  });

  test.each<{ what: string; answer: Answer }>([
    { what: "another origin", answer: { origin: "https://evil.example" } },
    { what: "another host", answer: { rpId: "evil.example" } },
    { what: "no user verification", answer: { isVerified: false } },
    { what: "an assertion's type", answer: { type: "webauthn.get" } },
  ])("a new passkey with $what is refused", async ({ answer }) => {
    const person = await signedIn();
    const page = await newPasskeyPage(person);
    const refused = await answerWith(person, page, new SecurityKey().create(page, answer));
    expect([refused.status, alertOf(refused)]).toEqual([422, NOT_ACCEPTED]);
  });

  test("a new passkey keeps only known transports, and its credential's Id has at most 1,023 bytes", async () => {
    const person = await signedIn();
    const { tenantId } = person.client.tenant;
    for (const [transports, kept] of [
      [
        ["usb", "\0", {}, "usb", "carrier pigeon", "nfc"],
        ["nfc", "usb"],
      ],
      [5, []],
      [{ length: 4_000_000_000 }, []],
    ]) {
      const page = await newPasskeyPage(person);
      const sent = JSON.parse(new SecurityKey().create(page));
      sent.response.transports = transports;
      expect((await answerWith(person, page, JSON.stringify(sent))).heading).toBe("Your account");
      const credential = Buffer.from(sent.id, "base64url");
      const [row] = await rowsOf("passkeys", { tenant_id: tenantId, credential_id: credential });
      expect(row!.transports).toEqual(kept);
    }
    const page = await newPasskeyPage(person);
    const long = await answerWith(person, page, new SecurityKey({ idBytes: 3_000 }).create(page));
    expect([long.status, alertOf(long)]).toEqual([422, NOT_ACCEPTED]);
  });

  test("none is removed by a session of more than ten minutes ago without a new sign-in", async () => {
    const { person } = await withPasskey();
    const { tenantId } = person.client.tenant;
    await elapse("11 minutes", "sessions", { tenant_id: tenantId }, "auth_time");
    expect((await person.press("/account/passkeys/remove")).heading).toBe("Sign in");
    expect(await rowsOf("passkeys", { tenant_id: tenantId })).toHaveLength(1);
    const again = await signedIn(person.client);
    expect((await again.press("/account/passkeys/remove")).heading).toBe("Your account");
    expect(await rowsOf("passkeys", { tenant_id: tenantId })).toHaveLength(0);
  });

  test("the last way in stays, also if two are removed at once", async () => {
    const { person } = await withPasskey();
    await addPasskey(person);
    const { tenantId } = person.client.tenant;
    await setRows("users", { tenant_id: tenantId }, { username: null });
    const forms = (await person.account()).forms.filter(({ action }) => action === "/account/passkeys/remove");
    expect(forms).toHaveLength(2);
    await Promise.all(forms.map(({ action, fields }) => person.visitor.post(action, fields)));
    expect(await rowsOf("passkeys", { tenant_id: tenantId })).toHaveLength(1);
  });

  test("a user without a password must have signed in within ten minutes", async () => {
    const { person, key } = await withPasskey();
    const { tenantId } = person.client.tenant;
    const [user] = await rowsOf("users", { tenant_id: tenantId });
    await removeRows("passwords", { user_id: user!.id });
    const page = await person.visitor.open("/account/passkeys/add");
    expect(page.heading).toBe("Add a passkey");
    await elapse("11 minutes", "sessions", { tenant_id: tenantId }, "auth_time");
    const asked = await person.visitor.open("/account/passkeys/add");
    expect(asked.heading).toBe("Sign in");
    const back = await answerWith(person, asked, key.get(asked));
    expect(back.heading).toBe("Add a passkey");
  });
});

test("administrators list a user's passkeys and remove one; other tenants see none", async () => {
  const { person, key } = await withPasskey();
  const { tenant } = person.client;
  const [admin, stranger] = await Promise.all([clientOf(tenant), clientOf((await newApplication()).tenant)]);
  const { Items: users } = await ok(admin.get("/User?Username=admin"));
  const path = `/User/${users[0].Id}/Passkeys`;
  const { Items } = await ok(admin.get(path));
  expect(Items).toMatchObject([{ Is_Synced: false, LastUsedOn: null }]);
  expect((await stranger.get(path)).status).toBe(404);
  expect((await stranger.call("DELETE", `${path}/${Items[0].Id}`)).status).toBe(404);
  expect(await ok(admin.call("DELETE", `${path}/${Items[0].Id}`))).toEqual(Items[0]);
  expect((await admin.call("DELETE", `${path}/${Items[0].Id}`)).status).toBe(404);
  expect((await useKey(person.client, key)).view.status).toBe(422);
});
