// Compression of pages, by Accept-Encoding. API answers are not compressed here: a proxy may do it.
//
// The length of a compressed page tells something about its content (BREACH): an attacker who makes a browser open a
// page with many guesses in its address learns which guess repeats a secret of the page. So requests from other sites get
// plain pages, tokens of forms are masked anew in each page, and a page that shows a secret forbids compression.

import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";

export type Encoding = "zstd" | "br" | "gzip";
export type Bytes = Uint8Array<ArrayBuffer>;

/** Shorter pages fit in one packet anyway. */
const MIN_BYTES = 1_024;
/** A page is compressed for one request only: 1 ms for 130 kB. Assets are compressed once, and better. */
const PAGE_QUALITY = 4;

const [compressZstd, compressBrotli, compressGzip] = [
  promisify(zstdCompress),
  promisify(brotliCompress),
  promisify(gzip),
];

const COMPRESS: Record<Encoding, (bytes: Bytes, quality: number) => Promise<Bytes>> = {
  zstd: (bytes) => compressZstd(bytes),
  br: (bytes, quality) => compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: (bytes) => compressGzip(bytes),
};

/** A file in each encoding, computed once, off the main thread: half a second for the largest asset. */
export function compressedOnce(bytes: () => Promise<Bytes>): (encoding?: Encoding) => Promise<Bytes> {
  const made = new Map<Encoding | undefined, Promise<Bytes>>();
  const once = (encoding: Encoding | undefined, make: () => Promise<Bytes>) => {
    const known = made.get(encoding) ?? make();
    made.set(encoding, known);
    // Failures are retried on the next request.
    known.catch(() => made.delete(encoding));
    return known;
  };
  const plain = () => once(undefined, bytes);
  const packed = async (encoding: Encoding) => COMPRESS[encoding](await plain(), constants.BROTLI_MAX_QUALITY);
  return (encoding) => (encoding ? once(encoding, () => packed(encoding)) : plain());
}

/** The first of these encodings that the client accepts (RFC 9110 12.5.3). Browsers send no weights but 0. */
export function encodingFor<E extends Encoding>(request: Request, supported: readonly E[]): E | undefined {
  const accepted = (request.headers.get("accept-encoding") ?? "").split(",").flatMap((part) => {
    const [name, ...parameters] = part.toLowerCase().split(";");
    return parameters.some((one) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(one)) ? [] : [name!.trim()];
  });
  return supported.find((one) => accepted.includes(one));
}

/** Compresses a page. Other responses are returned as they are. */
export function compressedPage(request: Request, response: Response): Response | Promise<Response> {
  const { headers } = response;
  const isPage = headers.get("content-type")?.startsWith("text/html") && !headers.has("content-encoding");
  if (!response.body || !isPage) return response;
  headers.append("vary", "Accept-Encoding");
  const encoding = encodingFor(request, ["zstd", "br", "gzip"]);
  const isForbidden = headers.get("cache-control")?.includes("no-transform");
  if (encoding === undefined || isForbidden || isFromElsewhere(request)) return response;
  return packed(response, encoding);
}

/** Browsers tell whether another site has caused a request. Scripts and old browsers send nothing. */
function isFromElsewhere(request: Request): boolean {
  return ["cross-site", "same-site"].includes(request.headers.get("sec-fetch-site") ?? "");
}

async function packed(response: Response, encoding: Encoding): Promise<Response> {
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length <= MIN_BYTES) return new Response(bytes, { status, headers });
  headers.set("content-encoding", encoding);
  headers.delete("content-length");
  return new Response(await COMPRESS[encoding](bytes, PAGE_QUALITY), { status, headers });
}
