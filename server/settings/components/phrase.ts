/**
 * A sentence of ours with texts of others in it: whatever these are, they turn nothing of ours round.
 * @example phrase`${name} is deleted.`
 */
export function phrase(words: TemplateStringsArray, ...texts: (string | number)[]): string {
  return String.raw({ raw: words }, ...texts.map((text) => isolated(String(text))));
}

/** What is written from right to left, and what makes other text so (UAX #9). */
const TURNING = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

function isolated(text: string): string {
  const clean = text.replace(CONTROLS, "");
  return TURNING.test(clean) ? `${FIRST_STRONG_ISOLATE}${clean}${POP_ISOLATE}` : clean;
}
