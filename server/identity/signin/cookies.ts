import { createHash } from "node:crypto";
import { urlOf } from "../../platform/address.ts";
import type { TenantId } from "../../platform/ids.ts";

const OPAQUE = /^[A-Za-z0-9_-]{43}$/;

/** The format of each cookie's value. OPAQUE is 32 random bytes in base64url. */
const SHAPES = {
  session: OPAQUE,
  visitor: OPAQUE,
  /** Marks a browser in which a user has signed in before. */
  device: OPAQUE,
  /** The person's choice on a page, and the language that an application had asked for instead. */
  language: /^[a-z]{2}(\.[a-z]{2})?$/,
  settings: OPAQUE,
  "settings-sign-in": OPAQUE,
  "try-it": OPAQUE,
  /** The Id of the tenant that was last signed in to, in Settings or on the account pages. */
  organisation: /^[0-9a-f-]{36}$/,
  /** The Id of the tenant for which the first steps were dismissed. */
  "first-steps": /^[0-9a-f-]{36}$/,
  /** A sealed value for one page of Settings, shown once, in base64url. */
  once: /^[A-Za-z0-9_-]{1,2000}$/,
  /** The message that the next page of Settings shows about the last action, in base64url. */
  notice: /^[A-Za-z0-9_-]{1,1000}$/,
} as const;
export type CookieName = keyof typeof SHAPES;

export interface Cookies {
  read(request: Request, name: CookieName): string | undefined;
  /** @returns a Set-Cookie value @param maxAge seconds; without it the cookie ends with the browser */
  set(name: CookieName, value: string, maxAge?: number): string;
  clear(name: CookieName): string;
  /** @returns a Set-Cookie value */
  rememberOrganisation(tenantId: TenantId): string;
  rememberLanguage(chosen: string): string;
  /** A message for the next page. @returns a Set-Cookie value */
  setNotice(text: string): string;
  /** The message of the last form; callers show it once. */
  readNotice(request: Request): string | undefined;
}

/** Seconds for which a browser remembers its organisation. */
const ORGANISATION_LIFETIME = 365 * 24 * 3600;
/** Seconds for which a browser remembers the language that was chosen in it. */
const LANGUAGE_LIFETIME = 365 * 24 * 3600;
/** Seconds until a message expires. */
const NOTICE_LIFETIME = 60;
/** The maximum number of characters of a message, because cookies are small. */
const NOTICE_LIMIT = 300;

/**
 * Cookies are shared by all ports and paths of a host, so the names avoid those of other programs and of other
 * installations. Over https a prefix keeps other hosts of the domain from setting them (RFC 6265bis).
 */
export function createCookies(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith("https:");
  const installation = installationOf(urlOf(publicUrl));
  const full = (name: CookieName) => `${secure ? "__Host-" : ""}gatehouse-${name}${installation}`;
  const set = (name: CookieName, value: string, maxAge?: number) =>
    new Bun.Cookie(full(name), value, { path: "/", httpOnly: true, sameSite: "lax", secure, maxAge }).serialize();
  const read = (request: Request, name: CookieName) => {
    const value = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(full(name));
    return value && SHAPES[name].test(value) ? value : undefined;
  };
  return {
    read,
    set,
    clear: (name) => set(name, "", 0),
    rememberOrganisation: (tenantId) => set("organisation", tenantId, ORGANISATION_LIFETIME),
    rememberLanguage: (chosen) => set("language", chosen, LANGUAGE_LIFETIME),
    setNotice(text) {
      const shown = text.length > NOTICE_LIMIT ? `${text.slice(0, NOTICE_LIMIT - 1)}…` : text;
      // Half a surrogate pair cannot be encoded as UTF-8.
      const value = Buffer.from(shown.toWellFormed()).toString("base64url").slice(0, 1_000);
      return set("notice", value, NOTICE_LIFETIME);
    },
    readNotice(request) {
      const value = read(request, "notice");
      return value === undefined ? undefined : Buffer.from(value, "base64url").toString("utf8");
    },
  };
}

/** The port and a digest of the path of PUBLIC_URL, if any. A path may contain characters that a name may not. */
function installationOf({ port, pathname }: URL): string {
  const path = pathname === "/" ? "" : `-${createHash("sha256").update(pathname).digest("hex").slice(0, 8)}`;
  return (port && `-${port}`) + path;
}
