// The timeline of signing keys: the state of each, and the current time.

import { expect, test } from "bun:test";
import { KeysPicture } from "../../../server/console/signing-keys-picture.tsx";

const DAY = 86_400_000;
const NOW = Date.parse("2026-11-23T12:00:00Z");

const key = (Id: string, State: "Announced" | "Signing" | "Retired", signs: number, until: number) => ({
  ...{ Id, State, Alg: "RS256" as const },
  SignsFrom: new Date(NOW + signs * DAY).toISOString(),
  SignsUntil: new Date(NOW + until * DAY).toISOString(),
  PublishedUntil: new Date(NOW + (until + 31) * DAY).toISOString(),
});

const KEYS = [key("next", "Announced", 1, 91), key("today", "Signing", -89, 1), key("former", "Retired", -120, -20)];

const bars = (html: string) =>
  [...html.matchAll(/<rect class="(\w+)" x="([\d.]+)%"[^>]* width="([\d.]+)%"/g)].map(([, part, left, width]) => ({
    ...{ part, left: Number(left), right: Number(left) + Number(width) },
  }));

test("the picture of keys shows each key's signing time and its successor, and fits", async () => {
  const html = await KeysPicture({ keys: KEYS, now: NOW });
  const drawn = bars(html);
  // A key is announced, signs, and is retired; the announcement of former keys is unknown.
  const [announced, next, , today, retired, former] = drawn;
  expect(drawn.map(({ part }) => part)).toEqual([
    ...["open", "delivered", "cancelled"],
    ...["delivered", "cancelled", "delivered", "cancelled"],
  ]);
  expect(announced!.right).toBeGreaterThan(announced!.left);
  expect(next!.left).toBeCloseTo(today!.right, 1);
  expect(retired!.left).toBeCloseTo(today!.right, 1);
  expect(former!.left).toBe(0);
  for (const { left, right } of drawn) expect([left >= 0, right <= 100.01]).toEqual([true, true]);
  expect(html).toContain("next announced, today signing, former retired.");
  const now = /<line x1="([\d.]+)%"/.exec(html)!;
  expect(Number(now[1])).toBeCloseTo((120 / 242) * 100, 0);
});

test("a very short period is drawn, and a current key is drawn from the edge", async () => {
  const html = await KeysPicture({ keys: [key("first", "Signing", 0, 90)], now: NOW });
  expect(bars(html)[0]).toMatchObject({ part: "delivered", left: 0 });
  const short = await KeysPicture({ keys: [key("first", "Retired", -90, -31 + 1 / 1440)], now: NOW });
  for (const { left, right } of bars(short)) expect(right - left).toBeGreaterThan(0.5);
});
