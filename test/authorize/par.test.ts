// Pushed authorization requests (RFC 9126): first by the client itself, then by a browser with the reference only.

import { describe, expect, test } from "bun:test";
import { MAX_PUSHES } from "../../server/identity/oauth/authorize/pushed.ts";
import { digestOf } from "../../server/identity/signin/opaque.ts";
import { startSecondApi } from "../support/second-api.ts";
import { until } from "../world/api.ts";
import {
  answerOf,
  CALLBACK,
  type Client,
  issuer,
  newClient,
  newPkce,
  otherClient,
  RFC_PATH,
  SPEC_PATH,
  setCredentials,
} from "../world/client.ts";
import { expectRfcError, postAs } from "../world/grants.ts";
import { plantPushes } from "../world/planted.ts";
import { elapse, expire, rowsOf } from "../world/rows.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const PAR = "/oauth2/par";
const URN = /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/;

type Fields = Record<string, string | undefined>;

function push({ tenant: { client } }: Client, fields: Fields = {}) {
  const asked = { response_type: "code", redirect_uri: CALLBACK, scope: "openid profile", state: "pushed state" };
  return postAs(client, PAR, { ...asked, ...fields });
}

async function pushed(client: Client, fields: Fields = {}): Promise<string> {
  const { status, body } = await push(client, fields);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.request_uri;
}

const at = (client: Client, request_uri: string, path = RFC_PATH, beside: Record<string, string> = {}) =>
  `${path}?${new URLSearchParams({ client_id: client.id, request_uri, ...beside })}`;

/** Simulates elapsed time of a pushed request. */
const age = (uri: string, seconds: number) =>
  elapse(`${seconds} seconds`, "pushed_requests", { digest: digestOf(uri.split(":").at(-1)!) });

