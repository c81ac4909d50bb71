// What an attempt sends beside the payload, and what of it may be shown.

import { extendAddress } from "../../egress/index.ts";
import { type ConnectionSeals, type ExtraHeaders, ownApiKeys } from "../connections/secrets.ts";
import type { Connection } from "../connections/store.ts";
import { signPayload, standardWebhooksHeaders } from "../signature.ts";
import type { OpenDelivery } from "./opening.store.ts";

/** Characters of webhook-sequence: servers take 8 KiB of headers, and a connection may have 4,000 of its own. */
export const SEQUENCE_LIMIT = 3_000;

type Addressed = Pick<
  OpenDelivery,
  "eventId" | "payload" | "sequences" | "url" | "apiKey" | "headers" | "secret" | "stagedSecret" | "formerSecret"
>;

interface Request {
  url: string;
  /** As somebody has set them. */
  extra: ExtraHeaders;
  /** Ours, by their names on the wire. */
  own: Record<string, string>;
}

export type RequestOf = (delivery: Addressed, startedOn: Date) => Request;

export function createRequestOf({ apiKey, headers, secret }: ConnectionSeals): RequestOf {
  return (delivery, startedOn) => ({
    url: targetUrl(delivery.url, apiKey.open(delivery.apiKey)),
    extra: headers.open(delivery.headers),
    own: headersOf(delivery, secretsOf(delivery).map(secret.open), startedOn),
  });
}

/** What signs: the one in force first; without one, nothing does. */
function secretsOf({ secret, stagedSecret, formerSecret }: Addressed): Uint8Array[] {
  return secret === null ? [] : [secret, stagedSecret, formerSecret].filter((sealed) => sealed !== null);
}

/** The ApiKey is added to the query unless the URL has its own. */
function targetUrl(url: string, apiKey: string): string {
  return ownApiKeys(url).length > 0 ? url : extendAddress(withoutEmptyApiKey(url), { ApiKey: apiKey });
}

/** A receiver that reads the first of several would find the empty one. */
function withoutEmptyApiKey(url: string): string {
  const [, before = "", query, fragment = ""] = /^([^?#]*)\?([^#]*)(.*)$/s.exec(url) ?? [];
  if (query === undefined) return url;
  const kept = query.split("&").filter((part) => !new URLSearchParams(`&${part}`).has("ApiKey"));
  return `${before}?${kept.join("&")}${fragment}`;
}

function headersOf(
  { eventId, payload, sequences }: Addressed,
  secrets: string[],
  timestamp: Date,
): Record<string, string> {
  const sequence = sequenceOf(sequences);
  const headers = { "Content-Type": "application/json", ...(sequence && { "webhook-sequence": sequence }) };
  const [inForce] = secrets;
  if (inForce === undefined) return headers;
  return {
    ...headers,
    "X-Signature": signPayload(payload, inForce),
    ...standardWebhooksHeaders({ eventId, timestamp, body: payload, secrets }),
  };
}

/** webhook-sequence: the numbers of the event's records. Null if it has none, or more than a server may take. */
export function sequenceOf(sequences: number[] | null): string | null {
  const value = sequences?.join();
  return value !== undefined && value.length <= SEQUENCE_LIMIT ? value : null;
}

/**
 * A request as its connection is now, which is as it was sent unless that has changed since: it is not written down. HTTP
 * itself adds to it, such as Host, and tracing adds traceparent.
 */
export interface KnownRequest {
  /** Without what its query may hide. */
  address: string;
  /** Names in its query; their values are hidden. */
  query: string[];
  isSigned: boolean;
  /** Null: hidden, for it is a secret, or made by one. */
  headers: { name: string; value: string | null }[];
}

/** What no secret is in. */
const SHOWN = ["Content-Type", "webhook-sequence", "webhook-id", "webhook-timestamp"];

/** @param startedOn of the attempt, whose time is signed as well */
export type KnownRequestOf = (
  connection: Connection,
  sent: Pick<OpenDelivery, "eventId" | "sequences">,
  startedOn: Date,
) => KnownRequest;

export function createKnownRequest(requestOf: RequestOf): KnownRequestOf {
  return (connection, { eventId, sequences }, startedOn) => {
    const unsent = { ...connection, eventId, sequences, payload: "", stagedSecret: null, formerSecret: null };
    const { url, extra, own } = requestOf(unsent, startedOn);
    return {
      address: /^[^?#]*/.exec(url)![0],
      query: [...new URL(url).searchParams.keys()],
      isSigned: connection.secret !== null,
      headers: [
        ...Object.entries(own).map(([name, value]) => ({ name, value: SHOWN.includes(name) ? value : null })),
        ...Object.keys(extra).map((name) => ({ name, value: null })),
      ],
    };
  };
}
