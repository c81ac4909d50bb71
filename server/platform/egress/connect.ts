// Connections to servers of other protocols than HTTP, such as SMTP: to vetted addresses, without HTTPS_PROXY.

import { connect as dial, type Socket } from "node:net";
import { urlOf } from "../address.ts";
import type { TenantId } from "../ids.ts";
import type { Address } from "./addresses.ts";
import { EgressError, timedOut, toEgressError } from "./failures.ts";
import { createLookUps, type Resolve, vettedAddresses } from "./names.ts";
import { type Rules, reasonAgainstHost } from "./rules.ts";

/** Tries one address after the other. The caller must verify a certificate against the host. @throws EgressError */
export type Connect = (tenantId: TenantId, host: string, port: number, timeoutMs: number) => Promise<Socket>;

export function createConnect(rules: Rules, resolve: Resolve): Connect {
  const lookUps = createLookUps(resolve);
  return async (tenantId, host, port, timeoutMs) => {
    const url = urlOf(`https://${host.includes(":") ? `[${host}]` : host}:${port}`);
    const addresses = await vettedAddresses(tenantId, url, rules, lookUps, reasonAgainstHost);
    const failures: EgressError[] = [];
    for (const address of addresses) {
      try {
        return await open(address, host, port, timeoutMs / addresses.length);
      } catch (error) {
        failures.push(toEgressError(error, host));
      }
    }
    throw failures[0] ?? new EgressError("dns", `${host} has no address`);
  };
}

function open(address: Address, host: string, port: number, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = dial({ host: address.toString(), port });
    const timer = setTimeout(() => fail(timedOut(host, timeoutMs)), timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}
