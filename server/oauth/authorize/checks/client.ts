// The checks whose failure is told to the user alone: nothing may be sent to an address that is not known to be the
// client's.

import type { Sql } from "../../../db/connection.ts";
import { BadInput, NotFound } from "../../../errors.ts";
import type { Door } from "../../door.ts";
import { type Client, findClient } from "../../store.ts";
import type { Parameters } from "../parameters.ts";

/** @throws NotFound, BadInput */
export async function knownClient(sql: Sql, parameters: Parameters): Promise<Client> {
  const clientId = soleValue(parameters, "client_id");
  if (!clientId) throw new BadInput("client_id is missing.");
  const client = await findClient(sql, clientId);
  if (!client?.isActive) throw new NotFound("There is no application with this client_id.");
  return client;
}

/**
 * SPEC.md Endpoints 1: exactly one of those configured. The RFC door lets a client with a single one leave it out
 * (RFC 6749 3.1.2.3), unless it asks for an id_token (OIDC Core 3.1.2.1).
 * @throws NotFound, BadInput
 */
export function registeredRedirectUri(door: Door, client: Client, parameters: Parameters): string {
  const asked = soleValue(parameters, "redirect_uri");
  if (asked === undefined) {
    const [only, ...others] = client.redirectUris;
    const isOpenId = parameters.get("scope")?.split(" ").includes("openid") ?? true;
    if (door === "rfc" && only !== undefined && others.length === 0 && !isOpenId) return only;
    throw new BadInput("redirect_uri is missing.");
  }
  if (!client.redirectUris.some((registered) => isSameRedirectUri(client, registered, asked))) {
    throw new NotFound("The redirect_uri is not one of those registered for this application.");
  }
  return asked;
}

function isSameRedirectUri(client: Client, registered: string, asked: string): boolean {
  if (registered === asked) return true;
  if (client.clientType !== "native") return false;
  const [a, b] = [withoutLoopbackPort(registered), withoutLoopbackPort(asked)];
  return a !== undefined && a === b;
}

/** RFC 8252 7.3: an app on the device listens on whatever port is free. */
function withoutLoopbackPort(uri: string): string | undefined {
  const match = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?([/?].*)?$/.exec(uri);
  return match ? match[1]! + (match[2] ?? "") : undefined;
}

function soleValue(parameters: Parameters, name: string): string | undefined {
  if (parameters.repeated.includes(name)) throw new BadInput(`${name} stands in the request more than once.`);
  return parameters.get(name);
}
