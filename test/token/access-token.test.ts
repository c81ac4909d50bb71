import { describe, expect, test } from "bun:test";
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
} from "jose";
import { createSigningKeys } from "../../server/identity/oauth/keys/signing-keys.ts";
import { createTokens } from "../../server/identity/oauth/tokens/tokens.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createVault } from "../../server/platform/vault.ts";
import { API, expectError, ok, until } from "../world/api.ts";
import { askToken, formOf, livenessBy } from "../world/grants.ts";
import { rowsOf } from "../world/rows.ts";
import { db, newTenant, request, setting, shared } from "../world/tenant.ts";

const JWKS_PATH = "/.well-known/jwks.json";
const ENTITIES = `${API}/Entities`;

const client = await newTenant();
const issuer = String(decodeJwt(client.token).iss);

/** The product's own signer, as in a second process of the same installation. */
function tokensOf(lifetime: number, by = issuer) {
  const keys = createSigningKeys(db(), createVault(setting("GATEHOUSE_TEST_MASTER_KEY")));
  return createTokens({ keys, issuer: by, lifetime, ...livenessBy(db()) });
}

function asClient() {
  return {
    id: Number(client.clientId),
    tenantId: client.tenantId as TenantId,
    name: "",
    webSite: "",
    isActive: true,
    documentUrl: null,
    isConsole: false,
    tenantPages: { language: "en" as const, texts: [] },
    isOpen: false,
    administratorSet: [],
    clientType: "confidential" as const,
    tokenEndpointAuthMethod: null,
    jwks: null,
    jwksUri: "",
    tlsClientAuthName: "SubjectDn" as const,
    tlsClientAuthValue: "",
    grantTypes: [],
    responseTypes: ["code"],
    logoUri: "",
    policyUri: "",
    tosUri: "",
    scopes: [],
    redirectUris: [],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    accessTokenAlg: "RS256" as const,
    accessTokenType: "at+jwt" as const,
    logoutTokenType: "logout+jwt" as const,
    accessTokenLifetime: null,
    refreshTokenLifetime: null,
    idTokenAlg: "RS256" as const,
    userinfoAlg: "" as const,
    introspectionAlg: "" as const,
    idTokenClaims: false,
    claimMapping: [],
    subjectType: "public" as const,
    sectorIdentifierUri: "",
    subjectKey: new Uint8Array(),
    requirePar: false,
    requireSignedRequestObject: false,
    dpopBound: false,
    securityProfile: "None" as const,
    firstParty: false,
    identityProvider: null,
    secrets: [],
    version: "",
  };
}

const use = (token: string) => request("GET", ENTITIES, { headers: { authorization: `Bearer ${token}` } });

async function expectRefused(token: string): Promise<void> {
  const answer = await use(token);
  expectError(answer, 401, "Unauthorized");
  expect(answer.body.Title).toBe("Unauthorized");
  expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  expect(answer.body.Errors[0]).toBe(
    "The access token is expired or invalid. Request a new one at the token endpoint.",
  );
}

describe("an access token", () => {
  test("is verified by everyone with the published keys (RFC 9068)", async () => {
    const keys = createRemoteJWKSet(new URL(shared().url + JWKS_PATH));
    const { body } = await askToken(formOf(client, { scope: "AccessManager:Create, Update" }));
    const { payload, protectedHeader } = await jwtVerify(body.access_token, keys, {
      issuer,
      audience: issuer,
      typ: "at+jwt",
      algorithms: ["ES256"],
    });
    expect(protectedHeader).toEqual({ alg: "ES256", typ: "at+jwt", kid: expect.stringMatching(/./) });
    expect(payload).toMatchObject({
      sub: client.clientId,
      client_id: client.clientId,
      scope: "AccessManager:Create AccessManager:Update",
    });
    expect(payload.exp! - payload.iat!).toBe(body.expires_in);
    expect(Math.abs(Date.now() / 1000 - payload.iat!)).toBeLessThan(60);
  });

  const ALGS = ["RS256", "ES256", "EdDSA"] as const;
  test.each(ALGS.flatMap((alg) => (["at+jwt", "JWT"] as const).map((typ) => [alg, typ] as const)))(
    "is signed with %s and has the type %s, as its client is configured",
    async (AccessTokenAlg, AccessTokenType) => {
      const own = await newTenant();
      await ok(own.patch(`/Application/${own.clientId}/Credentials`, { AccessTokenAlg, AccessTokenType }));
      const { body } = await askToken(formOf(own, { scope: "*" }));
      const { protectedHeader } = await jwtVerify(
        body.access_token,
        createRemoteJWKSet(new URL(shared().url + JWKS_PATH)),
        { issuer, audience: issuer, typ: AccessTokenType, algorithms: [AccessTokenAlg] },
      );
      expect(protectedHeader).toMatchObject({ alg: AccessTokenAlg, typ: AccessTokenType });
      expect((await use(body.access_token)).status).toBe(200);
    },
  );

  test("has the lifetime of its client", async () => {
    const own = await newTenant();
    const set = (AccessTokenLifetime: number | null) =>
      ok(own.patch(`/Application/${own.clientId}/Credentials`, { AccessTokenLifetime }));
    const lifetimes = async () => {
      const { body } = await askToken(formOf(own));
      const again = await askToken(formOf(own, { grant_type: "refresh_token", refresh_token: body.refresh_token }));
      return [body, again.body].flatMap(({ access_token, expires_in }) => {
        const { iat, exp } = decodeJwt(access_token);
        return [exp! - iat!, expires_in];
      });
    };
    await set(300);
    expect(await lifetimes()).toEqual([300, 300, 300, 300]);
    await set(null);
    expect(await lifetimes()).toEqual([3600, 3600, 3600, 3600]);
  });

  test("is unique", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => askToken(formOf(client))));
    const ids = answers.flatMap(({ body }) => [decodeJwt(body.access_token).jti, decodeJwt(body.refresh_token).jti]);
    expect(new Set(ids).size).toBe(20);
  });

  test("of another process of the installation is valid here", async () => {
    const token = await tokensOf(60).issueAccessToken(asClient(), { scopes: ["AccessManager:Read"] });
    expect((await use(token)).status).toBe(200);
  });
});

