// FAPI 2.0 Message Signing, by the names of the suite's modules: its plan fapi2-message-signing-final-test-plan with
// signed requests (JAR) and responses (JARM). Other modules are in fapi2.test.ts.

import { describe, expect, test } from "bun:test";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import { CALLBACK, issuer } from "../world/client.ts";
import { expectRfcError } from "../world/grants.ts";
import { FapiClient, newFapiClient } from "./fapi-client.ts";

const now = () => Math.floor(Date.now() / 1000);

describe.concurrent("fapi2-message-signing-final-", () => {
  const pushSigned = async (party: FapiClient, claims: JWTPayload, alg?: string) => {
    const asked = {
      ...{ iss: party.client.id, aud: issuer(), client_id: party.client.id, response_type: "code" },
      ...{ redirect_uri: CALLBACK, scope: "openid profile", state: "some state", ...party.pkce.challenge },
    };
    const signed = { ...asked, iat: now(), nbf: now(), exp: now() + 300, ...claims };
    const request = await party.signer.sign(signed, { typ: "oauth-authz-req+jwt", ...(alg && { alg }) });
    const { client_id, response_type } = asked;
    const none = { redirect_uri: undefined, scope: undefined, state: undefined, nonce: undefined };
    const plain = { code_challenge: undefined, code_challenge_method: undefined };
    return party.push({ ...none, ...plain, client_id, response_type, request });
  };

  test("happy-flow: signed request and signed answer (JARM)", async () => {
    const party = await newFapiClient();
    const { body } = await pushSigned(party, { response_mode: "jwt" });
    const view = await party.visit(party.address(body.request_uri));
    const keys = createRemoteJWKSet(new URL(`${party.browser.origin}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(view.location!.searchParams.get("response")!, keys, {
      ...{ issuer: issuer(), audience: party.client.id, algorithms: ["ES256"] },
    });
    expect(payload.state).toBe("some state");
    expect((await party.redeem(String(payload.code))).status).toBe(200);
  });

  test.each<[string, () => JWTPayload, RegExp]>([
    ["ensure-request-object-without-nbf-fails", () => ({ nbf: undefined }), /nbf is missing/],
    ["ensure-request-object-with-nbf-over-60-fails", () => ({ nbf: now() - 3_720 }), /nbf/],
    ["ensure-request-object-with-exp-over-60-fails", () => ({ nbf: now() - 1_800, exp: now() + 2_000 }), /after nbf/],
    ["ensure-request-object-without-exp-fails", () => ({ exp: undefined }), /exp is missing/],
    ["ensure-request-object-with-nbf-in-the-future-fails", () => ({ nbf: now() + 60 }), /future/],
    ["ensure-expired-request-object-fails", () => ({ exp: now() - 60, nbf: now() - 120 }), /expired/],
    ["ensure-request-object-without-redirect-uri-fails", () => ({ redirect_uri: undefined }), /redirect_uri/],
  ])("%s", async (_, claims, says) => {
    const { status, body } = await pushSigned(await newFapiClient(), claims());
    expect({ status, ...body }).toMatchObject({ status: 400, error_description: expect.stringMatching(says) });
    expect(body.error).toBeOneOf(["invalid_request_object", "invalid_request"]);
  });

  test("ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted, and one of 50 minutes ago", async () => {
    const party = await newFapiClient();
    for (const nbf of [now() + 8, now() - 3_000]) expect((await pushSigned(party, { nbf })).status).toBe(201);
  });

  test("ensure-signed-request-object-with-RS256-fails", async () => {
    const party = await newFapiClient("RS256");
    const request = await party.signer.sign({ client_id: party.client.id, nbf: now(), exp: now() + 60 });
    const proving = await FapiClient.of(party.client);
    expectRfcError(await proving.push({ request }), 400, "invalid_request_object", /alg must be one of PS256/);
  });
});
