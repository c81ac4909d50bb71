// An unregistered redirect_uri, with details for those who may see them.

import type { Logger } from "pino";
import { readUrl, urlOf } from "../../../../platform/address.ts";
import { NotFound } from "../../../../platform/errors.ts";
import { contextOf } from "../../../../platform/http/context.ts";
import type { Client } from "../../clients/store.ts";

/** The redirect_uri is not registered. The page is the same as for an unknown client, so clients cannot be probed. */
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
    if (!client) return "There is no client with this client_id.";
    const known = client.redirectUris;
    if (known.length === 0) return "The client has no redirect URI.";
    if (sent === undefined) return "It is missing, and the client has several: one must be named.";
    const given = readUrl(sent);
    if (!given) return "It is not an absolute URI.";
    const [closest] = known
      .map((uri) => ({ uri, parts: differentParts(given, urlOf(uri)) }))
      .toSorted((one, other) => one.parts.length - other.parts.length);
    const { uri, parts } = closest!;
    if (parts.length === 0) return `It differs from ${uri}; every character must match.`;
    return `It is not ${uri}: ${parts.map(([name, is, was]) => `its ${name} is ${is || "empty"}, not ${was || "empty"}`).join("; ")}.`;
  }
}

/** Anyone can cause the line, so it has only the start of each text. */
const LOGGED = 300;

export function logWrongAddress(
  log: Logger,
  request: Request,
  { client, clientId, sent = "", reason }: WrongAddress,
): void {
  const [id, redirectUri, why] = [clientId, sent, reason].map((text) =>
    text.length > LOGGED ? `${text.slice(0, LOGGED)}…` : text,
  );
  const known = {
    requestKey: contextOf(request).key,
    tenantId: client?.tenantId,
    clientId: id,
    redirectUri,
    reason: why,
  };
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

function differentParts(sent: URL, registered: URL): [name: string, is: string, was: string][] {
  return Object.entries(PARTS).flatMap(([part, name]) => {
    const [one, other] = [sent[part as keyof typeof PARTS], registered[part as keyof typeof PARTS]];
    return one === other ? [] : [[name, one, other] as [string, string, string]];
  });
}
