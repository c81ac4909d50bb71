// RFC 9068 3: the name of a scope is unique in the tenant, so it names the API of a request without `resource`. Clients
// of other providers send `audience` instead.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { GRANT_TYPES } from "../../server/identity/oauth/contract.ts";
import type { Answer } from "../world/api.ts";
import { newScene, type Scene } from "../world/apis.ts";
import {
  answerOf,
  CALLBACK,
  type Client,
  issuer,
  newPkce,
  RFC_PATH,
  RFC_TOKEN_PATH,
  SPEC_PATH,
  setCredentials,
} from "../world/client.ts";
import { allowDevice, beginDevice, credentialsOf, DEVICE_PATH } from "../world/device.ts";
import { DOORS, expectRfcError, postAs } from "../world/grants.ts";
import { newSigner } from "../world/signer.ts";
import { db, request } from "../world/tenant.ts";
import { exchange, newChain, signIn } from "../world/token-exchange.ts";
import { Visitor } from "../world/visitor.ts";

/** One for all clients: a process may know a client's former key for a moment. */
const signer = newSigner();

type Fields = Record<string, string | undefined>;
type Ask = (scene: Scene, fields: Fields) => Promise<Answer>;

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const ALL_GRANTS = GRANT_TYPES.filter((grant) => !grant.endsWith("token-exchange"));
const claimsOf = ({ body }: Answer) => decodeJwt(body.access_token);
const targetOf = (answer: Answer) => {
  const { aud, scope } = claimsOf(answer);
  return { aud, scope };
};

/** The answer to the browser as that of a client that asks itself. */
const refusedIn = (answer: Record<string, string>) => ({ status: 400, body: answer }) as unknown as Answer;

async function byCode({ client }: Scene, path: string, beside = ""): Promise<Answer> {
  const visitor = new Visitor();
  const answer = answerOf(await client.goThrough(visitor, await visitor.open(path + beside)));
  return answer.code ? client.token(answer.code) : refusedIn(answer);
}

const byReference = async (scene: Scene, pushed: Answer) =>
  pushed.status === 201
    ? byCode(scene, `${RFC_PATH}?${new URLSearchParams({ client_id: scene.client.id, ...pushed.body })}`)
    : pushed;

const authorizing = (fields: Fields) => ({ response_type: "code", redirect_uri: CALLBACK, ...fields });

/** Every way to ask for the first token of a grant. */
const WAYS: Record<string, Ask> = {
  "a code": (scene, fields) => byCode(scene, scene.client.authorize({ scope: undefined, ...fields })),
  "a code of the specification's door": (scene, fields) =>
    byCode(scene, scene.client.authorize({ scope: undefined, ...fields }, SPEC_PATH)),
  "a pushed request": async (scene, fields) =>
    byReference(scene, await postAs(scene.client.tenant.client, "/oauth2/par", authorizing(fields))),
  "a signed request": async (scene, fields) => {
    const { client } = scene;
    const { jwk, sign } = await signer;
    const jwks = db().json({ keys: [jwk] } as never);
    await setCredentials(client.id, { jwks });
    const exp = Math.floor(Date.now() / 1000) + 60;
    const claims = { iss: client.id, aud: issuer(), client_id: client.id, exp, ...authorizing(fields) };
    const object = await sign(claims, { typ: "oauth-authz-req+jwt" });
    return byCode(scene, `${RFC_PATH}?${new URLSearchParams({ client_id: client.id, request: object })}`);
  },
  "the client's own token": ({ client }, fields) =>
    postAs(client.tenant.client, RFC_TOKEN_PATH, { grant_type: "client_credentials", ...fields }),
  "a device": async ({ client }, fields) => {
    const body = new URLSearchParams({ ...credentialsOf(client), ...(fields as Record<string, string>) });
    const asked = await request("POST", DEVICE_PATH, { body });
    if (asked.status !== 200) return asked;
    const device = await beginDevice(client, fields as Record<string, string>);
    await allowDevice(device, client);
    return device.poll();
  },
};

const newScenes = () =>
  newScene({
    grant_types: ALL_GRANTS,
    scopes: ["openid", "profile", "AccessManager:Read", "orders:read", "stock:read"],
  });

