// From a URL to the addresses a request may connect to.

import { type Address, isPublic, parseAddress, rangeOf } from "./addresses.ts";
import { hostAndPort } from "./allow-list.ts";
import { EgressError } from "./failures.ts";
import type { LookUps } from "./look-ups.ts";
import { DENIED, type Rules, reasonAgainstUrl } from "./url.ts";

/**
 * The addresses of a URL, every one of them vetted. They are what is connected to, so a name that changes its answer
 * between the check and the connection (DNS rebinding) gains nothing.
 * @throws EgressError `blocked-address`, `dns` or `unsent`
 */
export async function vettedAddresses(tenantId: string, url: URL, rules: Rules, lookUps: LookUps): Promise<Address[]> {
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
    if (address && (mayBePrivate || isPublic(address) || rules.allow.covers(address))) return address;
    // The range only: the address itself would tell a tenant what the inside of this network looks like.
    throw new EgressError(
      "blocked-address",
      `${name} resolves to an address that is not of the public internet (${address ? rangeOf(address) : "linkLocal"}); ` +
        `an operator can allow it by adding ${hostAndPort(url)} to EGRESS_ALLOW.`,
    );
  });
}
