// Compares the token endpoints with npm oidc-provider (bench/oidc-provider.ts). Each is a process on Bun with 10
// connections to the same PostgreSQL. Access tokens are JWTs signed by the same algorithm on both sides, and issuance is
// measured with each algorithm. Clients are stored in PostgreSQL and authenticate by client_secret_basic.
//
// Introspection is measured with refresh tokens, because oidc-provider introspects no JWTs, and with access tokens, which
// oidc-provider makes opaque for this. Clients with a key (bench/client-keys.ts) authenticate by private_key_jwt, bind
// their tokens by DPoP, and push their requests. With PAR, a user's tokens take three requests, and each counts.
//
//   bun run bench tokens

import { join } from "node:path";
import { type Asked, boundIssuances, issuances, type KeyClient, PUBLIC_JWK, pushedCodes } from "./client-keys.ts";
import { type Conversation, requestText } from "./load.ts";
import { startOther, startOwnApi } from "./own-api.ts";
import { exchangeOf, ownKeyClients, ownUserToken } from "./own-clients.ts";
import { CONNECTIONS, compare } from "./rounds.ts";

const SCOPE = "AccessManager:Read";

interface Server {
  name: string;
  url: string;
  pid: number;
  paths: Asked["paths"] & { introspection: string };
  clientId: string;
  clientSecret: string;
  /** The resource parameter that makes an access token a JWT. */
  resource: string | undefined;
  /** One for each connection. */
  refreshTokens: string[];
  /** One for each connection. */
  keyClients: KeyClient[];
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
}

const ALGS = ["RS256", "ES256", "EdDSA"];

await using api = await startOwnApi();
const own: Server = {
  name: "Gatehouse",
  url: api.url,
  pid: api.pid,
  ...api.tenant.client,
  resource: undefined,
  paths: {
    token: "/oauth2/token",
    introspection: "/oauth2/introspect",
    push: "/oauth2/par",
    authorization: "/oauth2/authorize",
  },
  refreshTokens: await Promise.all(Array.from({ length: CONNECTIONS }, ownRefreshToken)),
  keyClients: await ownKeyClients(api, ALGS.at(-1)!, CONNECTIONS),
};
for (const alg of ALGS) {
  await using other = await startOther<Omit<Server, "name" | "pid" | "paths">>(
    [process.execPath, join(import.meta.dir, "oidc-provider.ts")],
    {
      DATABASE_URL: api.databaseUrl,
      NODE_ENV: "production",
      ALG: alg,
      CLIENT_JWK: JSON.stringify(PUBLIC_JWK),
      REFRESH_TOKENS: String(CONNECTIONS),
      KEY_CLIENTS: String(CONNECTIONS),
    },
  );
  const theirs: Server = {
    ...other,
    name: "oidc-provider",
    paths: {
      token: "/token",
      introspection: "/token/introspection",
      push: "/request",
      authorization: "/auth",
    },
  };
  await api.sql`update credentials set access_token_alg = ${alg} where application_id = ${own.clientId}`;
  for (const server of [own, theirs]) await untilSignedBy(alg, server);
  const both = [own, theirs] as const;
  await against(`issuance by client_credentials, ${alg} (aim: 2)`, both, (server) => () => ({
    next: () => issuance(server),
  }));
  // The other measurements do not depend on the algorithm, or depend on it as issuance does.
  if (alg === ALGS.at(-1)) await others(both);
}

