// One request to a vetted address, over connections that are kept for the next one.

import type { IncomingMessage } from "node:http";
import { Agent, request as begin } from "node:https";
import type { SecureContext } from "node:tls";
import { LRUCache } from "lru-cache";
import { type Address, parseAddress } from "./addresses.ts";
import { EgressError, toEgressError } from "./failures.ts";
import { requestTarget } from "./given-address.ts";
import { type AddressTurn, inTurns, race } from "./race.ts";
import { createIsProxied, type ProxyConfig, TunnelAgent } from "./tunnel.ts";

/**
 * So long a connection is kept, or a second less than the peer says by Keep-Alive, if that is sooner. One that is kept
 * until the peer closes it may be closed just when the next request is on its way, and nobody could tell then whether
 * that was processed. Peers count in whole seconds.
 */
const KEPT_MS = 800;
/** A peer that closed a kept connection under a request is given a new one for each request, for so long. */
const WARY_MS = 10 * 60_000;
/** Such peers; beyond it, the one known longest is forgotten. */
const MAX_HASTY_PEERS = 1_000;
/** So long the address of a name that worked is tried first. */
const WORKED_MS = 60_000;
/** Names of which that is known. */
const MAX_WORKED_NAMES = 1_000;
/** Bytes of an answer's head. */
const MAX_HEAD_BYTES = 64 * 1024;

export interface Outgoing {
  url: URL;
  /** The same, as it was given. */
  address: string;
  method: string;
  /** By their names on the wire. */
  headers: Record<string, string>;
  userAgent: string;
  body: string | undefined;
}

/** Connections that requests share, each kept for its address, port and name alone. */
export interface HttpConnections {
  /**
   * Sends a request to the first of the addresses that can be reached: it tries the next one only while nothing was
   * sent, so that one request is never sent twice.
   */
  send(addresses: Address[], request: Outgoing, signal: AbortSignal): Promise<IncomingMessage>;
}

/** What connections trust and go through. */
export interface Through {
  trust: () => SecureContext;
  proxy: ProxyConfig | undefined;
}

export function createConnections({ trust, proxy }: Through): HttpConnections {
  const keeping = { keepAlive: true, timeout: KEPT_MS };
  const direct = { kept: new Agent(keeping), fresh: new Agent() };
  const tunnels = proxy && { kept: new TunnelAgent(proxy, keeping), fresh: new TunnelAgent(proxy) };
  const isProxied = createIsProxied(proxy?.except ?? []);
  const worked = new LRUCache<string, Address>({ max: MAX_WORKED_NAMES, ttl: WORKED_MS });
  /** Until when each is one. */
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
      // The certificate must be the name's, though the connection goes to the address; a literal's is the address's own.
      ...(parseAddress(url.hostname) ? {} : { servername: url.hostname.replace(/\.$/, "") }),
      // Said outright, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn it off.
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
      // That a kept connection was closed meanwhile is seen once the event loop has looked at it, between these two.
      if (outgoing.reusedSocket) setImmediate(() => setImmediate(write));
      else if (turn) socket.once("secureConnect", write);
      else write();
    });
    outgoing.once("response", (answer) => {
      outgoing.on("error", (error) => {
        // A body that ends with its connection would else be whole, however that ended; what follows a whole one is not
        // looked at.
        if (!answer.complete) answer.destroy(error);
      });
      resolve(answer);
    });
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      reject(new EgressError("protocol", `${url.host} wants to speak another protocol`));
    });
    outgoing.on("error", (error) => reject(outgoing.reusedSocket ? new FailedOnKept(error, isWritten) : error));
  });
}
