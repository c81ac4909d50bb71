// Colours of a tenant's pages in both schemes, and their contrast (WCAG 2.2, 1.4.3).

/** Of text to its background. */
const MIN_CONTRAST = 4.5;

/** As in gatehouse.css and dark.css. `inverse`: the text of buttons; `towards`: a button under the pointer. */
const SCHEMES = {
  light: {
    ...{ ground: "#f3f5f8", panel: "#ffffff", ink: "#1c2430", soft: "#565f70" },
    ...{ link: "#1d5bb0", inverse: "#ffffff", towards: "#000000" },
  },
  dark: {
    ...{ ground: "#10151d", panel: "#181f2a", ink: "#e4e9f1", soft: "#a3adbd" },
    ...{ link: "#8dbbfa", inverse: "#10151d", towards: "#ffffff" },
  },
} as const;
export type Scheme = keyof typeof SCHEMES;

/** `#rrggbb`; null: the installation's. */
export interface Colours {
  accent: string | null;
  background: string | null;
}

/** Why a colour cannot be read, with the nearest that can; undefined: it can. */
export function colourProblem(scheme: Scheme, { accent, background }: Colours, of: "accent" | "background") {
  const { ground, panel, ink, soft, link } = SCHEMES[scheme];
  const given = of === "accent" ? accent : background;
  // The background is judged by the texts, and the accent by the background.
  const against = of === "accent" ? [panel, background ?? ground] : [ink, soft, ...(accent ? [] : [link])];
  if (!given || isReadable(given, against)) return undefined;
  const least = Math.min(...against.map((other) => contrast(given, other)));
  return (
    `${given} has a contrast of ${least.toFixed(1)} on ${scheme} pages, and ${MIN_CONTRAST} is the least. ` +
    `The nearest colour that passes is ${nearest(given, against)}.`
  );
}

/** The dark accent of a tenant that has only chosen one for light pages. */
export const darkAccentOf = (accent: string, background: string | null) =>
  nearest(accent, [SCHEMES.dark.panel, background ?? SCHEMES.dark.ground]);

const isReadable = (colour: string, against: readonly string[]) =>
  against.every((other) => contrast(colour, other) >= MIN_CONTRAST);

const STEPS = 255;

/** Mixes as little black or white as needed; one of them always passes at the end. */
function nearest(colour: string, against: readonly string[]): string {
  for (let step = 1; step <= STEPS; step++) {
    for (const pole of ["#000000", "#ffffff"]) {
      const mixed = mix(colour, pole, step / STEPS);
      if (isReadable(mixed, against)) return mixed;
    }
  }
  return colour;
}

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

function mix(colour: string, other: string, part: number): string {
  const added = channels(other);
  const mixed = channels(colour).map((value, index) => Math.round(value + (added[index]! - value) * part));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

const SHEETS = "/assets/colours";
export const SHEET_PATH = `${SHEETS}/:scheme/:colours`;
const SHEET = /^([\da-f]{6}|none)-([\da-f]{6}|none)\.css$/;

/** A stylesheet's address has its colours, so it is the same for every tenant, and nothing is looked up. */
export function sheetOf(scheme: Scheme, { accent, background }: Colours): string | undefined {
  if (!accent && !background) return undefined;
  return `${SHEETS}/${scheme}/${[accent, background].map((one) => one?.slice(1) ?? "none").join("-")}.css`;
}

/** @returns undefined if it is no address of a stylesheet */
export function stylesOf(scheme: string, name: string): string | undefined {
  const found = SHEET.exec(name);
  if (!found || !Object.hasOwn(SCHEMES, scheme)) return undefined;
  const { inverse, towards } = SCHEMES[scheme as Scheme];
  const [accent, background] = found.slice(1).map((one) => (one === "none" ? undefined : `#${one}`));
  const own = accent
    ? [
        ...[`--main:${accent}`, `--link:${accent}`, `--brand:${accent}`, `--pico-primary-inverse:${inverse}`],
        ...[`--main-hover:${mix(accent, towards, 0.15)}`, `--pico-primary-underline:${accent}`],
      ]
    : [];
  return `:root:root{${[...own, ...(background ? [`--ground:${background}`] : [])].join(";")}}\n`;
}
