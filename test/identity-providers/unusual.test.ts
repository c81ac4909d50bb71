// Providers that need a setting: private e-mail addresses, names in a form, metadata elsewhere, a secret's signature.

import { describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { logOf } from "../world/audit.ts";
import { answerOf } from "../world/client.ts";
import { type Behaviour, type ForgedProvider, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { idTokenOf, newUpstreamTenant, toProvider, type UpstreamTenant } from "../world/provider.ts";
import { type View, Visitor } from "../world/visitor.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

interface Begun extends AsyncDisposable {
  forged: ForgedProvider;
  tenant: UpstreamTenant;
  visitor: Visitor;
  signIn(): Promise<View>;
  /** The User after a sign-in. */
  user(): Promise<Record<string, unknown>>;
  detail(): Promise<unknown>;
  checks(): Promise<{ Name: string; Outcome: string; Message: string }[]>;
}

async function begin(fieldsOf: (forged: ForgedProvider) => object, behaviour: Behaviour = {}): Promise<Begun> {
  const forged = await startForgedProvider(behaviour);
  const tenant = await newUpstreamTenant({ Issuer: forged.issuer, ...fieldsOf(forged) });
  const visitor = new Visitor();
  const signIn = async () => {
    visitor.cookies.delete("gatehouse-session");
    const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
    return visitor.open(sentBack(forged, location));
  };
  return {
    ...{ forged, tenant, visitor, signIn },
    async user() {
      const { code } = answerOf(await signIn());
      const { claims } = await idTokenOf(tenant.client, code!);
      return (await tenant.caller.get(`/User/${String(claims.sub).replace("user-", "")}`)).body;
    },
    async detail() {
      const [entry] = await logOf(tenant.caller, "Kind=SignIn.Failed");
      return (entry!.Details as { Detail: unknown }).Detail;
    },
    async checks() {
      return (await tenant.caller.send("POST", `/IdentityProvider/${tenant.provider.Id}/Test`)).body.Checks;
    },
    [Symbol.asyncDispose]: () => forged[Symbol.asyncDispose](),
  };
}

const plain =
  (more: object = {}) =>
  ({ issuer }: ForgedProvider) => ({
    ...{ Type: "OAuth2", Issuer: null, AuthorizationEndpoint: `${issuer}/authorize`, TokenEndpoint: `${issuer}/token` },
    ...{ UserinfoEndpoint: `${issuer}/me`, Scopes: ["read:user"], ...more },
  });
/** A token response without an id_token. */
const noIdToken = { token: ({ id_token: _, ...answer }: Record<string, unknown>) => answer };

describe.concurrent("an e-mail address that is listed elsewhere (GitHub's /user/emails)", () => {
  const github = (forged: ForgedProvider) =>
    plain({ EmailsEndpoint: `${forged.issuer}/emails`, Mapping: { Subject: "id", Name: "name", Email: "email" } })(
      forged,
    );
  const listed = [
    { email: "old@example.com", primary: false, verified: false },
    { email: "side@example.com", primary: false, verified: true, visibility: null },
    { email: "ada@example.com", primary: true, verified: true, visibility: "private" },
  ];
  const answering = (list: unknown, email: unknown, status = 200): Behaviour => ({
    ...noIdToken,
    userinfo: { id: 583231, name: "Ada", email },
    answers: { "/emails": () => Response.json(list, { status }) },
  });

  test.each<[string, unknown, unknown, string]>([
    ["the primary verified one, if the profile has none", listed, null, "ada@example.com"],
    ["the profile's, if it is verified", listed, "side@example.com", "side@example.com"],
    ["the primary one, if the profile's is not verified", listed, "old@example.com", "ada@example.com"],
    ["the primary one, if the profile's is not listed", listed, "other@example.com", "ada@example.com"],
    ["none, if none is verified", listed.slice(0, 1), "old@example.com", ""],
    ["none of an empty list", [], "old@example.com", ""],
    ["none of what is no list", { message: "no" }, null, ""],
    ["none of members that are none", [null, 7, "x", { email: 7, primary: true, verified: true }], null, ""],
  ])("is %s", async (_, list, email, expected) => {
    await using begun = await begin(github, answering(list, email));
    expect((await begun.user()).Email).toBe(expected);
  });

  test("fills each field that the mapping takes from the address", async () => {
    const Mapping = { Subject: "id", Email: "mail", Username: "mail" };
    await using begun = await begin((forged) => ({ ...github(forged), Mapping }), {
      ...answering([{ email: "own@example.com", primary: true, verified: true }], null),
      userinfo: { id: 583232, mail: "victim@example.com" },
    });
    expect(await begun.user()).toMatchObject({ Email: "own@example.com", Username: "own@example.com" });
  });

  test("lets rules about domains match", async () => {
    const fields = (forged: ForgedProvider) => ({ ...github(forged), AllowedDomains: ["example.com"] });
    await using begun = await begin(fields, answering(listed, null));
    expect((await begun.user()).Email).toBe("ada@example.com");
  });

  test("is reported if it cannot be read, also by the test of the provider", async () => {
    await using begun = await begin(github, answering({ message: "Not Found" }, null, 404));
    expect((await begun.signIn()).status).toBe(502);
    expect(await begun.detail()).toBe("the e-mail addresses endpoint answered 404");
    expect(await begun.checks()).toContainEqual(expect.objectContaining({ Name: "Emails", Outcome: "Failed" }));
  });

  test("is for OAuth 2.0 only", async () => {
    await using begun = await begin(() => ({}));
    const { caller, provider } = begun.tenant;
    const answer = await caller.patch("/IdentityProvider", { Id: provider.Id, EmailsEndpoint: "https://a.example/x" });
    expect([answer.status, answer.body.Errors]).toEqual([400, ["EmailsEndpoint is for Type OAuth2."]]);
  });
});

describe.concurrent("a name in the form of the first sign-in (Apple's user)", () => {
  const Mapping = {
    ...{ Name: "name", Email: "email", EmailVerified: "email_verified" },
    ...{ GivenName: "user.name.firstName", FamilyName: "user.name.lastName" },
  };

  async function posted(begun: Begun, user: string | undefined) {
    const { visitor, tenant, forged } = begun;
    const location = await toProvider(visitor, await visitor.open(tenant.client.authorize({ prompt: "login" })));
    const back = new URL(sentBack(forged, location, { user }), visitor.origin);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const address = back.origin + back.pathname;
    const answer = await fetch(address, { method: "POST", redirect: "manual", body: back.search.slice(1), headers });
    expect(answer.status).toBe(303);
    return new URL(answer.headers.get("location")!, visitor.origin);
  }
  const userOf = async ({ tenant, visitor }: Begun, on: URL) => {
    const { code } = answerOf(await visitor.open(on.pathname + on.search));
    const { claims } = await idTokenOf(tenant.client, code!);
    return (await tenant.caller.get(`/User/${String(claims.sub).replace("user-", "")}`)).body;
  };
  const ADA = '{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"evil@example.com"}';

  test("fills the User's fields, stays at later sign-ins, and is not readable in the address", async () => {
    const idToken = { email: "relay@privaterelay.example", email_verified: "true" };
    await using begun = await begin(() => ({ Mapping }), { idToken });
    const on = await posted(begun, ADA);
    expect(decodeURIComponent(on.href)).not.toMatch(/Ada|Lovelace|evil/);
    const expected = { GivenName: "Ada", FamilyName: "Lovelace", Name: "Ada Lovelace", Email: idToken.email };
    expect(await userOf(begun, on)).toMatchObject(expected);
    expect(await userOf(begun, await posted(begun, undefined))).toMatchObject(expected);
  });

  test.each([
    ["no JSON", "x"],
    ["no object", "null"],
    ["no name", "{}"],
    ["a name that is a text", '{"name":"Ada"}'],
    ["parts that are no texts", '{"name":{"firstName":7,"lastName":{"a":1}}}'],
    ["a long part", JSON.stringify({ name: { firstName: "x".repeat(201) } })],
  ])("with %s is ignored", async (_, user) => {
    await using begun = await begin(() => ({ Mapping }));
    const on = await posted(begun, user);
    expect([...on.searchParams.keys()].toSorted()).toEqual(["code", "state"]);
    expect(await userOf(begun, on)).toMatchObject({ GivenName: "", FamilyName: "" });
  });

  test("never counts as an e-mail address, nor for a different sign-in", async () => {
    const mapped = { ...Mapping, Email: "user.email", EmailVerified: "user.email_verified" };
    await using begun = await begin(() => ({ Mapping: mapped }), { idToken: { email_verified: true } });
    const user = '{"name":{"firstName":"Ada"},"email":"evil@example.com","email_verified":true}';
    const first = await posted(begun, user);
    const second = await posted(begun, undefined);
    second.searchParams.set("name", first.searchParams.get("name")!);
    expect(await userOf(begun, second)).toMatchObject({ GivenName: "", Email: "" });
    const third = await posted(begun, undefined);
    third.searchParams.set("name", Buffer.from(user).toString("base64url"));
    expect(await userOf(begun, third)).toMatchObject({ GivenName: "", Email: "" });
  });
});

describe.concurrent("metadata that are not below the issuer (Azure AD B2C)", () => {
  const WELL_KNOWN = "/.well-known/openid-configuration";

  test("lead by the advice of the test to settings that work", async () => {
    await using begun = await begin(() => ({}));
    const { forged, tenant } = begun;
    const issuer = new URL("/0f1e2d3c-tenant/v2.0/", forged.issuer).href;
    forged.behaviour.metadata = { issuer };
    forged.behaviour.idToken = { iss: issuer };
    const [advice] = await begun.checks();
    const address = forged.issuer + WELL_KNOWN;
    expect(advice).toEqual({
      ...{ Name: "Metadata", Outcome: "Failed" },
      Message: `The metadata belong to the issuer ${issuer}. If that is correct, set Issuer to it, and MetadataUri to ${address}.`,
    });
    const set = await tenant.caller.patch("/IdentityProvider", {
      ...{ Id: tenant.provider.Id, Issuer: issuer, MetadataUri: address, ClientSecret: "x" },
    });
    expect([set.status, set.body.MetadataUri]).toEqual([200, address]);
    expect((await begun.checks())[0]).toMatchObject({ Outcome: "Passed" });
    expect(answerOf(await begun.signIn()).code).toBeString();
    // The id_token must still be of that issuer.
    forged.behaviour.idToken = { iss: forged.issuer };
    expect((await begun.signIn()).status).toBe(502);
  });

  test.each<[string, (forged: ForgedProvider) => object, Behaviour, string]>([
    [
      "of a different issuer",
      ({ issuer }) => ({ Issuer: `${issuer}/other`, MetadataUri: issuer + WELL_KNOWN }),
      {},
      "set Issuer to it.",
    ],
    [
      "of all organisations at Microsoft",
      ({ issuer }) => ({ MetadataUri: issuer + WELL_KNOWN }),
      { metadata: { issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" } },
      "belong to the issuer https://login.microsoftonline.com",
    ],
    [
      "that are missing",
      ({ issuer }) => ({ MetadataUri: `${issuer}/none` }),
      {},
      "the metadata's address answered 404",
    ],
    [
      "that are no JSON",
      ({ issuer }) => ({ MetadataUri: `${issuer}/x` }),
      { answers: { "/x": () => new Response("x") } },
      "name no issuer",
    ],
    [
      "without an issuer",
      ({ issuer }) => ({ MetadataUri: `${issuer}/x` }),
      { answers: { "/x": () => Response.json(null) } },
      "name no issuer",
    ],
  ])("%s are reported", async (_, fields, behaviour, says) => {
    await using begun = await begin(fields, behaviour);
    expect((await begun.checks())[0]).toMatchObject({ Outcome: "Failed", Message: expect.stringContaining(says) });
  });
});

describe.concurrent("id_tokens signed by the secret, by choice (LINE)", () => {
  const bySecret =
    (secret: string, alg = "HS256"): Behaviour["sign"] =>
    (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
  const chosen = () => ({ IdTokenAlg: "HS256", ClientSecret: SECRET });
  const metadata = { id_token_signing_alg_values_supported: ["ES256"] };

  test("are accepted, although the metadata list only ES256", async () => {
    await using begun = await begin(chosen, { metadata, sign: bySecret(SECRET) });
    expect(answerOf(await begun.signIn()).code).toBeString();
    expect((await begun.checks()).map(({ Name }) => Name)).toEqual(["Metadata", "Client"]);
  });

  test.each<[string, Behaviour]>([
    ["by another secret", { sign: bySecret(`${SECRET}x`) }],
    ["by an empty secret", { sign: bySecret("\0") }],
    ["by HS512", { sign: bySecret(SECRET, "HS512") }],
    ["by a published key", {}],
    [
      "with a changed body",
      {
        sign: async (claims) => {
          const [header, , signature] = (await bySecret(SECRET)!(claims, undefined as never))!.split(".");
          return `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: "other" })).toString("base64url")}.${signature}`;
        },
      },
    ],
    [
      "by nothing",
      {
        sign: async (claims) =>
          `${btoa('{"alg":"none"}').replace(/=/g, "")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`,
      },
    ],
  ])("are rejected if signed %s", async (_, behaviour) => {
    await using begun = await begin(chosen, { metadata, ...behaviour });
    expect((await begun.signIn()).status).toBe(502);
    expect(begun.visitor.cookies.has("gatehouse-session")).toBe(false);
  });

  test("are rejected without that choice, also if the metadata list HS256 and the key is the published one", async () => {
    const both = { id_token_signing_alg_values_supported: ["RS256", "HS256"] };
    await using begun = await begin(() => ({ ClientSecret: SECRET }), { metadata: both, sign: bySecret(SECRET) });
    expect((await begun.signIn()).status).toBe(502);
    const jwks = await (await fetch(`${begun.forged.issuer}/jwks`, { tls: { rejectUnauthorized: false } })).text();
    begun.forged.behaviour.sign = bySecret(JSON.parse(jwks).keys[0].n);
    expect((await begun.signIn()).status).toBe(502);
  });

  test.each<[object, string]>([
    [{ IdTokenAlg: "HS256" }, "IdTokenAlg HS256 needs a ClientSecret"],
    [{ IdTokenAlg: "HS256", ClientSecret: "x", TokenEndpointAuthMethod: "private_key_jwt" }, "needs a ClientSecret"],
    [{ IdTokenAlg: "none", ClientSecret: "x" }, "IdTokenAlg must be HS256, or empty."],
    [{ IdTokenAlg: "HS512", ClientSecret: "x" }, "IdTokenAlg must be HS256, or empty."],
  ])("are not saved as %p", async (fields, says) => {
    await using begun = await begin(() => ({}));
    const { caller, provider } = begun.tenant;
    const answer = await caller.patch("/IdentityProvider", { Id: provider.Id, ...fields });
    expect([answer.status, answer.body.Errors.join()]).toEqual([400, expect.stringContaining(says)]);
  });
});

describe.concurrent("a claim's path in the mapping (X's data.id)", () => {
  const userinfo = {
    data: {
      id: "2244994945",
      username: "ada",
      name: "Ada",
      picture: { url: "https://x.example/ada.png" },
      emails: [{ value: "a@example.com", ok: true }],
    },
    "https://x.example/locale": "de",
    "a.b": { "c.d": "Europe/Berlin" },
  };
  const Mapping = {
    ...{ Subject: "data.id", Name: "data.name", Username: "data.username", Picture: "data.picture.url" },
    ...{ Email: "data.emails.0.value", EmailVerified: "data.emails.0.ok" },
    ...{ Locale: "https://x.example/locale", ZoneInfo: "a.b.c.d" },
  };

  test("is followed, also through lists and names that contain dots", async () => {
    await using begun = await begin(plain({ Mapping }), { ...noIdToken, userinfo });
    expect(await begun.user()).toMatchObject({
      ...{ Name: "Ada", Email: "a@example.com", EmailVerified: true, Picture: "https://x.example/ada.png" },
      ...{ Locale: "de", ZoneInfo: "Europe/Berlin" },
    });
  });

  test("is followed in an id_token, and in userinfo if that lacks it", async () => {
    const fields = () => ({ Mapping: { Name: "profile.name", GivenName: "profile.given" } });
    await using begun = await begin(fields, {
      idToken: { profile: { name: "Ada" } },
      userinfo: { profile: { given: "A" } },
    });
    expect(await begun.user()).toMatchObject({ Name: "Ada" });
    expect(begun.forged.calls.some(({ path }) => path === "/me")).toBe(true);
  });

  test.each([
    "data.none",
    "data.id.x",
    "data",
    "data.emails.9.value",
    "__proto__.x",
    "constructor.name",
    "data..id",
    ".data.id",
  ])("to nothing, %s, names no subject", async (Subject) => {
    await using begun = await begin(plain({ Mapping: { Subject } }), { ...noIdToken, userinfo });
    expect((await begun.signIn()).status).toBe(502);
    expect(await begun.detail()).toBe("the claims name no subject");
  });
});

describe.concurrent("signed userinfo (application/jwt) that the metadata do not mention", () => {
  const Mapping = { Name: "name" };
  const jwt = (text: string) => new Response(text, { headers: { "content-type": "application/jwt" } });

  test("is verified by the published keys and read", async () => {
    await using begun = await begin(() => ({ Mapping }));
    begun.forged.behaviour.answers = {
      "/me": async () =>
        jwt(await begun.forged.signed({ sub: "somebody", name: "Ada", iss: begun.forged.issuer, aud: "gatehouse" })),
    };
    expect((await begun.user()).Name).toBe("Ada");
  });

  test.each<[string, (forged: ForgedProvider) => Promise<string>]>([
    [
      "signed by a different key",
      async () => {
        await using other = await startForgedProvider();
        await other.rotate();
        return other.signed({ sub: "somebody", name: "Eve" });
      },
    ],
    [
      "signed by the secret",
      () =>
        new SignJWT({ sub: "somebody", name: "Eve" })
          .setProtectedHeader({ alg: "HS256" })
          .sign(new TextEncoder().encode(SECRET)),
    ],
    ["of a different user", (forged) => forged.signed({ sub: "other", name: "Eve" })],
    ["for a different client", (forged) => forged.signed({ sub: "somebody", aud: "other", name: "Eve" })],
    [
      "unsigned",
      async () => `${btoa('{"alg":"none"}').replace(/=/g, "")}.${btoa('{"sub":"somebody"}').replace(/=/g, "")}.`,
    ],
    ["no JWT", async () => "x"],
  ])("that is %s is rejected", async (_, make) => {
    await using begun = await begin(() => ({ Mapping, ClientSecret: SECRET }));
    begun.forged.behaviour.answers = { "/me": async () => jwt(await make(begun.forged)) };
    expect((await begun.signIn()).status).toBe(502);
  });
});
