// The face of a tenant's pages and mails, as fields of its settings. It has no markup, styles or scripts.

import { Type } from "@sinclair/typebox";
import { readUrl } from "../../platform/address.ts";
import { BadInput, type Problem } from "../../platform/errors.ts";
import { contract } from "../../platform/http/contract.ts";
import {
  ABSTRACT_LONG,
  EXAMPLE_ACTOR,
  type Field,
  type LogRow,
  orNull,
  readOnly,
  serverTime,
  title,
} from "../../platform/http/fields.ts";
import { smallPng, UnusableImage } from "../../platform/image.ts";
import { searchForm } from "../../platform/text.ts";
import { sites } from "../../ui/index.ts";
import { type Branding, darkColoursOf } from "./face.ts";

/** Twice the size on pages, in pixels. */
const SIZES = { Logo: [480, 96], DarkLogo: [480, 96], Favicon: [64, 64] } as const;
/** Each page has its images inside. */
const MAX_IMAGE_BYTES = 64 * 1024;
/** The maximum number of characters of an image that is sent: 256 KiB in base64. */
const MAX_SENT_IMAGE = 350_000;
const MAX_ADDRESS = 2_000;

const audited = { audit: "value", example: "" } as const;

function image(label: string, description: string): Field<string | null, string> {
  const must = "must be null, or a PNG, JPEG or WebP of at most 256 KiB as data:image/png;base64,….";
  return {
    ...{ description, audit: "name", example: "", must, maxLength: MAX_SENT_IMAGE, form: { label } },
    sent: orNull(
      Type.String({ maxLength: MAX_SENT_IMAGE, pattern: "^(data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/=]*)?$" }),
    ),
    shown: Type.String({ default: "" }),
    take: (value: string | null) => value || null,
    show: (stored) => (stored as string | null) ?? "",
  };
}

const colour = (label: string, description: string, hint: string): Field<string | null, string> => ({
  ...title(7, { ...audited, description, form: { label, hint } }),
  refuse: (value: string | null, name) =>
    !value || /^#[\da-f]{6}$/i.test(value) ? undefined : `${name} must be a colour such as #1d5bb0, or null.`,
  take: (value: string | null) => value?.toLowerCase() || null,
});

const link = (label: string, description: string): Field<string | null, string> => ({
  ...title(MAX_ADDRESS, { ...audited, description, form: { label, type: "url" } }),
  refuse: (value: string | null, name) =>
    !value || (value.length <= MAX_ADDRESS && readUrl(value)?.protocol === "https:")
      ? undefined
      : `${name} must be an https address of at most ${MAX_ADDRESS} characters, or null.`,
});

export const BRANDING_FIELDS = {
  DisplayName: title(100, {
    ...audited,
    description:
      "The organisation's name on sign-in pages and in mails, and the sender's name; empty: the tenant's name. Pages also " +
      "have the tenant's name below.",
    form: { label: "Name", hint: "On sign-in pages and in mails. Pages also say below whose they are." },
    example: "Acme Ltd",
  }),
  Welcome: title(200, {
    ...audited,
    description: "A sentence on sign-in pages.",
    form: { label: "A sentence for the people who sign in" },
  }),
  Logo: image(
    "Logo",
    "The logo on pages and in mails, in the place of the name. It is re-encoded as a PNG of at most 480 × 96 pixels.",
  ),
  DarkLogo: image("Logo for dark pages", "The logo on dark pages; empty: Logo."),
  Favicon: image(
    "Icon of the browser's tab",
    "The icon in the browser's tab. It is re-encoded as a PNG of at most 64 × 64 pixels.",
  ),
  Accent: colour(
    "Accent",
    "The colour of buttons and links on light pages.",
    "Buttons and links on light pages, such as #1d5bb0.",
  ),
  DarkAccent: colour(
    "Accent on dark pages",
    "The same on dark pages; empty: the nearest to Accent that can be read.",
    "Empty: the nearest to Accent that can be read.",
  ),
  Background: colour("Background", "The background of light pages.", "Of light pages, such as #f3f5f8."),
  DarkBackground: colour("Background of dark pages", "The background of dark pages.", "Such as #10151d."),
  HelpUri: link("Help", "The address behind Help."),
};

