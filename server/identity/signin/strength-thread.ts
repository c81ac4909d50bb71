// The thread that estimates passwords, one at a time.

import { parentPort } from "node:worker_threads";
import { ZxcvbnFactory, type ZxcvbnResult } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";

export interface Strength {
  /** Hard to guess even from a stolen hash. */
  strong: boolean;
  /** Until it is guessed from its stolen hash, with 10,000 guesses a second. */
  seconds: number;
  parts: { pattern: string; dictionaryName?: string; matchedWord?: string }[];
}

export type StrengthReply = { strength: Strength } | { failed: string };

/** zxcvbn's score for about this many guesses. */
const SCORE_NEEDED = 3;
const GUESSES_NEEDED = 10 ** 8;
const GUESSES_A_SECOND = 10_000;

const SEPARATOR = /[^\p{L}\p{M}\p{N}]/gu;
const LOOKALIKES = new Map(
  Object.entries({ a: "4@", b: "8", e: "3", g: "69", i: "1!|", l: "1|", o: "0", s: "5$", t: "7+", z: "2" }),
);

/** The names, places and words that attackers try with years, numbers and signs. */
const WORD_GUESSES = 20_000;
const MAX_WORD_LENGTH = 12;
const ONLY_WORD = /^\P{L}*(\p{L}\p{Ll}+|\p{Lu}+)\P{L}*$/u;
const LATIN = /^[a-z]+$/i;
const VOWEL = /[aeiouy]/gi;
const MANY_CONSONANTS = /[^aeiouy]{5}/i;

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

parentPort!.on("message", ({ password, words }: { password: string; words: string[] }) => {
  parentPort!.postMessage(estimate(password, words));
});

function estimate(password: string, words: string[]): StrengthReply {
  try {
    const whole = zxcvbn.check(password, words);
    if (whole.score < SCORE_NEEDED) return { strength: strengthOf(whole, false) };
    const joined = joinedParts(password, words);
    const strong = joined.guesses >= GUESSES_NEEDED;
    return { strength: strengthOf(strong ? whole : joined, strong) };
  } catch (error) {
    return { failed: (error as Error).name };
  }
}

type Parts = Pick<ZxcvbnResult, "guesses"> & { sequence: Strength["parts"] };

function strengthOf({ guesses, sequence }: Parts, strong: boolean): Strength {
  const parts = sequence.map(({ pattern, dictionaryName, matchedWord }) => ({ pattern, dictionaryName, matchedWord }));
  return { strong, seconds: guesses / GUESSES_A_SECOND, parts };
}

/**
 * The guesses of attackers who join known words, common words, dates and separators. zxcvbn multiplies by up to 10,000
 * for each part, which is right for unrelated words only: it accepts Demo-Gatehouse-2026. Here known words count
 * nothing, and a separator counts once.
 */
function joinedParts(password: string, words: string[]): Parts {
  const known = new Set<string>();
  const patterns = words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => [word, [...word].map(written).join("")] as const);
  const all = new RegExp(patterns.map(([, pattern]) => pattern).join("|") || "(?!)", "giu");
  const rest = password.replace(all, (text) => {
    known.add(patterns.find(([, pattern]) => new RegExp(`^${pattern}$`, "iu").test(text))![0]);
    return "";
  });
  const { sequence } = zxcvbn.check(rest.replace(SEPARATOR, ""));
  const separators = new Set(rest.match(SEPARATOR)).size;
  const named = [...known].map((matchedWord) => ({ pattern: "dictionary", dictionaryName: "userInputs", matchedWord }));
  const product = (parts: typeof sequence) => parts.reduce((all, part) => all * part.guesses, 10 ** separators);
  const whole = { guesses: product(sequence), sequence: [...named, ...sequence] };
  if (!isOnlyWord(rest)) return whole;
  const beside = zxcvbn.check(rest.replace(/\D/g, "")).sequence;
  const guesses = WORD_GUESSES * product(beside);
  return guesses < whole.guesses ? { guesses, sequence: [...named, { pattern: "word" }, ...beside] } : whole;
}

/** One word in any language, with digits and separators. In Latin letters, it can be pronounced. */
function isOnlyWord(text: string): boolean {
  const word = ONLY_WORD.exec(text)?.[1];
  if (word === undefined || word.length > MAX_WORD_LENGTH) return false;
  return !LATIN.test(word) || (!MANY_CONSONANTS.test(word) && (word.match(VOWEL)?.length ?? 0) * 5 >= word.length);
}

/** A pattern of the ways to write a character. */
function written(character: string): string {
  const lookalikes = LOOKALIKES.get(character);
  return lookalikes ? `[${character}${lookalikes}]` : RegExp.escape(character);
}
