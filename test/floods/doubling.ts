// Measures whether a step's time grows faster than its input.

import { MAX_MARKS } from "../../server/platform/text.ts";

/** Each makes a text of about this many characters. */
export const FILLINGS: Record<string, (length: number) => string> = {
  "spaces within": (length) => `a${" ".repeat(length)}x`,
  "tabs within": (length) => `a${"\t".repeat(length)}x`,
  "line ends within": (length) => `a${"\r\n".repeat(length / 2)}x`,
  "no-break spaces within": (length) => `a${"\u00a0".repeat(length)}x`,
  "spaces at both ends": (length) => `${" ".repeat(length / 2)}x${" ".repeat(length / 2)}`,
  "marks in turn": (length) => `a${"\u0323\u0301".repeat(length / 2)}x`,
  "marks in the wrong order": (length) => `a${"\u0301".repeat(length / 2)}${"\u0323".repeat(length / 2)}x`,
  "marks between characters without width": (length) => `a${"\u0323\u200b\u0301\u200b".repeat(length / 4)}x`,
  "a host of marks": (length) => `https://a${"\u0301".repeat(length / 2)}${"\u0323".repeat(length / 2)}/`,
  "a host of escaped marks": (length) => `https://a${"%CC%81".repeat(length / 12)}${"%CC%A3".repeat(length / 12)}/`,
  "marks apart": (length) => `a${apart("\u2064", length)}x`,
  "a host of marks apart": (length) => `https://a${apart("\u00ad", length)}/`,
  "characters that grow most": (length) => "\ufdfa".repeat(length),
  "nested lists": (length) => "[".repeat(length / 2) + "]".repeat(length / 2),
  "characters that grow": (length) => "\u0958\u0130\ufb2c\ufdfa".repeat(length / 4),
  "direction marks within": (length) => `a${"\u202e".repeat(length)}x`,
  "characters without width": (length) => `a${"\u200b".repeat(length)}x`,
  "a NUL at the end": (length) => `${"a".repeat(length)}\0`,
  "unpaired surrogates": (length) => "\ud800".repeat(length),
  digits: (length) => `${"1".repeat(length)}x`,
  slashes: (length) => `https://a.example${"/".repeat(length)}x`,
  dots: (length) => `a${".a".repeat(length / 2)}!`,
  percents: (length) => `${"%".repeat(length)}!`,
  commas: (length) => `${"a,".repeat(length / 2)};`,
  quotes: (length) => `${'"",'.repeat(length / 3)}x`,
  backslashes: (length) => `CN=${"\\\\".repeat(length / 2)}\\`,
  pluses: (length) => "CN=a+".repeat(length / 5),
  equals: (length) => `base64|${"=".repeat(length)}x`,
  "base64 of spaces": (length) => `base64|${Buffer.from(`a${" ".repeat(length / 2)}x`).toString("base64")}`,
  "a long prefix of scopes": (length) => `${"p".repeat(length / 2)}:a, ${"b, ".repeat(length / 6)}`,
  "different words": (length) =>
    Array.from({ length: length / 16 }, (_, index) => `w${index}`.padEnd(15, "-")).join(" "),
};

/** As many marks in a row as a text may have, between characters that later steps remove. */
export function apart(ignorable: string, length: number): string {
  return ("\u0316\u0301".repeat(MAX_MARKS / 2) + ignorable)
    .repeat(Math.ceil(length / (MAX_MARKS + 1)))
    .slice(0, length);
}

const MIN_LENGTH = 2 ** 10;
export const MAX_LENGTH = 2 ** 20;
/** Shorter times are noise on a busy machine. */
const FLOOR_MS = 50;
/** Noise of longer ones, and the caches that they leave. A quadratic step takes 16 times as long for 4 times the text. */
const NOISE = 2.5;
const REPEATS = 10;

/** Two doublings at once halve the time of the test. */
const FACTOR = 4;

/**
 * Lengthens a text until the step's time grows more than its length.
 * @returns what was measured; undefined: it never does
 */
export async function growth(
  step: (text: string) => unknown,
  filling: string,
  longest = MAX_LENGTH,
): Promise<string | undefined> {
  let [shorter, before] = ["", 0];
  for (let length = MIN_LENGTH; length <= longest; length *= FACTOR) {
    const text = textOf(filling, length);
    let ms = await timeOf(step, text);
    for (let more = 0; more < REPEATS && isSuperlinear(before, ms); more++) {
      before = Math.max(before, await timeOf(step, shorter));
      ms = Math.min(ms, await timeOf(step, text));
    }
    if (isSuperlinear(before, ms))
      return `${length} characters: ${ms.toFixed(1)} ms, a quarter of it: ${before.toFixed(1)} ms`;
    [shorter, before] = [text, ms];
  }
  return undefined;
}

const isSuperlinear = (before: number, ms: number) => ms > FLOOR_MS && ms > FACTOR * NOISE * before;

const made = new Map<string, string>();

function textOf(filling: string, length: number): string {
  return made.getOrInsertComputed(`${filling} ${length}`, () => FILLINGS[filling]!(length));
}

async function timeOf(step: (text: string) => unknown, text: string): Promise<number> {
  const began = performance.now();
  try {
    await step(text);
  } catch {
    // A refusal takes its time, too.
  }
  return performance.now() - began;
}
