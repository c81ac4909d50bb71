// Pictures in files.

import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** In one colour, or noise. */
export function pngOf(width: number, height: number, isNoise = false): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const pixels = () => (isNoise ? randomBytes(width * 3) : Buffer.alloc(width * 3, Buffer.from([122, 31, 162])));
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.from([0]), pixels()]));
  const data = deflateSync(Buffer.concat(rows));
  return Buffer.concat([SIGNATURE, chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** As `data:`. */
export async function picture(
  width: number,
  height: number,
  type: "png" | "jpeg" | "webp" = "png",
  isNoise = false,
): Promise<string> {
  const png = pngOf(width, height, isNoise);
  const bytes = type === "png" ? png : await new Bun.Image(new Uint8Array(png))[type]().bytes();
  return `data:image/${type};base64,${Buffer.from(bytes).toString("base64")}`;
}
