// Attacks of unvouched clients on a tenant's people and clients.

import { describe, expect, test } from "bun:test";
import { AUTHORIZATION_PATHS } from "../../server/identity/oauth/authorize/parameters.ts";
import { RESPONSE_MODES, SIGNED_RESPONSE_MODES } from "../../server/identity/oauth/contract.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { ok } from "../world/api.ts";
import { answerOf, issuer, newPkce } from "../world/client.ts";
import {
  initialToken,
  metadata,
  newRegistrar,
  PUBLIC,
  REDIRECT,
  type Registrar,
  refused,
  register,
  send,
} from "../world/registrar.ts";
import { request } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const browser = openWindows();
const BYE = "https://app.example/bye";
type Fields = Record<string, string | undefined>;

async function stranger(more: object = {}, isVouchedFor = false) {
  const registrar = await newRegistrar("Open");
  const sent = metadata({
    grant_types: ["authorization_code", "refresh_token"],
    post_logout_redirect_uris: [BYE],
    ...more,
  });
  const { body } = await register(registrar, sent, isVouchedFor ? await initialToken(registrar) : undefined);
  return { registrar, body, visitor: new Visitor() };
}

function query(clientId: string, fields: Fields = {}): URLSearchParams {
  const all = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: "openid",
    state: "s",
    ...fields,
  };
  return new URLSearchParams(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function signedIn({ username, password }: Registrar, visitor: Visitor, path: string): Promise<View> {
  const page = await visitor.open(path);
  return page.heading === "Sign in" ? visitor.submit(page, { username, password }) : page;
}

/** Errors of requests that are valid. */
const UNANSWERABLE = ["login_required", "consent_required", "unmet_authentication_requirements"];

/** A page without a redirect; its link leads on. */
function expectStays(view: View, code: string): void {
  expect([view.status, view.location, view.heading]).toEqual([400, undefined, "Request refused"]);
  expect(view.html).toContain(`(${code})`);
  const isValid = UNANSWERABLE.includes(code);
  expect(view.html).toContain(isValid ? "a valid request, but it cannot be answered now" : "an invalid request");
  expect(view.html).toContain("Continue to app.example");
  expect(view.html).not.toMatch(/http-equiv|submit\.js/i);
  expect(view.headers.get("refresh")).toBeNull();
}

const { challenge } = newPkce();

/** Each kind of request that is answered with an error. */
const ERRORS: Record<string, { fields: Fields; code: string }> = {
  "an unknown response_type": { fields: { response_type: "x" }, code: "unsupported_response_type" },
  "a response_type that it has not registered": {
    fields: { response_type: "code id_token" },
    code: "unauthorized_client",
  },
  "no response_type": { fields: { response_type: undefined }, code: "invalid_request" },
  "prompt=none without a session": { fields: { ...challenge, prompt: "none" }, code: "login_required" },
  "no PKCE": { fields: {}, code: "invalid_request" },
  "a wrong prompt": { fields: { ...challenge, prompt: "none login" }, code: "invalid_request" },
  "a request object": { fields: { ...challenge, request: "e30.e30.x" }, code: "invalid_request_object" },
  "a request_uri": {
    fields: { ...challenge, request_uri: "https://app.example/r" },
    code: "request_uri_not_supported",
  },
  "a wrong max_age": { fields: { ...challenge, max_age: "x" }, code: "invalid_request" },
  "an acr that cannot be reached": {
    fields: { ...challenge, claims: JSON.stringify({ id_token: { acr: { essential: true, value: "9" } } }) },
    code: "unmet_authentication_requirements",
  },
  "a foreign resource": { fields: { ...challenge, resource: "https://other.example" }, code: "invalid_target" },
};

describe("an error of an unapproved client is shown on a page, never by a redirect:", () => {
  test.each(Object.keys(ERRORS))("%s, at both doors and in every response mode", async (what) => {
    const { fields, code } = ERRORS[what]!;
    const { body, registrar } = await stranger(PUBLIC);
    const someone = new Visitor();
    await signedIn(registrar, someone, `/oauth2/authorize?${query(body.client_id, challenge)}`);
    for (const [path, door] of Object.entries(AUTHORIZATION_PATHS)) {
      const modes =
        door === "rfc" ? [undefined, ...RESPONSE_MODES, ...SIGNED_RESPONSE_MODES] : [undefined, ...RESPONSE_MODES];
      for (const response_mode of modes) {
        const asked = query(body.client_id, { ...fields, response_mode });
        expectStays(await new Visitor().open(`${path}?${asked}`), code);
        expectStays(await new Visitor().post(path, asked.toString()), code);
        // A session does not make a client trusted.
        if (code !== "login_required") expectStays(await someone.open(`${path}?${asked}`), code);
      }
    }
  });

  test("prompt=none of a person who has allowed it nothing", async () => {
    const { body, registrar, visitor } = await stranger(PUBLIC);
    await signedIn(registrar, visitor, `/oauth2/authorize?${query(body.client_id, challenge)}`);
    const silent = query(body.client_id, { ...challenge, prompt: "none" });
    expectStays(await visitor.open(`/oauth2/authorize?${silent}`), "consent_required");
  });

  test("a pushed request that was already answered", async () => {
    const { body, registrar, visitor } = await stranger(PUBLIC);
    const pushed = await request("POST", "/oauth2/par", { body: query(body.client_id, challenge) });
    const path = `/oauth2/authorize?${new URLSearchParams({ client_id: body.client_id, request_uri: pushed.body.request_uri })}`;
    const consent = await signedIn(registrar, visitor, path);
    expect(answerOf(await visitor.submit(consent, { decision: "allow" })).code).toBeString();
    expectStays(await new Visitor().open(path), "invalid_request_uri");
  });

  test("and its own pages are linked on the consent page, if they are web pages", async () => {
    const pages = {
      client_uri: "https://app.example/",
      policy_uri: "https://app.example/policy",
      tos_uri: "https://app.example/tos",
    };
    const { body, registrar, visitor } = await stranger({ ...PUBLIC, ...pages });
    const asked = `/oauth2/authorize?${query(body.client_id, challenge)}`;
    const consent = await signedIn(registrar, visitor, asked);
    for (const href of Object.values(pages)) expect(consent.html).toContain(`href="${href}"`);
    const disguised = ["https://bank.example@evil.example/", "https://:x@evil.example/", "http://a:b@app.example/"];
    for (const name of Object.keys(pages)) {
      for (const uri of ["javascript:alert(1)", "data:text/html,x", ...disguised]) {
        const more = { [name]: uri };
        refused(await register(registrar, metadata({ ...PUBLIC, ...more })), "invalid_client_metadata", RegExp(name));
      }
    }
  });

  test("but by a redirect after the person has seen and denied the application", async () => {
    const { body, registrar, visitor } = await stranger(PUBLIC);
    const consent = await signedIn(registrar, visitor, `/oauth2/authorize?${query(body.client_id, challenge)}`);
    const answer = answerOf(await visitor.submit(consent, { decision: "deny" }));
    expect(answer).toMatchObject({ error: "access_denied", state: "s" });
  });

  test("and the link onwards carries the error, for the application", async () => {
    const { body } = await stranger(PUBLIC);
    const byQuery = await new Visitor().open(`/oauth2/authorize?${query(body.client_id, { response_type: "x" })}`);
    expect(byQuery.html).toMatch(/href="https:\/\/app\.example\/callback\?error=unsupported_response_type[^"]*state=s/);
    const asked = query(body.client_id, { response_type: "x", response_mode: "form_post" });
    const [form] = (await new Visitor().open(`/oauth2/authorize?${asked}`)).forms;
    expect(form).toMatchObject({ action: REDIRECT, fields: { error: "unsupported_response_type", state: "s" } });
  });

  test("an error of an approved client is redirected as usual", async () => {
    const vouched = await stranger(PUBLIC, true);
    const wrong = `/oauth2/authorize?${query(vouched.body.client_id, { response_type: "x" })}`;
    expect(answerOf(await new Visitor().open(wrong)).error).toBe("unsupported_response_type");
    const { body, registrar } = await stranger(PUBLIC);
    await ok(registrar.admin.patch(`/Application/${body.client_id}/Credentials`, { FirstParty: true }));
    const own = `/oauth2/authorize?${query(body.client_id, { response_type: "x" })}`;
    expect(answerOf(await new Visitor().open(own)).error).toBe("unsupported_response_type");
  });
});

