// Text from outside: its limits, and the form in which it is stored and compared. Lengths are in UTF-16 code units. The
// length is checked before any other step, and every step is linear.

/** A text whose field, filter or claim has no smaller limit. */
export const TEXT_LIMIT = 1_000;
/** Any text within a body. */
export const MAX_TEXT = 10_000;
/**
 * Combining marks in a row, as in UAX 15's Stream-Safe Text Format; no language needs more. Normalization sorts them,
 * and the time grows with the square of their number.
 */
export const MAX_MARKS = 30;

/** Normalization may remove characters without width, which joins the marks around them. */
const RUNS = /[\p{M}\p{Default_Ignorable_Code_Point}]+/gu;
const NOT_TEXT = "contains a character that is not text (NUL or an unpaired surrogate).";
const MANY_MARKS = `has more than ${MAX_MARKS} combining marks in a row.`;

/** Why it cannot be stored as text; read after its name. */
function textProblem(text: string, max: number): string | undefined {
  if (text.length > max) return `has ${text.length} characters; the limit is ${max}.`;
  if (text.includes("\0") || !text.isWellFormed()) return NOT_TEXT;
  return text.match(RUNS)?.some(hasManyMarks) ? MANY_MARKS : undefined;
}

function hasManyMarks(run: string): boolean {
  return run.length > MAX_MARKS && run.replace(/\P{M}/gu, "").length > MAX_MARKS;
}

/** Whether it can be stored as text: not too long, no NUL, no lone surrogate, not too many combining marks in a row. */
export function isText(value: unknown, max: number): value is string {
  return typeof value === "string" && textProblem(value, max) === undefined;
}

/** A normalized text, or the problem, which is read after the text's name. */
type Typed = { text: string; problem?: undefined } | { text?: undefined; problem: string };

/**
 * Normalizes typed text: NFC, ordinary spaces (as in RFC 8265's OpaqueString), no zero-width characters, and no white
 * space or direction marks at its ends. Applied to stored texts, look-ups and filters, so text that looks the same is
 * the same.
 */
export function asTyped(given: string, max: number): Typed {
  if (given.length > max) return { problem: textProblem(given, max)! };
  // Characters without width could separate marks.
  const visible = given.replace(WITHOUT_WIDTH, "").replace(/\p{Zs}/gu, " ");
  const problem = textProblem(visible, max);
  if (problem) return { problem };
  const text = trimmed(visible.normalize("NFC"));
  // NFC lengthens some texts.
  return text.length > max ? { problem: textProblem(text, max)! } : { text };
}

/**
 * A text that people read on pages: it reverses nothing beside it. Names of Users may have such marks (Hebrew, Arabic).
 */
export function asTitle(given: string, max: number): Typed {
  const typed = asTyped(given, max);
  return typed.text && /\p{Bidi_Control}/u.test(typed.text)
    ? { problem: "contains a character that changes the direction of text." }
    : typed;
}

/** Meaningless anywhere; joiners are kept for Persian, Indian scripts and emoji. */
const WITHOUT_WIDTH = /[\u00ad\u200b\u2060\ufeff]/g;
const END = /[\s\p{Bidi_Control}]/u;

/** Not by an expression: each would try every space within the text. */
function trimmed(text: string, end = END): string {
  let [from, to] = [0, text.length];
  while (from < to && end.test(text[from]!)) from++;
  while (to > from && end.test(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/** The maximum number of characters of a username, also in its compatibility form (NFKC), which may have 18 for one. */
export const KEY_LIMIT = 500;

/**
 * The form in which usernames are compared, as PostgreSQL's username_key makes it; "" without a visible character.
 * @param text as `asTyped` returns it
 * @returns undefined if it is too long
 */
export function usernameKey(text: string): string | undefined {
  if (text.length > KEY_LIMIT) return undefined;
  const compatible = text.normalize("NFKC");
  if (compatible.length > KEY_LIMIT) return undefined;
  const visible = trimmed(compatible.replace(/\p{Default_Ignorable_Code_Point}/gu, ""), /[ \t\r\n]/);
  const upper = Array.from(visible, (character) => alone(character.toUpperCase()) ?? character).join("");
  const lower = Array.from(upper.normalize("NFC"), (character) => [...character.toLowerCase()][0]).join("");
  return lower.normalize("NFC");
}

const WITHOUT_PARTS = new Map(
  Object.entries({
    ø: "o",
    ł: "l",
    đ: "d",
    ð: "d",
    ħ: "h",
    ŧ: "t",
    ı: "i",
    ς: "σ",
    ß: "ss",
    æ: "ae",
    œ: "oe",
    þ: "th",
  }),
);

/** The form in which a search compares texts, as PostgreSQL's search_form makes it: without case, width and accents. */
export function searchForm(text: string): string {
  const lower = Array.from(text.normalize("NFKD"), (character) => [...character.toLowerCase()][0]).join("");
  const bare = lower.replace(ACCENTS, "").normalize("NFC");
  return Array.from(bare, (character) => WITHOUT_PARTS.get(character) ?? character).join("");
}

const ACCENTS =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]|[\u200b-\u200f\u2060]/g;

/** PostgreSQL maps each character to one character: ß stays. */
function alone(mapped: string): string | undefined {
  const [first, ...others] = mapped;
  return others.length === 0 ? first : undefined;
}

/** Whether a value's texts, and the names in it, have at most MAX_TEXT characters. */
export function hasShortTexts(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_TEXT;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(hasShortTexts);
  return Object.entries(value).every(([name, one]) => name.length <= MAX_TEXT && hasShortTexts(one));
}
