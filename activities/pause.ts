/** @throws the signal's reason, as soon as it is aborted */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(signal?.reason);
  signal?.addEventListener("abort", giveUp);
  const timer = setTimeout(resolve, milliseconds);
  await promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  });
}