/** Ways to change an application's address. */
const MOVERS: Record<string, (of: Awaited<ReturnType<typeof stranger>>, redirect_uris: string[]) => Promise<unknown>> =
  {
    "an application that nobody vouches for": ({ body }, redirect_uris) => moveItself(body, redirect_uris),
    "an application with an initial access token": ({ body }, redirect_uris) => moveItself(body, redirect_uris),
    "an administrator": ({ body, registrar }, RedirectUris) =>
      ok(registrar.admin.patch(`/Application/${body.client_id}/Credentials`, { RedirectUris })),
  };

// biome-ignore lint/suspicious/noExplicitAny: it is an answer of registration
async function moveItself(body: any, redirect_uris: string[]): Promise<void> {
  const path = new URL(body.registration_client_uri).pathname;
  const sent = metadata({ ...PUBLIC, client_id: body.client_id, client_name: body.client_name, redirect_uris });
  expect((await send("PUT", path, body.registration_access_token, sent)).status).toBe(200);
}

test.each(Object.keys(MOVERS))("a consent does not cover a host that %s has added since", async (who) => {
  const one = await stranger(PUBLIC, who.includes("initial"));
  const { body, registrar, visitor } = one;
  const [samePlace, elsewhere] = ["https://app.example/other", "https://elsewhere.example/callback"];
  const asked = (redirect_uri: string, more: Fields = {}) =>
    `/oauth2/authorize?${query(body.client_id, { ...challenge, redirect_uri, ...more })}`;
  const consent = await signedIn(registrar, visitor, asked(REDIRECT));
  expect(answerOf(await visitor.submit(consent, { decision: "allow" })).code).toBeString();
  await MOVERS[who]!(one, [REDIRECT, samePlace, elsewhere]);

  for (const uri of [REDIRECT, samePlace]) expect(answerOf(await visitor.open(asked(uri))).code).toBeString();
  const silent = await visitor.open(asked(elsewhere, { prompt: "none" }));
  expect(silent.location?.searchParams.get("code") ?? null).toBeNull();
  const again = await visitor.open(asked(elsewhere));
  expect([again.status, again.heading]).toEqual([200, "Allow access"]);
  expect(again.html).toContain("elsewhere.example");
  expect(answerOf(await visitor.submit(again, { decision: "allow" })).code).toBeString();
  for (const uri of [REDIRECT, elsewhere]) expect(answerOf(await visitor.open(asked(uri))).code).toBeString();
});

