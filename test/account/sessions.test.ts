// The account page: access, content and ending sessions.

import { describe, expect, test } from "bun:test";
import { otherClient } from "../world/client.ts";
import { newApplication, Person, signedIn, statusOf } from "../world/person.ts";
import { setUsers } from "../world/planted.ts";
import { removeRows, rowsOf } from "../world/rows.ts";
import { Visitor } from "../world/visitor.ts";

const pathOf = ({ trail }: Visitor) => new URL(trail.at(-1)!.url).pathname;

describe.concurrent("access to the account page", () => {
  test("without a session, a user enters the organisation, signs in, and returns to the page", async () => {
    const { tenant } = await newApplication();
    for (const path of ["/account", "/account/password", "/account/data"]) {
      const visitor = new Visitor();
      const asked = await visitor.open(path);
      expect(asked).toMatchObject({ status: 200, heading: "Which organisation?" });
      expect(asked.html).toContain("to continue to your account");
      const next = /name="next" value="([^"]*)"/.exec(asked.html)![1]!;
      const typed = new URLSearchParams({ next, organisation: tenant.tenantId });
      const signIn = await visitor.open(`/settings/sign-in?${typed}`);
      expect(signIn.html).toContain("<strong>your account</strong>");
      await visitor.submit(signIn, tenant.admin);
      expect({ path, at: pathOf(visitor) }).toEqual({ path, at: path });
      expect(visitor.cookies.has("gatehouse-settings")).toBe(false);
      // The browser remembers the organisation.
      visitor.cookies.delete("gatehouse-session");
      expect((await visitor.open(path)).heading).toBe("Sign in");
    }
  });

  test("strangers learn neither which applications nor which organisations exist", async () => {
    const { id, tenant } = await newApplication();
    for (const [parameter, names] of [
      ["client_id", ["0", "x", "999999999", id]],
      ["organisation", ["Nowhere", tenant.tenantId]],
    ] as const) {
      const seen = new Set<string>();
      for (const name of names) {
        const visitor = new Visitor();
        const page = await visitor.open(`/account?${new URLSearchParams({ [parameter]: name })}`);
        const refused = await visitor.submit(page, { username: "admin", password: "wrong" });
        expect(refused).toMatchObject({ status: 422, heading: "Sign in" });
        const random =
          /(name="(?:csrf|request|page|challenge|sealed)" value="|challenge&#34;:&#34;|forgotten\?request=)[^"&]*/g;
        seen.add(refused.html.replaceAll(random, "$1"));
      }
      expect({ parameter, pages: seen.size }).toEqual({ parameter, pages: 1 });
    }
  });

  test.each(["https://evil.example/", "//evil.example/account", "/settings", "/account/../settings", "/accounts"])(
    "the sign-in returns to no other page, such as %p",
    async (next) => {
      const { id, tenant } = await newApplication();
      const visitor = new Visitor();
      const page = await visitor.open(`/account/sign-in?${new URLSearchParams({ application: id, next })}`);
      expect(await visitor.submit(page, tenant.admin)).toMatchObject({ status: 200, heading: "Your account" });
      expect(pathOf(visitor)).toBe("/account");
    },
  );

  test("a user who follows an application's link signs in and returns", async () => {
    const client = await newApplication();
    const visitor = new Visitor();
    const page = await visitor.open(`/account/password?client_id=${client.id}`);
    expect(page.heading).toBe("Sign in");
    const refused = await visitor.submit(page, { ...client.tenant.admin, password: "guess" });
    expect(refused).toMatchObject({ status: 422, heading: "Sign in" });
    const view = await visitor.submit(refused, client.tenant.admin);
    expect(view).toMatchObject({ status: 200, heading: "Change your password" });
    expect((await visitor.open("/account")).html).toContain("Administrator (admin)");
  });

  test("a form sent after the session has ended changes nothing", async () => {
    const person = await signedIn();
    const page = await person.visitor.open("/account/password");
    const { tenantId, admin } = person.client.tenant;
    await removeRows("sessions", { tenant_id: tenantId });
    const fields = { password: admin.password, new_password: "correct horse battery" };
    expect((await person.visitor.submit(page, fields)).heading).toBe("Which organisation?");
    expect((await new Person(person.client).signIn()).location).toBeDefined();
  });

  test("a session planted in the browser is replaced at sign-in", async () => {
    const [mallory, victim] = [await signedIn(), new Person(await newApplication())];
    const planted = mallory.visitor.cookies.get("gatehouse-session")!;
    victim.visitor.cookies.set("gatehouse-session", planted);
    await victim.signIn();
    expect(victim.visitor.cookies.get("gatehouse-session")).not.toBe(planted);
    expect((await mallory.account()).heading).toBe("Which organisation?");
  });
});

