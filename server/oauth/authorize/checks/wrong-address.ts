// An unregistered redirect_uri, with details for those who may see them.

import type { Logger } from "pino";
import { NotFound } from "../../../errors.ts";
import { contextOf } from "../../../http/context.ts";
import type { Client } from "../../clients/store.ts";

/** Has the same message as an unknown client. */
export class WrongAddress extends NotFound {
  constructor(
    /** Undefined: the client is unknown. */
    readonly client: Client | undefined,
    readonly clientId: string,
    readonly sent: string | undefined,
  ) {
    super("No application with this client_id has registered this redirect_uri.");
  }

  get reason(): string {
    const { client, sent } = this;
    if (!client) return "There is no such client.";
    const known = client.redirectUris;
    if (known.length === 0) return "The client has no redirect URI.";
    if (sent === undefined) return "It is missing, and the client has several.";
    if (!URL.canParse(sent)) return "It is not an absolute URI.";
    const [closest] = known
      .map((uri) => ({ uri, parts: differentParts(sent, uri) }))
      .toSorted((one, other) => one.parts.length - other.parts.length);
    const { uri, parts } = closest!;
    if (parts.length === 0) return `It differs from ${uri}; every character must match.`;
    return `It is not ${uri}: ${parts.map(([name, is, was]) => `its ${name} is ${is || "empty"}, not ${was || "empty"}`).join("; ")}.`;
  }
}

export function logWrongAddress(
  log: Logger,
  request: Request,
  { client, clientId, sent = "", reason }: WrongAddress,
): void {
  const known = { requestKey: contextOf(request).key, tenantId: client?.tenantId, clientId, redirectUri: sent, reason };
  log.warn(known, "an authorization request was rejected: its client has not registered the redirect_uri");
}

const PARTS = {
  protocol: "scheme",
  username: "user",
  hostname: "host",
  port: "port",
  pathname: "path",
  search: "query",
  hash: "fragment",
};

function differentParts(sent: string, registered: string): [name: string, is: string, was: string][] {
  const [is, was] = [new URL(sent), new URL(registered)];
  return Object.entries(PARTS).flatMap(([part, name]) => {
    const [one, other] = [is[part as keyof typeof PARTS], was[part as keyof typeof PARTS]];
    return one === other ? [] : [[name, one, other] as [string, string, string]];
  });
}