describe.concurrent("a pushed request", () => {
  test.each([SPEC_PATH, RFC_PATH])("is answered at %s with the pushed parameters", async (path) => {
    const client = await newClient();
    const { verifier, challenge } = newPkce();
    const answer = await push(client, challenge);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ request_uri: expect.stringMatching(URN), expires_in: 90 });
    expect(answer.headers.get("cache-control")).toBe("no-store");

    const visitor = new Visitor();
    const back = await client.goThrough(visitor, await visitor.open(at(client, answer.body.request_uri, path)));
    expect(answerOf(back)).toMatchObject({ code: expect.any(String), state: "pushed state" });
    const token = await client.token(answerOf(back).code!, { code_verifier: verifier });
    expect(token.status).toBe(200);
    expect(token.body.scope).toBe("openid profile");
  });

  test("takes precedence: parameters beside request_uri are ignored", async () => {
    const client = await newClient({ redirect_uris: [CALLBACK, "https://app.example/other"] });
    const uri = await pushed(client);
    const beside = {
      redirect_uri: "https://app.example/other",
      state: "another",
      scope: "Color:Read",
      prompt: "none",
      response_mode: "fragment",
    };
    const visitor = new Visitor();
    const back = await client.goThrough(visitor, await visitor.open(at(client, uri, RFC_PATH, beside)));
    expect(back.location!.href).toStartWith(`${CALLBACK}?code=`);
    expect(answerOf(back).state).toBe("pushed state");
  });

  test("may repeat resource and be sent by another site's form", async () => {
    const client = await newClient();
    const body = new URLSearchParams({ response_type: "code", redirect_uri: CALLBACK, state: "s" });
    for (const resource of [issuer(), `${issuer()}/Endpoint/rest/api/v1`]) body.append("resource", resource);
    const { clientId, clientSecret } = client.tenant.client;
    const headers = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    const { status, body: answer } = await request("POST", PAR, { body, headers });
    expect(status).toBe(201);
    const visitor = new Visitor();
    const page = await visitor.post(RFC_PATH, { client_id: client.id, request_uri: answer.request_uri });
    expect(answerOf(await client.goThrough(visitor, page)).state).toBe("s");
  });

  test("keeps prompt until its own user has complied", async () => {
    const client = await newClient({ first_party: true });
    const visitor = new Visitor();
    await client.visit(visitor);
    const uri = await pushed(client, { prompt: "login consent", max_age: "0" });
    const signIn = await visitor.open(at(client, uri));
    expect(signIn.heading).toBe("Sign in");
    const consent = await visitor.submit(signIn, client.tenant.admin);
    expect(consent.heading).toBe("Allow access");
    // Without the sealed progress, the prompts are still to be done.
    expect((await visitor.open(at(client, uri))).heading).toBe("Sign in");
    expect((await visitor.open(at(client, uri, RFC_PATH, { prompt: "" }))).heading).toBe("Sign in");
    const back = await visitor.submit(consent, { decision: "allow" });
    expect(answerOf(back).code).toBeString();
  });

  test.each([{ prompt: "login" }, { max_age: "0" }])(
    "with prompt (%p) is not answered by another user's interaction",
    async (asked) => {
      const client = await newClient({ first_party: true });
      const [victim, other] = [new Visitor(), new Visitor()];
      await client.visit(victim);
      const uri = await pushed(client, asked);
      const signIn = await other.open(at(client, uri));
      expect(signIn.heading).toBe("Sign in");
      const [form] = signIn.forms;
      const done = await fetch(new URL(form!.action, other.origin), {
        ...{ method: "POST", redirect: "manual" },
        headers: { cookie: other.cookieHeader },
        body: new URLSearchParams({ ...form!.fields, ...client.tenant.admin }),
      });
      const onward = new URL(done.headers.get("location")!, other.origin);
      expect(onward.pathname).toBe(RFC_PATH);
      const stolen = await victim.open(onward.pathname + onward.search);
      expect(stolen.heading).toBe("Sign in");
      const back = await victim.submit(stolen, client.tenant.admin);
      expect(answerOf(back).code).toBeString();
    },
  );

  test("can be reopened until it is answered, and is answered once", async () => {
    const client = await newClient();
    const uri = await pushed(client);
    const [first, second] = [new Visitor(), new Visitor()];
    const [page, same] = [await first.open(at(client, uri)), await second.open(at(client, uri))];
    expect([page.heading, same.heading]).toEqual(["Sign in", "Sign in"]);
    expect(answerOf(await client.goThrough(first, page)).code).toBeString();
    const used = { error: "invalid_request_uri", error_description: expect.stringMatching(/used before/) };
    const late = [await second.submit(same, client.tenant.admin), await first.open(at(client, uri))];
    for (const view of late) expect(answerOf(view)).toMatchObject({ ...used, state: "pushed state" });
  });

  test("answered by several at once gives one code", async () => {
    const client = await newClient({ first_party: true });
    const visitor = new Visitor();
    await client.visit(visitor);
    const uri = await pushed(client);
    const views = await Promise.all(Array.from({ length: 8 }, () => visitor.open(at(client, uri))));
    const answers = views.map(answerOf);
    expect(answers.filter(({ code }) => code)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === "invalid_request_uri")).toHaveLength(7);
  });

  test("is used up by an error and by a denial", async () => {
    const client = await newClient();
    const none = await pushed(client, { prompt: "none" });
    const visitor = new Visitor();
    expect(answerOf(await visitor.open(at(client, none))).error).toBe("login_required");
    expect(answerOf(await visitor.open(at(client, none))).error).toBe("invalid_request_uri");
    const uri = await pushed(client);
    const consent = await visitor.submit(await visitor.open(at(client, uri)), client.tenant.admin);
    expect(answerOf(await visitor.submit(consent, { decision: "deny" })).error).toBe("access_denied");
    expect(answerOf(await visitor.submit(consent, { decision: "allow" })).error).toBe("invalid_request_uri");
  });

  test("expires if no browser opens it in time; an opened one lasts longer", async () => {
    const client = await newClient();
    const late = await pushed(client);
    await age(late, 91);
    expect(answerOf(await new Visitor().open(at(client, late)))).toMatchObject({
      error: "invalid_request_uri",
      error_description: expect.stringMatching(/expired/),
    });
    const uri = await pushed(client, { prompt: "login" });
    const visitor = new Visitor();
    const page = await visitor.open(at(client, uri));
    await age(uri, 600);
    expect(answerOf(await client.goThrough(visitor, page)).code).toBeString();

    const long = await pushed(client);
    await age(long, 90 + 1_801);
    expect((await new Visitor().open(at(client, long))).status).toBe(400);
  });

  test("is not found by another client, tenant or stranger", async () => {
    const client = await newClient();
    const uri = await pushed(client);
    for (const other of [await otherClient(client), await newClient()]) {
      const page = await new Visitor().open(at(other, uri));
      expect(page.status).toBe(400);
      expect(page.location).toBeUndefined();
      expect(page.html).toContain("invalid_request");
    }
    const wrong = [
      at(client, `${uri.slice(0, -43)}${"A".repeat(43)}`),
      at(client, `${uri}A`),
      at(client, "urn:ietf:params:oauth:request_uri:"),
      `${RFC_PATH}?${new URLSearchParams({ request_uri: uri })}`,
      `${at(client, uri)}&request_uri=${uri}`,
      `${at(client, uri)}&client_id=${client.id}`,
      at({ id: "999999999" } as Client, uri),
    ];
    for (const path of wrong) expect((await new Visitor().open(path)).status).toBe(400);
    // It can still be used by its own client.
    expect((await new Visitor().open(at(client, uri))).heading).toBe("Sign in");
  });

  test("is checked against the client's settings when the browser opens it", async () => {
    const client = await newClient();
    const uri = await pushed(client);
    await setCredentials(client.id, { redirect_uris: [] });
    expect((await new Visitor().open(at(client, uri))).status).toBe(404);
  });
});

