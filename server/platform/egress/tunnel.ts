// HTTPS_PROXY: CONNECT tunnels (RFC 9110 9.3.6) to the vetted address.

import { request } from "node:http";
import { Agent, type AgentOptions, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect } from "node:tls";
import { urlOf } from "../address.ts";
import { type Address, contains, parseAddress, parseRange, type Range } from "./addresses.ts";
import { NotConnected } from "./failures.ts";
import { hostAndPort } from "./rules.ts";

export interface ProxyConfig {
  /** `http://proxy.internal:3128`, with optional user name and password. */
  url: string;
  /** NO_PROXY: destinations without the proxy. */
  except: string[];
}

export type IsProxied = (url: URL, address: Address) => boolean;

/** @param except `internal.example`, `.internal.example`, `host:8443`, `10.0.0.0/8`, an address, or `*` */
export function createIsProxied(except: readonly string[]): IsProxied {
  const ranges = except.map(parseRange).filter((range): range is Range => range !== undefined);
  const names = except.map((entry) => entry.toLowerCase().replace(/^\*?\./, ""));
  return (url, address) => {
    // Loopback would be the proxy's own machine, which EGRESS_ALLOW does not mean.
    if (address.range() === "loopback") return false;
    if (names.includes("*") || ranges.some((range) => contains(range, address))) return false;
    const host = url.hostname.replace(/\.$/, "");
    return !names.some((name) => name === hostAndPort(url) || host === name || host.endsWith(`.${name}`));
  };
}

type Callback = (error: Error | null, stream: Duplex) => void;

/** Keeps connections like any agent; each is a separate tunnel. */
export class TunnelAgent extends Agent {
  private readonly proxy: URL;

  constructor({ url }: ProxyConfig, options?: AgentOptions) {
    super(options);
    this.proxy = urlOf(url);
  }

  override createConnection(options: RequestOptions, callback?: Callback): undefined {
    const { hostname, port, username, password } = this.proxy;
    const { port: to, signal } = options;
    const host = String(options.host);
    const authority = `${parseAddress(host)?.kind() === "ipv6" ? `[${host}]` : host}:${to}`;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const asking = request({
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: port || 80,
      method: "CONNECT",
      path: authority,
      headers: {
        Host: authority,
        ...(username && { "Proxy-Authorization": `Basic ${Buffer.from(credentials).toString("base64")}` }),
      },
      agent: false,
      signal,
    });
    const failed = (error: Error) => callback?.(error, undefined as never);
    asking.once("connect", ({ statusCode }, socket) => {
      if (statusCode! >= 200 && statusCode! < 300)
        return callback?.(null, connect({ ...(options as ConnectionOptions), socket }));
      socket.destroy();
      failed(new NotConnected(`answered ${statusCode}`));
    });
    asking.once("error", (error: NodeJS.ErrnoException) =>
      failed(new NotConnected(`is not reached (${error.code ?? error.name})`)),
    );
    asking.end();
    return undefined;
  }
}
