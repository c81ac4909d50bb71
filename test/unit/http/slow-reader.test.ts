// A reader of a download that takes little, but never nothing, cannot hold its place for hours.

import { expect, test } from "bun:test";
import { streamFile } from "../../../server/platform/http/export.ts";

const CHUNK = 64 * 1024;
/** 64 ms for each chunk. */
const PATIENCE = { stallMs: 400, minRate: 1024 };

/** Reads chunks with a pause after each. @returns how many it got, and whether the file ended as it should */
async function read(chunks: number, pauseMs: number) {
  let ended = 0;
  async function* parts() {
    for (let part = 0; part < chunks; part++) yield new Uint8Array(CHUNK);
  }
  const reader = streamFile(parts(), () => void ended++, PATIENCE).getReader();
  let got = 0;
  const isWhole = await (async () => {
    for (;;) {
      const { done } = await reader.read();
      if (done) return true;
      got++;
      await Bun.sleep(pauseMs);
    }
  })().catch(() => false);
  return { got, isWhole, isReleased: ended > 0 };
}

test("a reader below the minimum rate is cut off, although it never stalls", async () => {
  const { got, ...others } = await read(40, 200);
  expect(others).toEqual({ isWhole: false, isReleased: true });
  expect(got).toBeLessThan(10);
});

test("a reader at more than the minimum rate gets a long file", async () => {
  expect(await read(100, 5)).toEqual({ got: 100, isWhole: true, isReleased: true });
});

test("a reader may pause after a fast beginning", async () => {
  expect(await read(3, 150)).toEqual({ got: 3, isWhole: true, isReleased: true });
});