describe.concurrent("is rejected", () => {
  test.each<[string, Fields, number, string, { client_type: "public" } | undefined]>([
    ["without a response_type", { response_type: undefined }, 400, "invalid_request", undefined],
    ["of an unknown response_type", { response_type: "token" }, 400, "unsupported_response_type", undefined],
    ["to a foreign redirect_uri", { redirect_uri: "https://evil.example" }, 400, "invalid_request", undefined],
    ["without a redirect_uri", { redirect_uri: undefined }, 400, "invalid_request", undefined],
    ["with a scope that is not the client's", { scope: "Color:Read" }, 400, "invalid_scope", undefined],
    ["with a foreign resource", { resource: "https://other.example" }, 400, "invalid_target", undefined],
    ["with a request object", { request: "e30.e30." }, 400, "invalid_request_object", undefined],
    ["with a registration", { registration: "{}" }, 400, "registration_not_supported", undefined],
    ["with a request_uri", { request_uri: "urn:ietf:params:oauth:request_uri:x" }, 400, "invalid_request", undefined],
    ["with an empty request_uri", { request_uri: "" }, 400, "invalid_request", undefined],
    ["with code_challenge_method plain", { code_challenge: "x".repeat(43) }, 400, "invalid_request", undefined],
    ["that is too long", { login_hint: "x".repeat(8_192) }, 400, "invalid_request", undefined],
    ["with a wrong secret", { client_secret: "wrong" }, 401, "invalid_client", undefined],
    ["without a secret", { client_secret: undefined }, 401, "invalid_client", undefined],
    ["of an unknown client", { client_id: "999999999" }, 401, "invalid_client", undefined],
    [
      "of a public client without PKCE",
      { client_secret: undefined },
      400,
      "invalid_request",
      { client_type: "public" },
    ],
  ])("%s", async (_, fields, status, error, credentials) => {
    expectRfcError(await push(await newClient(credentials), fields), status, error);
  });

  test("with a parameter twice, as JSON, or by GET", async () => {
    const { client } = (await newClient()).tenant;
    const body = `client_id=${client.clientId}&client_secret=${client.clientSecret}&scope=openid&scope=profile`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expectRfcError(await request("POST", PAR, { body, headers }), 400, "invalid_request", /repeated/);
    expectRfcError(await request("POST", PAR, { body: "{}" }), 400, "invalid_request");
    expectRfcError(await request("GET", PAR), 405, "invalid_request");
  });

  test("beyond a client's limit of waiting requests; expired ones no longer count", async () => {
    const client = await newClient();
    const { clientId } = client.tenant.client;
    await plantPushes(client.tenant, clientId, MAX_PUSHES.client);
    const answer = await push(client);
    expectRfcError(answer, 429, "invalid_request");
    expect(answer.headers.get("retry-after")).toBe("90");
    const neighbour = await otherClient(client);
    expect((await push(neighbour)).status).toBe(201);
    await expire("pushed_requests", { client_id: clientId }, "expires_on", "1 hour");
    expect((await push(client)).status).toBe(429);
    expect((await push(client)).status).toBe(201);
  });
});

