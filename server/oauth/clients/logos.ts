// Logos of clients, made anew here: what a page shows is never a byte of another host's file.

import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { EgressError, type EgressFetch } from "../../egress/index.ts";
import type { TenantId } from "../../ids.ts";
import { type Client, isVouchedFor } from "./store.ts";

/** Bytes of the file. */
export const MAX_LOGO_BYTES = 512 * 1024;
/** Pixels of the image, 2,048 by 2,048: judged by the file's head, before room is made for them. */
export const MAX_LOGO_PIXELS = 2_048 * 2_048;
/** Encoders write ten. Each costs the work of a whole image, and can take ten bytes. */
const MAX_SCANS = 20;
/** Pixels of each side of what is shown: twice its size on the page. */
const SIDE = 96;
const FORMATS: readonly string[] = ["png", "jpeg", "webp"];
const TIMEOUT_MS = 5_000;
const FRESH_MS = 3_600_000;
/** So long one that failed is not asked for again. */
const FAILED_MS = 60_000;
/** Logos of this many addresses, 40 KB each at most; the one not asked for longest makes room. */
const LOGOS = 500;
/** Addresses that a tenant has asked within a minute. */
export const MAX_LOGO_FETCHES = 60;
/** Tenants whose requests are counted. */
const TENANTS = 10_000;

type Owner = Pick<Client, "id" | "tenantId" | "logoUri" | "isOpen" | "administratorSet">;
type Png = Uint8Array<ArrayBuffer>;

/** @returns undefined if there is none, or it cannot be shown now */
export type FindLogo = (client: Owner) => Promise<Png | undefined>;

/** The address of the logo that people see; "": none. One of a stranger's could be anybody's (RFC 7591 5). */
export function logoOf(client: Owner): string {
  return isVouchedFor(client, "LogoUri") ? client.logoUri : "";
}

export function createLogos(fetch: EgressFetch, log: Pick<Logger, "warn">): FindLogo {
  const asked = new LRUCache<TenantId, { requests: number }>({ max: TENANTS, ttl: 60_000 });
  /** Many that wait for one logo ask for it once. */
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

  /** No redirect is followed. */
  async function ask({ tenantId, logoUri }: Owner): Promise<Png> {
    const headers = { accept: "image/png, image/jpeg, image/webp" };
    const request = { method: "GET", headers, timeoutMs: TIMEOUT_MS, mostBytes: MAX_LOGO_BYTES } as const;
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

/** What the file is, its first bytes say. @throws UnusableLogo */
async function smallPng(file: Png): Promise<Png> {
  try {
    const image = new Bun.Image(file, { maxPixels: MAX_LOGO_PIXELS });
    const { format } = await image.metadata();
    if (!FORMATS.includes(format)) throw new UnusableLogo(`it is ${format}, and not PNG, JPEG or WebP`);
    if (format === "jpeg" && scansOf(file) > MAX_SCANS) throw new UnusableLogo(`it has more than ${MAX_SCANS} scans`);
    const small = image.resize(SIDE, SIDE, { fit: "inside", withoutEnlargement: true }).png();
    return withoutProfile(await small.bytes());
  } catch (error) {
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("ERR_IMAGE_"))) throw error;
    throw new UnusableLogo(`it is no PNG, JPEG or WebP of at most ${MAX_LOGO_PIXELS} pixels (${error.code})`);
  }
}

/** In the data of a scan, 0x00 follows each 0xFF (ITU T.81 B.1.1.5), so each of these markers begins one. */
function scansOf(jpeg: Png): number {
  let scans = 0;
  for (let at = jpeg.indexOf(0xff); at >= 0; at = jpeg.indexOf(0xff, at + 1)) if (jpeg[at + 1] === 0xda) scans++;
  return scans;
}

const SIGNATURE_LENGTH = 8;
/** A chunk's length, type and checksum. */
const FRAME_LENGTH = 12;

/** The file's colour profile is carried on as it is (PNG 11.3.2.3), and another's bytes would be read by a browser. */
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
