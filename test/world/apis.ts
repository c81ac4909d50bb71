// A tenant with its own APIs, and clients that request tokens for them.

import { type Api as Caller, ok } from "./api.ts";
import { type Client, newClient, otherClient } from "./client.ts";
import { clientOf } from "./tenant.ts";

export interface Scene {
  /** A client with the administrator's role. */
  admin: Caller;
  /** Has the scopes of both APIs, as does its user. */
  client: Client;
  orders: Api;
  stock: Api;
}

interface Api {
  id: string;
  audience: string;
}

const OPENID = ["openid", "profile", "name"];
export const newAudience = () => `https://${Bun.randomUUIDv7()}.example.com`;

/** Names of an API's scopes. */
export const ORDERS = ["orders:read", "orders:write"];
const STOCK = ["stock:read"];

export async function newScene(credentials: Parameters<typeof otherClient>[1] = {}): Promise<Scene> {
  const first = await newClient();
  const admin = await clientOf(first.tenant);
  const orders = await newApi(admin, "Orders", ORDERS);
  const stock = await newApi(admin, "Stock", STOCK);
  await ok(admin.patch("/Role", { Name: "clerk", Scopes: [...ORDERS, ...STOCK], Members: [await adminUser(admin)] }));
  const client = await otherClient(first, {
    grant_types: ["authorization_code", "client_credentials", "refresh_token"],
    scopes: [...OPENID, "AccessManager:Read", ...ORDERS, ...STOCK],
    ...credentials,
  });
  return { admin, client, orders, stock };
}

export async function newApi(
  admin: Caller,
  name: string,
  scopes: string[],
  more: Record<string, unknown> = {},
): Promise<Api> {
  const Audience = newAudience();
  const Scopes = scopes.map((Name) => ({ Name, Description: `Do ${Name} for you` }));
  const { Id } = await ok(admin.patch("/Api", { Name: name, Audience, Scopes, ...more }));
  return { id: Id, audience: Audience };
}

async function adminUser(admin: Caller) {
  const { Items } = await ok(admin.get("/User?Username=admin"));
  return { Type: "User", Id: Items[0].Id };
}
