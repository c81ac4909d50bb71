/**
 * Where a request came in: at SPEC.md's own paths, or at the /oauth2 ones that keep strictly to the RFCs. Behind both
 * stands the same engine.
 */
export type Door = "spec" | "rfc";

export const SPEC_TOKEN_PATH = "/oAuth/rest/v2/Token";
export const RFC_TOKEN_PATH = "/oauth2/token";
