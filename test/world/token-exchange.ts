// An API, Orders, that calls a second one, Stock, for its user.

import { decodeJwt } from "jose";
import { type Answer, ok } from "./api.ts";
import { newScene, type Scene } from "./apis.ts";
import { type Client, otherClient, RFC_TOKEN_PATH } from "./client.ts";
import { postAs } from "./grants.ts";
import { savePolicy } from "./tenant.ts";
import { Visitor } from "./visitor.ts";

export const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
export const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";

export type Fields = Record<string, string | undefined>;

/** Orders calls Stock. Its users come from `scene.client`. */
export interface Chain {
  scene: Scene;
  /** The client of the API Orders. */
  caller: Client;
  userId: number;
}

export async function newChain(policy = true): Promise<Chain> {
  const scene = await newScene();
  const caller = await otherClient(scene.client, {
    grant_types: [GRANT, "client_credentials"],
    scopes: ["openid", "AccessManager:Read", "stock:read"],
  });
  await ok(scene.admin.patch("/Api", { Id: scene.orders.id, ApplicationId: caller.id }));
  const { Items } = await ok(scene.admin.get("/User?Username=admin"));
  const chain = { scene, caller, userId: Items[0].Id as number };
  if (policy) await permit(chain, "");
  return chain;
}

export function permit({ scene, caller }: Chain, when: string) {
  const text = `permit (principal == Client::"${caller.id}", action == Action::"Tokens:Exchange", resource is User)${when};`;
  return savePolicy(scene.admin, "exchange", text);
}

export const exchange = ({ tenant }: Client, subject_token: string | undefined, fields: Fields = {}) =>
  postAs(tenant.client, RFC_TOKEN_PATH, {
    ...{ grant_type: GRANT, subject_token, subject_token_type: ACCESS_TOKEN },
    ...fields,
  });

/** The admin's tokens at the application, for the API in `resource`. */
export async function signIn(
  { scene: { client } }: Pick<Chain, "scene">,
  resource?: string,
  scope = "openid profile *",
) {
  const visitor = new Visitor();
  const path = client.authorize({ scope, resource });
  const page = await client.goThrough(visitor, await visitor.open(path));
  const { body } = await client.token(page.location!.searchParams.get("code")!);
  return body as { access_token: string; refresh_token: string; id_token: string };
}

export const ordersToken = async (chain: Chain) => (await signIn(chain, chain.scene.orders.audience)).access_token;
export const claimsOf = ({ body }: Answer) => decodeJwt(body.access_token);
export const introspect = ({ tenant }: Client, token: string) => postAs(tenant.client, "/oauth2/introspect", { token });