describe("rejected with 401:", () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const [header, payload, signature] = [0, 1, 2].map((index) => () => client.token.split(".")[index]!) as [
    () => string,
    () => string,
    () => string,
  ];

  test("an expired token", async () => {
    await expectRefused(await tokensOf(-1).issueAccessToken(asClient(), { scopes: ["AccessManager:Read"] }));
  });

  test("a token that was valid until it expired", async () => {
    const token = await tokensOf(2).issueAccessToken(asClient(), { scopes: ["AccessManager:Read"] });
    expect((await use(token)).status).toBe(200);
    await until("the token to expire", async () => (await use(token)).status !== 200);
    expect(Date.now() / 1000).toBeGreaterThanOrEqual(decodeJwt(token).exp!);
    await expectRefused(token);
  });

  test("a valid token with the signature or the claims of another", async () => {
    expect((await use(client.token)).status).toBe(200);
    const other = (await askToken(formOf(client))).body.access_token.split(".");
    await expectRefused([header(), payload(), other[2]].join("."));
    await expectRefused([header(), other[1], signature()].join("."));
  });

  test("another issuer's token with the same key", async () => {
    await expectRefused(
      await tokensOf(60, "https://other.example").issueAccessToken(asClient(), { scopes: ["AccessManager:Read"] }),
    );
  });

  test("the refresh token", async () => {
    const { body } = await askToken(formOf(client, { scope: "*" }));
    expect(decodeProtectedHeader(body.refresh_token).typ).not.toBe("at+jwt");
    await expectRefused(body.refresh_token);
  });

  test("a refresh token also by APIs that check only the audience, which is the token endpoint's", async () => {
    const { refresh_token } = (await askToken(formOf(client))).body;
    const claims = decodeJwt(refresh_token);
    expect(claims.aud).toBe(`${issuer}/oauth2/token`);
    const { kid, key } = await createSigningKeys(db(), createVault(setting("GATEHOUSE_TEST_MASTER_KEY"))).signingKey(
      "EdDSA",
    );
    const redeem = async (aud: string) => {
      const token = await new SignJWT({ ...claims, aud, jti: Bun.randomUUIDv7() })
        .setProtectedHeader({ alg: "EdDSA", typ: "rt+jwt", kid })
        .sign(key);
      return (await askToken(formOf(client, { grant_type: "refresh_token", refresh_token: token }))).status;
    };
    expect(await redeem(claims.aud as string)).toBe(200);
    expect(await redeem(issuer)).toBe(400);
  });

  test("an id_token, also with the algorithm of access tokens", async () => {
    const user = { userId: 1, authTime: Math.floor(Date.now() / 1000) };
    for (const idTokenAlg of ["RS256", "ES256", "EdDSA"] as const) {
      const claims = { ...decodeJwt(client.token), aud: issuer };
      await expectRefused(await tokensOf(60).issueIdToken({ ...asClient(), idTokenAlg }, { ...user, claims }));
    }
  });

  test("our own signature with another typ, or none", async () => {
    const keys = createSigningKeys(db(), createVault(setting("GATEHOUSE_TEST_MASTER_KEY")));
    for (const alg of ["EdDSA", "RS256", "ES256"] as const) {
      const { kid, key } = await keys.signingKey(alg);
      const sign = (typ: string | undefined) =>
        new SignJWT(decodeJwt(client.token)).setProtectedHeader({ alg, kid, ...(typ ? { typ } : {}) }).sign(key);
      for (const typ of ["jwt", "AT+JWT", "rt+jwt", "logout+jwt", undefined]) await expectRefused(await sign(typ));
      for (const typ of ["at+jwt", "JWT"]) expect((await use(await sign(typ))).status).toBe(200);
    }
  });

  test("a token with another payload, header or signature", async () => {
    const claims = decodeJwt(client.token);
    await expectRefused(`${header()}.${part({ ...claims, tenant: Bun.randomUUIDv7() })}.${signature()}`);
    await expectRefused(`${header()}.${part({ ...claims, exp: 9_999_999_999 })}.${signature()}`);
    await expectRefused(`${part({ ...decodeProtectedHeader(client.token), x: 1 })}.${payload()}.${signature()}`);
    const other = signature().startsWith("A") ? "B" : "A";
    await expectRefused(`${header()}.${payload()}.${other}${signature().slice(1)}`);
    await expectRefused(`${header()}.${payload()}.`);
    await expectRefused(`${header()}.${payload()}`);
  });

  test.each(["none", "None", "HS256", "PS256", "EdDSA", "", "RS256"])("alg %p", async (alg) => {
    const forged = part({ ...decodeProtectedHeader(client.token), alg });
    for (const sign of ["", signature()]) await expectRefused(`${forged}.${payload()}.${sign}`);
  });

  test("a token signed with the public key as an HMAC secret", async () => {
    const { body } = await request("GET", JWKS_PATH);
    const of = (alg: string) => body.keys.find((published: { alg: string }) => published.alg === alg);
    const key = of("RS256");
    const pem = await exportSPKI((await importJWK(key, "RS256")) as CryptoKey);
    for (const secret of [of("EdDSA").x, JSON.stringify(key), key.n, pem]) {
      const token = await new SignJWT(decodeJwt(client.token))
        .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: key.kid })
        .sign(Buffer.from(secret.padEnd(32, "x")));
      await expectRefused(token);
    }
  });

  test("a token with a stranger's key, under its own or our key id, or in its header", async () => {
    const stranger = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(stranger.publicKey);
    const { kid } = decodeProtectedHeader(client.token);
    for (const extra of [
      { kid },
      { kid: "other" },
      {},
      { kid, jwk },
      { jwk },
      { kid, jku: "https://example.com/jwks" },
    ]) {
      const token = await new SignJWT(decodeJwt(client.token))
        .setProtectedHeader({ alg: "RS256", typ: "at+jwt", ...extra })
        .sign(stranger.privateKey);
      await expectRefused(token);
    }
  });

  test.each(["a", "a.b", "a.b.c", "..", "a.b.c.d.e", "x".repeat(5_000)])("%.20s", async (token) => {
    await expectRefused(token);
  });
});

