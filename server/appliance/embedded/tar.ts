// tar archives (POSIX ustar), written and read as streams. Only what a backup needs: regular files and directories.

const BLOCK = 512;
/** Longer names and larger files need extensions of the format; PostgreSQL's files have neither. */
const MAX_NAME = 99;
const MAX_SIZE = 8 ** 11 - 1;
const FILE = "0";
const DIRECTORY = "5";

export interface TarEntry {
  name: string;
  isDirectory: boolean;
  /** In bytes; its content has exactly that many. */
  size: number;
}

export function tarHeader({ name, isDirectory, size }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME || size > MAX_SIZE)
    throw new Error(`${name} does not fit into a tar archive.`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(`${isDirectory ? "0000700" : "0000600"}\0${"0000000\0".repeat(2)}`, 100);
  header.write(`${size.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0`, 124);
  header.write(isDirectory ? DIRECTORY : FILE, 156);
  header.write("ustar\x0000", 257);
  header.write(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

export function tarPadding(size: number): Buffer {
  return Buffer.alloc(-size & (BLOCK - 1));
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

/** The sum of the header's bytes, with spaces in place of the sum. */
function checksumOf(header: Buffer): number {
  const sum = header.reduce((total, byte) => total + byte, 0);
  return sum - header.subarray(148, 156).reduce((total, byte) => total + byte, 0) + 8 * 0x20;
}

export class DamagedTar extends Error {
  override name = "DamagedTar";
}

/** Read each entry's content before the next entry. @throws DamagedTar if it is not a tar archive, or ends early */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<TarEntry & { content: AsyncIterable<Uint8Array> }> {
  const source = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();

  /** At most `max` bytes, at least one. */
  async function some(max: number): Promise<Uint8Array> {
    while (rest.length === 0) {
      const { value, done } = await source.next();
      if (done) throw new DamagedTar("it is truncated");
      rest = value;
    }
    const taken = rest.subarray(0, max);
    rest = rest.subarray(taken.length);
    return taken;
  }
  async function* exactly(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      const bytes = await some(left);
      left -= bytes.length;
      yield bytes;
    }
  }
  const block = async (size: number) => Buffer.concat(await Array.fromAsync(exactly(size)));

  for (;;) {
    const header = await block(BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const octal = (from: number, to: number) => Number.parseInt(header.toString("latin1", from, to), 8);
    if (octal(148, 154) !== checksumOf(header)) throw new DamagedTar("it is not a tar archive");
    const size = octal(124, 135);
    const name = header.toString("utf8", 0, header.indexOf(0));
    const type = header.toString("latin1", 156, 157);
    if (type !== FILE && type !== DIRECTORY) throw new DamagedTar(`${JSON.stringify(name)} is not a file or a folder`);
    if (!Number.isSafeInteger(size)) throw new DamagedTar(`${JSON.stringify(name)} has no size`);
    yield { name, size, isDirectory: type === DIRECTORY, content: exactly(size) };
    await block(tarPadding(size).length);
  }
  // Reads to the end, because the checksum of the compression is there.
  while (!(await source.next()).done);
}
