// From a URL to the addresses a request may connect to.

import { setServers } from "node:dns";
import { isIPv4, isIPv6 } from "node:net";
import { dns } from "bun";
import { LRUCache } from "lru-cache";
import { createBudget } from "../budget.ts";
import type { TenantId } from "../ids.ts";
import { type Address, parseAddress, rangeOf } from "./addresses.ts";
import { EgressError } from "./failures.ts";
import { DENIED, hostAndPort, type Rules, reasonAgainstUrl } from "./rules.ts";

/**
 * The addresses of a URL, every one of them vetted. They are what is connected to, so a name that changes its answer
 * between the check and the connection (DNS rebinding) gains nothing.
 * @throws EgressError `blocked-address`, `dns` or `unsent`
 */
export async function vettedAddresses(
  tenantId: TenantId,
  url: URL,
  rules: Rules,
  lookUps: LookUps,
): Promise<Address[]> {
  const reason = reasonAgainstUrl(url.href, rules);
  if (reason) throw new EgressError("blocked-address", reason);
  const literal = parseAddress(url.hostname);
  if (literal) return [literal];

  const name = url.hostname.replace(/\.$/, "");
  const answers = await lookUps.addressesOf(tenantId, name);
  const mayBePrivate = rules.allow.namesHost(url);
  // One bad answer refuses all: a name that mixes public and private addresses is an attack or a mistake.
  return answers.map((answer) => {
    const address = parseAddress(answer);
    if (address && rules.deny.covers(address)) {
      throw new EgressError("blocked-address", `${name} resolves to an address that ${DENIED}.`);
    }
    if (address && (mayBePrivate || rules.allow.permits(address))) return address;
    // The range only: the address itself would tell a tenant what the inside of this network looks like.
    throw new EgressError(
      "blocked-address",
      `${name} resolves to an address that is not of the public internet (${address ? rangeOf(address) : "linkLocal"}); ` +
        `an operator can allow it by adding ${hostAndPort(url)} to ${rules.setting}.`,
    );
  });
}

// Names that are being looked up: each once at a time for all who ask, and of a tenant no more than its share.

/** Names being looked up at a time, and those of one tenant. More at once are lost on their way to a name server. */
const MAX_LOOKUPS = 200;
const MAX_LOOKUPS_PER_TENANT = 20;
/** What a look-up may take. */
export const LOOK_UP_MS = 5_000;
/** A name that could not be resolved is not asked for again so soon. Answers are kept by the resolver itself. */
const FAILURE_KEPT_MS = 5_000;
/** Names whose failure is kept. */
const MAX_FAILURES_KEPT = 10_000;

export interface LookUps {
  /** @throws EgressError `dns`, or `unsent` if there is no place for one more name */
  addressesOf(tenantId: TenantId, name: string): Promise<string[]>;
}

export function createLookUps(resolve: Resolve): LookUps {
  const places = createBudget<string>({
    name: "look-ups",
    perTenant: MAX_LOOKUPS_PER_TENANT,
    total: MAX_LOOKUPS,
    waiting: 0,
  });
  const underWay = new Map<string, Promise<string[]>>();
  const failed = new LRUCache<string, EgressError>({ max: MAX_FAILURES_KEPT, ttl: FAILURE_KEPT_MS });

  async function lookUp(tenantId: TenantId, name: string): Promise<string[]> {
    const leave = places.enter(tenantId);
    if (!leave) throw new EgressError("unsent", `${name} was not looked up, for too many names are being looked up`);
    try {
      const answers = await resolve(name).catch((error) => {
        throw unresolved(name, error);
      });
      if (answers.length === 0) throw new EgressError("dns", `${name} has no address`);
      return answers;
    } catch (error) {
      failed.set(name, error as EgressError);
      throw error;
    } finally {
      leave();
    }
  }

  return {
    async addressesOf(tenantId, name) {
      const kept = failed.get(name);
      if (kept) throw kept;
      const running = underWay.get(name);
      if (running) return running;
      const begun = lookUp(tenantId, name).finally(() => underWay.delete(name));
      underWay.set(name, begun);
      return begun;
    },
  };
}

function unresolved(name: string, error: unknown): EgressError {
  const { code } = Object(error) as { code?: unknown };
  return new EgressError("dns", `${name} cannot be resolved${typeof code === "string" ? ` (${code})` : ""}`);
}

// How names become addresses: by c-ares, in the event loop. `lookup()` of node:dns holds a thread of the runtime's pool,
// one a core, until the name servers have been waited for: a few names that hang would stop all others.

/** All addresses of a name, in the order to try them. Rejects with a `code` such as ENOTFOUND. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * The hosts file, then the name servers, by their search list and options in resolv.conf; an answer is kept for as long
 * as its TTL says. A name server that says nothing is given up after LOOK_UP_MS: c-ares goes on asking it for 20 s more,
 * and cannot be stopped, but its answer then would help the next look-up only.
 *
 * @param servers `192.0.2.53`, `192.0.2.53:5353` or `[2001:db8::53]:53`, for all of this process; none: the system's
 */
export function createResolver(servers: readonly string[]): Resolve {
  if (servers.length > 0) setServers(servers);
  return async (name) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject({ code: "TIMEOUT" }), LOOK_UP_MS);
    try {
      const answers = await Promise.race([dns.lookup(name, { backend: "c-ares" }), late.promise]);
      return answers.map(({ address }) => address);
    } catch (error) {
      const { code } = error as { code?: unknown };
      throw Object.assign(new Error("not resolved"), { code: String(code).replace(/^DNS_/, "") });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** @returns whether this is how a name server is written */
export function isNameServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return bracketed ? isIPv6(bracketed) : isIPv4(plain ?? "") || isIPv6(text);
}
