/** For answers that hold a code, a token or a form for one person (RFC 6749 5.1). */
export const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };
