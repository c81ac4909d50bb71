// The claims parameter (OIDC Core 5.5) requests single claims. It returns only claims of the client's scopes, to which
// the user has consented.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { KNOWN_CLAIMS } from "../../server/identity/oauth/claims.ts";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { SCOPES } from "../../server/records/access/scopes.ts";
import { ok } from "../world/api.ts";
import {
  answerOf,
  CALLBACK,
  type Client,
  issuer,
  newClient,
  otherClient,
  RFC_PATH,
  RFC_TOKEN_PATH,
  SPEC_PATH,
  setCredentials,
} from "../world/client.ts";
import { beginDevice, toQuestion } from "../world/device.ts";
import { postAs } from "../world/grants.ts";
import { setUsers } from "../world/planted.ts";
import { newSigner } from "../world/signer.ts";
import { clientOf, request, savePolicy } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

/** All claims, at both places. */
const members = Object.fromEntries(KNOWN_CLAIMS.map((name) => [name, { essential: true }]));
const EVERYTHING = JSON.stringify({ userinfo: members, id_token: members });
const asking = (...names: string[]) =>
  JSON.stringify({ userinfo: Object.fromEntries(names.map((one) => [one, null])) });
const HYBRID = { response_type: "code id_token", nonce: "n", response_mode: "fragment" };

/** An application with these scopes, in a tenant whose admin has a value for every claim. */
async function newScene(scopes: string[], more: Parameters<typeof otherClient>[1] = {}) {
  const first = await newClient();
  await setUsers(first.tenant, {
    name: "Ada Lovelace",
    given_name: "Ada",
    family_name: "Lovelace",
    middle_name: "King",
    nickname: "Countess",
    profile: "https://example.com/ada",
    picture: "https://example.com/ada.png",
    website: "https://ada.example.com",
    gender: "female",
    birth_date: "1815-12-10",
    zone_info: "Europe/London",
    locale: "en-GB",
    email: "ada@example.com",
    mobile_phone: "+441815",
    address: "1 Square, London",
  });
  return { client: await otherClient(first, { scopes, ...more }), admin: () => clientOf(first.tenant) };
}
const newApplication = async (...fields: Parameters<typeof newScene>) => (await newScene(...fields)).client;

