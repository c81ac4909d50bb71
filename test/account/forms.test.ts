// Every form of these pages is this browser's and this session's own, and no page can be framed or kept.

import { beforeAll, describe, expect, test } from "bun:test";
import { otherClient } from "../authorize/client.ts";
import { type View, Visitor } from "../authorize/visitor.ts";
import { db, newCaller } from "../entities/client.ts";
import { ok } from "../policies/people.ts";
import { Authenticator, enrolled, keyOf, newApplication, Person, requireSecondFactor, signedIn } from "./person.ts";

/** A page, and what its form would do if it were taken. */
interface Filled {
  visitor: Visitor;
  page: View;
  action: string;
  fields: Record<string, string>;
}

const GOOD = "correct horse battery staple";

const FORMS: Record<string, () => Promise<Filled>> = {
  "sign-in": async () => {
    const client = await newApplication();
    const visitor = new Visitor();
    return filled(visitor, await visitor.open(`/account?client_id=${client.id}`), client.tenant.admin);
  },
  "the code at sign-in": async () => {
    const { person: owner, app } = await enrolled();
    const person = new Person(owner.client);
    return filled(person.visitor, await person.signIn(), { code: app.code(1) });
  },
  "the code on the account page": async () => {
    const { person: owner, app } = await enrolled();
    const person = new Person(owner.client);
    await person.signIn();
    return filled(person.visitor, await person.account(), { code: app.code(1) });
  },
  "setting up at sign-in": async () => {
    const client = await newApplication();
    await requireSecondFactor(client);
    const person = new Person(client);
    const page = await person.signIn();
    return filled(person.visitor, page, { code: new Authenticator(keyOf(page)).code() });
  },
  "setting up on the account page": async () => {
    const { visitor, client } = await signedIn();
    const page = await visitor.open("/account/second-factor");
    const { password } = client.tenant.admin;
    return filled(visitor, page, { password, code: new Authenticator(keyOf(page)).code() });
  },
  "changing the password": async () => {
    const { visitor, client } = await signedIn();
    const { password } = client.tenant.admin;
    return filled(visitor, await visitor.open("/account/password"), { password, new_password: GOOD });
  },
  "new recovery codes": async () => {
    const { person, app } = await enrolled();
    const { password } = person.client.tenant.admin;
    return filled(person.visitor, await person.visitor.open("/account/recovery-codes"), {
      password,
      code: app.code(1),
    });
  },
  "removing the second factor": async () => {
    const { person, app } = await enrolled();
    const { password } = person.client.tenant.admin;
    const page = await person.visitor.open("/account/second-factor/remove");
    return filled(person.visitor, page, { password, code: app.code(1) });
  },
  "ending sessions": async () => {
    const person = await signedIn();
    await signedIn(person.client);
    const page = await person.account();
    return { ...filled(person.visitor, page, { session: "others" }), action: "/account/sessions/end" };
  },
  "revoking consent": async () => {
    const person = await signedIn();
    const client = await otherClient(person.client);
    await client.code(person.visitor);
    return {
      ...filled(person.visitor, await person.account(), { client_id: client.id }),
      action: "/account/consents/revoke",
    };
  },
  "setting a password by a link": async () => {
    const client = await newApplication();
    const admin = await newCaller(client.tenant);
    const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
    const { Url } = (await admin.send("POST", `/User/${user.Id}/PasswordReset`)).body;
    const visitor = new Visitor();
    return filled(visitor, await visitor.open(new URL(Url).pathname + new URL(Url).search), { new_password: GOOD });
  },
};

function filled(visitor: Visitor, page: View, fields: Record<string, string>): Filled {
  const form = page.forms[0]!;
  return { visitor, page, action: form.action, fields: { ...form.fields, ...fields } };
}

describe.concurrent.each(Object.keys(FORMS))("the form for %s", (name) => {
  test("is refused without its token, with another's, and in another browser; then it is taken", async () => {
    const { visitor, page, action, fields } = await FORMS[name]!();
    expectGuarded(page);
    const { csrf, ...rest } = fields;
    const foreign = filled(new Visitor(), await strangersPage(), {}).fields.csrf!;
    const tokens: Record<string, string>[] = [{}, { csrf: "" }, { csrf: foreign }, { csrf: `${csrf!.slice(1)}A` }];
    for (const token of tokens) {
      const view = await visitor.post(action, { ...rest, ...token });
      expect({ token, status: view.status, heading: view.heading }).toEqual({
        token,
        status: 403,
        heading: "Forbidden",
      });
    }
    const elsewhere = new Visitor();
    const session = visitor.cookies.get("session");
    if (session) elsewhere.cookies.set("session", session);
    expect((await elsewhere.post(action, fields)).status).toBe(403);
    const taken = await visitor.post(action, fields);
    expect({ name, taken: taken.location !== undefined || taken.status === 200 }).toEqual({ name, taken: true });
  });
});

/** Not framed, not kept, nothing from elsewhere. */
function expectGuarded({ headers, html }: View): void {
  expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(headers.get("content-security-policy")).not.toContain("unsafe");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(html).not.toMatch(/\sstyle=|<style|<script(?! src="\/assets\/)|\son[a-z]+=/);
}

let stranger: Person;
beforeAll(async () => {
  stranger = await signedIn();
});
const strangersPage = () => stranger.visitor.open("/account/password");

test.concurrent("none is taken twice in one field, too large, or of another type", async () => {
  const { visitor, client } = await signedIn();
  const twice = await visitor.post("/account/password", "csrf=a&csrf=b");
  expect(twice.status).toBe(400);
  expect((await visitor.post("/account/password", { x: "x".repeat(70_000) })).status).toBe(413);
  const json = await fetch(`${visitor.origin}/account/password`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: `session=${visitor.cookies.get("session")}` },
    body: "{}",
  });
  expect(json.status).toBe(415);
  expect((await fetch(`${visitor.origin}/account/sessions/end`)).status).toBe(405);
  expect(await db()`select from sessions where tenant_id = ${client.tenant.tenantId}`).toHaveLength(1);
});
