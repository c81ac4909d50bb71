// A guarded fetch for protocols: any method, and a complete response of limited size within one timeout.

import type { IncomingMessage } from "node:http";
import { readUrl } from "../address.ts";
import type { TenantId } from "../ids.ts";
import { headersOf, type Resources, within } from "./capacity.ts";
import { codingsOf, decode } from "./content.ts";
import { EgressError, timedOut } from "./failures.ts";
import { UNREADABLE } from "./rules.ts";

const USER_AGENT = "Gatehouse/1.0";
/** The maximum response size in bytes; key sets, metadata and claims are much smaller. */
const MAX_BODY_BYTES = 256 * 1024;

export interface FetchRequest {
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Covers look-up, connection, response and body. */
  timeoutMs: number;
  /** The maximum response size in bytes; default: MAX_BODY_BYTES. */
  maxBytes?: number;
}

/** Redirects are returned, not followed. @throws EgressError */
export type EgressFetch = (tenantId: TenantId, address: string, request: FetchRequest) => Promise<Response>;

export function createFetch(resources: Resources): EgressFetch {
  return async (tenantId, address, { method, headers = {}, body, timeoutMs, maxBytes = MAX_BODY_BYTES }) => {
    const url = readUrl(address);
    if (!url) throw new EgressError("blocked-address", UNREADABLE);
    const { host } = url;
    const leave = resources.requests.enter(tenantId);
    if (!leave) throw new EgressError("unsent", `${host} was not called because too many requests are in progress`);
    const end = performance.now() + timeoutMs;
    try {
      const addresses = await resources.resolve(tenantId, url, timeoutMs);
      const left = Math.max(1, Math.ceil(end - performance.now()));
      return await within({ host, timeoutMs: left, late: timedOut(host, timeoutMs) }, async (signal) => {
        const outgoing = { url, address, method, headers, userAgent: USER_AGENT, body };
        const answer = await resources.connections.send(addresses, outgoing, signal);
        const received = headersOf(answer);
        const whole = await readWhole(answer, received, host, maxBytes);
        return new Response(whole, { status: answer.statusCode!, headers: received });
      });
    } finally {
      leave();
    }
  };
}

async function readWhole(
  answer: IncomingMessage,
  headers: Headers,
  host: string,
  max: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const tooLarge = () => new EgressError("too-large", `${host} sent an answer of more than ${max} bytes`);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.length;
    // Leaving the loop closes the connection.
    if (bytes > max) throw tooLarge();
    parts.push(part);
  }
  if (bytes === 0) return null;
  const codings = codingsOf(headers);
  const whole = Buffer.concat(parts);
  if (codings.length === 0) return whole;
  const decoded = await decode(whole, codings, max);
  if (!decoded) throw new EgressError("protocol", `${host} sent an answer that its Content-Encoding does not fit`);
  if (decoded.length > max) throw tooLarge();
  return decoded as Buffer<ArrayBuffer>;
}
