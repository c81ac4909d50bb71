import { expect, test } from "bun:test";
import { Explained, Words } from "../../../server/console/failure-words.tsx";
import { FAILURES } from "../../../server/platform/egress/index.ts";
import { readPage } from "../../support/pages.ts";

/** Words of attempts; a post that was not sent has none. */
const OF_ATTEMPTS = [...FAILURES.filter((word) => word !== "unsent"), "lost", "401", "403", "404", "413", "429", "503"];

test.each(OF_ATTEMPTS)("%s is explained in lists, on pages and for developers of receivers", (word) => {
  expect(String(Words({ text: `3 exhausted deliveries, the last with ${word}` }))).toContain(`>${word}</abbr>`);
  expect(String(Explained({ text: word }))).toStartWith('<p class="hint">');
  expect(readPage("docs/for-receivers.md")).toMatch(new RegExp(`^\\| [^|]*\`${word}\`[^|]* \\|`, "m"));
});

test("a count is not a status", () => {
  const text = "1,404 held, 404 exhausted deliveries in a row";
  expect(String(Words({ text }))).not.toContain("abbr");
  expect(Explained({ text })).toBe("");
});
