// Deviations of well-known providers from the standards, and the message for each.

import { describe, expect, test } from "bun:test";
import { logOf } from "../world/audit.ts";
import { answerOf } from "../world/client.ts";
import { type Behaviour, type ForgedProvider, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { force, idTokenOf, linksOf, newUpstreamTenant, toProvider, type UpstreamTenant } from "../world/provider.ts";
import { type View, Visitor } from "../world/visitor.ts";

interface Begun extends AsyncDisposable {
  forged: ForgedProvider;
  tenant: UpstreamTenant;
  visitor: Visitor;
  /** Signs in there, and returns with the answer. */
  signIn(fields?: Record<string, string>, more?: Record<string, string | undefined>): Promise<View>;
  /** The audit log's newest failure of a sign-in. */
  failure(): Promise<Record<string, unknown>>;
}

async function begin(behaviour: Behaviour = {}, fields: Record<string, unknown> = {}): Promise<Begun> {
  const forged = await startForgedProvider(behaviour);
  const tenant = await newUpstreamTenant({ Issuer: forged.issuer, ...fields });
  const visitor = new Visitor();
  return {
    forged,
    tenant,
    visitor,
    async signIn(request = {}, more = {}) {
      const location = await toProvider(visitor, await visitor.open(tenant.client.authorize(request)));
      return visitor.open(sentBack(forged, location, more));
    },
    async failure() {
      const [event] = await logOf(tenant.caller, "Kind=SignIn.Failed");
      return event!.Details as Record<string, unknown>;
    },
    [Symbol.asyncDispose]: () => forged[Symbol.asyncDispose](),
  };
}

const now = () => Math.floor(Date.now() / 1_000);

describe.concurrent("a provider without auth_time (Google, Entra ID)", () => {
  test.each<Record<string, string>>([{ prompt: "login" }, { max_age: "0" }])(
    "that was asked for a new sign-in by %p is trusted",
    async (asked) => {
      await using begun = await begin();
      const { code } = answerOf(await begun.signIn(asked));
      expect(Object.fromEntries(begun.forged.asked)).toMatchObject({ prompt: "login", max_age: "0" });
      const { claims } = await idTokenOf(begun.tenant.client, code!);
      expect(now() - (claims.auth_time as number)).toBeLessThan(30);
    },
  );

  test.each<Record<string, string>>([{ max_age: "3600" }, { max_age: "3600", prompt: "login" }])(
    "does not support %p, and a page says so and offers the other ways",
    async (asked) => {
      await using begun = await begin();
      const view = await begun.signIn(asked);
      expect(view).toMatchObject({ status: 403, heading: "Sign-in did not work" });
      expect(view.html).toContain("did not confirm");
      expect(linksOf(view).map(({ text }) => text)).toEqual(["Try again", "Sign in another way"]);
      expect(await begun.failure()).toMatchObject({
        Reason: "ProviderNotAnew",
        Detail: "the id_token has no auth_time",
      });
      expect(begun.visitor.cookies.has("gatehouse-session")).toBe(false);
    },
  );

  test("that the application requires: the application gets an error, without a redirect loop", async () => {
    await using begun = await begin();
    await force(begun.tenant);
    const answer = answerOf(await begun.signIn({ max_age: "3600" }));
    expect(answer).toMatchObject({ error: "login_required", error_description: expect.stringContaining("Example ID") });
    expect(await begun.failure()).toMatchObject({ Reason: "ProviderNotAnew" });
  });
});

describe.concurrent("a provider that lists its prompts without login", () => {
  const metadata = { prompt_values_supported: ["none", "consent", "select_account"] };

  test("is not sent it, and its auth_time decides whether the user signed in again", async () => {
    await using begun = await begin({ metadata, idToken: { auth_time: now() - 3_600 } });
    expect((await begun.signIn({ prompt: "login" })).status).toBe(403);
    expect(begun.forged.asked.has("prompt")).toBe(false);
    expect(begun.forged.asked.get("max_age")).toBe("0");
    expect((await begun.failure()).Detail).toContain("auth_time");
    begun.forged.behaviour.idToken = { auth_time: now() };
    expect(answerOf(await begun.signIn({ prompt: "login" })).code).toBeString();
  });

  test("is not trusted without an auth_time", async () => {
    await using begun = await begin({ metadata });
    expect((await begun.signIn({ prompt: "login" })).status).toBe(403);
    expect(answerOf(await begun.signIn()).code).toBeString();
  });
});

describe.concurrent("an answer by form_post (Apple)", () => {
  const posted = (address: string, form: string, type = "application/x-www-form-urlencoded") =>
    fetch(address, { method: "POST", redirect: "manual", body: form, headers: { "content-type": type } });

  test("arrives without cookies, and is valid only in the browser that began it", async () => {
    await using begun = await begin();
    const { visitor, tenant, forged } = begun;
    const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
    const back = new URL(sentBack(forged, location, { user: '{"name":{"firstName":"Ada"}}' }), visitor.origin);
    const answer = await posted(back.origin + back.pathname, back.search.slice(1));
    expect(answer.status).toBe(303);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const on = new URL(answer.headers.get("location")!, visitor.origin);
    expect([...on.searchParams.keys()].toSorted()).toEqual(["code", "name", "state"]);
    expect((await new Visitor().open(on.pathname + on.search)).status).toBe(400);
    expect(answerOf(await visitor.open(on.pathname + on.search)).code).toBeString();
    expect((await visitor.open(on.pathname + on.search)).status).toBe(400);
  });

  test("of another type, too large, or with a repeated field is rejected", async () => {
    await using begun = await begin();
    const address = begun.tenant.provider.RedirectUri;
    expect((await posted(address, "{}", "application/json")).status).toBe(415);
    expect((await posted(address, `code=${"x".repeat(70_000)}`)).status).toBe(413);
    expect((await posted(address, "state=a&state=b")).status).toBe(400);
    expect((await fetch(address, { method: "PUT" })).status).toBe(405);
  });
});

describe.concurrent("an e-mail address is verified by", () => {
  test.each([true, "true", "True", 1, "1"])("%p (Apple, Entra ID)", async (xms_edov) => {
    expect(await emailBy(xms_edov)).toBe("ada@example.com");
  });

  test.each([false, "false", 0, "0", "", "yes", 2, null, { value: true }])("and not by %p", async (xms_edov) => {
    expect(await emailBy(xms_edov)).toBe("");
  });

  async function emailBy(xms_edov: unknown): Promise<unknown> {
    const Mapping = { Email: "email", EmailVerified: "xms_edov" };
    await using begun = await begin({ idToken: { email: "ada@example.com", xms_edov } }, { Mapping });
    const { code } = answerOf(await begun.signIn());
    const { claims } = await idTokenOf(begun.tenant.client, code!);
    const { body } = await begun.tenant.caller.get(`/User/${String(claims.sub).replace("user-", "")}`);
    return body.Email;
  }
});

describe.concurrent("an error in an id_token is shown to the administrator, and the visitor gets a request key", () => {
  test.each<[string, Behaviour["idToken"]]>([
    ["nonce", { nonce: undefined }],
    ["nonce", { nonce: "another" }],
    ["iss", { iss: undefined }],
    ["iss", { iss: "https://evil.example" }],
    ["aud", { aud: undefined }],
    ["aud", { aud: "another" }],
    ["aud", { aud: ["gatehouse", "another"] }],
    ["azp", { aud: ["gatehouse", "another"], azp: "another" }],
    ["exp", { exp: undefined }],
    ["exp", { exp: 1 }],
    ["iat", { iat: undefined }],
    ["sub", { sub: undefined }],
    ["sub", { sub: 17 }],
    ["auth_time", { auth_time: "now" }],
    ["nbf", { nbf: 9_999_999_999 }],
  ])("%s: %p", async (claim, idToken) => {
    await using begun = await begin({ idToken });
    const view = await begun.signIn();
    expect(view.status).toBe(502);
    expect((await begun.failure()).Detail).toMatch(new RegExp(`\\b${claim}\\b`));
    const [, key] = /For the administrator: RequestKey ([\w-]+)/.exec(view.html)!;
    const [event] = await logOf(begun.tenant.caller, `RequestKey=${key}`);
    expect(event).toMatchObject({ Kind: "SignIn.Failed" });
  });
});

describe.concurrent("errors in a provider's own format", () => {
  test.each<[string, string, string]>([
    ["user_cancelled_authorize", "", "ProviderDeclined"],
    ["user_cancelled_login", "", "ProviderDeclined"],
    ["user_denied", "", "ProviderDeclined"],
    ["account_selection_required", "", "ProviderDeclined"],
    ["access_denied", "AADSTS50105: Your administrator ada@example.com has not …", "ProviderDeclined"],
    ["invalid_request", "AADB2C90006: The redirect URI is not registered", "ProviderMisconfigured"],
    ["unsupported_response_type", "", "ProviderMisconfigured"],
    ["server_error", "", "ProviderUnavailable"],
    ["<script>", "", "ProviderMisconfigured"],
  ])("%s %p", async (error, error_description, reason) => {
    await using begun = await begin();
    const view = await begun.signIn({}, { code: undefined, error, error_description });
    expect(view.html).not.toContain("ada@example.com");
    const { Reason, Detail } = await begun.failure();
    const code = /^AAD\w+/.exec(error_description)?.[0];
    const named = error === "<script>" ? "another error" : code ? `${error} (${code})` : error;
    expect({ Reason, Detail }).toEqual({ Reason: reason, Detail: `the authorization endpoint answered ${named}` });
  });
});

const withoutKid: Behaviour["sign"] = (claims, provider) => provider.signed(claims, { kid: undefined });

describe.concurrent("a sign-in succeeds at a provider", () => {
  test.each<[string, Behaviour, Record<string, string>]>([
    ["that sends no token_type", { token: ({ token_type: _, ...rest }) => rest }, {}],
    ["whose scope is a list (Twitch)", { token: (answer) => ({ ...answer, scope: ["openid"] }) }, {}],
    ["whose expires_in is no number", { token: (answer) => ({ ...answer, expires_in: null }) }, {}],
    ["that sends null as refresh_token", { token: (answer) => ({ ...answer, refresh_token: null }) }, {}],
    ["that sends more than a standard has (Slack)", { token: (answer) => ({ ...answer, ok: true, state: "" }) }, {}],
    ["whose key names no algorithm", { jwk: { alg: undefined } }, {}],
    ["whose only key and id_token have no kid", { jwk: { kid: undefined }, sign: withoutKid }, {}],
    ["whose key says no use", { jwk: { use: undefined } }, {}],
    [
      "with other audiences beside us, of whom we are the authorized one (Zitadel)",
      { idToken: { aud: ["gatehouse", "a project"], azp: "gatehouse" } },
      {},
    ],
    ["that lists no algorithms", { metadata: { id_token_signing_alg_values_supported: undefined } }, {}],
    ["without userinfo (Apple)", { metadata: { userinfo_endpoint: undefined } }, {}],
    ["that has claims in userinfo alone, and null in the id_token", { idToken: { email: null } }, {}],
    ["that sends more parameters back", {}, { session_state: "x", scope: "openid", authuser: "0", prompt: "none" }],
  ])("%s", async (_, behaviour, more) => {
    await using begun = await begin(behaviour);
    expect(answerOf(await begun.signIn({}, more)).code).toBeString();
  });

  test("that sends iss without announcing it", async () => {
    await using begun = await begin();
    expect(answerOf(await begun.signIn({}, { iss: begun.forged.issuer })).code).toBeString();
  });

  test("that lists PKCE methods without S256, and gets none", async () => {
    await using begun = await begin({ metadata: { code_challenge_methods_supported: ["plain"] } });
    expect(answerOf(await begun.signIn()).code).toBeString();
    expect(begun.forged.asked.has("code_challenge")).toBe(false);
    expect(begun.forged.calls.find(({ path }) => path === "/token")!.form).not.toHaveProperty("code_verifier");
  });
});
