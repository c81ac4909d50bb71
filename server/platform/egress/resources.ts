// The resources of one kind of requests: their budget, look-ups and connections. Other kinds do not use them.

import type { IncomingMessage } from "node:http";
import { type Budget, createBudget } from "../budget.ts";
import type { TenantId } from "../ids.ts";
import type { Address } from "./addresses.ts";
import { cancelled, EgressError, toEgressError } from "./failures.ts";
import { createLookUps, LOOK_UP_MS, type Resolve, vettedAddresses } from "./names.ts";
import { type Rules, reasonAgainstUrl } from "./rules.ts";
import { createConnections, type HttpConnections, type Through } from "./send.ts";

/** Limits of concurrent requests, in total and per tenant. */
const MAX_REQUESTS = 1_000;
const MAX_REQUESTS_PER_TENANT = 250;

export interface Resources {
  requests: Budget<string>;
  connections: HttpConnections;
  /** The vetted addresses of a URL, within LOOK_UP_MS and `timeoutMs`. @throws EgressError */
  resolve(tenantId: TenantId, url: URL, timeoutMs: number, signal?: AbortSignal): Promise<Address[]>;
}

export function createResources(rules: Rules, through: Through, resolve: Resolve): Resources {
  const lookUps = createLookUps(resolve);
  return {
    requests: createBudget<string>({
      name: "requests",
      perTenant: MAX_REQUESTS_PER_TENANT,
      total: MAX_REQUESTS,
      waiting: 0,
    }),
    connections: createConnections(through),
    resolve(tenantId, url, atMost, signal) {
      const { host } = url;
      const timeoutMs = Math.min(LOOK_UP_MS, atMost);
      const late = new EgressError("dns", `${host} was not resolved in time (${timeoutMs} ms)`);
      return within({ host, timeoutMs, late, signal }, () =>
        vettedAddresses(tenantId, url, rules, lookUps, ({ href }) => reasonAgainstUrl(href, rules)),
      );
    },
  };
}

/** Headers as received, including repeated ones. */
export function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

// A timeout over several steps. Some steps, such as look-ups, cannot be aborted.

export interface Deadline {
  host: string;
  timeoutMs: number;
  late: EgressError;
  signal?: AbortSignal | undefined;
}

/** Waits for a step until the deadline. @throws EgressError for every failure */
export async function within<T>(deadline: Deadline, step: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { host, timeoutMs, late, signal: caller } = deadline;
  // A separate timer, because that of AbortSignal.timeout() would stay active after every post.
  const { signal, abort } = aborting();
  const cancel = () => abort(cancelled(host));
  const timer = setTimeout(() => abort(late), timeoutMs);
  if (caller?.aborted) cancel();
  caller?.addEventListener("abort", cancel);
  try {
    return await Promise.race([
      step(signal),
      new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    ]);
  } catch (error) {
    // After the deadline, errors of the step are only consequences.
    throw signal.aborted ? signal.reason : toEgressError(error, host);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener("abort", cancel);
  }
}

function aborting() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: EgressError) => controller.abort(reason) };
}
