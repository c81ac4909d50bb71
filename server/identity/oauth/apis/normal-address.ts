import { readUrl } from "../../../platform/address.ts";

/**
 * Normalizes equivalent addresses (RFC 3986 6.2.2 and 6.2.3): lower-case scheme and host, no default port, no empty
 * path, no dot segments, and upper-case percent-encoding only where required. Text that is not an absolute URI is
 * unchanged.
 * @example normalAddress("HTTPS://Orders.example.com:443") // "https://orders.example.com/"
 */
export function normalAddress(text: string): string {
  const url = readUrl(text);
  // The URL standard accepts more than RFC 3986, such as backslashes and spaces.
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*$/.test(text) || !url) return text;
  return url.href.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : encoded.toUpperCase();
  });
}
