// OIDC RP-Initiated Logout.

import { describe, expect, test } from "bun:test";
import { decodeJwt, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { answerOf, type Client, newClient, otherClient } from "../world/client.ts";
import { FORM, Visitor } from "../world/visitor.ts";

const PATH = "/oauth2/logout";
const BYE = "https://app.example/bye?x=1";
const TO_BYE = { post_logout_redirect_uri: BYE };

async function signedIn(more: Parameters<typeof newClient>[0] = {}) {
  const client = await newClient({ post_logout_redirect_uris: [BYE], ...more });
  const visitor = new Visitor();
  const token = await client.token(await client.code(visitor));
  return { client, visitor, id_token_hint: token.body.id_token, refresh_token: token.body.refresh_token };
}

const query = (fields: Record<string, string>) => `${PATH}?${new URLSearchParams(fields)}`;

async function isSignedIn(client: Client, visitor: Visitor): Promise<boolean> {
  return (await visitor.open(client.authorize())).heading !== "Sign in";
}

describe.concurrent("with the user's id_token_hint", () => {
  test("the session ends at once, and the browser returns with state", async () => {
    const { client, visitor, id_token_hint } = await signedIn();
    const back = await visitor.open(query({ id_token_hint, post_logout_redirect_uri: BYE, state: "s" }));
    expect([back.status, back.location!.href]).toEqual([302, `${BYE}&state=s`]);
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
    expect(await isSignedIn(client, visitor)).toBe(false);
  });

  test("an earlier cookie is no longer valid", async () => {
    const { client, visitor, id_token_hint } = await signedIn();
    const kept = visitor.cookies.get("gatehouse-session")!;
    const view = await visitor.open(query({ id_token_hint }));
    expect(view).toMatchObject({ status: 200, heading: "Signed out" });
    visitor.cookies.set("gatehouse-session", kept);
    expect(await isSignedIn(client, visitor)).toBe(false);
  });

  test("an unredeemed code is no longer valid", async () => {
    const { client, visitor, id_token_hint } = await signedIn();
    const code = await client.code(visitor);
    await visitor.open(query({ id_token_hint }));
    const late = await client.token(code);
    expect([late.status, late.body.error]).toEqual([400, "invalid_grant"]);
  });

  test("a refresh token stays valid, and its id_tokens have no session", async () => {
    const { client, visitor, id_token_hint, refresh_token } = await signedIn({
      backchannel_logout_uri: "https://app.example/logout",
    });
    const before = await client.refresh(refresh_token);
    expect(decodeJwt(before.body.id_token).sid).toBe(decodeJwt(id_token_hint).sid!);
    await visitor.open(query({ id_token_hint }));
    const after = await client.refresh(before.body.refresh_token);
    expect(after.status).toBe(200);
    expect(decodeJwt(after.body.id_token)).not.toHaveProperty("sid");
  });

  test("a cross-site POST, which has no cookies, works too", async () => {
    const { visitor, id_token_hint } = await signedIn();
    const body = new URLSearchParams({ id_token_hint });
    const crossSite = await fetch(visitor.origin + PATH, { method: "POST", body, redirect: "manual" });
    expect(crossSite.status).toBe(303);
    expect((await visitor.open(crossSite.headers.get("location")!)).heading).toBe("Signed out");
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  });

  test("of another user, the user is asked to confirm", async () => {
    const { visitor } = await signedIn();
    const { id_token_hint } = await signedIn();
    expect((await visitor.open(query({ id_token_hint }))).heading).toBe("Sign out");
    expect(visitor.cookies.has("gatehouse-session")).toBe(true);
  });
});

test("an access token of type JWT is not accepted as a hint", async () => {
  const client = await newClient({ access_token_type: "JWT", post_logout_redirect_uris: [BYE] });
  const visitor = new Visitor();
  const { access_token } = (await client.token(await client.code(visitor))).body;
  const view = await visitor.open(query({ id_token_hint: access_token, post_logout_redirect_uri: BYE }));
  expect(view).toMatchObject({ status: 200, heading: "Sign out" });
  expect(await isSignedIn(client, visitor)).toBe(true);
  const hinted = await visitor.open(client.authorize({ id_token_hint: access_token, prompt: "none" }));
  expect(answerOf(hinted).error).toBe("login_required");
});

describe.concurrent("without a hint", () => {
  test("the user confirms, then returns", async () => {
    const { client, visitor } = await signedIn();
    const page = await visitor.open(query({ client_id: client.id, post_logout_redirect_uri: BYE }));
    expect(page.heading).toBe("Sign out");
    expect(await isSignedIn(client, visitor)).toBe(true);
    const back = await visitor.submit(page);
    expect(back.location!.href).toBe(BYE);
    expect(await isSignedIn(client, visitor)).toBe(false);
  });

  test("without a session, no confirmation is needed", async () => {
    expect((await new Visitor().open(PATH)).heading).toBe("Signed out");
  });

  test("the form requires its token", async () => {
    const { client, visitor } = await signedIn();
    const page = await visitor.open(PATH);
    for (const csrf of [undefined, "x"]) expect((await visitor.submit(page, { csrf })).status).toBe(403);
    expect(await isSignedIn(client, visitor)).toBe(true);
  });
});

type Sent = Record<string, string> | string;
type Case = [string, (client: Client, hint: string) => Promise<Sent> | Sent];

/** Requests in which the user is asked, and then stays here. */
const UNVERIFIED: Case[] = [
  ["an address without a client", () => ({ post_logout_redirect_uri: BYE })],
  ["an unknown client", () => ({ client_id: "999999999", post_logout_redirect_uri: BYE })],
  ["a client_id that cannot be one", () => ({ client_id: "a\0b", post_logout_redirect_uri: BYE })],
  ["an unregistered address", ({ id }) => ({ client_id: id, post_logout_redirect_uri: "https://evil.example" })],
  ["an address that is a script", ({ id }) => ({ client_id: id, post_logout_redirect_uri: "javascript:alert(1)" })],
  [
    "another client's id",
    async (client, id_token_hint) => ({ client_id: (await otherClient(client)).id, id_token_hint, ...TO_BYE }),
  ],
  ["a repeated hint", (_, hint) => `id_token_hint=${hint}&id_token_hint=${hint}&post_logout_redirect_uri=${BYE}`],
  [
    "a repeated address",
    ({ id }) => `client_id=${id}&${new URLSearchParams(TO_BYE)}&post_logout_redirect_uri=https://evil.example`,
  ],
  ["a request that is too long", (_, id_token_hint) => ({ id_token_hint, ...TO_BYE, state: "s".repeat(8_200) })],
  ...Object.entries({
    "no token": () => "a.b.c",
    empty: () => "..",
    "without a signature": (hint: string) => `${part({ alg: "none" })}.${hint.split(".")[1]}.`,
    "with another user inside": (hint: string) =>
      hint.replace(/\.[^.]+\./, `.${part({ ...decodeJwt(hint), sub: "user-1" })}.`),
    "of an unknown key, such as after `keys rotate --leaked`": (hint: string) => signed({ ...decodeJwt(hint) }),
    "of another issuer": (hint: string) => signed({ ...decodeJwt(hint), iss: "https://other.example" }),
    encrypted: () => `${part({ alg: "RSA-OAEP", enc: "A256GCM" })}.a.b.c.d`,
  }).map(
    ([name, make]): Case => [
      `a hint that is ${name}`,
      async ({ id }, hint) => ({ id_token_hint: await make(hint), client_id: id, ...TO_BYE, state: "s" }),
    ],
  ),
];
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function signed(claims: JWTPayload): Promise<string> {
  const { privateKey } = await generateKeyPair("RS256");
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "JWT", kid: "gone" }).sign(privateKey);
}