describe("the signing keys", () => {
  test("are published without their private members", async () => {
    const answer = await request("GET", JWKS_PATH);
    expect(answer.status).toBe(200);
    const { kid } = decodeProtectedHeader(client.token);
    expect(answer.body.keys.map((key: { kid: string }) => key.kid)).toContain(kid);
    for (const key of answer.body.keys) {
      expect(key).toMatchObject({ use: "sig" });
      expect(Object.keys(key)).not.toContain("d");
    }
    expect((await request("POST", JWKS_PATH)).headers.get("allow")).toBe("GET, HEAD");
  });

  test("are encrypted with MASTER_KEY", async () => {
    const rows = await rowsOf<{ private_jwk: Uint8Array }>("signing_keys");
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const stored = Buffer.from(row.private_jwk);
      for (const word of ['"d"', '"kty"', '"crv"', "OKP"]) expect(stored.includes(word)).toBe(false);
      expect(() => JSON.parse(stored.toString("utf8"))).toThrow();
      const opened = createVault(setting("GATEHOUSE_TEST_MASTER_KEY")).sealFor("signing key").open(stored);
      expect(Object.keys(JSON.parse(opened))).toContain("d");
      const wrongKey = createVault(Buffer.alloc(32, 9).toString("base64"));
      expect(() => wrongKey.sealFor("signing key").open(stored)).toThrow(/MASTER_KEY/);
      expect(() => createVault(setting("GATEHOUSE_TEST_MASTER_KEY")).sealFor("webhook secret").open(stored)).toThrow();
      const changed = Buffer.from(stored);
      changed[changed.length - 1]! ^= 1;
      expect(() => createVault(setting("GATEHOUSE_TEST_MASTER_KEY")).sealFor("signing key").open(changed)).toThrow();
    }
  });

  test("client secrets are stored only as a digest", async () => {
    const [row] = await rowsOf<{ digest: Uint8Array }>("client_secrets", { application_id: client.clientId });
    const digest = new Bun.CryptoHasher("sha256").update(client.clientSecret).digest();
    expect(Buffer.from(row!.digest).equals(digest)).toBe(true);
  });

  test("a wrong MASTER_KEY is reported", async () => {
    const keys = createSigningKeys(db(), createVault(Buffer.alloc(32, 9).toString("base64")));
    expect(keys.jwks()).rejects.toThrow(/MASTER_KEY/);
  });
});
