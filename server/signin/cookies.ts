// Our cookies.

const OPAQUE = /^[A-Za-z0-9_-]{43}$/;

/** What each may hold: what we hand out, 32 random bytes in base64url, unless said otherwise. */
const SHAPES = {
  session: OPAQUE,
  /** Binds forms to the browser that they were shown in. */
  visitor: OPAQUE,
  /** Tells a browser its owner has used before. */
  device: OPAQUE,
  settings: OPAQUE,
  /** What binds a sign-in to Settings to the browser that began it. */
  "settings-sign-in": OPAQUE,
  /** What binds a trial of an application to the browser that began it. */
  "try-it": OPAQUE,
  /** The Id of the tenant whose Settings the browser was last in. */
  organisation: /^[0-9a-f-]{36}$/,
  /** The Id of the tenant whose first steps are not to be shown any more. */
  "first-steps": /^[0-9a-f-]{36}$/,
  /** What the next page of Settings shows this once, sealed, in base64url. */
  once: /^[A-Za-z0-9_-]{1,2000}$/,
  /** What the next page of Settings says of what was just done, in base64url. */
  told: /^[A-Za-z0-9_-]{1,1000}$/,
} as const;
export type CookieName = keyof typeof SHAPES;

export interface Cookies {
  read(request: Request, name: CookieName): string | undefined;
  /**
   * @returns a Set-Cookie value
   * @param maxAge seconds; without it the cookie ends with the browser
   */
  set(name: CookieName, value: string, maxAge?: number): string;
  clear(name: CookieName): string;
}

/**
 * A browser sends a host's cookies to all of its ports, so no name is one that other programs of the host are likely to
 * set. Over https the names have the prefix that keeps other hosts of the same domain from setting them (RFC 6265bis).
 */
export function createCookies(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith("https:");
  const full = (name: CookieName) => `${secure ? "__Host-" : ""}gatehouse-${name}`;
  const set = (name: CookieName, value: string, maxAge?: number) =>
    new Bun.Cookie(full(name), value, { path: "/", httpOnly: true, sameSite: "lax", secure, maxAge }).serialize();
  return {
    read(request, name) {
      const value = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(full(name));
      return value && SHAPES[name].test(value) ? value : undefined;
    },
    set,
    clear: (name) => set(name, "", 0),
  };
}

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
