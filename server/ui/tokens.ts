/** Stands wherever a page says that tokens end: an API that never asks does not hear of it (RFC 7009 3). */
export const TOKENS_ELSEWHERE =
  "An API of yours that checks tokens by their signature alone takes those it knows until they expire: after its lifetime " +
  "of tokens or the application's, otherwise after TOKEN_LIFETIME (an hour by default), and after a day at most.";
