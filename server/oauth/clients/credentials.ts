import type { CertificateName } from "../certificate.ts";
import type { MappedClaim } from "../claim-mapping.ts";
import type {
  AccessTokenType,
  CLIENT_AUTH_METHODS,
  RESPONSE_ALGS,
  SECURITY_PROFILES,
  SigningAlg,
  SUBJECT_TYPES,
} from "../contract.ts";
import type { Jwks } from "./jwks.ts";

export type ClientType = "confidential" | "public" | "native";

export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number];

export type SecurityProfile = (typeof SECURITY_PROFILES)[number];

export interface Credentials {
  clientType: ClientType;
  /** The only allowed authentication method; null: the methods of its type. */
  tokenEndpointAuthMethod: ClientAuthMethod | null;
  jwks: Jwks | null;
  /** The address of its published keys; "" if none. */
  jwksUri: string;
  /** The kind and value of the identifying name in its certificate; "": none. */
  tlsClientAuthName: CertificateName;
  tlsClientAuthValue: string;
  grantTypes: string[];
  responseTypes: string[];
  scopes: string[];
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  /** The address for logout tokens; null: none. */
  backchannelLogoutUri: string | null;
  accessTokenAlg: SigningAlg;
  accessTokenType: AccessTokenType;
  /** Seconds; null: TOKEN_LIFETIME. */
  accessTokenLifetime: number | null;
  /** Seconds since the grant; null: the default. */
  refreshTokenLifetime: number | null;
  idTokenAlg: SigningAlg;
  /** "": userinfo responses are plain JSON. */
  userinfoAlg: (typeof RESPONSE_ALGS)[number];
  /** The algorithm of introspection responses as JWT; "": as for id_tokens. */
  introspectionAlg: (typeof RESPONSE_ALGS)[number];
  /** Its id_tokens include the claims of the granted scopes. */
  idTokenClaims: boolean;
  claimMapping: MappedClaim[];
  /** How it knows its users (OIDC Core 8). */
  subjectType: (typeof SUBJECT_TYPES)[number];
  /** The address of its sector's list; "": the redirect URIs determine the sector. */
  sectorIdentifierUri: string;
  /** Shown on the consent page; "": nothing. */
  logoUri: string;
  policyUri: string;
  tosUri: string;
  /** Authorization requests must be pushed (RFC 9126). */
  requirePar: boolean;
  /** Authorization requests must be signed (RFC 9101). */
  requireSignedRequestObject: boolean;
  /** Its tokens must be bound to a key (RFC 9449). */
  dpopBound: boolean;
  securityProfile: SecurityProfile;
  /** Its users are not asked for consent. */
  firstParty: boolean;
}
