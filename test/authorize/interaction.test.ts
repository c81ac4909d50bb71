// The conditions for sign-in, choice of account and consent (OIDC Core 3.1.2.1 and 3.1.2.3).

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { answerOf, type Client, newClient, otherClient } from "../world/client.ts";
import { plantUser } from "../world/planted.ts";
import { elapse } from "../world/rows.ts";
import { Visitor } from "../world/visitor.ts";

/** A browser whose user has signed in and allowed the client `openid profile`. */
async function signedIn(client: Client): Promise<Visitor> {
  const visitor = new Visitor();
  await client.visit(visitor);
  return visitor;
}

async function idToken(client: Client, visitor: Visitor, fields: Record<string, string> = {}): Promise<string> {
  return (await client.token(await client.code(visitor, fields))).body.id_token;
}

const addUser = ({ tenant }: Client, username: string) =>
  plantUser(tenant, { name: username, username }, "another password");

const ageSession = ({ tenant }: Client, seconds: number) =>
  elapse(`${seconds} seconds`, "sessions", { tenant_id: tenant.tenantId }, "auth_time");

describe.concurrent("a second request", () => {
  test("is answered at once from the session and the remembered consent", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const hops = visitor.trail.length;
    expect(answerOf(await visitor.open(client.authorize())).code).toBeString();
    expect(visitor.trail.length).toBe(hops + 1);
  });

  test("with prompt=none too", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    expect(answerOf(await visitor.open(client.authorize({ prompt: "none" }))).code).toBeString();
  });

  test("for more scopes asks again, and remembers both", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const fields = { scope: "openid email" };
    expect(answerOf(await visitor.open(client.authorize({ ...fields, prompt: "none" })))).toMatchObject({
      error: "consent_required",
    });
    const page = await visitor.open(client.authorize(fields));
    expect(page.heading).toBe("Allow access");
    await visitor.submit(page, { decision: "allow" });
    expect(answerOf(await visitor.open(client.authorize({ scope: "openid profile email" }))).code).toBeString();
  });

  test("of another application of the tenant needs consent but no password", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const other = await otherClient(client);
    expect((await visitor.open(other.authorize())).heading).toBe("Allow access");
  });

  test("of another tenant's application finds no session", async () => {
    const [client, stranger] = [await newClient(), await newClient()];
    const visitor = await signedIn(client);
    expect((await visitor.open(stranger.authorize())).heading).toBe("Sign in");
    expect(answerOf(await visitor.open(stranger.authorize({ prompt: "none" }))).error).toBe("login_required");
  });
});

describe.concurrent("consent", () => {
  test("denied: access_denied, and nothing is stored", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    const back = await visitor.submit(page, { decision: "deny" });
    expect(answerOf(back)).toMatchObject({ error: "access_denied", state: "some state" });
    expect((await visitor.open(client.authorize())).heading).toBe("Allow access");
  });

  test("is skipped for a first-party application unless it requests it", async () => {
    const client = await newClient({ first_party: true });
    const visitor = new Visitor();
    const back = await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    expect(answerOf(back).code).toBeString();
    expect((await visitor.open(client.authorize({ prompt: "consent" }))).heading).toBe("Allow access");
  });

  test("is asked again for prompt=consent", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const page = await visitor.open(client.authorize({ prompt: "consent" }));
    expect(page.heading).toBe("Allow access");
    expect(answerOf(await visitor.submit(page, { decision: "allow" })).code).toBeString();
  });

  test("neither allowed nor denied is 400", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    expect((await visitor.submit(page, { decision: "maybe" })).status).toBe(400);
    expect((await visitor.submit(page)).status).toBe(400);
  });

  test("after the session has ended leads to the sign-in page", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    visitor.cookies.delete("gatehouse-session");
    expect((await visitor.submit(page, { decision: "allow" })).heading).toBe("Sign in");
  });
});