test("a consent for an app does not cover another scheme, whatever follows it", async () => {
  const [own, other] = ["app.payroll://callback", "app.other://callback"];
  const one = await stranger({ ...PUBLIC, redirect_uris: [own] });
  const asked = (redirect_uri: string) =>
    `/oauth2/authorize?${query(one.body.client_id, { ...challenge, redirect_uri })}`;
  const consent = await signedIn(one.registrar, one.visitor, asked(own));
  expect(answerOf(await one.visitor.submit(consent, { decision: "allow" })).code).toBeString();
  await moveItself(one.body, [own, other]);
  expect(answerOf(await one.visitor.open(asked(own))).code).toBeString();
  const again = await one.visitor.open(asked(other));
  expect(again.heading).toBe("Allow access");
  expect(again.html).toContain("<strong>app.other</strong>");
});

test("a consent for an app covers every port", async () => {
  const { body, registrar, visitor } = await stranger({
    ...PUBLIC,
    ...{ application_type: "native", redirect_uris: ["http://127.0.0.1/callback"] },
  });
  const asked = (port: number) => {
    const redirect_uri = `http://127.0.0.1:${port}/callback`;
    return `/oauth2/authorize?${query(body.client_id, { ...challenge, redirect_uri })}`;
  };
  const consent = await signedIn(registrar, visitor, asked(1234));
  expect(answerOf(await visitor.submit(consent, { decision: "allow" })).code).toBeString();
  expect(answerOf(await visitor.open(asked(4321))).code).toBeString();
});

