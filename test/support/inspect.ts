// axe-core's problems on a page, and whether it fits.

import { expect } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** A folder for screenshots of each page at each size, for review. */
const PICTURES = process.env.PAGE_PICTURES;

/** A light desktop and a dark phone. A problem of a width or a theme appears in the other combination too. */
const SHAPES = [
  { width: 1400, height: 900, colorScheme: "light" },
  { width: 400, height: 800, colorScheme: "dark" },
] as const;
const MORE_SHAPES = [
  { width: 1400, height: 900, colorScheme: "dark" },
  { width: 400, height: 800, colorScheme: "light" },
] as const;

/** @throws if axe finds a problem in the page's current state */
export async function inspectAsItIs(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  expect({ name, found: await violations(page) }).toEqual({ name, found: [] });
}

/** @throws if axe finds a problem, the page is wider than the screen, or a phone would zoom into an input */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const { width, height, colorScheme } of PICTURES ? [...SHAPES, ...MORE_SHAPES] : SHAPES) {
    await page.setViewportSize({ width, height });
    // Colours in transition are not those that people read.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found = await violations(page);
    const overflow = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    const small = width === 400 ? await smallInputs(page) : [];
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    expect({ name, width, colorScheme, found, overflow, small }).toEqual({
      name,
      width,
      colorScheme,
      found: [],
      overflow: false,
      small: [],
    });
  }
}

async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ["violations"],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
  });
}

/** Safari on phones zooms into a focused input of less than 16 px. */
async function smallInputs(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const typed =
      "input:not([type=checkbox], [type=radio], [type=hidden], [type=submit], [type=file]), select, textarea, [contenteditable=true]";
    const inputs = [...document.querySelectorAll(typed)];
    const sizeOf = (one: Element) => Number.parseFloat(getComputedStyle(one).fontSize);
    return inputs.filter((one) => sizeOf(one) < 16).map((one) => `${sizeOf(one)} px: ${one.outerHTML.slice(0, 120)}`);
  });
}
