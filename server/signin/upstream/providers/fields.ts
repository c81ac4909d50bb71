// Kinds of fields that an identity provider alone has.

import { Type } from "@sinclair/typebox";
import { field, isText, type Told, text } from "../../../http/fields.ts";
import { MAPPED } from "./store.ts";

const URL_LIMIT = 2_000;
/** Characters of a claim's name, and of a scope. */
export const WORD_LIMIT = 200;

/** Why an address cannot be saved, in words. */
export type CheckUrl = (url: string) => string | undefined;

export function address(problemOf: CheckUrl, name: string, told: Told) {
  return field<string | null, string>({
    ...text(URL_LIMIT, told),
    audit: "value",
    must: `must be an https address of at most ${URL_LIMIT} characters.`,
    // Spaces come along when an address is pasted.
    take: (value: string | null) => value?.trim() || null,
    refuse(value: string | null) {
      const problem = value ? problemOf(value.trim()) : undefined;
      return problem && `${name}: ${problem}`;
    },
  });
}

/** OpenID Connect Discovery 1.0, 3: neither query nor fragment. */
export function issuerProblem(checkUrl: CheckUrl): CheckUrl {
  return (url) => {
    const problem = checkUrl(url);
    if (problem) return problem;
    if (/[?#]/.test(url)) return "An issuer has neither a query nor a fragment.";
    if (url.includes("/.well-known/")) return "Give the issuer itself, which is the part before /.well-known/.";
    return undefined;
  };
}

/** RFC 6749 3.1 and 3.2. */
export function endpointProblem(checkUrl: CheckUrl): CheckUrl {
  return (url) => checkUrl(url) ?? (url.includes("#") ? "An endpoint has no fragment." : undefined);
}

interface WordsTold extends Told {
  must: string;
  most: number;
  /** Each as it is kept fits it. */
  pattern: string;
  takeOne?(word: string): string;
}

/** Each counts once. */
export function words({ must, most, pattern, takeOne = String, ...told }: WordsTold) {
  const documented = Type.Array(Type.String({ maxLength: WORD_LIMIT, pattern }), { maxItems: most });
  return field<string[], string[]>({
    ...told,
    audit: "value",
    sent: documented,
    checked: Type.Array(Type.String({ maxLength: WORD_LIMIT }), { maxItems: most }),
    shown: documented,
    must,
    fits: (value: string[]) => value.every((one) => new RegExp(pattern).test(takeOne(one))),
    take: (value: string[]) => [...new Set(value.map(takeOne))],
  });
}

export function mapping<S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Unknown>>(claim: S) {
  const claims = Object.fromEntries(MAPPED.map((name) => [name, Type.Optional(claim)]));
  return Type.Object(claims, { additionalProperties: false });
}

export function isClaim(value: unknown): boolean {
  return isText(value, WORD_LIMIT);
}
