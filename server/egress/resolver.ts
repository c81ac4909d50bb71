// How names become addresses: by c-ares, in the event loop. `lookup()` of node:dns holds a thread of the runtime's pool,
// one a core, until the name servers have been waited for: a few names that hang would stop all others.

import { setServers } from "node:dns";
import { isIPv4, isIPv6 } from "node:net";
import { dns } from "bun";

/** All addresses of a name, in the order to try them. Rejects with a `code` such as ENOTFOUND. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * The hosts file, then the name servers, by their search list and options in resolv.conf; an answer is kept for as long
 * as its TTL says. A name server that says nothing is given up after about 5 s.
 *
 * @param servers `192.0.2.53`, `192.0.2.53:5353` or `[2001:db8::53]:53`, for all of this process; none: the system's
 */
export function createResolver(servers: readonly string[]): Resolve {
  if (servers.length > 0) setServers(servers);
  return async (name) => {
    try {
      return (await dns.lookup(name, { backend: "c-ares" })).map(({ address }) => address);
    } catch (error) {
      const { code } = error as { code?: unknown };
      throw Object.assign(new Error("not resolved"), { code: String(code).replace(/^DNS_/, "") });
    }
  };
}

/** @returns whether this is how a name server is written */
export function isNameServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return bracketed ? isIPv6(bracketed) : isIPv4(plain ?? "") || isIPv6(text);
}
