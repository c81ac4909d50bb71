// Images of strangers, re-encoded, so pages never show foreign bytes.

/** The maximum number of pixels, checked in the header before decoding allocates memory. */
export const MAX_IMAGE_PIXELS = 2_048 * 2_048;
/** Encoders write ten. Each scan costs the work of a whole image, but may take only ten bytes. */
const MAX_SCANS = 20;
const FORMATS: readonly string[] = ["png", "jpeg", "webp"];

type Bytes = Uint8Array<ArrayBuffer>;

export class UnusableImage extends Error {
  override name = "UnusableImage";
}

/** The first bytes determine the format. @param width the maximum @throws UnusableImage */
export async function smallPng(file: Bytes, width: number, height: number): Promise<Bytes> {
  try {
    const image = new Bun.Image(file, { maxPixels: MAX_IMAGE_PIXELS });
    const { format } = await image.metadata();
    if (!FORMATS.includes(format)) throw new UnusableImage(`it is ${format}, not PNG, JPEG or WebP`);
    if (format === "jpeg" && scansOf(file) > MAX_SCANS) throw new UnusableImage(`it has more than ${MAX_SCANS} scans`);
    const small = image.resize(width, height, { fit: "inside", withoutEnlargement: true }).png();
    return withoutProfile(await small.bytes());
  } catch (error) {
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("ERR_IMAGE_"))) throw error;
    throw new UnusableImage(`it is not a PNG, JPEG or WebP of at most ${MAX_IMAGE_PIXELS} pixels (${error.code})`);
  }
}

/** In a scan's data, 0x00 follows each 0xFF (ITU T.81 B.1.1.5), so every such marker starts a scan. */
function scansOf(jpeg: Bytes): number {
  let scans = 0;
  for (let at = jpeg.indexOf(0xff); at >= 0; at = jpeg.indexOf(0xff, at + 1)) if (jpeg[at + 1] === 0xda) scans++;
  return scans;
}

const SIGNATURE_LENGTH = 8;
/** A chunk's length, type and checksum. */
const FRAME_LENGTH = 12;

/** Decoding copies the colour profile unchanged (PNG 11.3.2.3), so foreign bytes would reach the browser. */
function withoutProfile(bytes: Uint8Array): Bytes {
  const png = Buffer.from(bytes);
  const kept = [png.subarray(0, SIGNATURE_LENGTH)];
  for (let at = SIGNATURE_LENGTH; at < png.length; ) {
    const end = at + FRAME_LENGTH + png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) !== "iCCP") kept.push(png.subarray(at, end));
    at = end;
  }
  return new Uint8Array(Buffer.concat(kept));
}
