// The maximum number of posts in flight to a receiver, depending on the results.

import { expect, test } from "bun:test";
import type { ConnectionId, DeliveryId, EventId } from "../../../server/platform/ids.ts";
import {
  createWindows,
  FIRST_SIZE,
  KNOWN_SIZE,
  type WindowPlace,
} from "../../../server/webhooks/deliveries/windows.ts";
import { idOf } from "../../world/api.ts";

const RECEIVER = idOf<ConnectionId>("receiver");

test("a window grows after the first answer, and by one with each answer that finds it full", async () => {
  const { windows, fill } = newWindows();
  for (const post of await fill(FIRST_SIZE)) post.end("answered");
  expect(windows.freePlaces(RECEIVER)).toBe(KNOWN_SIZE);
  for (const post of await fill(KNOWN_SIZE)) post.end("answered");
  expect(windows.freePlaces(RECEIVER)).toBe(KNOWN_SIZE + 1);
  for (const post of await fill(KNOWN_SIZE)) post.end("answered");
  expect(windows.freePlaces(RECEIVER)).toBe(KNOWN_SIZE + 1);
});

test("a window halves once for all posts that time out together, and grows again with answers", async () => {
  const { windows, fill } = newWindows();
  for (const post of await fill(FIRST_SIZE)) post.end("unanswered");
  expect(windows.freePlaces(RECEIVER)).toBe(FIRST_SIZE / 2);
  for (const post of await fill(FIRST_SIZE / 2)) post.end("unanswered");
  for (const post of await fill(1)) post.end("unanswered");
  expect(windows.freePlaces(RECEIVER)).toBe(1);
  for (let size = 1; size < KNOWN_SIZE; size++) {
    for (const post of await fill(size)) post.end("answered");
    expect(windows.freePlaces(RECEIVER)).toBe(size + 1);
  }
});

test("a post that never left changes nothing", async () => {
  const { windows, fill } = newWindows();
  for (const post of await fill(FIRST_SIZE)) post.end("aborted");
  expect(windows.freePlaces(RECEIVER)).toBe(FIRST_SIZE);
});

test("posts without a free request of their tenant shrink the window, and do not mark it slow", async () => {
  const { windows, fill } = newWindows();
  for (const post of await fill(1)) post.end("answered");
  for (const post of await fill(KNOWN_SIZE)) post.end("unsent");
  expect(windows.freePlaces(RECEIVER)).toBe(KNOWN_SIZE / 2);
  expect(windows.isQuick(RECEIVER)).toBe(true);
});

test("a receiver without a response gets at most its window, and more after its response", async () => {
  const { windows, fill } = newWindows();
  const [first, ...others] = Array.from({ length: FIRST_SIZE + 1 }, () => idOf<DeliveryId>(Bun.randomUUIDv7()));
  expect([first!, ...others].map((id) => windows.allowsDispatch(RECEIVER, id))).toEqual([
    ...others.map(() => true),
    false,
  ]);
  // A failed start is repeated with the same place.
  expect(windows.allowsDispatch(RECEIVER, first!)).toBe(true);
  expect(windows.isQuick(RECEIVER)).toBe(false);
  windows.free(RECEIVER, first!);
  for (const post of await fill(1)) post.end("answered");
  expect(windows.isQuick(RECEIVER)).toBe(true);
  expect(others.map((id) => windows.allowsDispatch(RECEIVER, id))).not.toContain(false);
  expect(windows.allowsDispatch(RECEIVER, first!)).toBe(true);
});

function newWindows() {
  const windows = createWindows();
  const post = async (): Promise<WindowPlace> => {
    const ids = { deliveryId: idOf<DeliveryId>(Bun.randomUUIDv7()), eventId: idOf<EventId>(Bun.randomUUIDv7()) };
    const place = await windows.take({ connectionId: RECEIVER, ...ids }, new AbortController().signal);
    place!.start();
    return place!;
  };
  return { windows, fill: (posts: number) => Promise.all(Array.from({ length: posts }, post)) };
}
