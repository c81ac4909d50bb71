import { NO_STORE } from "../../http/no-store.ts";

export interface PageOptions {
  status?: number;
  headers?: Record<string, string>;
  /** Set-Cookie values. */
  cookies?: string[];
  /** Where the page's forms may lead beside our own origin, as CSP sources. */
  formAction?: string[];
  /** Whether the page's scripts may ask our own origin for more. */
  connects?: boolean;
}

/**
 * A page: never cached, framed or told to the next site; no script but our own files, no inline style.
 * With Referrer-Policy no-referrer a form's Origin header is "null", so forms are protected by their token alone.
 */
export async function pageResponse(page: JSX.Element, options: PageOptions = {}): Promise<Response> {
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "img-src 'self' data:",
      ...(options.connects ? ["connect-src 'self'"] : []),
      `form-action ${["'self'", ...(options.formAction ?? [])].join(" ")}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...options.headers,
    ...NO_STORE,
  });
  for (const cookie of options.cookies ?? []) headers.append("set-cookie", cookie);
  return new Response(`<!doctype html>${await page}`, { status: options.status ?? 200, headers });
}