describe.concurrent("where a user is signed in", () => {
  test("is shown with device and address, and one browser is signed out from another", async () => {
    const person = await signedIn();
    const { client } = person;
    const phone = new Person(client);
    const userAgent =
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";
    const page = await phone.visitor.open(client.authorize());
    await phone.visitor.submit(page, client.tenant.admin, { "user-agent": userAgent });
    const tokens = (await client.token(await client.code(phone.visitor))).body;

    const view = await person.account();
    expect(view.html).toContain("Safari on iPhone");
    expect(view.html).toContain("127.0.0.1");
    expect(view.html.match(/this browser/g)).toHaveLength(1);
    const session = view.forms.find((form) => form.fields.session && form.fields.session !== "others")!.fields.session!;

    const done = await person.press("/account/sessions/end", { session });
    expect(statusOf(done)).toBe("That browser is signed out.");
    expect(await phone.isSignedIn()).toBe(false);
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect(await person.isSignedIn()).toBe(true);
    expect(done.html).not.toContain("Safari on iPhone");
  });

  test("all others are signed out at once", async () => {
    const person = await signedIn();
    const others = await Promise.all([signedIn(person.client), signedIn(person.client)]);
    await person.press("/account/sessions/end", { session: "others" });
    expect(await Promise.all(others.map((other) => other.isSignedIn()))).toEqual([false, false]);
    expect(await person.isSignedIn()).toBe(true);
  });

  test("another user's session is neither shown nor ended", async () => {
    const [person, stranger] = [await signedIn(), await signedIn()];
    const { tenantId } = stranger.client.tenant;
    const [theirs] = await rowsOf<{ id: string }>("sessions", { tenant_id: tenantId });
    const page = await person.account();
    expect(page.html).not.toContain(theirs!.id);
    const { csrf } = page.forms.at(-1)?.fields ?? (await person.visitor.open("/account/password")).forms[0]!.fields;
    for (const session of [theirs!.id, "x", "", "' or 1=1"]) {
      expect((await person.visitor.post("/account/sessions/end", { csrf: csrf!, session })).status).toBe(200);
    }
    expect(await stranger.isSignedIn()).toBe(true);
  });

  test("the user agent is shown as text", async () => {
    const client = await newApplication();
    const name = `<img src=x onerror=alert(1)> "quoted" &lt;b&gt;`;
    await setUsers(client.tenant, { name });
    const person = new Person(client);
    const page = await person.visitor.open(client.authorize());
    await person.visitor.submit(page, client.tenant.admin, { "user-agent": name });
    const view = await person.account();
    expect(view.heading).toBe("Your account");
    expect(view.html).not.toContain("<img");
    expect(view.html).toContain("Unknown browser");
  });
});

describe.concurrent("the applications a user has allowed", () => {
  test("are shown with readable scopes, and are revoked with their tokens", async () => {
    const person = await signedIn();
    const client = await otherClient(person.client);
    const tokens = (await client.token(await client.code(person.visitor))).body;
    const view = await person.account();
    expect(view.html).toContain("may know who you are, see your name and user name");

    const done = await person.press("/account/grants/revoke", { client_id: client.id });
    expect(statusOf(done)).toContain("access is revoked.");
    expect(done.html).toContain("No application can act on your behalf.");
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await person.visitor.open(client.authorize())).heading).toBe("Allow access");
  });
});
