// A guarded fetch for protocols: any method, a whole answer of bounded size, all within one time limit.

import { startDeadline } from "./deadline.ts";
import { EgressError, toEgressError } from "./failures.ts";
import { vettedAddresses } from "./names.ts";
import { sendToFirstReachable, type Way } from "./send.ts";

const USER_AGENT = "Gatehouse/1.0";
/** Bytes of an answer: sets of keys, metadata and claims are far smaller. */
const MOST_BODY = 256 * 1024;

export interface FetchRequest {
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Covers name look-up, connection, answer and the reading of its body together. */
  timeoutMs: number;
}

/**
 * Redirects are answers like any other.
 * @throws EgressError
 */
export type EgressFetch = (url: URL, request: FetchRequest) => Promise<Response>;

export function createFetch({ allow, ca, resolve }: Way): EgressFetch {
  return async (url, { method, headers, body, timeoutMs }) => {
    const deadline = startDeadline(url.host, timeoutMs, undefined);
    try {
      const addresses = await deadline.race(vettedAddresses(url, allow, resolve));
      const outgoing = { url, method, headers: new Headers(headers), userAgent: USER_AGENT, body };
      const response = await sendToFirstReachable(addresses, outgoing, ca, deadline.signal);
      const whole = await readWhole(response, url.host);
      return new Response(whole, { status: response.status, headers: response.headers });
    } catch (error) {
      // Once the deadline has passed, whatever fetch says is only its consequence.
      throw deadline.passed ?? toEgressError(error, url.host);
    } finally {
      deadline.end();
    }
  };
}

async function readWhole(response: Response, host: string): Promise<Buffer<ArrayBuffer> | null> {
  if (!response.body) return null;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts);
    bytes += value.length;
    if (bytes > MOST_BODY) {
      // Closes the connection; that it may fail to is no concern of this answer.
      reader.cancel().catch(() => {});
      throw new EgressError("too-large", `${host} sent an answer of more than ${MOST_BODY} bytes`);
    }
    parts.push(value);
  }
}