async function userinfo(token: string): Promise<string[]> {
  const { body } = await request("GET", "/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });
  return Object.keys(body).filter((name) => name !== "sub");
}
const inToken = (jwt: string) => Object.keys(decodeJwt(jwt)).filter((name) => KNOWN_CLAIMS.includes(name));
const wantsOf = ({ html }: View) => [...html.matchAll(/<li>([^<]*)<\/li>/g)].map(([, want]) => want!);
const consentOf = async (client: Client, visitor: Visitor, fields: Record<string, string>) =>
  visitor.submit(await visitor.open(client.authorize(fields)), client.tenant.admin);

test("every own scope is a sentence on the consent page", async () => {
  const client = await newApplication([...SCOPES]);
  const page = await consentOf(client, new Visitor(), { scope: SCOPES.join(" "), prompt: "consent" });
  // The scope `profile` includes the name.
  expect(wantsOf(page)).toHaveLength(SCOPES.length - 1);
  for (const want of wantsOf(page)) expect(want).toMatch(/^[a-z]+ [a-z ,-]+$/);
});

describe.concurrent("id_tokens have sid", () => {
  const LOGOUT = { backchannel_logout_uri: "https://app.example/logout" };
  const ASKED = JSON.stringify({ id_token: { sid: null } });
  const cases: [string, object, Record<string, string>, { first: boolean; refreshed: boolean }][] = [
    ["not by themselves", {}, {}, { first: false, refreshed: false }],
    ["for a client with back-channel logout", LOGOUT, {}, { first: true, refreshed: true }],
    ["if the claims parameter asks for it", {}, { claims: ASKED }, { first: true, refreshed: false }],
    [
      "if it asks for sid among others",
      {},
      { claims: JSON.stringify({ id_token: { sid: { essential: true }, name: null } }) },
      { first: true, refreshed: false },
    ],
    [
      "not if it asks for it at userinfo",
      {},
      { claims: JSON.stringify({ userinfo: { sid: null } }) },
      { first: false, refreshed: false },
    ],
  ];
  test.each(cases)("%s", async (_, credentials, fields, has) => {
    const client = await newApplication(["openid"], { ...credentials, scopes: ["openid"] });
    const visitor = new Visitor();
    const page = await consentOf(client, visitor, { ...HYBRID, scope: "openid", ...fields });
    expect(wantsOf(page)).toEqual(["know who you are"]);
    const answer = answerOf(await visitor.submit(page, { decision: "allow" }));
    const token = await client.token(answer.code!);
    const again = await client.refresh(token.body.refresh_token);
    const found = [answer.id_token!, token.body.id_token, again.body.id_token].map((jwt) => "sid" in decodeJwt(jwt));
    expect(found).toEqual([has.first, has.first, has.refreshed]);
  });
});

describe.concurrent("an application without a scope for claims gets none", () => {
  const ways: [string, (client: Client) => Promise<string>][] = [
    ["at the RFC door", (client) => client.code(new Visitor(), { scope: "openid", claims: EVERYTHING }, RFC_PATH)],
    ["at the spec door", (client) => client.code(new Visitor(), { scope: "openid", claims: EVERYTHING }, SPEC_PATH)],
    [
      "by a pushed request",
      async (client) => {
        const asked = { response_type: "code", redirect_uri: CALLBACK, scope: "openid" };
        const { body } = await postAs(client.tenant.client, "/oauth2/par", { ...asked, claims: EVERYTHING });
        const path = `${RFC_PATH}?${new URLSearchParams({ client_id: client.id, request_uri: body.request_uri })}`;
        const visitor = new Visitor();
        return answerOf(await client.goThrough(visitor, await visitor.open(path))).code!;
      },
    ],
  ];

  test.each(ways)("%s, nor after a refresh", async (_, codeOf) => {
    const client = await newApplication(["openid"]);
    const { body } = await client.token(await codeOf(client));
    const refreshed = (await client.refresh(body.refresh_token)).body;
    for (const { access_token, id_token } of [body, refreshed]) {
      expect(await userinfo(access_token)).toEqual([]);
      expect(inToken(id_token)).toEqual([]);
      expect(inToken(access_token)).toEqual([]);
    }
  });

  test("in the id_token of the hybrid flow, or with subjects of its own", async () => {
    const client = await newApplication(["openid"]);
    await setCredentials(client.id, { subject_type: "pairwise" });
    const fields = { ...HYBRID, scope: "openid", claims: EVERYTHING };
    const { code, id_token } = answerOf(await client.visit(new Visitor(), fields));
    expect(inToken(id_token!)).toEqual([]);
    const { body } = await client.token(code!);
    expect(inToken(body.id_token)).toEqual([]);
    expect(await userinfo(body.access_token)).toEqual([]);
  });

  test("however they are combined with claims that it may have", async () => {
    const client = await newApplication(["openid", "name"]);
    const visitor = new Visitor();
    const page = await consentOf(client, visitor, { scope: "openid", claims: EVERYTHING });
    expect(wantsOf(page)).toEqual(["know who you are", "see your name"]);
    const { body } = await client.token(answerOf(await visitor.submit(page, { decision: "allow" })).code!);
    expect([await userinfo(body.access_token), inToken(body.id_token)]).toEqual([["name"], ["name"]]);
  });

  test("without openid, which is required for claims", async () => {
    const client = await newApplication(["openid", "profile", "email"]);
    const visitor = new Visitor();
    const page = await consentOf(client, visitor, { scope: "profile", claims: asking("email") });
    expect(page.html).not.toContain("see your e-mail address");
  });
});

describe.concurrent("a claim requested by name", () => {
  const SCOPES = ["openid", "profile", "email", "phone", "address"];

  test.each(KNOWN_CLAIMS)("%s is named on the consent page, then returned", async (name) => {
    const client = await newApplication(SCOPES);
    const visitor = new Visitor();
    const page = await consentOf(client, visitor, { scope: "openid", claims: asking(name) });
    expect(wantsOf(page)).toHaveLength(2);
    expect(wantsOf(page)[1]).not.toContain("_");
    const { body } = await client.token(answerOf(await visitor.submit(page, { decision: "allow" })).code!);
    expect(await userinfo(body.access_token)).toEqual([name]);
  });

  test("is listed once if a scope includes it", async () => {
    const client = await newApplication(SCOPES);
    const page = await consentOf(client, new Visitor(), {
      scope: "openid email",
      claims: asking("email", "birthdate"),
    });
    expect(wantsOf(page)).toEqual(["know who you are", "see your e-mail address", "see your date of birth"]);
  });

  test("is remembered with the consent; more claims need a new consent", async () => {
    const client = await newApplication(SCOPES);
    const visitor = new Visitor();
    await client.visit(visitor, { scope: "openid" });
    const silently = async (claims: string) =>
      answerOf(await visitor.open(client.authorize({ scope: "openid", claims, prompt: "none" })));
    for (const path of [RFC_PATH, SPEC_PATH]) {
      const fields = { scope: "openid", claims: asking("email"), prompt: "none" };
      expect(answerOf(await visitor.open(client.authorize(fields, path))).error).toBe("consent_required");
    }
    await client.visit(visitor, { scope: "openid", claims: asking("email") });
    expect((await silently(asking("email"))).code).toBeString();
    expect((await silently(asking("email", "phone_number"))).error).toBe("consent_required");
    expect((await silently(JSON.stringify({ id_token: { birthdate: null } }))).error).toBe("consent_required");
  });

  test("is omitted once no scope of the client includes it", async () => {
    const { client, admin } = await newScene(SCOPES);
    const fields = {
      scope: "openid",
      claims: JSON.stringify({ userinfo: { email: null }, id_token: { email: null } }),
    };
    const visitor = new Visitor();
    const { body } = await client.token(await client.code(visitor, fields));
    const code = await client.code(visitor, fields);
    expect(await userinfo(body.access_token)).toEqual(["email"]);
    await ok((await admin()).patch(`/Application/${client.id}/Credentials`, { Scopes: ["openid"] }));
    const late = (await client.token(code)).body;
    const refreshed = (await client.refresh(body.refresh_token)).body;
    for (const { access_token, id_token } of [body, late, refreshed]) {
      expect(await userinfo(access_token)).toEqual([]);
      if (access_token !== body.access_token) expect(inToken(id_token)).toEqual([]);
    }
  });

  test("is omitted for a token with fewer scopes, and after an exchange", async () => {
    const { client, admin } = await newScene([...SCOPES, "AccessManager:Read"], {
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"],
    });
    await savePolicy(
      await admin(),
      "exchange",
      `permit (principal == Client::"${client.id}", action == Action::"Tokens:Exchange", resource is User);`,
    );
    const fields = { scope: "openid profile", claims: asking("email") };
    const { body } = await client.token(await client.code(new Visitor(), fields));
    expect(await userinfo(body.access_token)).toContain("email");
    const narrow = (await client.refresh(body.refresh_token, { scope: "openid" })).body;
    expect(await userinfo(narrow.access_token)).toEqual([]);
    const exchanged = await postAs(client.tenant.client, RFC_TOKEN_PATH, {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: body.access_token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      scope: "openid",
    });
    expect(exchanged.status).toBe(200);
    expect(await userinfo(exchanged.body.access_token)).toEqual([]);
  });

  test("is listed in the user's account and in the grant", async () => {
    const { client, admin } = await newScene(SCOPES);
    const visitor = new Visitor();
    await client.visit(visitor, { scope: "openid", claims: asking("birthdate") });
    const account = await visitor.open("/account");
    expect(account.html).toContain("may know who you are, see your date of birth");
    const reader = await admin();
    const { Items } = await ok(reader.get(`/Application/${client.id}/Grants`));
    expect(Items).toMatchObject([{ Scopes: ["openid"], Claims: ["birthdate"] }]);
    const [{ Details }] = (await ok(reader.get("/AuditEvent?Kind=Consent.Given"))).Items;
    expect(Details).toEqual({ ApplicationId: client.id, Scopes: ["openid"], Claims: ["birthdate"] });
  });

  test("in a signed request needs consent like any other", async () => {
    const client = await newApplication(SCOPES);
    const signer = await newSigner();
    const keys = { keys: [signer.jwk] } as never;
    await setCredentials(client.id, { jwks: keys });
    const exp = Math.floor(Date.now() / 1000) + 60;
    const asked = {
      response_type: "code",
      redirect_uri: CALLBACK,
      scope: "openid",
      claims: JSON.parse(asking("email")),
    };
    const object = await signer.sign({ iss: client.id, aud: issuer(), client_id: client.id, exp, ...asked });
    const page = await consentOf(client, new Visitor(), { request: object });
    expect(wantsOf(page)).toEqual(["know who you are", "see your e-mail address"]);
  });
});

test("a device's request has no claims parameter", async () => {
  const client = await newApplication(["openid", "email"], { grant_types: [DEVICE_GRANT] });
  const device = await beginDevice(client, { scope: "openid", claims: EVERYTHING });
  const visitor = new Visitor();
  const page = await toQuestion(visitor, device, client);
  expect(wantsOf(page)).toEqual(["know who you are"]);
  await visitor.submit(page, { decision: "allow" });
  const { body } = await device.poll();
  expect([await userinfo(body.access_token), inToken(body.id_token)]).toEqual([[], []]);
  expect(decodeJwt(body.access_token).iss).toBe(issuer());
});
