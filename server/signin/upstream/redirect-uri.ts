/**
 * Where a provider sends the browser back to: an address for each, so that an answer that one of them has passed on to
 * another's sign-in arrives at the wrong one (RFC 9700 4.4.2.2). `iss` alone would not do, for not all of them send it.
 */
export function redirectUriOf(publicUrl: string, providerId: number | string): string {
  return `${publicUrl}${callbackPath(providerId)}`;
}

function callbackPath(providerId: number | string): string {
  return `/signin/upstream/${providerId}/callback`;
}
