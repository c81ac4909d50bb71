// The one way out: every request this service sends to an address that somebody else chose goes through here.

import { parseRange } from "./addresses.ts";
import { EgressError, FAILURES } from "./failures.ts";
import { createFetch, type EgressFetch } from "./fetch.ts";
import { createResolver, isNameServer, type Resolve } from "./names.ts";
import { createPost, type EgressOutcome, type EgressRequest } from "./post.ts";
import { parseAllowList, parseDenyList, type Rules, reasonAgainstUrl } from "./rules.ts";
import { createTrust, readCertificates } from "./trust.ts";
import type { ProxyConfig } from "./tunnel.ts";
import { createWay } from "./way.ts";

export {
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

/** Says in words why this URL cannot be saved, or undefined if it can. Host names are judged at each request. */
export type CheckUrl = (url: string) => string | undefined;

/** Requests to addresses that a client has named for which nobody vouches; EGRESS_ALLOW does not count for them. */
type StrangersEgress = Pick<Egress, "post" | "fetch" | "checkUrl">;

export interface Egress {
  /** Sends one POST. Never throws: whatever goes wrong is a `failure`. */
  post(request: EgressRequest): Promise<EgressOutcome>;
  /** Sends one request and gives its whole answer, which may be a redirect. Throws EgressError. */
  fetch: EgressFetch;
  checkUrl: CheckUrl;
  forStrangers: StrangersEgress;
}

export interface EgressConfig {
  /** `host:port` or CIDR that may be private. */
  allow: string[];
  /** The same, for addresses that clients name for which nobody vouches. */
  allowStrangers?: string[] | undefined;
  /** CIDR, addresses and host names that nothing goes to, whatever is allowed. */
  deny: string[];
  /** Name servers instead of the system's. */
  dns: string[];
  /** PEM file with certificates trusted beside the system's. */
  caFile: string | undefined;
  /** Connections go through it by CONNECT; undefined: none do. */
  proxy?: ProxyConfig | undefined;
}

/**
 * @param resolve how names become addresses; the system's resolver unless a test brings its own.
 * @throws Error naming every entry of EGRESS_ALLOW or EGRESS_DENY that is wrong, or why EGRESS_CA_FILE cannot be used.
 * @example const egress = createEgress(config.egress);
 */
export function createEgress(config: EgressConfig, resolve: Resolve = createResolver(config.dns)): Egress {
  const deny = parseDenyList(config.deny);
  const through = { trust: createTrust(config.caFile), proxy: config.proxy };
  const by = (rules: Rules) => ({
    post: createPost(createWay(rules, through, resolve)),
    fetch: createFetch(createWay(rules, through, resolve)),
    checkUrl: (url: string) => reasonAgainstUrl(url, rules),
  });
  const strangers = parseAllowList(config.allowStrangers ?? []);
  return {
    ...by({ allow: parseAllowList(config.allow), deny, setting: "EGRESS_ALLOW" }),
    forStrangers: by({ allow: strangers, deny, setting: "EGRESS_ALLOW_STRANGERS" }),
  };
}
export { BOUND_SECRETS, movedAddresses, requireSecretsAnew } from "./bound-secrets.ts";
export { encodeUnsendable, extendAddress, requestTarget } from "./given-address.ts";
