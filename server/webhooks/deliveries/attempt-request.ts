// The headers and address of an attempt, and the parts of them that may be shown.

import { urlOf } from "../../platform/address.ts";
import { extendAddress } from "../../platform/egress/index.ts";
import type { Connection } from "../connections.store.ts";
import { type ConnectionSeals, type ExtraHeaders, ownApiKeys } from "../secrets.ts";
import { signPayload, standardWebhooksHeaders } from "../signature.ts";
import { type Posted, postedOf } from "./posted.ts";
import type { OpenDelivery } from "./start-attempt.store.ts";

export type Addressed = Signed & Pick<OpenDelivery, "url" | "apiKey" | "headers">;

interface Request {
  url: string;
  extra: ExtraHeaders;
  /** Our headers, by their names in the request. */
  own: Record<string, string>;
}

export type RequestOf = (delivery: Addressed, posted: Posted, startedOn: Date) => Request;

export function createRequestOf(seals: ConnectionSeals): RequestOf {
  const { apiKey, headers } = seals;
  const ownOf = createOwnHeaders(seals);
  return (delivery, posted, startedOn) => ({
    url: targetUrl(delivery.url, apiKey.open(delivery.apiKey)),
    extra: headers.open(delivery.headers),
    own: ownOf(delivery, posted, startedOn),
  });
}

type Signed = Pick<OpenDelivery, "eventId" | "secret" | "stagedSecret" | "formerSecret">;

/** Our headers of a delivery, with its signatures. */
export function createOwnHeaders({ secret }: Pick<ConnectionSeals, "secret">) {
  return (delivery: Signed, posted: Posted, startedOn: Date) =>
    headersOf(delivery, posted, secretsOf(delivery).map(secret.open), startedOn);
}

/** The signing secrets, the active one first; empty if calls are not signed. */
function secretsOf({ secret, stagedSecret, formerSecret }: Signed): Uint8Array[] {
  return secret === null ? [] : [secret, stagedSecret, formerSecret].filter((sealed) => sealed !== null);
}

/** Without its query, which may contain secrets. */
export const addressOf = (url: string) => /^[^?#]*/.exec(url)![0];

/** Adds ApiKey to the query unless the URL contains one. */
function targetUrl(url: string, apiKey: string): string {
  return ownApiKeys(url).length > 0 ? url : extendAddress(withoutEmptyApiKey(url), { ApiKey: apiKey });
}

/** A receiver that reads only the first parameter would find the empty one. */
function withoutEmptyApiKey(url: string): string {
  const [, before = "", query, fragment = ""] = /^([^?#]*)\?([^#]*)(.*)$/s.exec(url) ?? [];
  if (query === undefined) return url;
  const kept = query.split("&").filter((part) => !new URLSearchParams(`&${part}`).has("ApiKey"));
  return `${before}?${kept.join("&")}${fragment}`;
}

function headersOf(
  { eventId }: Signed,
  { body, sequences }: Posted,
  secrets: string[],
  timestamp: Date,
): Record<string, string> {
  const headers = { "Content-Type": "application/json", ...sequences };
  const [inForce] = secrets;
  if (inForce === undefined) return headers;
  return {
    ...headers,
    "X-Signature": signPayload(body, inForce),
    ...standardWebhooksHeaders({ eventId, timestamp, body, secrets }),
  };
}

/** Rebuilt from the present settings, so exact unless they have changed. HTTP adds Host, tracing adds traceparent. */
export interface KnownRequest {
  /** Without its query, which may contain secrets. */
  address: string;
  /** Parameter names; values are hidden. */
  query: string[];
  isSigned: boolean;
  /** Null: hidden, because it is or depends on a secret. */
  headers: { name: string; value: string | null }[];
}

/** Headers without secrets. */
const SHOWN = ["Content-Type", "webhook-sequence", "X-Previous-Sequence", "webhook-id", "webhook-timestamp"];

/** @param startedOn the attempt's time, which is also signed */
export type KnownRequestOf = (
  connection: Connection,
  sent: Pick<OpenDelivery, "eventId" | "sequences">,
  startedOn: Date,
) => KnownRequest;

export function createKnownRequest(requestOf: RequestOf): KnownRequestOf {
  return (connection, { eventId, sequences }, startedOn) => {
    const unsent = { ...connection, eventId, stagedSecret: null, formerSecret: null };
    const posted = postedOf({ payload: "", previous: null, sequences, form: null });
    const { url, extra, own } = requestOf(unsent, posted, startedOn);
    return {
      address: addressOf(url),
      query: [...urlOf(url).searchParams.keys()],
      isSigned: connection.secret !== null,
      headers: [
        ...Object.entries(own).map(([name, value]) => ({ name, value: SHOWN.includes(name) ? value : null })),
        ...(connection.compression === "Gzip" ? [{ name: "Content-Encoding", value: "gzip" }] : []),
        ...(connection.signByKey ? [{ name: "Authorization", value: null }] : []),
        ...Object.keys(extra).map((name) => ({ name, value: null })),
      ],
    };
  };
}
