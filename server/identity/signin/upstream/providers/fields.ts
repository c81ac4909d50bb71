// Field kinds that only an identity provider has.

import { Type } from "@sinclair/typebox";
import type { CheckUrl } from "../../../../platform/egress/index.ts";
import { type FieldOptions, field, title } from "../../../../platform/http/fields.ts";
import { isText } from "../../../../platform/text.ts";
import { MAPPED } from "./provider-words.ts";

const URL_LIMIT = 2_000;
/** The maximum number of characters of a claim's name and of a scope. */
export const WORD_LIMIT = 200;

export function address(problemOf: CheckUrl, name: string, options: FieldOptions) {
  return field<string | null, string>({
    ...title(URL_LIMIT, options),
    audit: "value",
    must: `must be an https address of at most ${URL_LIMIT} characters.`,
    // Pasted addresses often contain spaces.
    take: (value: string | null) => value?.trim() || null,
    refuse(value: string | null) {
      const problem = value ? problemOf(value.trim()) : undefined;
      return problem && `${name}: ${problem}`;
    },
  });
}

/** OpenID Connect Discovery 1.0, 3: an issuer has neither query nor fragment. */
export function issuerProblem(checkUrl: CheckUrl): CheckUrl {
  return (url) => {
    const problem = checkUrl(url);
    if (problem) return problem;
    if (/[?#]/.test(url)) return "An issuer must have no query (?) and no fragment (#).";
    if (url.includes("/.well-known/")) return "Give the issuer itself, which is the part before /.well-known/.";
    return undefined;
  };
}

/** RFC 6749 3.1 and 3.2: an endpoint has no fragment. */
export function endpointProblem(checkUrl: CheckUrl): CheckUrl {
  return (url) => checkUrl(url) ?? (url.includes("#") ? "An endpoint must have no fragment (#)." : undefined);
}

interface WordsOptions extends FieldOptions {
  must: string;
  max: number;
  /** The pattern of each word after normalization. */
  pattern: string;
  takeOne?(word: string): string;
}

export function words({ must, max, pattern, takeOne = String, ...options }: WordsOptions) {
  const documented = Type.Array(Type.String({ maxLength: WORD_LIMIT, pattern }), { maxItems: max });
  return field<string[], string[]>({
    ...options,
    audit: "value",
    sent: documented,
    checked: Type.Array(Type.String({ maxLength: WORD_LIMIT }), { maxItems: max }),
    shown: documented,
    must,
    fits: (value: string[]) => value.every((one) => new RegExp(pattern).test(takeOne(one))),
    take: (value: string[]) => value.map(takeOne),
    blank: [],
  });
}

export function mapping<S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Unknown>>(claim: S) {
  const claims = Object.fromEntries(MAPPED.map((name) => [name, Type.Optional(claim)]));
  return Type.Object(claims, { additionalProperties: false });
}

export function isClaim(value: unknown): boolean {
  return isText(value, WORD_LIMIT);
}

export const MAX_PARAMETERS = 20;
/** The maximum number of characters of a value. */
export const PARAMETER_LIMIT = 1_000;
const PARAMETER_NAME = /^[A-Za-z][\w.:-]{0,99}$/;
const RESERVED = [
  ...["client_id", "client_secret", "client_assertion", "client_assertion_type", "redirect_uri", "response_type"],
  ...["scope", "state", "nonce", "code", "code_verifier", "code_challenge", "code_challenge_method", "max_age"],
  ...["login_hint", "id_token_hint", "request", "request_uri", "registration", "dpop_jkt"],
];

export function parametersProblem(parameters: Record<string, unknown>): string | undefined {
  for (const [name, value] of Object.entries(parameters)) {
    const problem = parameterProblem(name, value);
    if (problem) return `AuthorizationParameters: ${problem}`;
  }
  return undefined;
}

function parameterProblem(name: string, value: unknown): string | undefined {
  if (!PARAMETER_NAME.test(name)) {
    return "A name begins with a letter and has at most 100 letters, digits or any of _ . : -";
  }
  if (RESERVED.includes(name)) return `${name} is set by Gatehouse itself.`;
  if (!isText(value, PARAMETER_LIMIT) || value === "") {
    return `${name} must be a string of 1 to ${PARAMETER_LIMIT} characters.`;
  }
  if (name === "response_mode" && !["query", "form_post"].includes(value)) {
    return "response_mode must be query or form_post.";
  }
  if (name === "prompt" && value.split(" ").includes("none")) return "prompt=none would prevent every sign-in.";
  return undefined;
}