describe.each(Object.keys(WAYS))("%s", (name) => {
  const ask = WAYS[name]!;

  test.concurrent("is for the API of its scope", async () => {
    const scene = await newScenes();
    const expected = { aud: scene.orders.audience, scope: "orders:read" };
    expect(targetOf(await ask(scene, { scope: "orders:read" }))).toEqual(expected);
    const answer = await ask(scene, { scope: "openid profile orders:read" });
    expect(targetOf(answer)).toEqual(expected);
    if (!answer.body.refresh_token) return;
    expect(answer.body.id_token).toBeString();
    const again = await scene.client.refresh(answer.body.refresh_token, {});
    expect(targetOf(again)).toEqual(expected);
  });

  test.concurrent("is for the API of `audience`, in any equivalent address, and for this service's", async () => {
    const scene = await newScenes();
    const { orders, stock } = scene;
    const asked = async (audience: string, more: Fields = {}) => targetOf(await ask(scene, { audience, ...more }));
    expect(await asked(orders.audience, { scope: "orders:read" })).toEqual({
      ...{ aud: orders.audience, scope: "orders:read" },
    });
    expect(await asked(`${orders.audience}/`, { scope: "*", resource: orders.audience })).toEqual({
      ...{ aud: orders.audience, scope: "orders:read" },
    });
    // A scope of a different API is left out if the API is named.
    expect((await asked(stock.audience, { scope: "stock:read orders:read" })).scope).toBe("stock:read");
    expect((await asked(issuer(), { scope: "AccessManager:Read orders:read" })).scope).toBe("AccessManager:Read");
  });

  test.concurrent("with scopes of two APIs is invalid_scope, and both are named", async () => {
    const scene = await newScenes();
    const refused = async (scope: string, says: RegExp) => {
      const { status, body } = await ask(scene, { scope });
      expect({ scope, status, body }).toMatchObject({
        ...{ scope, status: 400, body: { error: "invalid_scope", error_description: expect.stringMatching(says) } },
      });
    };
    const [orders, stock] = ["orders:read is a scope of the API Orders", "stock:read of the API Stock"];
    await refused("openid orders:read stock:read", new RegExp(`${orders}, and ${stock}`));
    await refused("orders:read AccessManager:Read", /Orders, and AccessManager:Read of the API of this service/);
  });

  test.concurrent("with an unknown audience, or two different values, is invalid_target", async () => {
    const scene = await newScenes();
    const { orders, stock } = scene;
    for (const [fields, says] of [
      [{ audience: "https://nobody.example.com" }, /^audience must be/],
      [{ audience: "orders" }, /^audience must be/],
      [{ audience: (await newScene()).orders.audience }, /^audience must be/],
      [{ audience: orders.audience, resource: stock.audience }, /name different targets/],
    ] as const) {
      const { status, body } = await ask(scene, { scope: "orders:read", ...fields });
      expect({ fields, status, body }).toMatchObject({
        ...{ status: 400, body: { error: "invalid_target", error_description: expect.stringMatching(says) } },
      });
    }
  });

  test.concurrent("with a scope of an API that the client does not have reveals nothing", async () => {
    const scene = await newScene({ grant_types: ALL_GRANTS, scopes: ["openid", "orders:read"] });
    const told = async (scope: string) => {
      const { body } = await ask(scene, { scope });
      return [body.error, String(body.error_description).replace(scope, "")];
    };
    expect(await told("stock:read")).toEqual(await told("nothing:read"));
    expect((await told("orders:write"))[0]).toBe("invalid_scope");
    const other = { scope: "stock:read orders:read" };
    expect(targetOf(await ask(scene, other))).toEqual({ aud: scene.orders.audience, scope: "orders:read" });
  });

  test.concurrent("without a scope of an API, or with *, is for this service", async () => {
    const scene = await newScenes();
    for (const fields of [{}, { scope: "openid" }, { scope: "*" }, { scope: "openid AccessManager:Read" }]) {
      expect([fields, targetOf(await ask(scene, fields)).aud]).toEqual([fields, issuer()]);
    }
  });
});

test("every grant has a test here", () => {
  const tested = ["authorization_code", "client_credentials", "refresh_token", DEVICE, "token-exchange"];
  expect(GRANT_TYPES.map((grant) => tested.find((one) => grant.endsWith(one)))).not.toContain(undefined);
});

test.each(DOORS)("the client's own token at %s is for the API of its scope", async (path) => {
  const { client, orders } = await newScenes();
  const ask = (fields: Fields) =>
    postAs(client.tenant.client, path, { grant_type: "client_credentials", scope: "orders:read", ...fields });
  const answer = await ask({});
  expect(targetOf(answer)).toEqual({ aud: orders.audience, scope: "orders:read" });
  if (!answer.body.refresh_token) return;
  const again = await client.refresh(answer.body.refresh_token, { audience: orders.audience }, path);
  expect(targetOf(again)).toEqual({ aud: orders.audience, scope: "orders:read" });
});

