// The DPoP modules of the FAPI 2.0 Security Profile's plan (fapi2.test.ts), by name. Requirements of RFC 9449 itself
// are in test/oauth/dpop.test.ts, including the key types of dpop-negative-tests.

import { beforeAll, describe, expect, test } from "bun:test";
import { API } from "../world/api.ts";
import { CALLBACK, issuer, RFC_TOKEN_PATH } from "../world/client.ts";
import { expectRfcError, form } from "../world/grants.ts";
import { DpopKey, type ProofParts } from "../world/signer.ts";
import { request } from "../world/tenant.ts";
import { challengeOf, type FapiClient, newFapiClient } from "./fapi-client.ts";
import { USERINFO_PATH } from "./relying-party.ts";

const now = () => Math.floor(Date.now() / 1000);

describe.concurrent("fapi2-security-profile-final-", () => {
  test("check-dpop-proof-nbf-exp: both are accepted", async () => {
    const party = await newFapiClient();
    const claims = { nbf: now() - 5, exp: now() + 300 };
    const { status, body } = await party.redeem(await party.code(), {}, {}, { claims });
    expect(status).toBe(200);
    expect((await party.userinfo(body.access_token, { claims })).status).toBe(200);
  });

  test.each([
    ["before", -10],
    ["after", 10],
  ])("ensure-dpopproof-with-iat-10seconds-%s-succeeds", async (_, seconds) => {
    const party = await newFapiClient();
    const proof = { claims: { iat: now() + seconds } };
    const { status, body } = await party.redeem(await party.code({}, proof), {}, {}, proof);
    expect(status).toBe(200);
    expect((await party.userinfo(body.access_token, proof)).status).toBe(200);
  });

  test("ensure-dpop-auth-code-binding-success, ensure-dpopproof-at-par-endpoint-binding-success", async () => {
    const party = await newFapiClient();
    const { jkt } = party.key;
    for (const code of [await party.code({ dpop_jkt: jkt }, {}), await party.code({}, {})]) {
      expect((await party.redeem(code)).body.token_type).toBe("DPoP");
    }
  });

  test("ensure-mismatched-dpop-jkt-fails", async () => {
    const [party, { jkt }] = await Promise.all([newFapiClient(), DpopKey.make()]);
    expectRfcError(await party.push({ dpop_jkt: jkt }, {}, {}), 400, "invalid_request", /dpop_jkt/);
  });

  test.each<[string, () => Promise<[FapiClient, string]>]>([
    [
      "proof-jkt",
      async () => {
        const party = await newFapiClient();
        return [party, await party.code({}, {})];
      },
    ],
    [
      "jkt",
      async () => {
        const party = await newFapiClient();
        return [party, await party.code({ dpop_jkt: party.key.jkt })];
      },
    ],
  ])("ensure-token-endpoint-fails-with-mismatched-dpop-%s", async (_, bound) => {
    const [party, code] = await bound();
    party.key = await DpopKey.make();
    expectRfcError(await party.redeem(code), 400, "invalid_grant", /bound to a key/);
  });

  test("ensure-holder-of-key-required", async () => {
    const party = await newFapiClient();
    const bare = form({
      ...{ grant_type: "authorization_code", code: await party.code(), redirect_uri: CALLBACK },
      ...{ code_verifier: party.pkce.verifier, ...(await party.assertion()) },
    });
    expectRfcError(await request("POST", RFC_TOKEN_PATH, { body: bare }), 400, "invalid_dpop_proof");
  });
});

test.concurrent("an RSA key must sign with PS256, also where tokens are used", async () => {
  const party = await newFapiClient();
  party.key = await DpopKey.make("RS256");
  expectRfcError(await party.push({}, {}, {}), 400, "invalid_dpop_proof", /RS256/);

  const key = await DpopKey.make("PS256");
  party.key = key;
  const token = (await party.redeem(await party.code())).body.access_token;
  const use = async (by: DpopKey, path: string) => {
    const dpop = await by.proof({ path, method: "GET", accessToken: token });
    return request("GET", path, { headers: { authorization: `DPoP ${token}`, dpop } });
  };
  const users = `${API}/User`;
  expect([(await use(key, USERINFO_PATH)).status, (await use(key, users)).status]).toEqual([200, 403]);
  const byRs256 = await key.signingBy("RS256");
  for (const path of [USERINFO_PATH, users]) {
    const answer = await use(byRs256, path);
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toStartWith('DPoP error="invalid_dpop_proof"');
  }
});

describe("fapi2-security-profile-final-dpop-negative-tests:", () => {
  let party: FapiClient;
  let token: string;
  beforeAll(async () => {
    party = await newFapiClient();
    token = (await party.redeem(await party.code())).body.access_token;
  });

  test.each<[string, Omit<ProofParts, "path">]>([
    ["typ is missing", { header: { typ: undefined } }],
    ["typ is another", { header: { typ: "jwt" } }],
    ["jwk is missing", { header: { jwk: undefined } }],
    ["jti is missing", { claims: { jti: undefined } }],
    ["htm is missing", { claims: { htm: undefined } }],
    ["htm is another", { claims: { htm: "PUT" } }],
    ["htu is missing", { claims: { htu: undefined } }],
    ["htu is another", { claims: { htu: "https://other.example/oauth2/userinfo" } }],
    ["iat is missing", { claims: { iat: undefined } }],
    ["ath is missing", { claims: { ath: undefined } }],
    ["ath is another token's", { claims: { ath: "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo" } }],
  ])("rejected if %s", async (_, proof) => {
    const answer = await party.userinfo(token, proof);
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toMatch(/^DPoP error="invalid_dpop_proof".* algs="/);
  });

  test("rejected with a proof used before, of another key, missing, repeated or malformed, and as Bearer", async () => {
    const parts = { path: USERINFO_PATH, method: "GET", accessToken: token };
    const proof = await party.key.proof(parts);
    const send = (dpop: string | undefined, scheme = "DPoP") =>
      request("GET", USERINFO_PATH, { headers: { authorization: `${scheme} ${token}`, ...(dpop && { dpop }) } });
    expect((await send(proof)).status).toBe(200);
    const other = await DpopKey.make();
    other.nonce = party.key.nonce;
    const [one, two] = [await party.key.proof(parts), await party.key.proof(parts)];
    const wrong = [
      await send(proof),
      await send(await other.proof(parts)),
      await send(undefined),
      await send(`${one}, ${two}`),
      await send("no JWT"),
      await send(undefined, "Bearer"),
    ];
    for (const answer of wrong) {
      expect(answer.status).toBe(401);
      expect(challengeOf(answer)).toStartWith("DPoP error=");
    }
  });

  test("accepted with additional members, and with query, fragment and capitals in htu", async () => {
    const address = issuer() + USERINFO_PATH;
    const good = [
      { claims: { more: "value" }, header: { more: "value" } },
      { claims: { htu: `${address}?a=b#c` } },
      { claims: { htu: address.replace("http://localhost", "HTTP://LOCALHOST") } },
    ];
    for (const proof of good) expect((await party.userinfo(token, proof)).status).toBe(200);
  });
});
