// One request to a vetted address, over connections that are kept for the next one.

import type { IncomingMessage } from "node:http";
import { Agent, request as begin } from "node:https";
import { createSecureContext } from "node:tls";
import { type Address, parseAddress } from "./addresses.ts";
import { EgressError, toEgressError } from "./failures.ts";

/** A name may have any number of addresses; a dead receiver should be called dead after these. */
const MOST_ADDRESSES_TRIED = 8;
/**
 * So long a connection is kept, or a second less than the peer says by Keep-Alive, if that is sooner. One that is kept
 * until the peer closes it may be closed just when the next request is on its way, and nobody could tell then whether
 * that was processed. Peers count in whole seconds.
 */
const KEPT_MS = 800;
/** A peer that closed a kept connection under a request is given a new one for each request, for so long. */
const WARY_MS = 10 * 60_000;
/** Such peers; beyond it, the one known longest is forgotten. */
const MOST_HASTY = 1_000;
/** Bytes of an answer's head. */
const MOST_HEAD = 64 * 1024;

export interface Outgoing {
  url: URL;
  method: string;
  headers: Headers;
  userAgent: string;
  body: string | undefined;
}

/** Connections that requests share, each kept for its address, port and name alone. */
export interface Connections {
  /**
   * Sends a request to the first of the addresses that can be reached: it tries the next one only if nothing was sent,
   * so that one request is never sent twice.
   */
  send(addresses: Address[], request: Outgoing, signal: AbortSignal): Promise<IncomingMessage>;
}

/** @param ca the certificates to trust, or undefined for the runtime's own */
export function createConnections(ca: string[] | undefined): Connections {
  // Made once: to read a hundred certificates for each connection is more work than the connection itself.
  const secureContext = createSecureContext(ca && { ca });
  const kept = new Agent({ keepAlive: true, timeout: KEPT_MS });
  const fresh = new Agent();
  /** Until when each is one. */
  const hasty = new Map<string, number>();

  function remember(peer: string): void {
    hasty.delete(peer);
    hasty.set(peer, Date.now() + WARY_MS);
    const [oldest] = hasty.keys();
    if (hasty.size > MOST_HASTY) hasty.delete(oldest!);
  }

  async function sendTo(address: Address, request: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
    const peer = `${address} ${request.url.host}`;
    const agent = (hasty.get(peer) ?? 0) > Date.now() ? fresh : kept;
    try {
      return await exchange(address, request, { agent, secureContext }, signal);
    } catch (error) {
      if (!(error instanceof FailedOnKept)) throw error;
      if (!error.isWritten) return exchange(address, request, { agent: fresh, secureContext }, signal);
      if (!signal.aborted && toEgressError(error.cause, peer).failure === "reset") remember(peer);
      throw error.cause;
    }
  }

  return {
    async send(addresses, request, signal) {
      const candidates = addresses.slice(0, MOST_ADDRESSES_TRIED);
      const last = candidates.pop()!;
      for (const address of candidates) {
        try {
          return await sendTo(address, request, signal);
        } catch (error) {
          const { failure } = toEgressError(error, request.url.host);
          if (signal.aborted || (failure !== "refused" && failure !== "unreachable")) throw error;
        }
      }
      return sendTo(last, request, signal);
    },
  };
}

/** A request failed on a kept connection before its answer began: before it was written there, or after. */
class FailedOnKept extends Error {
  constructor(
    override readonly cause: Error,
    readonly isWritten: boolean,
  ) {
    super("a request failed on a kept connection", { cause });
  }
}

function exchange(
  address: Address,
  { url, method, headers, userAgent, body }: Outgoing,
  connection: { agent: Agent; secureContext: ReturnType<typeof createSecureContext> },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = begin({
      ...connection,
      host: address.toString(),
      port: url.port || 443,
      method,
      path: url.pathname + url.search,
      headers: {
        ...Object.fromEntries(headers),
        host: url.host,
        "user-agent": userAgent,
        "accept-encoding": "identity",
      },
      maxHeaderSize: MOST_HEAD,
      signal,
      // The certificate must be the name's, though the connection goes to the address; a literal's is the address's own.
      ...(parseAddress(url.hostname) ? {} : { servername: url.hostname.replace(/\.$/, "") }),
      // Said outright, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn it off.
      rejectUnauthorized: true,
    });
    let isWritten = false;
    const write = () => {
      isWritten = true;
      outgoing.end(body);
    };
    // That a kept connection was closed meanwhile is seen once the event loop has looked at it, between these two.
    outgoing.once("socket", () => (outgoing.reusedSocket ? setImmediate(() => setImmediate(write)) : write()));
    outgoing.once("response", (answer) => {
      // A body that ends with its connection would else be whole, however that ended.
      outgoing.on("error", (error) => answer.destroy(error));
      resolve(answer);
    });
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      reject(new EgressError("protocol", `${url.host} wants to speak another protocol`));
    });
    outgoing.on("error", (error) => reject(outgoing.reusedSocket ? new FailedOnKept(error, isWritten) : error));
  });
}
