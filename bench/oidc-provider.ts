// npm oidc-provider, to which bench/tokens.ts compares Gatehouse. Access tokens are JWTs signed by ALG, and refresh
// tokens are rotated. Its adapter follows its documentation, with one PostgreSQL table.

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { connect } from "../server/platform/db/sql.ts";

const RESOURCE = "https://api.example.com";
const SCOPE = "AccessManager:Read";
const CLIENT_ID = "bench";
const ACCOUNT_ID = "user-1";
const SECONDS = 3600;
const ALG = process.env.ALG!;

type Payload = Record<string, unknown>;

const sql = connect(process.env.DATABASE_URL!, "oidc-provider", 10);
await sql`
  create table if not exists oidc_payloads (
    model text, id text, payload jsonb not null, grant_id text, expires_on timestamptz, primary key (model, id)
  )`;
await sql`create index if not exists oidc_payloads_grant on oidc_payloads (grant_id)`;
await sql`create index if not exists oidc_payloads_uid on oidc_payloads ((payload->>'uid'))`;

class PostgresqlAdapter {
  constructor(readonly model: string) {}

  async upsert(id: string, payload: Payload, seconds?: number): Promise<void> {
    const expiresOn = seconds === undefined ? null : new Date(Date.now() + seconds * 1_000);
    await sql`
      insert into oidc_payloads (model, id, payload, grant_id, expires_on)
      values (${this.model}, ${id}, ${sql.json(payload as never)}, ${(payload.grantId as string) ?? null}, ${expiresOn})
      on conflict (model, id) do update set payload = excluded.payload, expires_on = excluded.expires_on`;
  }

  async find(id: string): Promise<Payload | undefined> {
    const [row] = await sql<{ payload: Payload }[]>`
      select payload from oidc_payloads
      where model = ${this.model} and id = ${id} and (expires_on is null or expires_on > now())`;
    return row?.payload;
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    const [row] = await sql<{ payload: Payload }[]>`
      select payload from oidc_payloads
      where model = ${this.model} and payload->>'uid' = ${uid} and (expires_on is null or expires_on > now())`;
    return row?.payload;
  }

  async consume(id: string): Promise<void> {
    const consumed = Math.floor(Date.now() / 1_000);
    await sql`
      update oidc_payloads set payload = payload || ${sql.json({ consumed })} where model = ${this.model} and id = ${id}`;
  }

  async destroy(id: string): Promise<void> {
    await sql`delete from oidc_payloads where model = ${this.model} and id = ${id}`;
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await sql`delete from oidc_payloads where grant_id = ${grantId}`;
  }
}

const server = createServer().listen(0, "127.0.0.1");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const { privateKey } = await generateKeyPair(ALG, { extractable: true });
const provider = new Provider(url, {
  adapter: PostgresqlAdapter,
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: ALG, use: "sig", kid: "bench" }] },
  clientDefaults: { id_token_signed_response_alg: ALG },
  // Unsigned, so the bench can create a session without a sign-in.
  cookies: { keys: [randomBytes(32).toString("hex")], long: { signed: false, httpOnly: true, sameSite: "lax" } },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: SCOPE,
        accessTokenFormat: "jwt",
        accessTokenTTL: SECONDS,
        jwt: { sign: { alg: ALG as "RS256" } },
      }),
    },
  },
  // It grants refresh tokens only if this scope is configured.
  scopes: [SCOPE, "offline_access"],
  findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  rotateRefreshToken: true,
  ttl: {
    AccessToken: SECONDS,
    ClientCredentials: SECONDS,
    IdToken: SECONDS,
    Session: SECONDS,
    RefreshToken: 30 * 24 * 3600,
    Grant: 90 * 24 * 3600,
  },
});

const clientSecret = randomBytes(32).toString("base64url");
await new PostgresqlAdapter("Client").upsert(CLIENT_ID, {
  client_id: CLIENT_ID,
  client_secret: clientSecret,
  grant_types: ["client_credentials", "authorization_code", "refresh_token"],
  redirect_uris: ["http://127.0.0.1/callback"],
  token_endpoint_auth_method: "client_secret_basic",
  scope: SCOPE,
});
const refreshTokens = await Promise.all(Array.from({ length: Number(process.env.REFRESH_TOKENS) }, makeRefreshToken));
const keyClients = await Promise.all(
  Array.from({ length: Number(process.env.KEY_CLIENTS) }, (_, index) => makeKeyClient(`key-${index}`)),
);
server.on("request", provider.callback());
console.log(
  JSON.stringify({
    url,
    clientId: CLIENT_ID,
    clientSecret,
    resource: RESOURCE,
    scope: SCOPE,
    refreshTokens,
    keyClients,
  }),
);

/** Makes a refresh token as a user's sign-in does. */
async function makeRefreshToken(): Promise<string> {
  const grant = new provider.Grant({ clientId: CLIENT_ID, accountId: ACCOUNT_ID });
  grant.addResourceScope(RESOURCE, SCOPE);
  const grantId = await grant.save();
  const client = await provider.Client.find(CLIENT_ID);
  return new provider.RefreshToken({
    client,
    accountId: ACCOUNT_ID,
    grantId,
    gty: "authorization_code",
    scope: SCOPE,
    resource: RESOURCE,
    authTime: Math.floor(Date.now() / 1_000),
  }).save();
}

/** Makes a client that authenticates by a key, with a user's session and consent. */
async function makeKeyClient(clientId: string) {
  const redirectUri = "https://app.example/callback";
  await new PostgresqlAdapter("Client").upsert(clientId, {
    client_id: clientId,
    grant_types: ["client_credentials", "authorization_code"],
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: "private_key_jwt",
    jwks: { keys: [JSON.parse(process.env.CLIENT_JWK!)] },
    scope: `openid ${SCOPE}`,
  });
  const grant = new provider.Grant({ clientId, accountId: ACCOUNT_ID });
  grant.addOIDCScope(`openid ${SCOPE}`);
  grant.addResourceScope(RESOURCE, SCOPE);
  const session = new provider.Session({});
  session.loginAccount({ accountId: ACCOUNT_ID });
  session.ensureClientContainer(clientId);
  session.grantIdFor(clientId, await grant.save());
  await session.save(SECONDS);
  return { clientId, redirectUri, cookie: `_session=${session.id}` };
}