export const BRANDING_NAMES = Object.keys(BRANDING_FIELDS) as (keyof typeof BRANDING_FIELDS)[];
export const IMAGE_NAMES = Object.keys(SIZES) as (keyof typeof SIZES)[];

type Images = Partial<Record<keyof typeof SIZES, string | null>>;

/** With its images re-encoded. @throws BadInput */
export async function withSmallImages<Input extends Images>(input: Input): Promise<Input> {
  const problems: Problem[] = [];
  const small: Images = {};
  for (const Field of IMAGE_NAMES) {
    const sent = input[Field];
    if (!sent) continue;
    const [width, height] = SIZES[Field];
    try {
      const png = await smallPng(
        new Uint8Array(Buffer.from(sent.slice(sent.indexOf(",") + 1), "base64")),
        width,
        height,
      );
      if (png.length > MAX_IMAGE_BYTES) throw new UnusableImage(`its PNG has more than ${MAX_IMAGE_BYTES / 1024} KiB`);
      small[Field] = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
    } catch (error) {
      if (!(error instanceof UnusableImage)) throw error;
      problems.push({ Field, Message: `${Field} cannot be shown: ${error.message}.` });
    }
  }
  if (problems.length > 0) throw BadInput.in(problems);
  return { ...input, ...small };
}

/** @throws BadInput if a colour would hide texts, or the name poses as the installation */
export function requireHonest(branding: Branding, host: string): void {
  const { accent, background } = branding;
  const [light, dark] = [{ accent, background }, darkColoursOf(branding)];
  const judged = [
    ["Accent", sites.colours.colourProblem("light", light, "accent")],
    ["Background", sites.colours.colourProblem("light", light, "background")],
    ["DarkAccent", branding.darkAccent && sites.colours.colourProblem("dark", dark, "accent")],
    ["DarkBackground", sites.colours.colourProblem("dark", dark, "background")],
    ["DisplayName", nameProblem(branding.displayName ?? "", host)],
  ] as const;
  const problems = judged.flatMap(([Field, Message]) => (Message ? [{ Field, Message: `${Field}: ${Message}` }] : []));
  if (problems.length > 0) throw BadInput.in(problems);
}

/** Latin letters beside others that look like them. */
const ALIKE = ["Cyrillic", "Greek", "Coptic", "Cherokee", "Armenian", "Lisu"]
  .map((name) => `\\p{Script=${name}}`)
  .join("");
const MIXED = new RegExp(
  `\\p{Script=Latin}[\\p{L}\\p{M}\\p{Nd}]*[${ALIKE}]|[${ALIKE}][\\p{L}\\p{M}\\p{Nd}]*\\p{Script=Latin}`,
  "u",
);
const MAIL_ADDRESS = /[^\s@]@[^\s@]+\.[^\s@]/;

/** The tenant's own name is on the page as well, so names of other tenants need not be compared. */
function nameProblem(name: string, host: string): string | undefined {
  const letters = searchForm(name).replaceAll(/[^\p{L}\p{Nd}]/gu, "");
  const isOurs = letters.includes("gatehouse") || letters.includes(host.toLowerCase().replaceAll(/[^a-z\d]/g, ""));
  if (isOurs) return "the name and the address of this service are not an organisation's.";
  // Mail programs show the sender's name in the place of the address.
  if (MAIL_ADDRESS.test(name)) return "a mail address is not an organisation's name.";
  return MIXED.test(name) ? "a word has letters of two alphabets." : undefined;
}

/** The last ones are kept. */
export const MAX_VERSIONS = 20;

export const BRANDING_VERSION = contract("BrandingVersion", "", {
  Number: readOnly(Type.Integer({ format: "int32" }), { description: "Counted from 1.", example: 2 }),
  Changed: readOnly(Type.Array(Type.String()), { description: "The fields that it changed.", example: ["Accent"] }),
  SavedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
  SavedBy: readOnly(Type.Unsafe<unknown>(orNull(ABSTRACT_LONG)), { example: EXAMPLE_ACTOR }),
});
export type StoredBranding = LogRow<typeof BRANDING_VERSION.field>;
