// One POST: resolve, vet, connect to the vetted address, and read a limited part of the response.

import type { IncomingMessage } from "node:http";
import { readUrl } from "../address.ts";
import type { TenantId } from "../ids.ts";
import { headersOf, type Resources, within } from "./capacity.ts";
import { codingsOf, decode, textOf } from "./content.ts";
import { type EgressError, type Failure, timedOut } from "./failures.ts";
import { UNREADABLE } from "./rules.ts";

const USER_AGENT = "Gatehouse-Webhooks/1.0";
const MAX_BODY_BYTES_READ = 64 * 1024;
const MAX_BODY_BYTES_KEPT = 4 * 1024;
/** Some frameworks reject requests without it. A header of the connection replaces it. */
const ACCEPT = { Accept: "*/*" };

export interface EgressRequest {
  tenantId: TenantId;
  /** Sent unchanged. */
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  /** Covers connection, response and body; look-ups have their own 5 s. */
  timeoutMs: number;
  /** Aborts the request with the failure `cancelled`. */
  signal?: AbortSignal;
}

export type EgressOutcome =
  | {
      kind: "response";
      status: number;
      headers: Headers;
      /** The first 4 KiB, decoded, as text without NUL. */
      body: string;
      durationMs: number;
    }
  | {
      kind: "failure";
      failure: Exclude<Failure, "unsent">;
      /** The host and the problem as text; never a path, a query or a secret. */
      detail: string;
      /** The duration of the connection, or of the look-up if there was none. */
      durationMs: number;
    }
  /** No capacity: nothing was sent, so it can be sent later. */
  | { kind: "unsent"; detail: string };

export function createPost(resources: Resources): (request: EgressRequest) => Promise<EgressOutcome> {
  return async ({ tenantId, url: address, timeoutMs, signal, headers, body }) => {
    const url = readUrl(address);
    if (!url) return { kind: "failure", failure: "blocked-address", detail: UNREADABLE, durationMs: 0 };
    const { host } = url;
    const leave = resources.requests.enter(tenantId);
    if (!leave) return { kind: "unsent", detail: `${host} was not called because too many posts are in progress` };
    let started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    try {
      const addresses = await resources.resolve(tenantId, url, Number.POSITIVE_INFINITY, signal);
      started = performance.now();
      return await within({ host, timeoutMs, late: timedOut(host, timeoutMs), signal }, async (signal) => {
        const outgoing = {
          url,
          address,
          method: "POST",
          headers: { ...ACCEPT, ...headers },
          userAgent: USER_AGENT,
          body,
        };
        const answer = await resources.connections.send(addresses, outgoing, signal);
        const received = headersOf(answer);
        const start = await readStart(answer, received);
        const status = answer.statusCode!;
        return { kind: "response", status, headers: received, body: start, durationMs: elapsed() };
      });
    } catch (error) {
      const { failure, detail } = error as EgressError;
      return failure === "unsent"
        ? { kind: failure, detail }
        : { kind: "failure", failure, detail, durationMs: elapsed() };
    } finally {
      leave();
    }
  };
}

/** Reads the body to its end or limit, and returns its start as text. */
async function readStart(answer: IncomingMessage, headers: Headers): Promise<string> {
  const codings = codingsOf(headers);
  const maxKept = codings.length > 0 ? MAX_BODY_BYTES_READ : MAX_BODY_BYTES_KEPT;
  const parts: Buffer[] = [];
  let keptBytes = 0;
  let readBytes = 0;
  for await (const part of answer) {
    readBytes += part.length;
    const piece = part.subarray(0, maxKept - keptBytes);
    parts.push(piece);
    keptBytes += piece.length;
    // Leaving the loop closes the connection.
    if (readBytes >= MAX_BODY_BYTES_READ) break;
  }
  const kept = Buffer.concat(parts);
  const body = codings.length > 0 ? ((await decode(kept, codings, MAX_BODY_BYTES_KEPT)) ?? kept) : kept;
  const isCut = readBytes > keptBytes || body.length > MAX_BODY_BYTES_KEPT;
  return textOf(body.subarray(0, MAX_BODY_BYTES_KEPT), headers.get("content-type"), isCut);
}