async function others(both: readonly [own: Server, theirs: Server]): Promise<void> {
  const [, theirs] = both;
  await against("refresh, with rotation", both, (server) => (index) => refreshes(server, index));
  await against("introspection of a refresh token", both, (server) => (index) => ({
    next: () => introspection(server, server.refreshTokens[index]!, "refresh_token"),
    heard: requireActive,
  }));
  const opaque = { ...theirs, resource: undefined };
  const accessTokens = new Map([
    [own, (await ask(own, issuance(own))).access_token],
    [theirs, (await ask(theirs, issuance(opaque))).access_token],
  ]);
  await against("introspection of an access token (oidc-provider: opaque)", both, (server) => () => ({
    next: () => introspection(server, accessTokens.get(server)!, "access_token"),
    heard: requireActive,
  }));
  await against(
    "issuance by client_credentials and private_key_jwt",
    both,
    (server) => (index) => issuances(asked(server), server.keyClients[index]!),
  );
  await against(
    "a user's tokens by PAR and private_key_jwt, three requests",
    both,
    (server) => (index) => pushedCodes(asked(server), server.keyClients[index]!),
  );
  const bound = new Map<Server, Conversation[]>();
  for (const server of both) {
    const each = () => boundIssuances(asked(server), server.url, basic(server));
    bound.set(server, await Promise.all(Array.from({ length: CONNECTIONS }, each)));
  }
  await against("issuance by client_credentials with DPoP", both, (server) => (index) => bound.get(server)![index]!);
  const exchange = exchangeOf(await ownUserToken(api));
  const exchanging = Array.from(
    { length: CONNECTIONS },
    (): Conversation => ({
      next: () => form(own, own.paths.token, exchange),
      heard(body) {
        if (!body.includes('"issued_token_type":')) throw new Error(`No token was exchanged: ${body}`);
      },
    }),
  );
  const issuing = Array.from({ length: CONNECTIONS }, (): Conversation => ({ next: () => issuance(own) }));
  await compare(
    "token exchange, which oidc-provider does not support, against our own issuance by client_credentials",
    { ...own, name: "exchange", conversations: exchanging },
    { ...own, name: "issuance", conversations: issuing },
  );
  const discovery = requestText("GET", "/.well-known/openid-configuration");
  await against("discovery", both, () => () => ({ next: () => discovery }));
}

async function against(
  title: string,
  [own, theirs]: readonly [own: Server, theirs: Server],
  talk: (server: Server) => (index: number) => Conversation,
): Promise<void> {
  const side = (server: Server) => ({
    ...server,
    conversations: Array.from({ length: CONNECTIONS }, (_, index) => talk(server)(index)),
  });
  await compare(title, side(own), side(theirs));
}

function issuance(server: Server): string {
  return form(server, server.paths.token, { grant_type: "client_credentials", ...grantOf(server) });
}

function grantOf({ resource }: Server): Record<string, string> {
  return { scope: SCOPE, ...(resource ? { resource } : {}) };
}

function asked(server: Server): Asked {
  const { name, url, paths } = server;
  // Gatehouse uses its PUBLIC_URL, oidc-provider the request's Host header.
  const host = name === "oidc-provider" ? "http://localhost" : url;
  return { issuer: url, paths, grant: grantOf(server), tokenAddress: host + paths.token };
}

function basic({ clientId, clientSecret }: Server): string {
  return `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
}

function refreshes(server: Server, index: number): Conversation {
  const { refreshTokens } = server;
  return {
    next: () => form(server, server.paths.token, { grant_type: "refresh_token", refresh_token: refreshTokens[index]! }),
    heard(body) {
      const { refresh_token } = JSON.parse(body) as Tokens;
      if (!refresh_token || refresh_token === refreshTokens[index])
        throw new Error("The refresh token was not rotated.");
      refreshTokens[index] = refresh_token;
    },
  };
}

function introspection(server: Server, token: string, hint: string): string {
  return form(server, server.paths.introspection, { token, token_type_hint: hint });
}

function form(server: Server, path: string, fields: Record<string, string>): string {
  return requestText("POST", path, {
    authorization: basic(server),
    "content-type": "application/x-www-form-urlencoded",
    body: String(new URLSearchParams(fields)),
  });
}

/** A refresh token for the client itself, from SPEC.md's token endpoint. After its first use it costs the same as a user's. */
async function ownRefreshToken(): Promise<string> {
  const { clientId, clientSecret } = api.tenant.client;
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const answer = await fetch(`${api.url}/oAuth/rest/v2/Token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", scope: SCOPE, ...credentials }),
  });
  return ((await answer.json()) as Required<Tokens>).refresh_token;
}

async function ask({ url }: Server, request: string): Promise<Tokens> {
  const [head, body] = request.split("\r\n\r\n") as [string, string];
  const [start, ...lines] = head.split("\r\n") as [string, ...string[]];
  const headers = lines.map((line) => line.split(": ") as [string, string]);
  const answer = await fetch(url + start.split(" ")[1], { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Tokens;
}

/** Gatehouse applies a client's change after a short delay. */
async function untilSignedBy(alg: string, server: Server): Promise<void> {
  for (const until = Date.now() + 10_000; Date.now() < until; await Bun.sleep(20)) {
    const [header] = (await ask(server, issuance(server))).access_token.split(".");
    const { alg: given, typ } = JSON.parse(Buffer.from(header!, "base64url").toString()) as Record<string, unknown>;
    if (given === alg && typ === "at+jwt") return;
  }
  throw new Error(`${server.name} does not sign at+jwt with ${alg}.`);
}

function requireActive(body: string): void {
  if (!body.includes('"active":true')) throw new Error(`A token is not active: ${body}`);
}
