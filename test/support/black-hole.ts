// A loopback address that never answers: a listener with a full queue, so the kernel drops further connections.

import { dlopen, FFIType, ptr } from "bun:ffi";
import { connect } from "node:net";

const { int, pointer } = { int: FFIType.int, pointer: FFIType.ptr };
const [AF_INET, SOCK_STREAM] = [2, 1];

/** @example using hole = await startBlackHole("127.0.0.2", port); */
export async function startBlackHole(address: string, port: number): Promise<Disposable> {
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: [int, int, int], returns: int },
    bind: { args: [int, pointer, int], returns: int },
    listen: { args: [int, int], returns: int },
    close: { args: [int], returns: int },
  });
  const descriptor = symbols.socket(AF_INET, SOCK_STREAM, 0);
  const place = Buffer.alloc(16);
  place.writeUInt16LE(AF_INET, 0);
  place.writeUInt16BE(port, 2);
  place.set(address.split(".").map(Number), 4);
  if (symbols.bind(descriptor, ptr(place), place.length) !== 0 || symbols.listen(descriptor, 0) !== 0) {
    throw new Error(`cannot listen at ${address}:${port}`);
  }
  // Its queue has one place.
  const first = connect({ host: address, port });
  await new Promise<void>((resolve, reject) => first.once("connect", resolve).once("error", reject));
  return {
    [Symbol.dispose]() {
      first.destroy();
      symbols.close(descriptor);
    },
  };
}