test("an existing client can change itself when registration needs a token, and not when it is off", async () => {
  const { registrar, body } = await stranger(PUBLIC);
  const path = new URL(body.registration_client_uri).pathname;
  const set = (ClientRegistration: string) => ok(registrar.admin.patch("/TenantSettings", { ClientRegistration }));
  const change = metadata({ ...PUBLIC, client_id: body.client_id, client_name: "Renamed" });
  await set("InitialAccessToken");
  expect((await register(registrar, metadata(PUBLIC))).status).toBe(401);
  const changed = await send("PUT", path, body.registration_access_token, change);
  expect(changed).toMatchObject({ status: 200, body: { client_name: "Renamed" } });
  const token = changed.body.registration_access_token;
  await set("Off");
  for (const method of ["GET", "PUT", "DELETE"]) {
    expect((await send(method, path, token, method === "PUT" ? change : undefined)).status).toBe(401);
  }
  await set("InitialAccessToken");
  expect((await send("GET", path, token)).status).toBe(200);
  expect((await send("DELETE", path, token)).status).toBe(204);
});

describe("after a sign-out", () => {
  const logout = (fields: Record<string, string>) => `/oauth2/logout?${new URLSearchParams(fields)}`;

  test("a browser without a session stays, whatever an unapproved client has registered", async () => {
    const { body } = await stranger(PUBLIC);
    const asked = { client_id: body.client_id, post_logout_redirect_uri: BYE, state: "s" };
    for (const view of [
      await new Visitor().open(logout(asked)),
      await new Visitor().post("/oauth2/logout", asked),
      await new Visitor().post("/signout", { request: new URLSearchParams(asked).toString() }),
    ]) {
      expect([view.status, view.location, view.heading]).toEqual([200, undefined, "Signed out"]);
      expect(view.html).toContain(`href="${BYE}?state=s"`);
    }
    const vouched = await stranger(PUBLIC, true);
    const back = await new Visitor().open(logout({ ...asked, client_id: vouched.body.client_id }));
    expect(back.location?.href).toBe(`${BYE}?state=s`);
  });

  test("no user is sent to, or shown, an address of a deactivated client, approved or not", async () => {
    for (const isVouchedFor of [true, false]) {
      const { body, registrar, visitor } = await stranger(PUBLIC, isVouchedFor);
      await signedIn(registrar, visitor, `/oauth2/authorize?${query(body.client_id, challenge)}`);
      await ok(registrar.admin.patch("/Application", { Id: body.client_id, Is_Active: false }));
      const path = logout({ client_id: body.client_id, post_logout_redirect_uri: BYE });
      expect(await new Visitor().open(path)).toMatchObject({ heading: "Signed out", location: undefined });
      const done = await visitor.submit(await visitor.open(path));
      expect(done).toMatchObject({ status: 200, heading: "Signed out", location: undefined });
      expect(done.html).not.toContain("app.example");
    }
  });

  test("a person who has signed out returns to it", async () => {
    const { body, registrar, visitor } = await stranger(PUBLIC);
    await signedIn(registrar, visitor, `/oauth2/authorize?${query(body.client_id, challenge)}`);
    const page = await visitor.open(logout({ client_id: body.client_id, post_logout_redirect_uri: BYE }));
    expect(page.heading).toBe("Sign out");
    expect((await visitor.submit(page)).location?.href).toBe(BYE);
  });

  test("a native app is found at any port, as at sign-in, and others are not", async () => {
    const addresses = ["http://127.0.0.1/bye", "http://[::1]:7777/bye", "http://localhost:80/bye"];
    const { body } = await stranger({
      ...{ ...PUBLIC, application_type: "native", redirect_uris: ["http://127.0.0.1/callback"] },
      post_logout_redirect_uris: [addresses[0], addresses[1], "http://localhost:8080/bye"],
    });
    const isLinked = async (uri: string, client_id = body.client_id) =>
      (await new Visitor().open(logout({ client_id, post_logout_redirect_uri: uri }))).html.includes("Continue to");
    for (const uri of ["http://127.0.0.1:54321/bye", "http://[::1]:1/bye", "http://localhost:65535/bye"]) {
      expect({ uri, isLinked: await isLinked(uri) }).toEqual({ uri, isLinked: true });
    }
    for (const uri of [
      "http://127.0.0.1:65536/bye",
      "http://127.0.0.1:99999/bye",
      "http://127.0.0.1:1/other",
      "http://127.0.0.2:1/bye",
    ]) {
      expect({ uri, isLinked: await isLinked(uri) }).toEqual({ uri, isLinked: false });
    }
    const page = await stranger({
      ...PUBLIC,
      application_type: "web",
      redirect_uris: [REDIRECT],
      post_logout_redirect_uris: ["http://localhost:8080/bye"],
    });
    expect(await isLinked("http://localhost:8081/bye", page.body.client_id)).toBe(false);
  });
});

