// One POST: resolve, vet, connect to the vetted address itself, read a bounded answer, all within one time limit.

import { startDeadline } from "./deadline.ts";
import { type Failure, toEgressError } from "./failures.ts";
import { vettedAddresses } from "./names.ts";
import { sendToFirstReachable, type Way } from "./send.ts";

const USER_AGENT = "Gatehouse-Webhooks/1.0";
const MOST_BODY_READ = 64 * 1024;
const MOST_BODY_KEPT = 4 * 1024;

export interface EgressRequest {
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** Covers name look-up, connection, answer and the reading of its body together. */
  timeoutMs: number;
  /** Ends the request early, with the failure `cancelled`. */
  signal?: AbortSignal;
}

export type EgressOutcome =
  | {
      kind: "response";
      status: number;
      headers: Headers;
      /** The first 4 KiB as text, without NUL, which PostgreSQL's text cannot hold. */
      body: string;
      durationMs: number;
    }
  | {
      kind: "failure";
      failure: Failure;
      /** For people: the host and what went wrong. Never a path, a query or a secret. */
      detail: string;
      durationMs: number;
    };

export function createPost({ allow, ca, resolve }: Way): (request: EgressRequest) => Promise<EgressOutcome> {
  return async (request) => {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    const { url } = request;
    const deadline = startDeadline(url.host, request.timeoutMs, request.signal);
    try {
      const addresses = await deadline.race(vettedAddresses(url, allow, resolve));
      const post = { ...request, method: "POST", headers: new Headers(request.headers), userAgent: USER_AGENT };
      const response = await sendToFirstReachable(addresses, post, ca, deadline.signal);
      const body = await readStart(response);
      return { kind: "response", status: response.status, headers: response.headers, body, durationMs: elapsed() };
    } catch (error) {
      // Once the deadline has passed, whatever fetch says is only its consequence.
      const { failure, detail } = deadline.passed ?? toEgressError(error, url.host);
      return { kind: "failure", failure, detail, durationMs: elapsed() };
    } finally {
      deadline.end();
    }
  };
}

/** Reads the body to its end or to the limit, whichever comes first, and gives its start as text. */
async function readStart(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let readBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    readBytes += value.length;
    if (keptBytes < MOST_BODY_KEPT) {
      const part = value.slice(0, MOST_BODY_KEPT - keptBytes);
      kept.push(part);
      keptBytes += part.length;
    }
    if (readBytes >= MOST_BODY_READ) {
      // Closes the connection; that it may fail to is no concern of this answer.
      reader.cancel().catch(() => {});
      break;
    }
  }
  // `stream` holds a character back that the cut has halved, instead of showing it as broken.
  const cut = readBytes > keptBytes;
  return new TextDecoder().decode(Buffer.concat(kept), { stream: cut }).replaceAll("\0", "");
}
