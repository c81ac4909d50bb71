// Makes clients with a key at our own API, and a signed-in user for each.

import { type KeyClient, PUBLIC_JWK } from "./client-keys.ts";
import type { OwnApi } from "./own-api.ts";

/** @param alg the algorithm of their access tokens */
export async function ownKeyClients(api: OwnApi, alg: string, count: number): Promise<KeyClient[]> {
  const clients: KeyClient[] = [];
  // One at a time, because concurrent password checks of one account are limited.
  for (let index = 0; index < count; index++) clients.push(await ownKeyClient(api, alg, index));
  return clients;
}

async function ownKeyClient(api: OwnApi, alg: string, index: number): Promise<KeyClient> {
  const { sql, tenant } = api;
  const redirectUri = "https://app.example/callback";
  const [row] = await sql<{ id: number }[]>`
    insert into applications (tenant_id, name, is_active) values (${tenant.tenantId}, ${`key ${index}`}, true)
    returning id`;
  const clientId = String(row!.id);
  const declared = {
    application_id: clientId,
    redirect_uris: [redirectUri],
    first_party: true,
    scopes: SCOPES,
    grant_types: ["authorization_code", "client_credentials"],
    access_token_alg: alg,
    id_token_alg: alg,
    token_endpoint_auth_method: "private_key_jwt",
    jwks: sql.json({ keys: [PUBLIC_JWK] } as never),
  };
  await sql`insert into credentials ${sql(declared)}`;
  return { clientId, redirectUri, cookie: await signIn(api, clientId, redirectUri) };
}

const SCOPES = ["openid", "AccessManager:Read"];

/** @returns the session's cookie */
async function signIn({ url, tenant }: OwnApi, clientId: string, redirectUri: string): Promise<string> {
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUri });
  const request = `/oauth2/authorize?${query}`;
  const page = await fetch(url + request);
  const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())?.[1];
  if (!csrf) throw new Error(`There is no form: ${page.status}`);
  const before = cookiesOf(page);
  const { username, password } = tenant.admin;
  const answer = await fetch(`${url}/signin`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: before },
    body: new URLSearchParams({ csrf, request, username, password }),
  });
  if (answer.status >= 400) throw new Error(`The user is not signed in: ${answer.status}`);
  return [before, cookiesOf(answer)].join("; ");
}

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const CALLBACK = "https://app.example/callback";

/** Lets the tenant's administrator client exchange tokens. @returns a user's token */
export async function ownUserToken(api: OwnApi): Promise<string> {
  const { url, sql, tenant } = api;
  const { clientId, clientSecret } = tenant.client;
  await sql`
    update credentials set first_party = true, redirect_uris = ${[CALLBACK]}::text[],
      grant_types = grant_types || ${[EXCHANGE]}::text[]
    where application_id = ${clientId}`;
  const cookie = await signIn(api, clientId, CALLBACK);
  const asked = { response_type: "code", client_id: clientId, redirect_uri: CALLBACK, scope: SCOPES.join(" ") };
  const answer = await fetch(`${url}/oauth2/authorize?${new URLSearchParams(asked)}`, {
    redirect: "manual",
    headers: { cookie },
  });
  const code = new URL(answer.headers.get("location") ?? "http://none").searchParams.get("code");
  if (!code) throw new Error(`There is no code: ${answer.status}`);
  const redeemed = await fetch(`${url}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: CALLBACK }),
  });
  const { access_token } = (await redeemed.json()) as { access_token?: string };
  if (!access_token) throw new Error(`There is no token: ${redeemed.status}`);
  return access_token;
}

export function exchangeOf(token: string): Record<string, string> {
  const subject_token_type = "urn:ietf:params:oauth:token-type:access_token";
  return { grant_type: EXCHANGE, subject_token: token, subject_token_type, scope: "AccessManager:Read" };
}
