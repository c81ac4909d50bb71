/** Shown wherever tokens are ended: an API that validates tokens offline does not notice a revocation (RFC 7009 3). */
export const ISSUED_TOKENS =
  "An API that verifies only signatures accepts issued access tokens until they expire: after its lifetime " +
  "of tokens or the application's, otherwise after TOKEN_LIFETIME (default one hour), and after a day at most.";
