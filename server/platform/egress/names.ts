// Resolves a URL to the addresses that a request may connect to.

import { setServers } from "node:dns";
import { isIPv4, isIPv6 } from "node:net";
import { dns } from "bun";
import { LRUCache } from "lru-cache";
import { createBudget } from "../budget.ts";
import type { TenantId } from "../ids.ts";
import { type Address, parseAddress, rangeOf } from "./addresses.ts";
import { EgressError } from "./failures.ts";
import { DENIED, hostAndPort, type Rules } from "./rules.ts";

/**
 * Connections use these addresses, so a changed DNS answer (DNS rebinding) has no effect.
 * @param reasonAgainst checks what is known before the look-up
 * @throws EgressError `blocked-address`, `dns` or `unsent`
 */
export async function vettedAddresses(
  tenantId: TenantId,
  url: URL,
  rules: Rules,
  lookUps: LookUps,
  reasonAgainst: (url: URL, rules: Rules) => string | undefined,
): Promise<Address[]> {
  const reason = reasonAgainst(url, rules);
  if (reason) throw new EgressError("blocked-address", reason);
  const literal = parseAddress(url.hostname);
  if (literal) return [literal];

  const name = url.hostname.replace(/\.$/, "");
  const answers = await lookUps.addressesOf(tenantId, name);
  const mayBePrivate = rules.allow.namesHost(url);
  // One forbidden address rejects all: a mix of public and private addresses is an attack or a mistake.
  return answers.map((answer) => {
    const address = parseAddress(answer);
    if (address && rules.deny.covers(address)) {
      throw new EgressError("blocked-address", `${name} resolves to an address that ${DENIED}.`);
    }
    if (address && (mayBePrivate || rules.allow.permits(address))) return address;
    // Names only the range, because the address would reveal this network's structure to tenants.
    throw new EgressError(
      "blocked-address",
      `${name} resolves to an address that is not of the public internet (${address ? rangeOf(address) : "linkLocal"}); ` +
        `an operator can allow it by adding ${hostAndPort(url)} to ${rules.setting}.`,
    );
  });
}

// Look-ups in progress: concurrent callers share one, and each tenant is limited.

/** Limits of concurrent look-ups; name servers drop larger bursts. */
const MAX_LOOKUPS = 200;
const MAX_LOOKUPS_PER_TENANT = 20;
export const LOOK_UP_MS = 5_000;
/** How long a failed look-up is cached. The resolver caches answers itself. */
const FAILURE_KEPT_MS = 5_000;
const MAX_FAILURES_KEPT = 10_000;

export interface LookUps {
  /** @throws EgressError `dns`, or `unsent` if a limit is reached */
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
    if (!leave) throw new EgressError("unsent", `${name} was not resolved because too many names are being resolved`);
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

// Resolves names with c-ares in the event loop. `lookup()` of node:dns blocks one of the few pool threads, so a few
// hanging names would stop all others.

/** All addresses of a name, in order of preference. Rejects with a `code` such as ENOTFOUND. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Uses the hosts file, then name servers with resolv.conf's search list and options; answers are cached for their TTL.
 * A silent name server is abandoned after LOOK_UP_MS. c-ares keeps asking for 20 s and cannot be stopped, which only
 * helps the next look-up.
 * @param servers `192.0.2.53`, `192.0.2.53:5353` or `[2001:db8::53]:53`, for the whole process; empty: the system's
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

export function isNameServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return bracketed ? isIPv6(bracketed) : isIPv4(plain ?? "") || isIPv6(text);
}
