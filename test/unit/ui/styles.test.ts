// Browsers of the last years skip a declaration that they do not know, so a plain one must stand before it.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../../../server/platform/config/config.ts";

const FILES = [...new Bun.Glob("{server,packages,examples}/**/*.css").scanSync(PROJECT_ROOT)]
  .filter((path) => !path.includes("node_modules"))
  .concat("node_modules/@picocss/pico/css/pico.min.css");
const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), "utf8");

/** Colours, units of the visible height, and the text of `content` for screen readers. */
const NEW = /\b(light-dark|color-mix|oklch|oklab|lch|lab|color|contrast-color)\(|\d[dsl]v[hwbi]\b|"\s+\/\s+"/;

/** The declarations that leave some browsers without a value. */
function withoutPlainValue(css: string): string[] {
  const blocks = css.replace(/\/\*.*?\*\//gs, "").matchAll(/\{([^{}]*)\}/g);
  return [...blocks].flatMap(([, block]) => {
    const declarations = block!.split(";").flatMap((text) => {
      const [, property, value] = /^\s*([\w-]+)\s*:(.*)$/s.exec(text) ?? [];
      return property ? [{ property, value: value!.trim() }] : [];
    });
    const isPlain = new Set<string>();
    return declarations.flatMap(({ property, value }) => {
      if (!NEW.test(value)) {
        isPlain.add(property);
        return [];
      }
      // A variable takes any text, so the browser finds out too late to use the plain value.
      return isPlain.has(property) && !property.startsWith("--") ? [] : [`${property}: ${value}`];
    });
  });
}

test.each(FILES)("every browser finds a value in %s", (path) => {
  expect(withoutPlainValue(read(path))).toEqual([]);
});

/** Lists of selectors that browsers drop as a whole, because they do not know one. */
function droppedLists(css: string): string[] {
  const selectors = [...css.replace(/\/\*.*?\*\//gs, "").matchAll(/([^{};]*)\{/g)].map(([, text]) => text!.trim());
  // Inside :is() and :where(), unknown selectors are skipped alone.
  const outside = (text: string) => text.replace(/:(is|where)\((?:[^()]|\([^()]*\))*\)/g, "");
  return selectors.filter(
    (text) => /:(popover-open|open|user-(in)?valid)\b/.test(outside(text)) && outside(text).includes(","),
  );
}

test.each(FILES)("every rule of %s applies in browsers that do not know a new selector", (path) => {
  expect(droppedLists(read(path))).toEqual([]);
});

test.each([
  ["a, b:popover-open { color: red }", 1],
  [":is(a, b:popover-open) { color: red }", 0],
  ["a, b:open { color: red }", 1],
  ["a:is(b, :open) c { color: red }", 0],
])("%s has %p lists that may be lost", (css, count) => {
  expect(droppedLists(css)).toHaveLength(count);
});

test.each([
  ["a { color: light-dark(#fff, #000) }", 1],
  ["a { color: #fff; color: light-dark(#fff, #000) }", 0],
  ["a { color: light-dark(#fff, #000); color: #fff }", 1],
  [":root { --ink: #fff; --ink: light-dark(#fff, #000); }", 1],
  ["@media (width > 1px) { a { height: calc(100dvh - 1rem) } }", 1],
  ["a { height: 100vh; height: 100dvh }", 0],
  ['a::before { content: "✕" / "" }', 1],
  ["a { /* color-mix() */ color: rgb(1 2 3 / 4%) }", 0],
])("%s has %p declarations without a plain value", (css, count) => {
  expect(withoutPlainValue(css)).toHaveLength(count);
});