describe.each(["GET", "POST"])("an unverified part of a request by %s is not used", (method) => {
  const send = (visitor: Visitor, sent: Sent) =>
    method === "GET" ? visitor.open(`${PATH}?${new URLSearchParams(sent)}`) : visitor.post(PATH, sent);

  test.concurrent.each(UNVERIFIED)("%s: the user confirms, and stays here signed out", async (_, fields) => {
    const { client, visitor, id_token_hint } = await signedIn();
    const sent = await fields(client, id_token_hint);
    const page = await send(visitor, sent);
    expect(page).toMatchObject({ status: 200, heading: "Sign out", location: undefined });
    expect(await isSignedIn(client, visitor)).toBe(true);
    const done = await visitor.submit(page);
    expect(done).toMatchObject({ status: 200, heading: "Signed out", location: undefined });
    expect(done.html).not.toMatch(/evil|alert|app\.example/);
    expect(await isSignedIn(client, visitor)).toBe(false);
    // Without a session, nothing is asked, and the browser stays here as well.
    expect(await send(new Visitor(), sent)).toMatchObject({ heading: "Signed out", location: undefined });
  });

  test.concurrent.each([`${BYE}/`, "https://evil.example", "x"])(
    "the address %s with a valid hint: the user is signed out without a question, and stays here",
    async (post_logout_redirect_uri) => {
      const { client, visitor, id_token_hint } = await signedIn();
      const view = await send(visitor, { id_token_hint, post_logout_redirect_uri, state: "s" });
      expect(view).toMatchObject({ status: 200, heading: "Signed out", location: undefined });
      expect(view.html).not.toContain(post_logout_redirect_uri === "x" ? 'href="x"' : post_logout_redirect_uri);
      expect(await isSignedIn(client, visitor)).toBe(false);
    },
  );

  test("a repeated parameter without a meaning is ignored", async () => {
    const { visitor, id_token_hint } = await signedIn();
    const view = await send(visitor, `x=1&x=2&${new URLSearchParams({ id_token_hint, ...TO_BYE })}`);
    expect(view.location?.href).toBe(BYE);
  });
});

