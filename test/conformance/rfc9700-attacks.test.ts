// RFC 9700, section 4, "Attacks and Mitigations": the requirements on an authorization server that section 2 does not
// contain and these do not test: 4.2 to 4.5 used, leaked and injected codes in test/authorize/code and rfc6749-refusals;
// 4.3 answers in test/authorize/answer and test/authorize/request; 4.11 logout in test/authorize/logout; 4.14 users who
// are deactivated in test/oauth/refresh.

import { beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { API } from "../world/api.ts";
import { answerOf, type Client, issuer, newClient, RFC_PATH } from "../world/client.ts";
import { beginDevice, typeCode } from "../world/device.ts";
import { request, shared } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";
import { RelyingParty, USERINFO_PATH, VARIANTS } from "./relying-party.ts";

let party: RelyingParty;
/** Every kind of page, and every kind of redirect to a client. */
let pages: Record<string, View>;
let redirects: Record<string, View>;
/** The visit that showed them. */
let visitor: Visitor;

beforeAll(async () => {
  party = await RelyingParty.start(VARIANTS[0]!);
  const grant_types = ["authorization_code", "refresh_token", "client_credentials", DEVICE_GRANT];
  const client = await newClient({ grant_types, post_logout_redirect_uris: ["https://app.example/bye"] });
  visitor = new Visitor();
  const signIn = await visitor.open(client.authorize());
  const wrongPassword = await visitor.submit(signIn, { username: "admin", password: "wrong" });
  const consent = await visitor.submit(wrongPassword, client.tenant.admin);
  const denied = await visitor.submit(consent, { decision: "deny" });
  const allowed = await visitor.submit(consent, { decision: "allow" });
  pages = {
    "sign in": signIn,
    "wrong password": wrongPassword,
    consent,
    "choose an account": await visitor.open(client.authorize({ prompt: "select_account" })),
    "form_post answer": await visitor.open(client.authorize({ response_mode: "form_post" })),
    "unknown client": await visitor.open(client.authorize({ client_id: "999999999" })),
    "bad request": await visitor.open(client.authorize({ redirect_uri: undefined })),
    "wrong form": await visitor.post("/signin", { request: "" }),
    "sign out": await visitor.open("/oauth2/logout"),
  };
  redirects = {
    denied,
    allowed,
    "by fragment": await visitor.open(client.authorize({ response_type: "code id_token", nonce: "n" })),
    error: await visitor.open(client.authorize({ scope: "Color:Read" })),
  };
  const query = new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: "https://app.example/bye" });
  redirects.logout = await visitor.submit(await visitor.open(`/oauth2/logout?${query}`));
  const device = await beginDevice(client, { scope: "openid" });
  pages["device code"] = await visitor.open(device.completeUri);
  pages["wrong device code"] = await typeCode(visitor, "BBBB-BBBB");
  pages["sign in for a device"] = await typeCode(visitor, device.userCode);
  pages["consent for a device"] = await visitor.submit(pages["sign in for a device"], client.tenant.admin);
  pages["device signed in"] = await visitor.submit(pages["consent for a device"], { decision: "allow" });
  expect(pages["device signed in"].heading).toBe("The device is signed in");
  pages["pushed request that is gone"] = await visitor.open(
    `${RFC_PATH}?${new URLSearchParams({ client_id: client.id, request_uri: "urn:ietf:params:oauth:request_uri:x" })}`,
  );
  pages["signed out"] = await visitor.open("/oauth2/logout");
});

