// Requests of client libraries: audiences with a slash, timers of exactly the interval, repeated requests.

import { describe, expect, test } from "bun:test";
import { until } from "../world/api.ts";
import {
  answerOf,
  type Client,
  issuer,
  newClient,
  newPkce,
  otherClient,
  RFC_PATH,
  RFC_TOKEN_PATH,
  setCredentials,
} from "../world/client.ts";
import { ageDevice, allowDevice, beginDevice } from "../world/device.ts";
import { expectRfcError, form, postAs } from "../world/grants.ts";
import { elapse } from "../world/rows.ts";
import { assertion, assertionClaims, newSigner, provesBy } from "../world/signer.ts";
import { newTenant, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const GRANT = { grant_type: "client_credentials", scope: "AccessManager:Read" };
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

describe.concurrent("aud", () => {
  test.each<[string, () => unknown, boolean]>([
    ["the issuer", () => issuer(), true],
    ["the issuer with a slash (Okta's and Auth0's libraries)", () => `${issuer()}/`, true],
    ["the token endpoint", () => `${issuer()}/oauth2/token`, true],
    ["a list of all three", () => [issuer(), `${issuer()}/`, `${issuer()}/oauth2/token`], true],
    ["two slashes", () => `${issuer()}//`, false],
    ["the token endpoint with a slash", () => `${issuer()}/oauth2/token/`, false],
    ["capitals", () => issuer().toUpperCase(), false],
    ["a path below", () => `${issuer()}/x`, false],
    ["the issuer and another", () => [issuer(), "https://other.example"], false],
  ])("of an assertion may be %s", async (_, aud, isRight) => {
    const [own, signer] = await Promise.all([newTenant(), newSigner()]);
    await provesBy(own, signer);
    const jwt = await signer.sign({ ...assertionClaims(own.clientId, ""), aud: aud() as string });
    const answer = await request("POST", RFC_TOKEN_PATH, { body: form({ ...GRANT, ...assertion(jwt) }) });
    if (isRight) expect(answer.status).toBe(200);
    else expectRfcError(answer, 401, "invalid_client", /aud must be/);
  });

  test.each<[string, () => unknown, boolean]>([
    ["the issuer with a slash", () => `${issuer()}/`, true],
    ["a list with it", () => ["https://other.example", `${issuer()}/`], true],
    ["two slashes", () => `${issuer()}//`, false],
    ["a path below", () => `${issuer()}/x`, false],
  ])("of a signed request may be %s", async (_, aud, isRight) => {
    const { client, push } = await signingClient();
    const answer = await push({ aud: aud() });
    if (isRight) expect(answer.status).toBe(201);
    else expectRfcError(answer, 400, "invalid_request_object", /aud must be/);
    expect(client.id).toBeString();
  });

  test("of a FAPI 2.0 client is the issuer exactly, in both", async () => {
    const { client, signer, push } = await signingClient();
    await setCredentials(client.id, {
      security_profile: "FAPI2",
      require_par: true,
      dpop_bound: true,
      id_token_alg: "ES256",
      token_endpoint_auth_method: "private_key_jwt",
    });
    const proven = async (aud: string) => assertion(await signer.sign(assertionClaims(client.id, aud)));
    const asked = { response_type: "code", redirect_uri: "https://app.example/callback", ...newPkce().challenge };
    const par = async (aud: string, more: object = {}) =>
      request("POST", "/oauth2/par", { body: form({ ...asked, ...(await proven(aud)), ...more }) });
    expect((await par(issuer())).status).toBe(201);
    expectRfcError(await par(`${issuer()}/`), 401, "invalid_client", /aud must be only the issuer/);
    const object = await push({ aud: `${issuer()}/`, nbf: now() }, await proven(issuer()));
    expectRfcError(object, 400, "invalid_request_object", /aud must be/);
  });

  const now = () => Math.floor(Date.now() / 1000);

  async function signingClient() {
    const [client, signer] = await Promise.all([newClient(), newSigner()]);
    await setCredentials(client.id, { jwks: { keys: [signer.jwk] } });
    const asked = { response_type: "code", redirect_uri: "https://app.example/callback", scope: "openid" };
    const about = { iss: client.id, client_id: client.id, exp: now() + 60, ...asked };
    const push = async (claims: object, credentials?: object) => {
      const fields = { request: await signer.sign({ ...about, ...claims }, { typ: "oauth-authz-req+jwt" }) };
      if (credentials) return request("POST", "/oauth2/par", { body: form({ ...fields, ...credentials }) });
      return postAs(client.tenant.client, "/oauth2/par", fields);
    };
    return { client, signer, push };
  }
});

describe.concurrent("a device that polls", () => {
  const newDevice = async () => {
    const client = await newClient({ grant_types: [DEVICE, "refresh_token"], scopes: ["openid", "profile"] });
    const device = await beginDevice(client);
    expectRfcError(await device.poll(), 400, "authorization_pending");
    return { client, device };
  };

  test("by a timer of exactly the interval may be a second early, each time", async () => {
    const { client, device } = await newDevice();
    for (let times = 0; times < 5; times++) {
      await ageDevice(device, "4.2 seconds");
      expectRfcError(await device.poll(), 400, "authorization_pending");
    }
    await allowDevice(device, client);
    expect((await device.poll()).status).toBe(200);
  });

  test("earlier than that must wait longer", async () => {
    const { device } = await newDevice();
    await ageDevice(device, "1 second");
    expectRfcError(await device.poll(), 400, "slow_down");
  });
});

describe.concurrent("a code that is sent again with its verifier", () => {
  const later = ({ id }: Client) => elapse("6 seconds", "authorization_codes", { client_id: id }, "used_on");

  async function begin(type: "confidential" | "public" = "confidential") {
    const own = await newClient();
    const client = type === "public" ? await otherClient(own, { client_type: "public" }) : own;
    const { verifier, challenge } = newPkce();
    const code = await client.code(new Visitor(), challenge);
    const secret = type === "public" ? { client_secret: undefined } : {};
    const redeem = (more: Record<string, string | undefined> = {}) =>
      client.token(code, { code_verifier: verifier, ...secret, ...more });
    const userinfo = async (token: string) =>
      (await request("GET", "/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })).status;
    return { client, redeem, userinfo, secret };
  }

  test.each(["confidential", "public"] as const)(
    "by its %s client in the same moment is refused, and its tokens stay",
    async (type) => {
      const { client, redeem, userinfo, secret } = await begin(type);
      const answers = await Promise.all([redeem(), redeem(), redeem()]);
      const [good, ...more] = answers.toSorted((one, other) => one.status - other.status);
      expect(good!.status).toBe(200);
      for (const answer of [...more, await redeem()]) expectRfcError(answer, 400, "invalid_grant", /a moment ago/);
      expect(await userinfo(good!.body.access_token)).toBe(200);
      const refreshed = await client.refresh(good!.body.refresh_token, secret);
      expect(refreshed.status).toBe(200);
      await later(client);
      expectRfcError(await redeem(), 400, "invalid_grant", /all its tokens are revoked/);
      await until("the access token to end", async () => (await userinfo(good!.body.access_token)) === 401);
      expectRfcError(await client.refresh(refreshed.body.refresh_token, secret), 400, "invalid_grant");
    },
  );

  test.each<[string, Record<string, string | undefined>]>([
    ["another verifier", { code_verifier: "x".repeat(43) }],
    ["no verifier", { code_verifier: undefined }],
    ["another redirect_uri", { redirect_uri: "https://app.example/other" }],
  ])("with %s revokes its tokens at once, because it was stolen", async (_, wrong) => {
    const { client, redeem } = await begin();
    const { body } = await redeem();
    expectRfcError(await redeem(wrong), 400, "invalid_grant", /all its tokens are revoked/);
    expectRfcError(await client.refresh(body.refresh_token), 400, "invalid_grant");
  });

  test("by another client changes nothing", async () => {
    const { client, redeem } = await begin();
    const other = await otherClient(client);
    const { body } = await redeem();
    const { clientSecret } = other.tenant.client;
    expectRfcError(
      await redeem({ client_id: other.id, client_secret: clientSecret }),
      400,
      "invalid_grant",
      /another client/,
    );
    expect((await client.refresh(body.refresh_token)).status).toBe(200);
  });

  test("without PKCE revokes its tokens at once: a stolen code can be injected into its client", async () => {
    const client = await newClient();
    const code = answerOf(await client.visit(new Visitor(), {}, RFC_PATH)).code!;
    const { body } = await client.token(code);
    expectRfcError(await client.token(code), 400, "invalid_grant", /all its tokens are revoked/);
    expectRfcError(await client.refresh(body.refresh_token), 400, "invalid_grant");
  });
});
