// OIDC RP-Initiated Logout.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { answerOf, type Client, newClient, otherClient } from "./client.ts";
import { Visitor } from "./visitor.ts";

const PATH = "/oauth2/logout";
const BYE = "https://app.example/bye?x=1";

async function signedIn() {
  const client = await newClient({ post_logout_redirect_uris: [BYE] });
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
    const { client, visitor, id_token_hint, refresh_token } = await signedIn();
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
  expect([view.status, view.location]).toEqual([400, undefined]);
  expect(await isSignedIn(client, visitor)).toBe(true);
  const hinted = answerOf(await visitor.open(client.authorize({ id_token_hint: access_token })));
  expect(hinted.error).toBe("invalid_request");
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

describe.concurrent("is rejected without a redirect", () => {
  test.each<[string, (client: Client, hint: string) => Promise<Record<string, string>> | Record<string, string>]>([
    [
      "an address that is not registered",
      (_, id_token_hint) => ({ id_token_hint, post_logout_redirect_uri: "https://evil.example" }),
    ],
    [
      "an address that is registered a little differently",
      (_, id_token_hint) => ({ id_token_hint, post_logout_redirect_uri: `${BYE}/` }),
    ],
    ["an address without a client", () => ({ post_logout_redirect_uri: BYE })],
    ["an unknown client", () => ({ client_id: "999999999", post_logout_redirect_uri: BYE })],
    ["a hint that is none of ours", () => ({ id_token_hint: "a.b.c" })],
    [
      "another client's id",
      async (client, id_token_hint) => ({ client_id: (await otherClient(client)).id, id_token_hint }),
    ],
  ])("%s", async (_, fields) => {
    const { client, visitor, id_token_hint } = await signedIn();
    const view = await visitor.open(query(await fields(client, id_token_hint)));
    expect(view).toMatchObject({ status: 400, location: undefined });
    expect(visitor.cookies.has("gatehouse-session")).toBe(true);
  });
});