describe.concurrent("4.2 leakage by the Referer header", () => {
  test("no page or redirect sends a Referer", () => {
    for (const { headers } of [...Object.values(pages), ...Object.values(redirects)]) {
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  test("no page loads or links to another site", () => {
    for (const { html } of Object.values(pages)) {
      expect(html).not.toMatch(/(?:src|href)="?(?:[a-z]+:)?\/\//i);
    }
  });
});

describe.concurrent("4.3 leakage by the browser's history", () => {
  test("responses with a code, a token or a personal form are not stored", () => {
    for (const { headers } of [...Object.values(pages), ...Object.values(redirects)]) {
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  test("no token is in a query of a request", async () => {
    const { token } = await party.flow();
    const query = new URLSearchParams({ access_token: token.body.access_token });
    for (const path of [USERINFO_PATH, `${API}/Entities`]) {
      expect((await request("GET", `${path}?${query}`)).status).toBe(401);
    }
  });
});

test.concurrent("4.5 code injection: the request's nonce is in its id_token and no other", async () => {
  for (const nonce of ["one", "two"]) expect((await party.flow({ nonce })).claims.nonce).toBe(nonce);
});

test.concurrent("4.6 access token injection: at_hash identifies the access token issued with the id_token", async () => {
  const [one, two] = [await party.flow(), await party.flow()];
  expect(one.claims.at_hash).toBeString();
  expect(one.claims.at_hash).not.toBe(two.claims.at_hash);
});

describe.concurrent("4.11 open redirection", () => {
  test("no redirect without a client and a registered address", async () => {
    for (const name of ["unknown client", "bad request"]) expect(pages[name]!.location).toBeUndefined();
    const stranger = await newClient({ redirect_uris: ["https://stranger.example/cb"] });
    const view = await party.browser.open(party.request({ redirect_uri: stranger.tenant.client.redirectUris[0] }));
    expect(view).toMatchObject({ status: 404, location: undefined });
  });

  test("forms continue only with authorization requests of this service", async () => {
    const client = await newClient();
    const requests = [
      "https://evil.example/oauth2/authorize?x",
      "//evil.example/oauth2/authorize?x",
      "/\\evil.example?x",
      "/oauth2/authorize/../../evil?x",
      `/oauth2/logout?${new URLSearchParams({ post_logout_redirect_uri: "https://evil.example" })}`,
      `${RFC_PATH}?${new URLSearchParams({ client_id: client.id, redirect_uri: "https://evil.example" })}`,
    ];
    for (const path of ["/signin", "/consent"]) {
      for (const text of requests) {
        const browser = new Visitor();
        const page = await browser.open(client.authorize());
        const view = await browser.post(path, { ...page.forms[0]!.fields, ...client.tenant.admin, request: text });
        expect([400, 404]).toContain(view.status);
        expect(view.location).toBeUndefined();
      }
    }
  });

  test("a user who does not know the application sees where every answer is sent", () => {
    expect(pages.consent!.html).toContain("app.example");
  });
});

test.concurrent("4.12 no redirect repeats a form: the password is answered with 303", () => {
  const redirected = visitor.trail.filter(({ status }) => status >= 300 && status < 400);
  for (const { status } of redirected) expect([302, 303]).toContain(status);
  const afterPassword = redirected.filter(({ url }) => new URL(url).pathname === "/signin");
  expect(afterPassword.map(({ status }) => status)).toEqual([303, 303]);
});

test.concurrent("4.13 reverse proxies: forwarding headers of clients change no address and no issuer", async () => {
  const headers = {
    host: "evil.example",
    forwarded: "host=evil.example;proto=https",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    "x-forwarded-prefix": "/evil",
    "x-original-url": "https://evil.example/",
  };
  const discovered = await request("GET", "/.well-known/openid-configuration", { headers });
  expect(discovered.body.issuer).toBe(issuer());
  expect(JSON.stringify(discovered.body)).not.toContain("evil");

  const client = await newClient();
  const page = await new Visitor().open(client.authorize(), headers);
  expect(page.html).not.toContain("evil");
  const [path, query] = party.request().split("?");
  const body = new URLSearchParams(query);
  const blind = await fetch(shared().url + path, { method: "POST", body, headers, redirect: "manual" });
  expect(blind.headers.get("location")).toStartWith(`${RFC_PATH}?`);
  const answer = answerOf(await party.browser.open(party.request(), headers));
  expect(answer.iss).toBe(issuer());
  const { body: tokens } = await party.redeem(answer.code!);
  expect(decodeJwt(tokens.id_token).iss).toBe(issuer());
});

test.concurrent("4.14 refresh tokens are issued only to clients that can use them", async () => {
  const client = await newClient({ grant_types: ["authorization_code"] });
  const { body } = await client.token(await client.code(new Visitor()));
  expect(body.access_token).toBeString();
  expect(body.refresh_token).toBeUndefined();
});

test.concurrent("4.15 client and user subs never coincide: a client's sub is its client_id", async () => {
  const client: Client = await newClient();
  const own = await client.token("", { grant_type: "client_credentials", code: undefined, scope: "openid" });
  expect(decodeJwt(own.body.access_token).sub).toBe(client.id);
  const asUser = await request("GET", USERINFO_PATH, {
    headers: { authorization: `Bearer ${own.body.access_token}` },
  });
  expect(asUser.status).toBe(403);
  expect((await party.flow()).claims.sub).toMatch(/^user-\d+$/);
});

test.concurrent("4.16 no page can be framed or scripted by another site", () => {
  for (const [name, { headers }] of Object.entries(pages)) {
    const policy = headers.get("content-security-policy") ?? "";
    expect([name, policy]).toEqual([name, expect.stringContaining("frame-ancestors 'none'")]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-frame-options")).toBe("DENY");
  }
});

test.concurrent("4.17 no answer is sent by postMessage", async () => {
  expect(await party.error({ response_mode: "web_message" })).toBe("invalid_request");
  for (const { html } of Object.values(pages)) expect(html).not.toContain("postMessage");
});
