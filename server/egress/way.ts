// What the requests of one kind share, and share with no other kind: places, look-ups and connections.

import type { IncomingMessage } from "node:http";
import { type Budget, createBudget } from "../budget.ts";
import type { Address } from "./addresses.ts";
import { within } from "./deadline.ts";
import { EgressError } from "./failures.ts";
import { createLookUps } from "./look-ups.ts";
import { vettedAddresses } from "./names.ts";
import type { Resolve } from "./resolver.ts";
import { type Connections, createConnections } from "./send.ts";
import type { Rules } from "./url.ts";

/** What a name look-up may take. */
const LOOK_UP_MS = 5_000;
/** Requests under way at a time, and those of one tenant. */
const MOST = 1_000;
const MOST_OF_A_TENANT = 250;

export interface Way {
  places: Budget<string>;
  connections: Connections;
  /**
   * The vetted addresses of a URL, within LOOK_UP_MS or `timeoutMs`, if that is less.
   * @throws EgressError
   */
  resolve(tenantId: string, url: URL, timeoutMs: number, signal?: AbortSignal): Promise<Address[]>;
}

export function createWay(rules: Rules, ca: string[] | undefined, resolve: Resolve): Way {
  const lookUps = createLookUps(resolve);
  return {
    places: createBudget<string>({ name: "requests", perTenant: MOST_OF_A_TENANT, total: MOST, waiting: 0 }),
    connections: createConnections(ca),
    resolve(tenantId, url, atMost, signal) {
      const { host } = url;
      const timeoutMs = Math.min(LOOK_UP_MS, atMost);
      const late = new EgressError("dns", `${host} was not resolved in time (${timeoutMs} ms)`);
      return within({ host, timeoutMs, late, signal }, () => vettedAddresses(tenantId, url, rules, lookUps));
    },
  };
}

/** As they were sent, also what a peer sent twice. */
export function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}
