// Inserts texts of any direction (UAX #9).

/** Isolates inserted texts, so they cannot change the direction of the rest. @example phrase`${name} is deleted.` */
export function phrase(words: TemplateStringsArray, ...texts: (string | number)[]): string {
  return String.raw({ raw: words }, ...texts.map((text) => isolated(String(text))));
}

/** Right-to-left scripts and bidirectional control characters (UAX #9). */
const TURNING = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/** A text that cannot change the direction of what is around it. @param around another direction may be in it */
export function isolated(text: string, around = ""): string {
  const clean = text.replace(CONTROLS, "");
  return TURNING.test(clean + around) ? `${FIRST_STRONG_ISOLATE}${clean}${POP_ISOLATE}` : clean;
}
