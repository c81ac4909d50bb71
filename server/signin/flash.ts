import type { Cookies } from "./cookies.ts";

/** Seconds in which the next page has to be there. */
const LIFETIME = 60;
/** Characters; a cookie is no place for more. */
const LIMIT = 300;

/** @returns a Set-Cookie value */
export function flashCookie(cookies: Cookies, text: string): string {
  const shown = text.length > LIMIT ? `${text.slice(0, LIMIT - 1)}…` : text;
  // A cut between the halves of a character would not be UTF-8.
  return cookies.set("told", Buffer.from(shown.toWellFormed()).toString("base64url").slice(0, 1_000), LIFETIME);
}

/** What was said when the last form was taken; shown once. */
export function readFlash(cookies: Cookies, request: Request): string | undefined {
  const value = cookies.read(request, "told");
  return value === undefined ? undefined : Buffer.from(value, "base64url").toString("utf8");
}
