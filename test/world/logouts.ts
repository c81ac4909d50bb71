// Clients with back-channel logout, and the tokens they receive.

import { expect } from "bun:test";
import { decodeJwt } from "jose";
import { type Api, until } from "./api.ts";
import { Client } from "./client.ts";
import { Person } from "./person.ts";
import type { Receiver } from "./receiver.ts";
import { newTenant } from "./tenant.ts";
import type { Visitor } from "./visitor.ts";

const LOGOUT = "/oauth2/logout";

/** A client with the receiver's address for logout tokens. */
export async function logoutClient(
  uri: string,
  given?: Api,
  fields: object = {},
): Promise<{ api: Api; client: Client }> {
  const api = given ?? (await newTenant());
  const client = new Client(api.tenant);
  await setCredentials(api, client, { BackchannelLogoutUri: uri, ...fields });
  return { api, client };
}

export async function setCredentials(api: Api, { id }: Client, fields: object): Promise<void> {
  const body = { RedirectUris: ["https://app.example/callback"], FirstParty: true, ...fields };
  const answer = await api.call("PATCH", `/Application/${id}/Credentials`, body);
  expect([answer.status, answer.body.Errors]).toEqual([200, undefined]);
}

/** A signed-in user, and the session's id in the client's tokens. */
export async function signIn(client: Client, person = new Person(client)) {
  const code = await client.code(person.visitor);
  const { id_token } = (await client.token(code)).body;
  return { person, visitor: person.visitor, idToken: id_token as string, sid: decodeJwt(id_token).sid as string };
}

export async function signOut(visitor: Visitor, id_token_hint: string): Promise<void> {
  expect((await visitor.open(`${LOGOUT}?${new URLSearchParams({ id_token_hint })}`)).heading).toBe("Signed out");
}

export function tokensOf(receiver: Receiver): string[] {
  return receiver.calls.map(({ payload }) => (payload as unknown as { logout_token: string }).logout_token);
}

/** The sids of the receiver's calls, after this number of calls. */
export async function logoutsOf(receiver: Receiver, count: number): Promise<string[]> {
  await until(`${count} logout tokens`, () => receiver.calls.length >= count);
  return tokensOf(receiver).map((token) => decodeJwt(token).sid as string);
}