describe.concurrent("a refresh token of several resources", () => {
  const granted = async (scene: Scene, resources: string[], scope: string) => {
    const more = resources.map((resource) => `&resource=${encodeURIComponent(resource)}`).join("");
    const { client } = scene;
    const visitor = new Visitor();
    const page = await client.goThrough(visitor, await visitor.open(client.authorize({ scope }) + more));
    return client.token(answerOf(page).code!, { resource: resources[0] });
  };
  const refresher = (client: Client, first: Answer) => {
    let token: string = first.body.refresh_token;
    return async (fields: Fields) => {
      const answer = await client.refresh(token, fields);
      token = answer.body.refresh_token ?? token;
      return answer;
    };
  };

  test("gives one for the API of the requested scope, or of `audience`", async () => {
    const scene = await newScenes();
    const { client, orders, stock } = scene;
    const scope = "openid orders:read stock:read";
    const refresh = refresher(client, await granted(scene, [orders.audience, stock.audience], scope));
    expect(targetOf(await refresh({ scope: "stock:read" })).aud).toBe(stock.audience);
    expect(targetOf(await refresh({ scope: "openid orders:read" })).aud).toBe(orders.audience);
    expect(targetOf(await refresh({ audience: stock.audience })).aud).toBe(stock.audience);
    expectRfcError(await refresh({ scope }), 400, "invalid_target", /Several resources were granted/);
  });

  test("of this service and an API is for this service, unless only scopes of the API are requested", async () => {
    const scene = await newScenes();
    const { client, orders } = scene;
    const scope = "openid AccessManager:Read orders:read";
    const refresh = refresher(client, await granted(scene, [issuer(), orders.audience], scope));
    expect(targetOf(await refresh({ scope }))).toEqual({ aud: issuer(), scope: "openid AccessManager:Read" });
    expect(targetOf(await refresh({ scope: "orders:read" })).aud).toBe(orders.audience);
  });

  test("never gets an API that was not granted: invalid_scope", async () => {
    const scene = await newScenes();
    const { client, orders } = scene;
    const refresh = refresher(client, await granted(scene, [orders.audience], "openid orders:read"));
    expectRfcError(await refresh({ scope: "stock:read" }), 400, "invalid_scope");
    expectRfcError(await refresh({ scope: "AccessManager:Read" }), 400, "invalid_scope");
    expectRfcError(await refresh({ audience: scene.stock.audience }), 400, "invalid_target");
  });
});

test("an exchanged token is for the API of the requested scope; scopes of two are invalid_scope", async () => {
  const chain = await newChain();
  const { caller, scene } = chain;
  const { access_token } = await signIn(chain, scene.orders.audience);
  const answer = await exchange(caller, access_token, { scope: "stock:read" });
  expect(targetOf(answer)).toEqual({ aud: scene.stock.audience, scope: "stock:read" });
  const both = await exchange(caller, access_token, { scope: "stock:read AccessManager:Read" });
  expectRfcError(both, 400, "invalid_scope", /the API Stock/);
});

test("the consent page names the API of a scope, and a public client is asked as usual", async () => {
  const scene = await newScene({ client_type: "public", scopes: ["openid", "orders:read"] });
  const { client } = scene;
  const { verifier, challenge } = newPkce();
  const visitor = new Visitor();
  const page = await visitor.open(client.authorize({ scope: "openid orders:read", ...challenge }));
  const view = await visitor.submit(page, client.tenant.admin);
  expect(view.html).toContain("use Orders: Do orders:read for you");
  const { code } = answerOf(await visitor.submit(view, { decision: "allow" }));
  const fields = { grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier: verifier };
  const form = new URLSearchParams({ client_id: client.id, ...(fields as Record<string, string>) });
  const token = await request("POST", RFC_TOKEN_PATH, { body: form });
  expect(targetOf(token)).toEqual({ aud: scene.orders.audience, scope: "orders:read" });

  const headers = { authorization: `Bearer ${token.body.access_token}` };
  const refused = await request("GET", "/oauth2/userinfo", { headers });
  expectRfcError(refused, 401, "invalid_token", new RegExp(`is for ${scene.orders.audience}, not for userinfo`));
});