describe("an unapproved client", () => {
  const asClient = ({ client_id, client_secret }: Record<string, string>, token: string) =>
    new URLSearchParams({ client_id: client_id!, client_secret: client_secret!, token });

  test("sees and revokes only its own tokens; the tenant's other clients see those for the entity API", async () => {
    const { registrar, body, visitor } = await stranger();
    const vouched = (await register(registrar, metadata(), await initialToken(registrar))).body;
    const own = await signedIn(registrar, visitor, `/oauth2/authorize?${query(body.client_id)}`);
    const { code } = answerOf(await visitor.submit(own, { decision: "allow" }));
    const { client_id, client_secret } = body;
    const form = { grant_type: "authorization_code", code: code!, redirect_uri: REDIRECT, client_id, client_secret };
    const mine = (await request("POST", "/oauth2/token", { body: new URLSearchParams(form) })).body;
    const theirs = registrar.admin.token;
    const introspect = async (client: Record<string, string>, token: string) =>
      (await request("POST", "/oauth2/introspect", { body: asClient(client, token) })).body;
    expect((await introspect(body, mine.access_token)).active).toBe(true);
    expect((await introspect(body, mine.refresh_token)).active).toBe(true);
    expect(await introspect(body, theirs)).toEqual({ active: false });
    expect((await introspect(vouched, theirs)).active).toBe(true);
    expect((await introspect(vouched, mine.access_token)).active).toBe(true);
    const ended = await request("POST", "/oauth2/revoke", { body: asClient(body, theirs) });
    expect(ended.status).toBe(400);
    await ok(registrar.admin.get("/TenantSettings"));
    // An adopted client may introspect.
    const api = {
      Name: "Orders",
      Audience: `https://orders.example/${Bun.randomUUIDv7()}`,
      ApplicationId: client_id,
      Scopes: [{ Name: "orders:read" }],
    };
    await ok(registrar.admin.patch("/Api", api));
    expect(await introspect(body, theirs)).toEqual({ active: false });
  });
});

test("in a browser, a person is warned of it beside the requested scopes, and where its request is rejected", async () => {
  const { registrar, body } = await stranger({
    ...PUBLIC,
    client_uri: "https://app.example/",
    logo_uri: "https://app.example/l.png",
  });
  const page = await browser.newPage();
  await page.goto(`${issuer()}/oauth2/authorize?${query(body.client_id, challenge)}`);
  await page.getByLabel("User name").fill(registrar.username);
  await page.getByLabel("Password").fill(registrar.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Your organisation has not approved this application.").waitFor();
  expect(await page.locator(".card img").count()).toBe(0);
  await inspect(page, "consent-of-stranger");
  await page.goto(`${issuer()}/oauth2/authorize?${query(body.client_id, { response_type: "x" })}`);
  await page.getByRole("heading", { name: "Request refused" }).waitFor();
  await inspect(page, "request-refused");
  await page.goto(
    `${issuer()}/oauth2/authorize?${query(body.client_id, { response_type: "x", response_mode: "form_post" })}`,
  );
  await page.getByRole("button", { name: "Continue to app.example" }).waitFor();
  await inspect(page, "request-refused-form");
});
