/** `visitor` binds forms to the browser that they were shown in; `device` tells a browser its owner has used before. */
export type CookieName = "session" | "visitor" | "device";

export interface Cookies {
  read(request: Request, name: CookieName): string | undefined;
  /**
   * @returns a Set-Cookie value
   * @param maxAge seconds; without it the cookie ends with the browser
   */
  set(name: CookieName, value: string, maxAge?: number): string;
  clear(name: CookieName): string;
}

/** What we hand out: 32 random bytes in base64url. */
const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** Over https the names have the prefix that keeps other hosts of the same domain from setting them (RFC 6265bis). */
export function createCookies(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith("https:");
  const full = (name: CookieName) => (secure ? `__Host-${name}` : name);
  const set = (name: CookieName, value: string, maxAge?: number) =>
    new Bun.Cookie(full(name), value, { path: "/", httpOnly: true, sameSite: "lax", secure, maxAge }).serialize();
  return {
    read(request, name) {
      const value = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(full(name));
      return value && VALUE.test(value) ? value : undefined;
    },
    set,
    clear: (name) => set(name, "", 0),
  };
}