describe.concurrent("prompt", () => {
  test("login asks for the password once, with a new auth_time", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    await ageSession(client, 100);
    const before = decodeJwt(await idToken(client, visitor)).auth_time as number;
    const page = await visitor.open(client.authorize({ prompt: "login" }));
    expect(page.heading).toBe("Sign in");
    const token = await client.token(answerOf(await client.goThrough(visitor, page)).code!);
    expect(decodeJwt(token.body.id_token).auth_time as number).toBeGreaterThan(before + 90);
  });

  test("login consent asks for both", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const page = await visitor.open(client.authorize({ prompt: "login consent" }));
    const consent = await visitor.submit(page, client.tenant.admin);
    expect(consent.heading).toBe("Allow access");
    expect(answerOf(await visitor.submit(consent, { decision: "allow" })).code).toBeString();
  });

  test("select_account offers the current account and another", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const page = await visitor.open(client.authorize({ prompt: "select_account" }));
    expect(page.heading).toBe("Choose an account");
    const links = [...page.html.matchAll(/href="(\/oauth2[^"]*)"/g)].map(([, href]) => href!.replaceAll("&amp;", "&"));
    expect(links).toHaveLength(2);
    expect(answerOf(await visitor.open(links[0]!)).code).toBeString();
    expect((await visitor.open(links[1]!)).heading).toBe("Sign in");
    expect((await new Visitor().open(client.authorize({ prompt: "select_account" }))).heading).toBe("Sign in");
  });
});

describe.concurrent("max_age", () => {
  test("asks for the password if the sign-in is older", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    await ageSession(client, 100);
    expect(answerOf(await visitor.open(client.authorize({ max_age: "1000" }))).code).toBeString();
    expect(answerOf(await visitor.open(client.authorize({ max_age: "99", prompt: "none" }))).error).toBe(
      "login_required",
    );
    const page = await visitor.open(client.authorize({ max_age: "99" }));
    expect(page.heading).toBe("Sign in");
    expect(answerOf(await client.goThrough(visitor, page)).code).toBeString();
  });

  test("0 asks every time, without a loop", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const page = await visitor.open(client.authorize({ max_age: "0" }));
    expect(page.heading).toBe("Sign in");
    expect(answerOf(await client.goThrough(visitor, page)).code).toBeString();
  });
});

describe.concurrent("the user requested by the application", () => {
  test("by id_token_hint: that user continues, another must sign in as that user", async () => {
    const client = await newClient();
    const admin = await signedIn(client);
    const id_token_hint = await idToken(client, admin);
    expect(answerOf(await admin.open(client.authorize({ id_token_hint, prompt: "none" }))).code).toBeString();

    await addUser(client, "ada");
    const ada = new Visitor();
    const asAda = { username: "ada", password: "another password" };
    await ada.submit(await ada.open(client.authorize()), asAda);
    expect(answerOf(await ada.open(client.authorize({ id_token_hint, prompt: "none" }))).error).toBe("login_required");
    const page = await ada.open(client.authorize({ id_token_hint }));
    expect(page.heading).toBe("Sign in");
    const refused = await ada.submit(page, asAda);
    expect(refused).toMatchObject({ status: 422, heading: "Sign in" });
    expect(refused.html).toContain("a different account");
    expect(answerOf(await client.goThrough(ada, refused)).code).toBeString();
  });

  test("by the claims parameter's sub", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const { sub } = decodeJwt(await idToken(client, visitor));
    const claims = (value: string) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }), prompt: "none" });
    expect(answerOf(await visitor.open(client.authorize(claims(sub!)))).code).toBeString();
    expect(answerOf(await visitor.open(client.authorize(claims("user-1"))))).toMatchObject({ error: "login_required" });
    expect(answerOf(await visitor.open(client.authorize(claims("nobody"))))).toMatchObject({ error: "login_required" });
  });

  test("an id_token of another client is not accepted as a hint", async () => {
    const client = await newClient();
    const visitor = await signedIn(client);
    const other = await otherClient(client);
    const id_token_hint = await idToken(other, visitor);
    const hinted = await visitor.open(client.authorize({ id_token_hint, prompt: "none" }));
    expect(answerOf(hinted).error).toBe("login_required");
  });

  test("login_hint fills the form, whatever its content", async () => {
    const client = await newClient();
    const login_hint = `"><script>alert(1)</script>'&amp;`;
    const page = await new Visitor().open(client.authorize({ login_hint, state: login_hint }));
    expect(page.forms[0]!.fields.username).toBe(login_hint);
    expect(page.html).not.toContain('"><script>');
  });
});
