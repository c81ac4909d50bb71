// From a URL to the addresses a request may connect to.

import { lookup } from "node:dns/promises";
import { type Address, isPublic, parseAddress, rangeOf } from "./addresses.ts";
import { type AllowList, hostAndPort } from "./allow-list.ts";
import { EgressError } from "./failures.ts";
import { reasonAgainstUrl } from "./url.ts";

/** All addresses of a name, in the order to try them. */
export type Resolve = (name: string) => Promise<string[]>;

/** The system's resolver, hosts file included. */
export const resolveName: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * The addresses of a URL, every one of them vetted. They are what is connected to, so a name that changes its answer
 * between the check and the connection (DNS rebinding) gains nothing.
 * @throws EgressError `blocked-address` or `dns`.
 */
export async function vettedAddresses(url: URL, allow: AllowList, resolve: Resolve): Promise<Address[]> {
  const reason = reasonAgainstUrl(url.href, allow);
  if (reason) throw new EgressError("blocked-address", reason);
  const literal = parseAddress(url.hostname);
  if (literal) return [literal];

  const name = url.hostname.replace(/\.$/, "");
  const answers = await resolveOrFail(name, resolve);
  const mayBePrivate = allow.namesHost(url);
  // One bad answer refuses all: a name that mixes public and private addresses is an attack or a mistake.
  return answers.map((answer) => {
    const address = parseAddress(answer);
    if (address && (mayBePrivate || isPublic(address) || allow.covers(address))) return address;
    // The range only: the address itself would tell a tenant what the inside of this network looks like.
    throw new EgressError(
      "blocked-address",
      `${name} resolves to an address that is not of the public internet (${address ? rangeOf(address) : "linkLocal"}); ` +
        `an operator can allow it by adding ${hostAndPort(url)} to EGRESS_ALLOW.`,
    );
  });
}

async function resolveOrFail(name: string, resolve: Resolve): Promise<string[]> {
  let answers: string[];
  try {
    answers = await resolve(name);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    throw new EgressError("dns", `${name} cannot be resolved${typeof code === "string" ? ` (${code})` : ""}`);
  }
  if (answers.length === 0) throw new EgressError("dns", `${name} has no address`);
  return answers;
}
