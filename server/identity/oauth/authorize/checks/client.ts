// Checks that report to the user only: until they pass, the redirect URI is not known to be the client's.

import type { Sql } from "../../../../platform/db/sql.ts";
import { BadInput } from "../../../../platform/errors.ts";
import { isRegisteredUri } from "../../clients/credential-rules.ts";
import type { FindKnownClient } from "../../clients/known-clients.ts";
import { type Client, clientIdOf } from "../../clients/store.ts";
import type { Door } from "../../door.ts";
import type { RequestParameters } from "../parameters.ts";
import { WrongAddress } from "./wrong-address.ts";

export interface ClientDependencies {
  sql: Sql;
  findClient: FindKnownClient;
  consoleClient: {
    find(clientId: string, purpose?: "Settings" | "Account"): Promise<Client | undefined>;
    clientId(tenantId: undefined, name: string): string;
  };
}

/**
 * The client and its registered redirect URI (docs/behaviour.md "Authorization request"). At the RFC door, a client
 * with only one may omit it (RFC 6749 3.1.2.3), unless it requests an id_token (OIDC Core 3.1.2.1). An unknown client
 * gets the same error as an unknown address.
 * @param present the client, if it was just read @throws NotFound, BadInput
 */
export async function registeredClient(
  deps: ClientDependencies,
  door: Door,
  parameters: RequestParameters,
  present?: Client,
): Promise<{ client: Client; redirectUri: string }> {
  const clientId = soleValue(parameters, "client_id");
  const asked = soleValue(parameters, "redirect_uri");
  if (!clientId) throw new BadInput("client_id is missing.");
  const isOpenId = parameters.sent.scope?.split(" ").includes("openid") ?? true;
  if (asked === undefined && (door === "spec" || isOpenId)) throw new BadInput("redirect_uri is missing.");
  const client = await activeClient(deps, clientId, present);
  const redirectUri = client && (asked === undefined ? onlyOne(client) : registered(client, asked));
  if (!client || redirectUri === undefined) throw new WrongAddress(client, clientId, asked);
  return { client, redirectUri };
}

/** The client_id of Settings is sealed, because Application Ids would reveal the number of tenants. */
async function activeClient(
  { findClient, consoleClient }: ClientDependencies,
  clientId: string,
  present: Client | undefined,
): Promise<Client | undefined> {
  const settings = await consoleClient.find(clientId);
  if (settings) return settings;
  const found = present ?? (await findClient(clientId, "anew"));
  return found?.isActive && !found.isConsole && clientIdOf(found) === clientId ? found : undefined;
}

function onlyOne({ redirectUris }: Client): string | undefined {
  return redirectUris.length === 1 ? redirectUris[0] : undefined;
}

function registered(client: Client, asked: string): string | undefined {
  return isRegisteredUri(client, client.redirectUris, asked) ? asked : undefined;
}

function soleValue(parameters: RequestParameters, name: "client_id" | "redirect_uri"): string | undefined {
  if (parameters.repeated.includes(name)) throw new BadInput(`${name} is repeated in the request.`);
  return parameters.sent[name];
}
