/** Shown wherever tokens are ended: an API that validates tokens offline does not notice a revocation (RFC 7009 3). */
export const TOKENS_ELSEWHERE =
  "An API of yours that checks tokens by their signature alone takes those it knows until they expire: after its lifetime " +
  "of tokens or the application's, otherwise after TOKEN_LIFETIME (an hour by default), and after a day at most.";
