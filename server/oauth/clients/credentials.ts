// An OAuth client's credentials, as they are stored.

import type { MappedClaim } from "../claim-mapping.ts";
import type {
  ACCESS_TOKEN_TYPES,
  CLIENT_AUTH_METHODS,
  RESPONSE_ALGS,
  SECURITY_PROFILES,
  SUBJECT_TYPES,
} from "../contract.ts";
import type { SigningAlg } from "../keys/rotation.ts";
import type { CertificateName } from "./certificate.ts";
import type { Jwks } from "./jwks.ts";

export type ClientType = "confidential" | "public" | "native";

export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number];

export type SecurityProfile = (typeof SECURITY_PROFILES)[number];

export type AccessTokenType = (typeof ACCESS_TOKEN_TYPES)[number];

/** What makes an Application an OAuth client. */
export interface Credentials {
  clientType: ClientType;
  /** The one way in which it proves who it is; null: as its type has it. */
  tokenEndpointAuthMethod: ClientAuthMethod | null;
  /** Its public keys, if it has them here. */
  jwks: Jwks | null;
  /** Where it publishes them; "" if it does not. */
  jwksUri: string;
  /** Which name in its certificate is its own, and what it is; "": it has none. */
  tlsClientAuthName: CertificateName;
  tlsClientAuthValue: string;
  grantTypes: string[];
  responseTypes: string[];
  scopes: string[];
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  /** Where it is told that a session has ended; null: nowhere. */
  backchannelLogoutUri: string | null;
  accessTokenAlg: SigningAlg;
  accessTokenType: AccessTokenType;
  /** Seconds; null: TOKEN_LIFETIME. */
  accessTokenLifetime: number | null;
  /** Seconds from the grant on; null: the standard one. */
  refreshTokenLifetime: number | null;
  idTokenAlg: SigningAlg;
  /** "": userinfo answers are plain JSON. */
  userinfoAlg: (typeof RESPONSE_ALGS)[number];
  /** Of introspection answers that are JWTs; "": as id_tokens. */
  introspectionAlg: (typeof RESPONSE_ALGS)[number];
  /** Claims of the granted scopes stand in its id_tokens too. */
  idTokenClaims: boolean;
  claimMapping: MappedClaim[];
  /** How it knows its users (OIDC Core 8). */
  subjectType: (typeof SUBJECT_TYPES)[number];
  /** Where its sector is listed; "": its redirect URIs say it. */
  sectorIdentifierUri: string;
  /** What the consent page shows of it; "": nothing. */
  logoUri: string;
  policyUri: string;
  tosUri: string;
  /** Its authorization requests have to be pushed (RFC 9126). */
  requirePar: boolean;
  /** Its authorization requests have to be signed (RFC 9101). */
  requireSignedRequestObject: boolean;
  /** It is given tokens that are bound to a key of its alone (RFC 9449). */
  dpopBound: boolean;
  securityProfile: SecurityProfile;
  /** Its users are not asked for consent. */
  firstParty: boolean;
}
