// One request to a vetted address.

import type { Address } from "./addresses.ts";
import type { AllowList } from "./allow-list.ts";
import { toEgressError } from "./failures.ts";
import type { Resolve } from "./names.ts";

/** A name may have any number of addresses; a dead receiver should be called dead after these. */
const MOST_ADDRESSES_TRIED = 8;

/** How requests go out. */
export interface Way {
  allow: AllowList;
  ca: string[] | undefined;
  resolve: Resolve;
}

interface Outgoing {
  url: URL;
  method: string;
  headers: Headers;
  userAgent: string;
  body: string | undefined;
}

/** Tries the next address only if nothing was sent, so that one request is never sent twice. */
export async function sendToFirstReachable(
  addresses: Address[],
  request: Outgoing,
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

function send(address: Address, request: Outgoing, ca: string[] | undefined, signal: AbortSignal) {
  const { url } = request;
  const target = new URL(url);
  target.hostname = address.kind() === "ipv6" ? `[${address}]` : address.toString();
  target.hash = "";
  const headers = new Headers(request.headers);
  headers.set("Host", url.host);
  headers.set("User-Agent", request.userAgent);
  headers.set("Accept-Encoding", "identity");
  return fetch(target, {
    method: request.method,
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
