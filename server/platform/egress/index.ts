// All requests to externally chosen addresses pass through here.

import type { TenantId } from "../ids.ts";
import { parseRange } from "./addresses.ts";
import { type Connect, createConnect } from "./connect.ts";
import { EgressError, FAILURES } from "./failures.ts";
import { createFetch, type EgressFetch } from "./fetch.ts";
import { createResolver, isNameServer, type Resolve } from "./names.ts";
import { createPost, type EgressOutcome, type EgressRequest } from "./post.ts";
import { createResources } from "./resources.ts";
import { parseAllowList, parseDenyList, type Rules, reasonAgainstUrl } from "./rules.ts";
import { createTrust, readCertificates } from "./trust.ts";
import type { ProxyConfig } from "./tunnel.ts";

export {
  createTrust,
  EgressError,
  type EgressFetch,
  type EgressOutcome,
  type EgressRequest,
  FAILURES,
  isNameServer,
  parseAllowList,
  parseDenyList,
  parseRange,
  type Resolve,
  readCertificates,
};

/** @returns why a URL is rejected, or undefined. Host names are resolved and checked at each request. */
export type CheckUrl = (url: string) => string | undefined;

/** Egress for addresses named by unvouched clients; EGRESS_ALLOW does not apply. */
type StrangersEgress = Omit<Egress, "forStrangers" | "connect">;

export interface Egress {
  /** Sends one POST. Never throws: errors become a `failure`. */
  post(request: EgressRequest): Promise<EgressOutcome>;
  /** Whether the tenant has no free request for a POST now. */
  isFull(tenantId: TenantId): boolean;
  /** Sends one request and returns the whole response, redirects included. Throws EgressError. */
  fetch: EgressFetch;
  checkUrl: CheckUrl;
  /** Connects to a server of another protocol than HTTP. Throws EgressError. */
  connect: Connect;
  forStrangers: StrangersEgress;
}

export interface EgressConfig {
  /** Allowed private destinations, as `host:port` or CIDR. */
  allow: string[];
  /** The same for addresses named by unvouched clients. */
  allowStrangers?: string[] | undefined;
  /** CIDR, addresses and host names that are always denied. */
  deny: string[];
  dns: string[];
  /** A PEM file with additional trusted certificates. */
  caFile: string | undefined;
  /** A CONNECT proxy; undefined: direct connections. */
  proxy?: ProxyConfig | undefined;
}

/** @throws Error naming every invalid entry of EGRESS_ALLOW or EGRESS_DENY, or why EGRESS_CA_FILE cannot be used */
export function createEgress(config: EgressConfig, resolve: Resolve = createResolver(config.dns)): Egress {
  const deny = parseDenyList(config.deny);
  const through = { trust: createTrust(config.caFile), proxy: config.proxy };
  const by = (rules: Rules): StrangersEgress => {
    const posts = createResources(rules, through, resolve);
    return {
      post: createPost(posts),
      isFull: posts.requests.isFull,
      fetch: createFetch(createResources(rules, through, resolve)),
      checkUrl: (url) => reasonAgainstUrl(url, rules),
    };
  };
  const rules: Rules = { allow: parseAllowList(config.allow), deny, setting: "EGRESS_ALLOW" };
  const strangers = parseAllowList(config.allowStrangers ?? []);
  return {
    ...by(rules),
    connect: createConnect(rules, resolve),
    forStrangers: by({ allow: strangers, deny, setting: "EGRESS_ALLOW_STRANGERS" }),
  };
}
export { BOUND_SECRETS, movedAddresses, requireSecretsAnew } from "./bound-secrets.ts";
export { encodeUnsendable, extendAddress, requestTarget } from "./given-address.ts";
