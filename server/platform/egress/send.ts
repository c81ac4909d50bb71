// Sends a request to a vetted address, over kept-alive connections.

import type { IncomingMessage } from "node:http";
import { Agent, request as begin } from "node:https";
import type { Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import { LRUCache } from "lru-cache";
import { type Address, parseAddress } from "./addresses.ts";
import { EgressError, FailedHandshake, toEgressError } from "./failures.ts";
import { requestTarget } from "./given-address.ts";
import { type AddressTurn, inTurns, race } from "./race.ts";
import { createIsProxied, type ProxyConfig, TunnelAgent } from "./tunnel.ts";

/**
 * How long an idle connection is kept, or a second less than the peer's Keep-Alive (whole seconds) if that is sooner.
 * If the peer closed it first, it would be unknown whether a request in transit was processed.
 */
const KEPT_MS = 800;
/** How long a peer that closed a kept connection during a request gets a new one for each request. */
const WARY_MS = 10 * 60_000;
const MAX_HASTY_PEERS = 1_000;
/** How long the address that last worked for a host name is tried first. */
const WORKED_MS = 60_000;
const MAX_WORKED_NAMES = 1_000;
const MAX_HEAD_BYTES = 64 * 1024;
/** Named to receivers (RFC 7301), so that one without it says so. */
const TLS = { ALPNProtocols: ["http/1.1"] };

export interface Outgoing {
  url: URL;
  address: string;
  method: string;
  headers: Record<string, string>;
  userAgent: string;
  body: string | Uint8Array | undefined;
}

export interface HttpConnections {
  /** Tries the next address only if nothing was sent, so a request is never sent twice. */
  send(addresses: Address[], request: Outgoing, signal: AbortSignal): Promise<IncomingMessage>;
}

export interface Through {
  trust: () => SecureContext;
  proxy: ProxyConfig | undefined;
}

export function createConnections({ trust, proxy }: Through): HttpConnections {
  const keeping = { ...TLS, keepAlive: true, timeout: KEPT_MS };
  const direct = { kept: new Agent(keeping), fresh: new Agent(TLS) };
  const tunnels = proxy && { kept: new TunnelAgent(proxy, keeping), fresh: new TunnelAgent(proxy, TLS) };
  const isProxied = createIsProxied(proxy?.except ?? []);
  const worked = new LRUCache<string, Address>({ max: MAX_WORKED_NAMES, ttl: WORKED_MS });
  /** Peers with the time until which they are listed. */
  const hasty = new Map<string, number>();

  function remember(peer: string): void {
    hasty.delete(peer);
    hasty.set(peer, Date.now() + WARY_MS);
    const [oldest] = hasty.keys();
    if (hasty.size > MAX_HASTY_PEERS) hasty.delete(oldest!);
  }

  async function sendTo(
    address: Address,
    request: Outgoing,
    signal: AbortSignal,
    turn?: AddressTurn,
  ): Promise<IncomingMessage> {
    const peer = `${address} ${request.url.host}`;
    const secureContext = trust();
    const { kept, fresh } = tunnels && isProxied(request.url, address) ? tunnels : direct;
    const agent = (hasty.get(peer) ?? 0) > Date.now() ? fresh : kept;
    try {
      return await exchange(address, request, { agent, secureContext }, signal, turn);
    } catch (error) {
      if (!(error instanceof FailedOnKept)) throw error;
      if (!error.isWritten) return exchange(address, request, { agent: fresh, secureContext }, signal, turn);
      if (!signal.aborted && toEgressError(error.cause, peer).failure === "reset") remember(peer);
      throw error.cause;
    }
  }

  return {
    async send(addresses, request, signal) {
      if (addresses.length === 1) return sendTo(addresses[0]!, request, signal);
      const { host } = request.url;
      const candidates = inTurns(addresses, worked.get(host));
      const { answer, address } = await race(candidates, host, signal, (one, turn) =>
        sendTo(one, request, signal, turn),
      );
      worked.set(host, address);
      return answer;
    },
  };
}

/** A request failed on a kept connection before its response began, either before or after it was written. */
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
  { url, address: given, method, headers, userAgent, body }: Outgoing,
  connection: { agent: Agent; secureContext: SecureContext },
  signal: AbortSignal,
  turn: AddressTurn | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = begin({
      ...connection,
      host: address.toString(),
      port: url.port || 443,
      method,
      path: requestTarget(given),
      headers: { ...headers, Host: url.host, "User-Agent": userAgent, "Accept-Encoding": "identity" },
      maxHeaderSize: MAX_HEAD_BYTES,
      signal,
      // The certificate must match the name, although the connection uses the address; a literal must match itself.
      ...(parseAddress(url.hostname) ? {} : { servername: url.hostname.replace(/\.$/, "") }),
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise disable it.
      rejectUnauthorized: true,
    });
    let isWritten = false;
    const write = () => {
      if (turn && !turn.take()) return outgoing.destroy();
      isWritten = true;
      outgoing.end(body);
    };
    turn?.join(outgoing);
    outgoing.once("socket", (socket) => {
      // Two turns of the event loop, so that a closed kept connection is noticed before writing.
      if (outgoing.reusedSocket) setImmediate(() => setImmediate(write));
      else if (turn) socket.once("secureConnect", write);
      else write();
    });
    outgoing.once("response", (answer) => {
      outgoing.on("error", (error) => {
        // Otherwise a body that ends with its connection would always count as complete.
        if (!answer.complete) answer.destroy(error);
      });
      resolve(answer);
    });
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      reject(new EgressError("protocol", `${url.host} asks to switch to a different protocol`));
    });
    outgoing.on("error", (error) =>
      reject(outgoing.reusedSocket ? new FailedOnKept(error, isWritten) : inPhase(error, outgoing.socket)),
    );
  });
}

/** An error before the end of the TLS handshake is about TLS, whatever its code is. */
function inPhase(error: Error, socket: Socket | null): Error {
  const secured = socket as TLSSocket & { secureConnecting?: boolean };
  // No socket: there was no connection.
  if (!secured?.secureConnecting || secured.connecting) return error;
  return new FailedHandshake(error, Boolean(secured.getCipher?.()?.name));
}