test("beyond the limit per address for a client without a secret; other addresses are not affected", async () => {
  const client = await newClient({ client_type: "public" });
  await using behindProxy = await startSecondApi({ TRUST_PROXY: "true" });
  const pushFrom = async (address: string, of = client) => {
    const { challenge } = newPkce();
    const body = new URLSearchParams({
      ...{ client_id: of.id, response_type: "code", redirect_uri: CALLBACK, scope: "openid", ...challenge },
      ...(of !== client && { client_secret: of.tenant.client.clientSecret }),
    });
    const { status } = await fetch(behindProxy.url + PAR, {
      method: "POST",
      body,
      headers: { "x-forwarded-for": address },
    });
    return status;
  };
  const [flooder, other] = ["2001:db8::1", "203.0.113.9"];
  expect(await pushFrom(flooder)).toBe(201);
  const proven = await otherClient(client);
  for (const { id } of [client, proven]) {
    await plantPushes(client.tenant, id, MAX_PUSHES.address - 1, { network: "2001:db8::/64" });
  }
  // A whole IPv6 network counts as one address.
  expect([await pushFrom(flooder), await pushFrom("2001:db8::2")]).toEqual([429, 429]);
  expect(await pushFrom(other)).toBe(201);
  // Authenticated clients have their own limit.
  expect([await pushFrom(flooder, proven), await pushFrom(flooder, proven)]).toEqual([201, 201]);
});

describe.concurrent("a client with RequirePar", () => {
  test("cannot use plain authorization requests, at both doors", async () => {
    const client = await newClient();
    await setCredentials(client.id, { require_par: true });
    for (const path of [SPEC_PATH, RFC_PATH]) {
      expect(answerOf(await new Visitor().open(client.authorize({}, path)))).toMatchObject({
        error: "invalid_request",
        error_description: expect.stringMatching(/push/),
        state: "some state",
      });
      const visitor = new Visitor();
      const page = await visitor.open(at(client, await pushed(client), path));
      expect(answerOf(await client.goThrough(visitor, page)).code).toBeString();
    }
  });
});

test("pushed requests are stored without the client's secret", async () => {
  const client = await newClient();
  await pushed(client);
  const rows = await rowsOf<{ parameters: string }>("pushed_requests", { client_id: client.id });
  const text = JSON.stringify(rows);
  expect(rows[0]!.parameters).toContain("state=pushed+state");
  expect(text).not.toContain(client.tenant.client.clientSecret);
});

test("an unregistered redirect_uri is logged as at the authorization endpoint", async () => {
  const client = await newClient();
  await using api = await startSecondApi();
  const redirect_uri = `${CALLBACK}/elsewhere`;
  const fields = new URLSearchParams({ response_type: "code", redirect_uri, client_id: client.id });
  await fetch(`${api.url}${RFC_PATH}?${fields}`, { redirect: "manual" });
  fields.set("client_secret", client.tenant.client.clientSecret);
  expect((await fetch(`${api.url}${PAR}`, { method: "POST", body: fields })).status).toBeGreaterThanOrEqual(400);
  const logged = await until("both lines", () => {
    const lines = api.log().filter((line) => line.redirectUri === redirect_uri);
    return lines.length >= 2 && lines;
  });
  for (const line of logged) {
    expect(line).toMatchObject({ clientId: client.id, tenantId: client.tenant.tenantId });
    expect(line.reason).toContain("its path is /callback/elsewhere, not /callback");
  }
});
