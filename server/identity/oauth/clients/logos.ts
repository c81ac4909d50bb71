// Clients' logos, re-encoded here, so pages never show files of other hosts.

import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { EgressError, type EgressFetch } from "../../../platform/egress/index.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { smallPng, UnusableImage } from "../../../platform/image.ts";
import { type Client, isVouchedFor } from "./store.ts";

export const MAX_LOGO_BYTES = 512 * 1024;
/** The side length in pixels: twice the displayed size. */
const SIDE = 96;
const TIMEOUT_MS = 5_000;
const FRESH_MS = 3_600_000;
/** How long a failed logo is not requested again. */
const FAILED_MS = 60_000;
/** The maximum number of cached logos, each up to 40 KB. */
const LOGOS = 500;
/** The maximum requests of a tenant per minute. */
export const MAX_LOGO_FETCHES = 60;
/** The maximum number of tenants with a counter. */
const TENANTS = 10_000;

type Owner = Pick<Client, "id" | "tenantId" | "logoUri" | "isOpen" | "administratorSet">;
type Png = Uint8Array<ArrayBuffer>;

export type FindLogo = (client: Owner) => Promise<Png | undefined>;

/** The address of the displayed logo; "": none. An unvouched client could show any logo (RFC 7591 5). */
export function logoOf(client: Owner): string {
  return isVouchedFor(client, "LogoUri") ? client.logoUri : "";
}

export function createLogos(fetch: EgressFetch, log: Pick<Logger, "warn">): FindLogo {
  const asked = new LRUCache<TenantId, { requests: number }>({ max: TENANTS, ttl: 60_000 });
  /** Concurrent calls share one request. */
  const logos = new LRUCache<string, { png: Png | undefined }, Owner>({
    max: LOGOS,
    ttl: FRESH_MS,
    async fetchMethod(_key, _stale, { options, context: owner }) {
      if (!mayAsk(owner.tenantId)) return undefined;
      try {
        return { png: await smallPng(await ask(owner), SIDE, SIDE) };
      } catch (error) {
        if (!(error instanceof EgressError || error instanceof UnusableImage)) throw error;
        const { id: clientId, tenantId } = owner;
        log.warn({ tenantId, clientId, reason: error.message }, "the logo at a client's LogoUri cannot be shown");
        options.ttl = FAILED_MS;
        return { png: undefined };
      }
    },
  });

  function mayAsk(tenantId: TenantId): boolean {
    const known = asked.get(tenantId) ?? { requests: 0 };
    if (known.requests === 0) asked.set(tenantId, known);
    return ++known.requests <= MAX_LOGO_FETCHES;
  }

  /** Redirects are not followed. */
  async function ask({ tenantId, logoUri }: Owner): Promise<Png> {
    const headers = { accept: "image/png, image/jpeg, image/webp" };
    const request = { method: "GET", headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_LOGO_BYTES } as const;
    const answer = await fetch(tenantId, logoUri, request);
    if (answer.status !== 200) throw new UnusableImage(`the answer has status ${answer.status}`);
    return answer.bytes();
  }

  return async (client) => {
    if (logoOf(client) === "") return undefined;
    return (await logos.fetch(`${client.id} ${client.logoUri}`, { context: client }))?.png;
  };
}
