import { afterAll } from "bun:test";

/**
 * Closes what a test file opens at its top, after its tests.
 * @example const real = closedAfterAll(await startRealProvider());
 */
export function closedAfterAll<Opened extends AsyncDisposable>(opened: Opened): Opened {
  afterAll(() => opened[Symbol.asyncDispose]());
  return opened;
}