/** Requests without a readable part. */
const UNREADABLE: [string, ...Parameters<Visitor["send"]>][] = [
  ["a query in Latin-1", `${PATH}?${new URLSearchParams(TO_BYE)}&state=%E9`, "GET"],
  ["half a character", `${PATH}?state=%C3`, "GET"],
  ["too many parameters", `${PATH}?${"a=b&".repeat(1_200)}`, "GET"],
  ["a POST without a body", PATH, "POST"],
  ["JSON", PATH, "POST", "{}", { "content-type": "application/json" }],
  ["multipart", PATH, "POST", multipart()],
  ["an unknown charset", PATH, "POST", "a=b", { "content-type": `${FORM}; charset=x` }],
  ["a compressed body", PATH, "POST", "a=b", { "content-encoding": "gzip" }],
  ["a form in Latin-1", PATH, "POST", "state=%E9"],
  ["a repeated field", PATH, "POST", "state=1&state=2"],
  ["too long a form", PATH, "POST", `a=${"b".repeat(70_000)}`],
];

function multipart(): FormData {
  const form = new FormData();
  form.set("state", "s");
  return form;
}

const unreadable = UNREADABLE.map(([name, ...sent]) => ({ name, sent }));
test.concurrent.each(unreadable)("$name is left out, and the user is asked", async ({ sent }) => {
  const { client, visitor } = await signedIn();
  const page = await visitor.send(...sent);
  expect(page).toMatchObject({ status: 200, heading: "Sign out" });
  expect(await visitor.submit(page)).toMatchObject({ status: 200, heading: "Signed out", location: undefined });
  expect(await isSignedIn(client, visitor)).toBe(false);
  expect(await new Visitor().send(...sent)).toMatchObject({ status: 200, heading: "Signed out" });
});

describe.concurrent("a hint at the authorization endpoint that cannot be verified", () => {
  const hints = UNVERIFIED.filter(([name]) => name.startsWith("a hint"));

  test.each(hints)("%s: login_required with prompt none, otherwise as without a hint", async (_, fields) => {
    const { client, visitor, id_token_hint } = await signedIn();
    const hint = (await fields(client, id_token_hint)) as { id_token_hint: string };
    const ask = async (more: object) =>
      answerOf(await visitor.open(client.authorize({ id_token_hint: hint.id_token_hint, ...more })));
    expect((await ask({ prompt: "none" })).error).toBe("login_required");
    expect((await ask({})).code).toBeString();
  });
});
