// OpenID Connect Back-Channel Logout 1.0.

import { describe, expect, test } from "bun:test";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { historyText, temporal } from "../support/temporal.ts";
import { type Api, until } from "../world/api.ts";
import { type Client, issuer, otherClient } from "../world/client.ts";
import { logoutClient, logoutsOf, setCredentials, signIn, signOut, tokensOf } from "../world/logouts.ts";
import { Person } from "../world/person.ts";
import { startReceiver } from "../world/receiver.ts";
import { expire, removeRows, rowsOf } from "../world/rows.ts";
import { newTenant, shared } from "../world/tenant.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

test("a client gets a logout token, which it verifies like an id_token and cannot confuse with one", async () => {
  await using receiver = startReceiver(200);
  const { client } = await logoutClient(`${receiver.url}?own=query`, undefined, { IdTokenAlg: "ES256" });
  const { visitor, idToken, sid } = await signIn(client);
  await signOut(visitor, idToken);
  expect(await logoutsOf(receiver, 1)).toEqual([sid]);
  const [call] = receiver.calls;
  expect(call!.headers.get("content-type")).toBe("application/x-www-form-urlencoded");
  expect(call!.url.searchParams.get("own")).toBe("query");

  const [token] = tokensOf(receiver);
  const keys = createRemoteJWKSet(new URL(`${shared().url}/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(token!, keys, {
    ...{ issuer: issuer(), audience: client.id, typ: "logout+jwt", algorithms: ["ES256"] },
  });
  expect(protectedHeader.kid).toBe(decodeProtectedHeader(idToken).kid);
  expect(payload).toEqual({
    iss: issuer(),
    aud: client.id,
    sub: decodeJwt(idToken).sub,
    sid,
    jti: expect.any(String),
    iat: expect.any(Number),
    exp: payload.iat! + 120,
    events: { [EVENT]: {} },
  });
  // Gatehouse does not accept it as a different kind of token.
  await client.code(visitor);
  const hinted = await visitor.open(`/oauth2/logout?${new URLSearchParams({ id_token_hint: token! })}`);
  expect(hinted.heading).toBe("Sign out");
  const asBearer = { headers: { authorization: `Bearer ${token}` } };
  for (const path of ["/oauth2/userinfo", "/Endpoint/rest/api/v1/Application"]) {
    expect((await fetch(shared().url + path, asBearer)).status).toBe(401);
  }
});

test.each([
  ["JWT", "JWT"],
  ["", undefined],
])(
  "a client with LogoutTokenType %j gets it with typ %p, and it is still no id_token",
  async (LogoutTokenType, typ) => {
    await using receiver = startReceiver(200);
    const { client } = await logoutClient(receiver.url, undefined, { LogoutTokenType });
    const { visitor, idToken, sid } = await signIn(client);
    await signOut(visitor, idToken);
    expect(await logoutsOf(receiver, 1)).toEqual([sid]);
    const [token] = tokensOf(receiver);
    expect(decodeProtectedHeader(token!).typ).toBe(typ!);
    const again = await signIn(client);
    const hint = `/oauth2/logout?${new URLSearchParams({ id_token_hint: token! })}`;
    expect((await again.visitor.open(hint)).heading).not.toBe("Signed out");
    expect(again.visitor.cookies.has("gatehouse-session")).toBe(true);
  },
);

test("all clients of the session get one each, and no others", async () => {
  await using first = startReceiver(200);
  await using second = startReceiver(200);
  await using others = startReceiver(200);
  const { api, client } = await logoutClient(first.url);
  const [another, unvisited, withoutOpenid, silent] = await Promise.all([1, 2, 3, 4].map(() => otherClient(client)));
  await setCredentials(api, another!, { BackchannelLogoutUri: second.url });
  await setCredentials(api, unvisited!, { BackchannelLogoutUri: others.url });
  await setCredentials(api, withoutOpenid!, { BackchannelLogoutUri: others.url });
  await setCredentials(api, silent!, {});
  const { person, visitor, idToken, sid } = await signIn(client);
  await signIn(another!, person);
  await signIn(silent!, person);
  await withoutOpenid!.code(visitor, { scope: "profile" });
  const elsewhere = await signIn(client);
  await signOut(visitor, idToken);
  expect(await logoutsOf(first, 1)).toEqual([sid]);
  expect(await logoutsOf(second, 1)).toEqual([sid]);
  expect(decodeJwt(tokensOf(second)[0]!).aud).toBe(another!.id);
  // Later calls arrive after all of these.
  await signOut(elsewhere.visitor, elsewhere.idToken);
  expect(await logoutsOf(first, 2)).toEqual([sid, elsewhere.sid]);
  expect(others.calls).toHaveLength(0);
  expect(second.calls).toHaveLength(1);
});

describe("clients are notified however a session ends:", () => {
  test.each<[string, (ended: Ended) => Promise<unknown>]>([
    ["from another browser", ({ other }) => other.press("/account/sessions/end", { session: "others" })],
    ["by another password", ({ other }) => other.send("/account/password", newPassword(other))],
    [
      "by somebody else who signs in in the same browser",
      async ({ person }) => (await logoutClient("")).client.code(person.visitor),
    ],
    ["by deactivating the User", ({ api, userId }) => api.call("PATCH", "/User", { Id: userId, Is_Active: false })],
    ["by deleting the User", ({ api, userId }) => api.call("DELETE", `/User/${userId}`)],
  ])("%s", async (_, end) => {
    await using receiver = startReceiver(200);
    const { api, client } = await logoutClient(receiver.url);
    const { person, idToken, sid } = await signIn(client);
    const other = new Person(client);
    await other.signIn();
    await end({ person, other, api, userId: Number(decodeJwt(idToken).sub!.slice("user-".length)) });
    await until("the logout token", async () => (await logoutsOf(receiver, 1)).includes(sid));
  });

  test("but not when it expires, and not when the same user signs in again within it", async () => {
    await using receiver = startReceiver(200);
    const { client } = await logoutClient(receiver.url);
    const [expired, again] = [await signIn(client), await signIn(client)];
    await expire("sessions", { id: expired.sid });
    await removeRows("sessions", { id: expired.sid });
    const page = await again.visitor.open(client.authorize({ prompt: "login" }));
    const code = new URL((await client.goThrough(again.visitor, page)).location!).searchParams.get("code")!;
    const { id_token } = (await client.token(code)).body;
    const sid = decodeJwt(id_token).sid as string;
    expect(sid).not.toBe(again.sid);
    await signOut(again.visitor, id_token);
    // The client may know the session by either sid.
    expect((await logoutsOf(receiver, 2)).toSorted()).toEqual([again.sid, sid].toSorted());
  });
});

describe("a receiver that fails", () => {
  test("is retried, each time with a new token", async () => {
    await using receiver = startReceiver([503, 200]);
    const { client } = await logoutClient(receiver.url);
    const { visitor, idToken, sid } = await signIn(client);
    await signOut(visitor, idToken);
    expect(await logoutsOf(receiver, 2)).toEqual([sid, sid]);
    const jtis = tokensOf(receiver).map((token) => decodeJwt(token).jti);
    expect(new Set(jtis).size).toBe(2);
    expect(await (await workflowOf(client)).result()).toEqual({ state: "Delivered", attempts: 2 });
  });

  test("three times fails its workflow, whose history contains neither token nor address", async () => {
    await using receiver = startReceiver(new Response("the receiver's own words", { status: 500 }));
    const { api, client } = await logoutClient(`${receiver.url}/private-path?secret=in-the-url`);
    const { visitor, idToken } = await signIn(client);
    await signOut(visitor, idToken);
    const handle = await workflowOf(client);
    expect(await failureOf(handle)).toEqual({ type: "Exhausted", message: "localhost answered 500" });
    expect(receiver.calls).toHaveLength(3);
    const userId = decodeJwt(idToken).sub!.slice("user-".length);
    expect(await (await handle.describe()).staticSummary()).toBe(`Logout of User ${userId} → demo-client`);
    const history = await historyText(await temporal(), handle.workflowId);
    expect(history).toContain(api.tenant.tenantId);
    const secrets = ["private-path", "in-the-url", "own words", "eyJ", new URL(receiver.url).host];
    expect(secrets.filter((word) => history.includes(word))).toEqual([]);
  });

  test("with 410 gets one post", async () => {
    await using receiver = startReceiver(410);
    const { client } = await logoutClient(receiver.url);
    const { visitor, idToken } = await signIn(client);
    await signOut(visitor, idToken);
    expect(await failureOf(await workflowOf(client))).toMatchObject({ type: "Exhausted" });
    expect(receiver.calls).toHaveLength(1);
  });

  test("and is removed from the client gets no more", async () => {
    await using receiver = startReceiver(new Response(null, { status: 503, headers: { "retry-after": "1" } }));
    const { api, client } = await logoutClient(receiver.url);
    const { visitor, idToken } = await signIn(client);
    await signOut(visitor, idToken);
    await logoutsOf(receiver, 1);
    await setCredentials(api, client, { BackchannelLogoutUri: null });
    expect(await (await workflowOf(client)).result()).toEqual({ state: "Cancelled", attempts: 1 });
    expect(receiver.calls).toHaveLength(1);
  });
});

test.each<[string, unknown, string]>([
  ["http", "http://rp.example/logout", "https"],
  ["a private one", "https://10.0.0.1/logout", "EGRESS_ALLOW"],
  ["a cloud's own", "https://169.254.169.254/logout", "may not be reached"],
  ["with a password", "https://user:secret@rp.example/logout", "user name"],
  ["with a fragment", "https://rp.example/logout#part", "fragment"],
  ["without a scheme", "rp.example/logout", "cannot be read"],
  ["too long", `https://rp.example/${"x".repeat(2_000)}`, "2000"],
  ["a number", 7, "must be a string"],
])("an invalid backchannel logout address is rejected: %s", async (_, BackchannelLogoutUri, says) => {
  const api = await newTenant();
  const path = `/Application/${api.tenant.client.clientId}/Credentials`;
  const refused = await api.call("PATCH", path, { BackchannelLogoutUri });
  expect([refused.status, refused.body.Type]).toEqual([400, "/Errors/Bad Input"]);
  expect(refused.body.Errors).toEqual([expect.stringContaining("BackchannelLogoutUri")]);
  expect(refused.body.Errors).toEqual([expect.stringContaining(says)]);
  expect((await api.call("GET", path)).body.BackchannelLogoutUri).toBe("");
});

interface Ended {
  person: Person;
  /** The same user in a second browser. */
  other: Person;
  api: Api;
  userId: number;
}

const newPassword = ({ client }: Person) => ({
  password: client.tenant.admin.password,
  new_password: "correct horse battery",
});

/** The workflow of the client's only logout. */
async function workflowOf(client: Client) {
  const found = () => rowsOf<{ id: string }>("logouts", { client_id: client.id });
  const [logout] = await until("the logout", async () => {
    const rows = await found();
    return rows.length === 1 ? rows : undefined;
  });
  const handle = (await temporal()).workflow.getHandle(`Application/${client.id}/Logout/${logout!.id}`);
  await until("its workflow", () => handle.describe().catch(() => undefined));
  return handle;
}

async function failureOf(handle: Awaited<ReturnType<typeof workflowOf>>) {
  const failure = await handle.result().catch((error) => error);
  return { type: failure.cause.type, message: failure.cause.message };
}
