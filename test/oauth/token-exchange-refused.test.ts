// POST /oauth2/token with grant_type token-exchange (RFC 8693): rejected exchanges.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { type Answer, TOKEN_PATH, until } from "../world/api.ts";
import { newApi, ORDERS } from "../world/apis.ts";
import { newPkce, otherClient, RFC_TOKEN_PATH, setCredentials } from "../world/client.ts";
import { expectRfcError, expectTokenError, postAs } from "../world/grants.ts";
import { plantScopes } from "../world/planted.ts";
import { DpopKey } from "../world/signer.ts";
import { request, savePolicy } from "../world/tenant.ts";
import {
  ACCESS_TOKEN,
  claimsOf,
  exchange,
  type Fields,
  GRANT,
  ID_TOKEN,
  newChain,
  ordersToken,
  signIn,
} from "../world/token-exchange.ts";
import { Visitor } from "../world/visitor.ts";

const chain = await newChain();
const subject = await ordersToken(chain);

describe("rejected is", () => {
  const wrong = (answer: Answer, says: RegExp) => expectRfcError(answer, 400, "invalid_request", says);
  const stock = () => ({ resource: chain.scene.stock.audience });

  test.each<[string, Fields, RegExp]>([
    ["no subject_token", { subject_token: undefined }, /subject_token is missing/],
    ["no subject_token_type", { subject_token_type: undefined }, /subject_token_type is missing/],
    ["an id_token's type", { subject_token_type: ID_TOKEN }, /subject_token_type must be/],
    ["another type asked for", { requested_token_type: ID_TOKEN }, /requested_token_type must be/],
    ["no token at all", { subject_token: "x.y.z" }, /not a valid access token/],
    ["an actor_token without its type", { actor_token: "x" }, /actor_token_type/],
    ["an actor_token_type alone", { actor_token_type: ACCESS_TOKEN }, /actor_token/],
    [
      "an actor_token of nobody",
      { actor_token: "x", actor_token_type: ACCESS_TOKEN },
      /actor_token is not a valid access/,
    ],
  ])("%s", async (_, fields, says) => {
    wrong(await exchange(chain.caller, subject, { ...stock(), ...fields }), says);
  });

  test("a refresh token and an id_token as an access token", async () => {
    const { refresh_token, id_token } = await signIn(chain, chain.scene.orders.audience);
    for (const token of [refresh_token, id_token])
      wrong(await exchange(chain.caller, token, stock()), /not a valid access token/);
  });

  test("a token of another tenant", async () => {
    const other = await newChain();
    wrong(await exchange(chain.caller, await ordersToken(other), stock()), /not a valid access token/);
  });

  test("another client's token that was not issued for this API", async () => {
    const { access_token } = await signIn(chain, undefined, "openid AccessManager:Read");
    wrong(await exchange(chain.caller, access_token, stock()), /another client/);
    wrong(
      await exchange(chain.caller, (await signIn(chain, chain.scene.stock.audience)).access_token),
      /another client/,
    );
  });

  test("another client's actor_token, even a user's", async () => {
    const actor = { actor_token: subject, actor_token_type: ACCESS_TOKEN };
    wrong(await exchange(chain.caller, subject, { ...stock(), ...actor }), /actor_token was issued to another/);
  });

  test("a client's own token", async () => {
    const { body } = await postAs(chain.caller.tenant.client, RFC_TOKEN_PATH, { grant_type: "client_credentials" });
    wrong(await exchange(chain.caller, body.access_token, stock()), /belongs to a client/);
  });

  test("a revoked token", async () => {
    const token = await ordersToken(chain);
    await postAs(chain.scene.client.tenant.client, "/oauth2/revoke", { token });
    wrong(await exchange(chain.caller, token, stock()), /not a valid access token/);
  });

  test("a wider scope: of the user, of the client, and for the same API of the token", async () => {
    const { scene, caller } = chain;
    const invalid = (answer: Answer, says: RegExp) => expectRfcError(answer, 400, "invalid_scope", says);
    // The client lacks the API's other scopes, and the user has only those of its roles.
    invalid(
      await exchange(caller, subject, { ...stock(), scope: "orders:write" }),
      /cannot have the scope orders:write/,
    );
    invalid(await exchange(caller, subject, { ...stock(), scope: "stock:write" }), /stock:write/);
    const inner = await newApi(scene.admin, "Inner", ["inner:read"]);
    await plantScopes(caller.id, ["inner:read"]);
    await until("its scope", async () => {
      const answer = await exchange(caller, subject, { resource: inner.audience });
      return answer.body.error === "invalid_scope" && /no scope/.test(answer.body.error_description);
    });
    // A narrowed token stays narrow.
    const own = await otherClient(scene.client, {
      grant_types: ["authorization_code", GRANT],
      scopes: ["openid", ...ORDERS],
    });
    await savePolicy(
      scene.admin,
      "own",
      `permit (principal == Client::"${own.id}", action == Action::"Tokens:Exchange", resource);`,
    );
    const narrow = await own.token(
      await own.code(new Visitor(), { scope: "openid orders:read", resource: scene.orders.audience }),
    );
    const same = await exchange(own, narrow.body.access_token);
    expect(same.body.scope).toBe("orders:read");
    invalid(await exchange(own, narrow.body.access_token, { scope: "orders:write" }), /the user and the subject_token/);
  });

  test("an unknown target, or one out of the client's reach", async () => {
    const { scene, caller } = chain;
    const invalid = (answer: Answer) => expectRfcError(answer, 400, "invalid_target");
    invalid(await exchange(caller, subject, { resource: "https://nobody.example.com" }));
    invalid(await exchange(caller, subject, { audience: scene.orders.audience }));
    // The default is the token's original target, and the client has none of its scopes.
    invalid(await exchange(caller, subject));
  });

  test("a public client, and one without the grant", async () => {
    const { scene } = chain;
    const plain = await otherClient(scene.client, {});
    expectRfcError(await exchange(plain, subject, stock()), 400, "unauthorized_client", /not permitted/);
    const spa = await otherClient(scene.client, { client_type: "public", grant_types: [GRANT] });
    const form = { grant_type: GRANT, client_id: spa.id, subject_token: subject, subject_token_type: ACCESS_TOKEN };
    const answer = await request("POST", RFC_TOKEN_PATH, { body: new URLSearchParams(form) });
    expectRfcError(answer, 400, "unauthorized_client", /confidential/);
    const set = await scene.admin.patch(`/Application/${spa.id}/Credentials`, { GrantTypes: [GRANT] });
    expect(set.status).toBe(400);
    expect(JSON.stringify(set.body)).toContain("which a public client cannot use");
  });

  test("a request at the spec door", async () => {
    const { caller } = chain;
    const form = { grant_type: GRANT, subject_token: subject, subject_token_type: ACCESS_TOKEN };
    expectTokenError(await postAs(caller.tenant.client, TOKEN_PATH, form), 400, "Bad Input", /\/oauth2\/token/);
  });

  test("a bound token exchanged by its own client without the key", async () => {
    const { scene } = chain;
    const own = await otherClient(scene.client, {
      grant_types: ["authorization_code", GRANT],
      scopes: ["openid", "AccessManager:Read"],
    });
    await savePolicy(
      scene.admin,
      "bound",
      `permit (principal == Client::"${own.id}", action == Action::"Tokens:Exchange", resource);`,
    );
    const key = await DpopKey.make();
    const { verifier, challenge } = newPkce();
    const proving = async (fields: Fields, by = key) => {
      const send = async () =>
        request("POST", RFC_TOKEN_PATH, {
          headers: { dpop: await by.proof({ path: RFC_TOKEN_PATH }) },
          body: new URLSearchParams({
            ...{ client_id: own.id, client_secret: own.tenant.client.clientSecret },
            ...(fields as Record<string, string>),
          }),
        });
      const answer = await send();
      if (answer.body.error !== "use_dpop_nonce") return answer;
      by.nonce = answer.headers.get("dpop-nonce")!;
      return send();
    };
    const code = await own.code(new Visitor(), { scope: "openid AccessManager:Read", ...challenge });
    const redirect_uri = "https://app.example/callback";
    const bound = await proving({ grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier });
    const { access_token } = bound.body;
    expect(decodeJwt(access_token).cnf).toEqual({ jkt: key.jkt });
    wrong(await exchange(own, access_token), /bound to a key/);
    const form = { grant_type: GRANT, subject_token: access_token, subject_token_type: ACCESS_TOKEN };
    wrong(await proving(form, await DpopKey.make()), /a different key/);
    const answer = await proving(form);
    expect(answer.body).toMatchObject({ token_type: "DPoP", scope: "openid AccessManager:Read" });
    expect(claimsOf(answer).cnf).toEqual({ jkt: key.jkt });
  });

  test("a pairwise subject of another sector", async () => {
    const own = await newChain();
    await setCredentials(own.scene.client.id, { subject_type: "pairwise" });
    const token = await ordersToken(own);
    expect(decodeJwt(token).sub).toStartWith("pairwise-");
    wrong(await exchange(own.caller, token, { resource: own.scene.stock.audience }), /another sector/);
  });
});
