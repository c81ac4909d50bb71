// The language of a request's page. It is resolved here alone.
// docs/sign-in.md "Languages" has the order.

import { isRead, requestUrl } from "../../platform/http/request.ts";
import { ACCOUNT_AR } from "./account/ar.ts";
import { ACCOUNT_DE } from "./account/de.ts";
import { ACCOUNT_EN } from "./account/en.ts";
import { ACCOUNT_FR } from "./account/fr.ts";
import { ACCOUNT_TR } from "./account/tr.ts";
import { SIGN_IN_AR } from "./sign-in/ar.ts";
import { SIGN_IN_DE } from "./sign-in/de.ts";
import { SIGN_IN_EN } from "./sign-in/en.ts";
import { SIGN_IN_FR } from "./sign-in/fr.ts";
import { SIGN_IN_TR } from "./sign-in/tr.ts";
import type { Texts } from "./texts.ts";

/** By BCP 47 tags, each with its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", tr: "Türkçe", ar: "العربية" } as const;
export type LanguageCode = keyof typeof LANGUAGES;
export const LANGUAGE_CODES = Object.keys(LANGUAGES) as LanguageCode[];

/** The address of the chooser's form. */
export const LANGUAGE_PATH = "/language";

export interface Language {
  code: LanguageCode;
  direction: "ltr" | "rtl";
  t: Texts;
  /** For Intl: dates in English are in the British order. */
  locale: string;
  /** The hidden fields of the chooser; undefined: the page has none. */
  chooser?: { page: string; asked: string };
}

const TEXTS: Record<LanguageCode, Texts> = {
  en: { ...SIGN_IN_EN, ...ACCOUNT_EN },
  de: { ...SIGN_IN_DE, ...ACCOUNT_DE },
  fr: { ...SIGN_IN_FR, ...ACCOUNT_FR },
  tr: { ...SIGN_IN_TR, ...ACCOUNT_TR },
  ar: { ...SIGN_IN_AR, ...ACCOUNT_AR },
};

/** A text that a tenant has replaced. */
export interface OwnText {
  Language: LanguageCode;
  Name: string;
  Text: string;
}

/** A tenant's settings for its pages and mails. */
export interface TenantPages {
  /** For people whose own language is unknown. */
  language: LanguageCode;
  texts: readonly OwnText[];
}

export function languageOf(code: LanguageCode, own: readonly OwnText[] = []): Language {
  const replaced = own.flatMap(({ Language, Name, Text }) => (Language === code ? [[Name, Text] as const] : []));
  const t: Texts = replaced.length === 0 ? TEXTS[code] : { ...TEXTS[code], ...Object.fromEntries(replaced) };
  return { code, direction: code === "ar" ? "rtl" : "ltr", t, locale: code === "en" ? "en-GB" : code };
}

/** @returns undefined if a tenant cannot replace a text of this name */
export function textNamed(code: LanguageCode, name: string): string | undefined {
  const text: unknown = Object.hasOwn(TEXTS[code], name) ? TEXTS[code][name as keyof Texts] : undefined;
  return typeof text === "string" ? text : undefined;
}

export const ENGLISH = languageOf("en");

/** Errors that people see. Errors are thrown in English, for logs and the API. */
export const ERRORS = ENGLISH.t.errors;
const ERROR_NAMES = new Map(
  Object.entries(ERRORS).map(([name, text]) => [text as string, name as keyof typeof ERRORS]),
);

/** An error's text in the language of its page; undefined if it is not meant for people. */
export function errorIn({ t }: Language, text: string): string | undefined {
  const name = ERROR_NAMES.get(text);
  return name && t.errors[name];
}

/** The languages of a request's reader; some become known while the request is answered. */
interface Known {
  /** `ui_locales` of the application (OIDC Core 3.1.2.1). */
  asked?: string | undefined;
  /** The cookie of the chooser: the language, and the one that an application had asked for, if any. */
  chosen?: string | undefined;
  /** The user's Locale. */
  own?: string | undefined;
  /** Of the page: of its application, or of a link. */
  tenant?: TenantPages;
  /** Of the session, which may be in another tenant. */
  home?: TenantPages;
  /** The path and query at which the page can be opened again; default: the request's own, if it is a GET. */
  page?: string;
}

const known = new WeakMap<Request, Known>();

/** Undefined values change nothing. */
export function learn(request: Request, more: Known): void {
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  known.set(request, { ...known.get(request), ...Object.fromEntries(given) });
}

/** The language of the request's page. */
export function speak(request: Request): Language {
  const { tenant, home } = known.get(request) ?? {};
  const language = languageOf(codeFor(request), (tenant ?? home)?.texts);
  const page = pageOf(request);
  return page === undefined ? language : { ...language, chooser: { page, asked: askedOf(request) ?? "" } };
}

function codeFor(request: Request): LanguageCode {
  const { chosen, own, tenant, home } = known.get(request) ?? {};
  const asked = askedOf(request);
  const [choice, instead] = (chosen?.split(".") ?? []) as LanguageCode[];
  // A choice on a page overrides the application, until one asks for another language.
  if (asked && !(choice && instead === asked)) return asked;
  return choice ?? bestOf(own) ?? accepted(request) ?? (tenant ?? home)?.language ?? "en";
}

/** The language that the application asks for. */
function askedOf(request: Request): LanguageCode | undefined {
  return bestOf(known.get(request)?.asked ?? requestUrl(request).searchParams.get("ui_locales") ?? undefined);
}

/** Where the chooser returns to; undefined for the answer to a form that cannot be opened again. */
function pageOf(request: Request): string | undefined {
  const { pathname, search } = requestUrl(request);
  return known.get(request)?.page ?? (isRead(request) ? pathname + search : undefined);
}

/** For a page that cannot be shown again. */
export const withoutChooser = (language: Language): Language => ({ ...language, chooser: undefined });

/** The maximum number of characters of a list of languages that are read. */
const LIST_LIMIT = 500;

/** @param tags separated by spaces, the preferred first @returns the first that there is */
export function bestOf(tags: string | undefined): LanguageCode | undefined {
  for (const tag of tags?.slice(0, LIST_LIMIT).split(" ") ?? []) {
    const code = tag.toLowerCase().split(/[-_]/, 1)[0]!;
    if (Object.hasOwn(LANGUAGES, code)) return code as LanguageCode;
  }
  return undefined;
}

/** RFC 9110 12.5.4. */
function accepted(request: Request): LanguageCode | undefined {
  const header = (request.headers.get("accept-language") ?? "").slice(0, LIST_LIMIT);
  const ranges = header.split(",").map((range) => {
    const [tag = "", q] = range.split(/;\s*q=/i);
    return { tag: tag.trim(), weight: q === undefined ? 1 : Number(q) || 0 };
  });
  const usable = ranges.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return bestOf(usable.map(({ tag }) => tag).join(" "));
}
