// A guarded fetch for protocols: any method, and a complete response of limited size within one timeout.

import type { IncomingMessage } from "node:http";
import type { TenantId } from "../ids.ts";
import { EgressError, timedOut } from "./failures.ts";
import { UNREADABLE } from "./rules.ts";
import { headersOf, type Way, within } from "./way.ts";

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

export function createFetch(way: Way): EgressFetch {
  return async (tenantId, address, { method, headers = {}, body, timeoutMs, maxBytes = MAX_BODY_BYTES }) => {
    const url = URL.parse(address);
    if (!url) throw new EgressError("blocked-address", UNREADABLE);
    const { host } = url;
    const leave = way.places.enter(tenantId);
    if (!leave) throw new EgressError("unsent", `${host} was not called because too many requests are in progress`);
    const end = performance.now() + timeoutMs;
    try {
      const addresses = await way.resolve(tenantId, url, timeoutMs);
      const left = Math.max(1, Math.ceil(end - performance.now()));
      return await within({ host, timeoutMs: left, late: timedOut(host, timeoutMs) }, async (signal) => {
        const outgoing = { url, address, method, headers, userAgent: USER_AGENT, body };
        const answer = await way.connections.send(addresses, outgoing, signal);
        return new Response(await readWhole(answer, host, maxBytes), {
          status: answer.statusCode!,
          headers: headersOf(answer),
        });
      });
    } finally {
      leave();
    }
  };
}

async function readWhole(answer: IncomingMessage, host: string, max: number): Promise<Buffer<ArrayBuffer> | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.length;
    // Leaving the loop closes the connection.
    if (bytes > max) throw new EgressError("too-large", `${host} sent an answer of more than ${max} bytes`);
    parts.push(part);
  }
  return bytes === 0 ? null : Buffer.concat(parts);
}
