// Clients' logos, re-encoded here, so pages never show files of other hosts.

import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { EgressError, type EgressFetch } from "../../../platform/egress/index.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type Client, isVouchedFor } from "./store.ts";

export const MAX_LOGO_BYTES = 512 * 1024;
/** The maximum number of pixels, checked in the header before decoding allocates memory. */
export const MAX_LOGO_PIXELS = 2_048 * 2_048;
/** Encoders write ten. Each scan costs the work of a whole image, but may take only ten bytes. */
const MAX_SCANS = 20;
/** The side length in pixels: twice the displayed size. */
const SIDE = 96;
const FORMATS: readonly string[] = ["png", "jpeg", "webp"];
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
        return { png: await smallPng(await ask(owner)) };
      } catch (error) {
        if (!(error instanceof EgressError || error instanceof UnusableLogo)) throw error;
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
    if (answer.status !== 200) throw new UnusableLogo(`the answer has status ${answer.status}`);
    return answer.bytes();
  }

  return async (client) => {
    if (logoOf(client) === "") return undefined;
    return (await logos.fetch(`${client.id} ${client.logoUri}`, { context: client }))?.png;
  };
}

class UnusableLogo extends Error {
  override name = "UnusableLogo";
}

/** The first bytes determine the format. @throws UnusableLogo */
async function smallPng(file: Png): Promise<Png> {
  try {
    const image = new Bun.Image(file, { maxPixels: MAX_LOGO_PIXELS });
    const { format } = await image.metadata();
    if (!FORMATS.includes(format)) throw new UnusableLogo(`it is ${format}, not PNG, JPEG or WebP`);
    if (format === "jpeg" && scansOf(file) > MAX_SCANS) throw new UnusableLogo(`it has more than ${MAX_SCANS} scans`);
    const small = image.resize(SIDE, SIDE, { fit: "inside", withoutEnlargement: true }).png();
    return withoutProfile(await small.bytes());
  } catch (error) {
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("ERR_IMAGE_"))) throw error;
    throw new UnusableLogo(`it is not a PNG, JPEG or WebP of at most ${MAX_LOGO_PIXELS} pixels (${error.code})`);
  }
}

/** In a scan's data, 0x00 follows each 0xFF (ITU T.81 B.1.1.5), so every such marker starts a scan. */
function scansOf(jpeg: Png): number {
  let scans = 0;
  for (let at = jpeg.indexOf(0xff); at >= 0; at = jpeg.indexOf(0xff, at + 1)) if (jpeg[at + 1] === 0xda) scans++;
  return scans;
}

const SIGNATURE_LENGTH = 8;
/** A chunk's length, type and checksum. */
const FRAME_LENGTH = 12;

/** Decoding copies the colour profile unchanged (PNG 11.3.2.3), so foreign bytes would reach the browser. */
function withoutProfile(bytes: Uint8Array): Png {
  const png = Buffer.from(bytes);
  const kept = [png.subarray(0, SIGNATURE_LENGTH)];
  for (let at = SIGNATURE_LENGTH; at < png.length; ) {
    const end = at + FRAME_LENGTH + png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) !== "iCCP") kept.push(png.subarray(at, end));
    at = end;
  }
  return new Uint8Array(Buffer.concat(kept));
}
