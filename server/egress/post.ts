// One POST: resolve, vet, connect to the vetted address itself, read a bounded answer, all within one time limit.

import type { Address } from "./addresses.ts";
import type { AllowList } from "./allow-list.ts";
import { startDeadline } from "./deadline.ts";
import { type Failure, toEgressError } from "./failures.ts";
import { type Resolve, vettedAddresses } from "./names.ts";

const USER_AGENT = "Gatehouse-Webhooks/1.0";
const MOST_BODY_READ = 64 * 1024;
const MOST_BODY_KEPT = 4 * 1024;
/** A name may have any number of addresses; a dead receiver should be called dead after these. */
const MOST_ADDRESSES_TRIED = 8;

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

interface Way {
  allow: AllowList;
  ca: string[] | undefined;
  resolve: Resolve;
}

export function createPost({ allow, ca, resolve }: Way): (request: EgressRequest) => Promise<EgressOutcome> {
  return async (request) => {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    const { url } = request;
    const deadline = startDeadline(url.host, request.timeoutMs, request.signal);
    try {
      const addresses = await deadline.race(vettedAddresses(url, allow, resolve));
      const response = await sendToFirstReachable(addresses, request, ca, deadline.signal);
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

/** Tries the next address only if nothing was sent, so that one attempt is never two posts. */
async function sendToFirstReachable(
  addresses: Address[],
  request: EgressRequest,
  ca: string[] | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const candidates = addresses.slice(0, MOST_ADDRESSES_TRIED);
  const last = candidates.pop()!;
  for (const address of candidates) {
    try {
      return await send(address, request, ca, signal);
    } catch (error) {
      const { failure } = toEgressError(error, request.url.host);
      if (signal.aborted || (failure !== "refused" && failure !== "unreachable")) throw error;
    }
  }
  return send(last, request, ca, signal);
}

function send(address: Address, request: EgressRequest, ca: string[] | undefined, signal: AbortSignal) {
  const { url } = request;
  const target = new URL(url);
  target.hostname = address.kind() === "ipv6" ? `[${address}]` : address.toString();
  target.hash = "";
  const headers = new Headers(request.headers);
  headers.set("Host", url.host);
  headers.set("User-Agent", USER_AGENT);
  headers.set("Accept-Encoding", "identity");
  return fetch(target, {
    method: "POST",
    headers,
    body: request.body,
    redirect: "manual",
    // A proxy named in the environment would choose the address itself, and undo the vetting.
    proxy: false,
    // An answer packed against our wish stays packed: 64 KiB of it must not become 64 MiB.
    decompress: false,
    signal,
    tls: {
      // The certificate must be the name's (or the literal's), though the connection goes to the address.
      serverName: url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, ""),
      // Said outright, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn it off.
      rejectUnauthorized: true,
      ...(ca && { ca }),
    },
  });
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
