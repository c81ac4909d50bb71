// What axe-core finds on a page, and whether it fits.

import { expect } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** A phone in the dark and a desk by day. */
const SHAPES = [
  { width: 400, height: 800, colorScheme: "dark" },
  { width: 1400, height: 900, colorScheme: "light" },
] as const;

/** @throws if axe finds something, or the page is wider than the screen */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const { width, height, colorScheme } of SHAPES) {
    await page.setViewportSize({ width, height });
    // Colours that are on their way are not those that people read.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    });
    const overflow = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect({ name, width, found, overflow }).toEqual({ name, width, found: [], overflow: false });
  }
}
