// Numbers that JSON readers round: 9007199254740993 is read as 9007199254740992, and 1e400 as Infinity.

/** The maximum number of characters of a number without an exponent that every reader keeps exactly. */
const KEPT_LENGTH = 15;
const DECIMAL = /^[-+]?(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/;

export const isDecimal = (text: string) => DECIMAL.test(text);

/** Significant digits with which every double can be written; C and PHP write 0.1 as 0.10000000000000001. */
const DOUBLE_DIGITS = 17;

/** Whether a number that is written like this, in JSON or YAML, keeps its value when it is read. */
export function isKept(written: string, read = Number(written)): boolean {
  if (written.length <= KEPT_LENGTH && /^-?[\d.]+$/.test(written)) return true;
  if (written === String(read)) return true;
  const one = decimalOf(written);
  const isOf = (other: string) => one !== undefined && Bun.deepEquals(one, decimalOf(other));
  const digits = one?.digits.length ?? 0;
  return isOf(String(read)) || (digits > 0 && digits <= DOUBLE_DIGITS && isOf(read.toPrecision(digits)));
}

/** The digits without zeros at both ends, and the exponent of a point before them. Linear in the length. */
function decimalOf(text: string): { digits: string; exponent: number } | undefined {
  const [matched, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(text) ?? [];
  if (!matched) return undefined;
  const all = whole + fraction;
  let [from, to] = [0, all.length];
  while (from < to && all[from] === "0") from++;
  while (to > from && all[to - 1] === "0") to--;
  const digits = all.slice(from, to);
  return { digits, exponent: digits === "" ? 0 : whole.length - from + Number(exponent) };
}

class Rounded {
  constructor(readonly written: string) {}
}

interface RoundedNumber {
  /** Such as `[0].Attributes.level`. */
  path: string;
  written: string;
}

/** The first of a text in JSON. @throws SyntaxError */
export function roundedNumber(json: string): RoundedNumber | undefined {
  let isFound = false;
  const parsed: unknown = JSON.parse(json, (_, value, context?: { source?: string }) => {
    const source = typeof value === "number" && !isFound ? context?.source : undefined;
    if (source === undefined || isKept(source)) return value;
    isFound = true;
    return new Rounded(source);
  });
  return roundedIn(parsed, "");
}

function roundedIn(value: unknown, path: string): RoundedNumber | undefined {
  if (value instanceof Rounded) return { path, written: value.written };
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, one] of Object.entries(value)) {
    const found = roundedIn(one, path + (Array.isArray(value) ? `[${name}]` : `${path && "."}${name}`));
    if (found) return found;
  }
  return undefined;
}
